import type { ClockInfo } from '../gen/protocol';

/** Milliseconds left to a seat: `clocks` arrived at `since` by this browser's clock, and now it is `now`. */
export function remaining(clocks: ClockInfo, since: number, seat: number, now: number): number | null {
  const passed = Math.max(0, now - since);
  if (clocks.to_act === seat && clocks.deadline !== null) return Math.max(0, clocks.deadline - clocks.now - passed);
  const left = clocks.left[seat] ?? null;
  return left === null ? null : Math.max(0, left - (clocks.to_act === seat ? passed : 0));
}

const unit = (n: number, name: 'day' | 'hour', tag: string): string =>
  new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay: 'short' }).format(n);

/** `1:05`, `2 hr`, `3 days`, the last two as the language `tag` writes them. */
export function spoken(milliseconds: number, tag: string): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds >= 2 * 86400) return unit(Math.floor(seconds / 86400), 'day', tag);
  if (seconds >= 2 * 3600) return unit(Math.floor(seconds / 3600), 'hour', tag);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
