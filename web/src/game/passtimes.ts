/**
 * The delay of an automatic pass: a planned one, or one because nothing beats the table. It is drawn from the player's own
 * latest manual passes with a choice, so that others cannot distinguish the three.
 */
import { load, save } from '../browser/storage';

const KEPT = 32;
/** The number of own passes needed before delays are drawn from them. */
const ENOUGH = 6;
/** Milliseconds for a player with too few passes. */
const USUAL = [900, 2600] as const;
const [SHORTEST, LONGEST] = [300, 8000];

export class PassTimes {
  constructor(
    private times: number[] = [],
    private readonly chance: () => number = Math.random,
  ) {}

  /** Those of this browser. */
  static stored(): PassTimes {
    const times = load<unknown>('passTimes', []);
    return new PassTimes(Array.isArray(times) ? times.filter((time) => typeof time === 'number').slice(-KEPT) : []);
  }

  /** Record that the player passed manually, with a choice, after this many milliseconds. */
  record(time: number): void {
    this.times = [...this.times, Math.min(LONGEST, Math.max(SHORTEST, Math.round(time)))].slice(-KEPT);
  }

  keep(): void {
    save('passTimes', this.times);
  }

  /** Milliseconds for an automatic pass; at most a third of the time left on the clock. */
  draw(left: number | null): number {
    const { times, chance } = this;
    const [least, most] = USUAL;
    const known = times[Math.floor(chance() * times.length)];
    const drawn =
      times.length < ENOUGH || known === undefined ? least + chance() * (most - least) : known * (0.85 + 0.3 * chance());
    return Math.min(drawn, left === null ? LONGEST : left / 3);
  }
}
