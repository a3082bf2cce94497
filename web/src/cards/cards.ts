/** A card is its text on the wire: rank then suit (`4H`), `BJ`, `RJ`, or `?` for a hidden one. */
export type Card = string;

export const SUITS = ['D', 'C', 'H', 'S'] as const;

export const rankOf = (card: Card): string => card[0] ?? '?';
export const suitOf = (card: Card): string => card[1] ?? '?';
export const isJoker = (card: Card): boolean => card === 'BJ' || card === 'RJ';
export const isHidden = (card: Card): boolean => card === '?';

/** The rank as printed in a corner: `T` is 10. */
export const printed = (rank: string): string => (rank === 'T' ? '10' : rank);

export const SYMBOL: Record<string, string> = { D: '♦', C: '♣', H: '♥', S: '♠' };

/** `4♥`, `10♠`, `★`: for chips and lists. */
export function short(card: Card): string {
  if (isHidden(card)) return '?';
  if (isJoker(card)) return '★';
  return printed(rankOf(card)) + (SYMBOL[suitOf(card)] ?? '');
}

/** Two decks hold equal cards: a key for each card of a list, `4H` and `4H'`. */
export function keys(cards: readonly Card[]): string[] {
  const seen = new Map<Card, number>();
  return cards.map((card) => {
    const copies = seen.get(card) ?? 0;
    seen.set(card, copies + 1);
    return card + "'".repeat(copies);
  });
}

/** The card a key of `keys` stands for. */
export const cardOf = (key: string): Card => key.replace(/'+$/, '');

/** Equal for lists that hold the same cards, in any order. */
export const sameCards = (a: readonly Card[], b: readonly Card[]): boolean =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join();

const RUN = 'A23456789TJQK';

/** A play in the order in which it is shown: a low straight from its ace or 2 up, as A 2 3 4 5, which by rank ends with them. */
export function runFromLow(cards: readonly Card[]): readonly Card[] {
  const ranks = cards.map(rankOf);
  const distinct = [...new Set(ranks)].sort((a, b) => RUN.indexOf(a) - RUN.indexOf(b));
  const low = distinct.length > 2 && distinct.length < RUN.length && distinct.includes('2') && distinct.includes('3');
  if (!low || !RUN.includes(distinct.join(''))) return cards;
  const even = distinct.every((rank) => ranks.filter((one) => one === rank).length === cards.length / distinct.length);
  return even ? [...cards].sort((a, b) => RUN.indexOf(rankOf(a)) - RUN.indexOf(rankOf(b))) : cards;
}
