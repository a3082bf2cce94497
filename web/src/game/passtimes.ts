/**
 * The time that a pass takes which the page makes: one planned ahead, or one by itself where nothing beats the table. It is drawn
 * from the player's own latest passes by hand with something to play, so that nobody at the table can tell the three apart.
 */
import { load, save } from '../browser/storage';

const KEPT = 32;
/** Own passes that are needed before they are drawn from. */
const ENOUGH = 6;
/** Milliseconds of somebody whose passes are not known yet. */
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

  /** Milliseconds for a pass that the page makes; at most a third of what the clock has left. */
  draw(left: number | null): number {
    const { times, chance } = this;
    const [least, most] = USUAL;
    const known = times[Math.floor(chance() * times.length)];
    const drawn =
      times.length < ENOUGH || known === undefined ? least + chance() * (most - least) : known * (0.85 + 0.3 * chance());
    return Math.min(drawn, left === null ? LONGEST : left / 3);
  }
}
