import { describe, expect, it } from 'vitest';
import { PassTimes } from './passtimes';

/** Chance that is the same in every run: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The probability, after Kolmogorov and Smirnov, of a difference as large as that between samples of one distribution. */
function likely(one: number[], other: number[]): number {
  const below = (values: number[], at: number): number => values.filter((value) => value <= at).length / values.length;
  const gap = Math.max(...[...one, ...other].map((at) => Math.abs(below(one, at) - below(other, at))));
  const root = Math.sqrt((one.length * other.length) / (one.length + other.length));
  const at = (root + 0.12 + 0.11 / root) * gap;
  let sum = 0;
  for (let k = 1; k <= 100; k++) sum += 2 * (-1) ** (k - 1) * Math.exp(-2 * (k * at) ** 2);
  return Math.min(1, Math.max(0, sum));
}

describe('a pass that the page makes', () => {
  const chance = seeded(3);
  /** How long a person takes over a pass that they choose: half of them 1.6 s, a few many seconds. */
  const person = (): number => 1600 * Math.exp(0.5 * Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance()));

  it('takes as long as one that the player makes: hundreds of them cannot be told apart', () => {
    const passes = new PassTimes([], chance);
    const byHand: number[] = [];
    const byPage: number[] = [];
    for (let i = 0; i < 400; i++) {
      byHand.push(person());
      passes.record(byHand[i] as number);
      if (i >= 32) byPage.push(passes.draw(null));
    }
    expect(byPage.length).toBeGreaterThan(300);
    expect(likely(byHand, byPage)).toBeGreaterThan(0.05);
  });

  it('was told apart at once before: planned passes took no time', () => {
    const byHand = Array.from({ length: 300 }, person);
    expect(
      likely(
        byHand,
        byHand.map(() => 0),
      ),
    ).toBeLessThan(1e-9);
    expect(
      likely(
        byHand,
        byHand.map(() => 900 + chance() * 1700),
      ),
    ).toBeLessThan(1e-3);
  });

  it('takes a usual time of somebody who is not known, and leaves the clock alone', () => {
    const passes = new PassTimes([], chance);
    const drawn = Array.from({ length: 200 }, () => passes.draw(null));
    expect(Math.min(...drawn)).toBeGreaterThan(899);
    expect(Math.max(...drawn)).toBeLessThan(2601);
    expect(passes.draw(600)).toBeLessThanOrEqual(200);
  });
});
