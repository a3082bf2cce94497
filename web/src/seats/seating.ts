/** A place on the stage, in per cent of its width and height. */
export interface Place {
  x: number;
  y: number;
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
const NARROW: Record<number, [number, number][]> = {
  2: [
    [77, 13],
    [23, 13],
  ],
  3: [
    [85, 33],
    [50, 9],
    [15, 33],
  ],
  4: [
    [86, 37],
    [70, 9],
    [30, 9],
    [14, 37],
  ],
  5: [
    [86, 40],
    [84, 9],
    [50, 9],
    [16, 9],
    [14, 40],
  ],
  6: [
    [87, 66],
    [87, 36],
    [69, 10],
    [31, 10],
    [13, 36],
    [13, 66],
  ],
  7: [
    [87, 69],
    [87, 40],
    [83, 10],
    [50, 10],
    [17, 10],
    [13, 40],
    [13, 69],
  ],
};

/** A stage of little height: one row at the top between the buttons, with a gap in the middle for the trick. */
function row(opponents: number): [number, number][] {
  const right = Math.ceil(opponents / 2);
  const apart = opponents < 4 ? 16 : 10.5;
  return Array.from({ length: opponents }, (_, i) => [i < right ? 86 - apart * i : 13 + apart * (opponents - 1 - i), 15]);
}

/** The middle of the gap that the row at the top leaves for the trick, in per cent of the width. */
export function gap(opponents: number): number {
  const xs = row(opponents).map(([x]) => x);
  const right = Math.ceil(opponents / 2);
  return opponents > 4 ? ((xs[right - 1] ?? 50) + (xs[right] ?? 50)) / 2 : 50;
}

export type Shape = 'wide' | 'narrow' | 'low';

const around = (opponents: number, shape: Shape): [number, number][] =>
  shape === 'low' ? row(opponents) : ((shape === 'wide' ? WIDE : NARROW)[opponents] ?? []);

export type Direction = 'counterclockwise' | 'clockwise';

/** The number of turns from `me` to this seat. */
export const turnsAfter = (seat: number, me: number, players: number): number => (seat - me + players) % players;

/** A seat's place: counter-clockwise the next player is on the viewer's right, clockwise on the left. */
export function place(seat: number, me: number, players: number, direction: Direction, shape: Shape): Place {
  const turns = turnsAfter(seat, me, players);
  if (turns === 0) return { x: 50, y: 104 };
  const places = around(players - 1, shape);
  const [x, y] = places[direction === 'counterclockwise' ? turns - 1 : players - 1 - turns] ?? [50, 12];
  return { x, y };
}
