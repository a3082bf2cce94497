import { describe, expect, it } from 'vitest';
import { expected, rated, type PuzzleScore } from './puzzles';

const START: PuzzleScore = { rating: 1200, streak: 0, best: 0, seen: [] };

describe('the score of puzzles', () => {
  it('counts the streak, keeps the best, and begins anew after a miss', () => {
    const won = rated(rated(START, 'a', 1, true), 'b', 1, true);
    expect(won).toMatchObject({ streak: 2, best: 2, seen: ['a', 'b'] });
    expect(rated(won, 'c', 1, false)).toMatchObject({ streak: 0, best: 2, seen: ['a', 'b', 'c'] });
  });

  it('rises more for a hard puzzle than for an easy one, and falls more for an easy one', () => {
    const change = (grade: number, won: boolean): number => rated(START, 'a', grade, won).rating - START.rating;
    expect(change(5, true)).toBeGreaterThan(change(1, true));
    expect(change(1, true)).toBeGreaterThan(0);
    expect(change(1, false)).toBeLessThan(change(5, false));
    expect(change(5, false)).toBeLessThan(0);
  });

  it('stays where it is on average for whoever solves half of the puzzles of a grade', () => {
    const even = { ...START, rating: expected(2) };
    const [up, down] = [rated(even, 'a', 2, true).rating, rated(even, 'a', 2, false).rating];
    expect((up + down) / 2).toBe(even.rating);
  });
});
