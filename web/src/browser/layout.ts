/**
 * The table's layout: around a wide stage; portrait, for one thumb; or landscape with little height.
 */
export type Shape = 'wide' | 'narrow' | 'low';

/** The layout for a window of this size in CSS pixels. */
export function shapeOf(width: number, height: number): Shape {
  if (height < 560 && width > height) return 'low';
  return width < 720 ? 'narrow' : 'wide';
}

/** Whether a table's text is beside it, because there is no room above. */
export function besideOf(width: number, height: number): boolean {
  return shapeOf(width, height) === 'low' || (height < 760 && width >= 960);
}

/** Whether a portrait phone, of which the browser's bars take a part, is so low that a lesson or an exercise needs a tighter layout. */
export function shortOf(width: number, height: number): boolean {
  return shapeOf(width, height) === 'narrow' && height < 850;
}

export interface Sizes {
  shape: Shape;
  /** Width of a card in the hand, in pixels. */
  hand: number;
  /** Width of a card played to the middle. */
  play: number;
  /** One em on the stage: seats grow with the table. */
  em: number;
  /** Big corners and one pip, for cards that are small or overlap much. */
  compact: boolean;
  /** The least visible part of each card of the hand. */
  strip: number;
  /** The most rows of a hand. */
  rows: number;
  lift: number;
}

const between = (low: number, value: number, high: number): number => Math.round(Math.max(low, Math.min(high, value)));

/** Sizes for a felt of this many pixels: cards of about 130 at 1440 × 900, 170 at 2560 × 1440. */
export function sizes(width: number, height: number, shape: Shape): Sizes {
  if (shape === 'low') {
    const hand = between(46, height * 0.19, 80);
    return {
      shape,
      hand,
      play: between(40, height * 0.17, 72),
      em: between(11, height / 28, 15),
      compact: true,
      strip: 20,
      rows: 2,
      lift: 10,
    };
  }
  if (shape === 'narrow') {
    const hand = between(50, Math.min(width * 0.2, height * 0.11), 96);
    return {
      shape,
      hand,
      play: between(44, Math.min(width * 0.24, height * 0.115), 104),
      em: between(12, width / 28, 16),
      compact: true,
      strip: 26,
      rows: 3,
      lift: 12,
    };
  }
  const upright = height > width;
  const hand = between(72, Math.min(width * (upright ? 0.145 : 0.122), 60 + height * 0.083), 190);
  const em = between(13, Math.min(width / (upright ? 40 : 48), height / 46), 24);
  return {
    shape,
    hand,
    play: Math.round(hand * (upright ? 1.15 : 0.94)),
    em,
    compact: hand < 84,
    strip: hand * 0.34,
    rows: 3,
    lift: Math.round(hand * 0.17),
  };
}
