/** A media query as a rune. */
class Query {
  private list: MediaQueryList;
  matches = $state(false);

  constructor(query: string) {
    this.list = matchMedia(query);
    this.matches = this.list.matches;
    this.list.addEventListener('change', () => (this.matches = this.list.matches));
  }
}

/** One thumb: a phone held upright, or a narrow window. */
export const narrow = new Query('(max-width: 719px)');
/** Little height: a phone on its side. */
export const low = new Query('(max-height: 599px)');
/** Room for a panel beside the table. */
export const roomy = new Query('(min-width: 1120px)');
