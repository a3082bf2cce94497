/** A drawing's width, height and margins. */
export interface Sheet {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The value of a move: null if unproved, undefined without a verdict. */
type Worth = number | null | undefined;

export interface Line {
  path: string;
  /** The range of values. */
  low: number;
  high: number;
  /** The end of the line. */
  last: [number, number];
}

/** Ratings hand by hand as one line, within round bounds that include the initial rating. */
export function ratingLine(values: readonly number[], beginning: number, sheet: Sheet): Line {
  const low = Math.floor((Math.min(...values, beginning) - 10) / 50) * 50;
  const high = Math.ceil((Math.max(...values, beginning) + 10) / 50) * 50;
  const { width, height, left, right, top, bottom } = sheet;
  const x = (i: number): number => left + (i * (width - left - right)) / Math.max(1, values.length - 1);
  const y = (value: number): number => top + ((high - value) / (high - low)) * (height - top - bottom);
  const path = values.map((value, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  return { path, low, high, last: [x(values.length - 1), y(values.at(-1) ?? low)] };
}

/** Values of moves as steps; the line is interrupted at unknown values. */
export function steps(values: readonly Worth[], x: (i: number) => number, y: (value: number) => number): string {
  let d = '';
  let last: Worth;
  for (const [i, value] of values.entries()) {
    if (typeof value === 'number') d += typeof last === 'number' ? `H${x(i)}V${y(value)}` : `M${x(i)} ${y(value)}`;
    last = value;
  }
  return d;
}

/** The first and the last of every run of unsettled moves. */
export function gaps(values: readonly Worth[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const [i, value] of values.entries()) {
    const last = runs.at(-1);
    if (value !== null) continue;
    if (last?.[1] === i - 1) last[1] = i;
    else runs.push([i, i]);
  }
  return runs;
}
