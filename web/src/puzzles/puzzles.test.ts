import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../gen/protocol';
import { answersByTrick, counted, expected, following, rated, stored, type PuzzleScore } from './puzzles';

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

describe('the score of a browser', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('counts the first try at each puzzle in every tab', () => {
    const kept = new Map<string, string>();
    vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: kept.set.bind(kept) });
    const [one, other] = [stored(), stored()];
    counted(one, 'a', 1, true);
    counted(other, 'b', 1, true);
    counted(one, 'b', 1, false);
    expect(stored()).toMatchObject({ streak: 2, seen: ['a', 'b'] });
  });
});

describe('the next puzzle', () => {
  const GRADES = { 1: 130, 2: 5, 3: 1 };
  const ids = (grade: keyof typeof GRADES): string[] => Array.from({ length: GRADES[grade] }, (_, n) => `${grade}-${n}`);
  const read = async (grade: number, offset: number) => {
    const all = ids(grade as keyof typeof GRADES);
    return { puzzles: all.slice(offset, offset + 100).map((id) => ({ id })), total: all.length };
  };
  const next = (seen: string[], rating: number, last?: string, grades = [1, 2, 3]) =>
    following({ ...START, seen, rating }, last, grades, read);

  it('is as hard as the player is good', async () => {
    expect(await next([], expected(2))).toMatch(/^2-/);
    expect(await next([], expected(3))).toBe('3-0');
  });

  it('comes from a later page, then from another grade, once what is nearer has been seen', async () => {
    const nearly = ids(1).filter((id) => id !== '1-129');
    expect(await next(nearly, expected(1))).toBe('1-129');
    expect(await next(ids(1), expected(1))).toMatch(/^2-/);
  });

  it('is one that was seen, but not the last, when all have been', async () => {
    const all = [...ids(1), ...ids(2), ...ids(3)];
    expect(await next(all, expected(3), '3-0')).toMatch(/^2-/);
    expect(await next(all, expected(3), '3-0', [3])).toBeUndefined();
  });
});

describe('the answer to a move', () => {
  const game = (...moves: [number, string][]) => moves.map(([seat, type], seq) => ({ seq, seat, type }) as Event);
  const events = game([0, 'play'], [1, 'play'], [2, 'pass'], [0, 'pass'], [1, 'trick'], [1, 'play'], [2, 'pass'], [0, 'play']);

  it('says who leads, who plays and who passes, without the passes that end a trick', () => {
    expect(answersByTrick(events, ['5S', 'pass', 'pass', '9D', 'pass', 'TD'])).toEqual([
      [{ seat: 1, moves: ['5S'], leads: false }],
      [
        { seat: 1, moves: ['9D'], leads: true },
        { seat: 2, moves: ['pass'], leads: false },
        { seat: 0, moves: ['TD'], leads: false },
      ],
    ]);
  });

  it('puts together what one leads and nobody beats', () => {
    const led = game([1, 'trick'], [1, 'play'], [2, 'pass'], [0, 'pass'], [1, 'trick'], [1, 'play'], [2, 'pass'], [0, 'pass']);
    const more = [...led, ...game([1, 'trick'], [1, 'play'], [2, 'pass'])];
    expect(answersByTrick(more, ['9D', 'pass', 'pass', 'TD TS', 'pass', 'pass', '4S', 'pass'])).toEqual([
      [{ seat: 1, moves: ['9D', 'TD TS'], leads: true }],
      [
        { seat: 1, moves: ['4S'], leads: true },
        { seat: 2, moves: ['pass'], leads: false },
      ],
    ]);
  });

  it('keeps passes where there is nothing else', () => {
    expect(answersByTrick(events.slice(2, 6), ['pass', 'pass', '9D'])).toEqual([
      [
        { seat: 2, moves: ['pass'], leads: false },
        { seat: 0, moves: ['pass'], leads: false },
      ],
      [{ seat: 1, moves: ['9D'], leads: true }],
    ]);
    expect(answersByTrick(events, [])).toEqual([]);
  });
});
