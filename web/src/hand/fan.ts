/** The most rows of cards. */
export const MOST_ROWS = 3;

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
export function fan(count: number, width: number, card: number, least: number, most = MOST_ROWS, open = 0.66): Fan {
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

/** The part of a row of `Cards` that is visible above the next one, in widths of a card. */
export const PEEK = 0.7;

/** The height of so many rows of `Cards` of this width, in pixels; one row is as high as a card. */
export const heightOf = (size: number, rows = 1): number => size * (1.4 + PEEK * (Math.max(rows, 1) - 1));

/** The part of a card's width that has its rank and suit. */
export const corner = (compact: boolean): number => (compact ? 0.29 : 0.22);

/** The largest cards, of at most `most` pixels, whose corners are all visible on `width` by `height` pixels. share: see `corner`. */
export function largest(count: number, width: number, height: number, most: number, share: number): number {
  const sizes = Array.from({ length: MOST_ROWS }, (_, i) =>
    Math.min(width / (1 + share * (Math.ceil(count / (i + 1)) - 1)), height / heightOf(1, i + 1)),
  );
  return Math.floor(Math.min(most, Math.max(...sizes)));
}
