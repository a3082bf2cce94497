import type { Shape } from '../browser/layout';

/**
 * A place on the stage, in per cent of its width and height. Only a wide stage has seats at any height: on the others they
 * are in a row at the top or the bottom, or at the sides, `y` per cent down between those rows.
 */
export interface Place {
  x: number;
  y: number;
  row: 'top' | 'side' | 'bottom';
}

/** Opponents from the bottom right corner round to the bottom left one, by their number. */
const WIDE: Record<number, [number, number][]> = {
  2: [
    [82, 24],
    [18, 24],
  ],
  3: [
    [88, 44],
    [50, 12],
    [12, 44],
  ],
  4: [
    [89, 54],
    [72, 14],
    [28, 14],
    [11, 54],
  ],
  5: [
    [89, 60],
    [83, 18],
    [50, 12],
    [17, 18],
    [11, 60],
  ],
  6: [
    [89, 66],
    [89, 28],
    [66, 12],
    [34, 12],
    [11, 28],
    [11, 66],
  ],
  7: [
    [89, 72],
    [89, 38],
    [73, 12],
    [50, 12],
    [27, 12],
    [11, 38],
    [11, 72],
  ],
};
/** The same on a narrow stage: 0 per cent is the row at the top, more is at the sides, below it. */
const NARROW: Record<number, [number, number][]> = {
  2: [
    [77, 0],
    [23, 0],
  ],
  3: [
    [85, 8],
    [50, 0],
    [15, 8],
  ],
  4: [
    [86, 12],
    [70, 0],
    [30, 0],
    [14, 12],
  ],
  5: [
    [86, 16],
    [84, 0],
    [50, 0],
    [16, 0],
    [14, 16],
  ],
  6: [
    [86, 92],
    [86, 1],
    [69, 0],
    [31, 0],
    [14, 1],
    [14, 92],
  ],
  7: [
    [86, 92],
    [86, 1],
    [83, 0],
    [50, 0],
    [17, 0],
    [14, 1],
    [14, 92],
  ],
};

/** A stage of little height: one row at the top between the buttons, with a gap in the middle for the trick. */
function row(opponents: number): [number, number][] {
  const right = Math.ceil(opponents / 2);
  const apart = opponents < 4 ? 16 : 10.5;
  return Array.from({ length: opponents }, (_, i) => [i < right ? 86 - apart * i : 13 + apart * (opponents - 1 - i), 0]);
}

/** The middle of the gap that the row at the top leaves for the trick, in per cent of the width. */
export function gap(opponents: number): number {
  const xs = row(opponents).map(([x]) => x);
  const right = Math.ceil(opponents / 2);
  return opponents > 4 ? ((xs[right - 1] ?? 50) + (xs[right] ?? 50)) / 2 : 50;
}

const around = (opponents: number, shape: Shape): [number, number][] =>
  shape === 'low' ? row(opponents) : ((shape === 'wide' ? WIDE : NARROW)[opponents] ?? []);

export type Direction = 'counterclockwise' | 'clockwise';

/** The number of turns from `me` to this seat. */
const turnsAfter = (seat: number, me: number, players: number): number => (seat - me + players) % players;

/** A seat's place: counter-clockwise the next player is on the viewer's right, clockwise on the left. */
export function place(seat: number, me: number, players: number, direction: Direction, shape: Shape): Place {
  const turns = turnsAfter(seat, me, players);
  if (turns === 0) return { x: 50, y: 104, row: 'bottom' };
  const places = around(players - 1, shape);
  const [x, y] = places[direction === 'counterclockwise' ? turns - 1 : players - 1 - turns] ?? [50, 0];
  return { x, y, row: y > (shape === 'wide' ? 40 : 0) ? 'side' : 'top' };
}
