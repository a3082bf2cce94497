export interface Fan {
  /** The number of cards in each row, from back to front. */
  rows: number[];
  /** Pixels from one card's left edge to the next one's. */
  step: number;
}

/**
 * The layout of `count` cards of `card` pixels in `width`: the fewest rows in which every card has a strip wide enough to
 * hit, and gaps of at most `open` times a card's width.
 */
export function fan(count: number, width: number, card: number, least: number, most = 3, open = 0.66): Fan {
  if (count === 0) return { rows: [], step: 0 };
  for (let rows = 1; ; rows++) {
    const longest = Math.ceil(count / rows);
    const step = longest === 1 ? 0 : Math.min((width - card) / (longest - 1), card * open);
    if (step >= least || longest === 1 || rows === most) {
      const short = rows * longest - count;
      return { rows: Array.from({ length: rows }, (_, i) => longest - (i < short ? 1 : 0)), step };
    }
  }
}
