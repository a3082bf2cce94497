/** What this browser remembers of its player's puzzles. */
export interface PuzzleScore {
  rating: number;
  streak: number;
  best: number;
  /** Puzzles that have been tried, newest last. */
  seen: string[];
}

const STEP = 32;
const SEEN = 2000;

/** The rating of a player who solves half of the puzzles of this grade. */
export const expected = (grade: number): number => 900 + 200 * grade;

/** The score after a first try. */
export function rated(score: PuzzleScore, id: string, grade: number, won: boolean): PuzzleScore {
  const chance = 1 / (1 + 10 ** ((expected(grade) - score.rating) / 400));
  const rating = Math.round(score.rating + STEP * ((won ? 1 : 0) - chance));
  const streak = won ? score.streak + 1 : 0;
  return { rating, streak, best: Math.max(score.best, streak), seen: [...score.seen, id].slice(-SEEN) };
}
