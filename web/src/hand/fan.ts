export interface Fan {
  /** How many cards each row holds, from the back row to the front one. */
  rows: number[];
  /** Pixels from one card's left edge to the next one's. */
  step: number;
}

/**
 * How to lay `count` cards of `card` pixels in `width`: in as few rows as leave each card a strip one can hit, and no
 * further apart than `open` times a card's width.
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
