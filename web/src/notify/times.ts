/** A minute of the day as a time field has it: 75 is `01:15`. */
export const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** The minute of the day in a time field; null while it is empty. */
export function minuteOf(text: string): number | null {
  const clock = /^(\d\d):(\d\d)/.exec(text);
  return clock ? Number(clock[1]) * 60 + Number(clock[2]) : null;
}
