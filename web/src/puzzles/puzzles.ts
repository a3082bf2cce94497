import type { Event } from '../gen/protocol';
import { load, save } from '../browser/storage';

/** The player's puzzles, stored in this browser. */
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

const STORED = 'puzzle.score';

/** The score in this browser. */
export const stored = (): PuzzleScore => load(STORED, { rating: 1200, streak: 0, best: 0, seen: [] });

/** The score after a try, stored. Only the first one counts. Other tabs may have counted since `shown` was read. */
export function counted(shown: PuzzleScore, id: string, grade: number, won: boolean): PuzzleScore {
  const score = load(STORED, shown);
  if (score.seen.includes(id)) return score;
  const now = rated(score, id, grade, won);
  save(STORED, now);
  return now;
}

type Page = (grade: number, offset: number) => Promise<{ puzzles: readonly { id: string }[]; total: number }>;

/** An unseen puzzle, of the player's grade if possible; if all have been seen, any except `last`. */
export async function following(
  score: PuzzleScore,
  last: string | undefined,
  grades: readonly number[],
  read: Page,
): Promise<string | undefined> {
  const far = (grade: number): number => Math.abs(expected(grade) - score.rating);
  let seen: string | undefined;
  for (const grade of [...grades].sort((a, b) => far(a) - far(b))) {
    for (let offset = 0, total = 1; offset < total; ) {
      const page = await read(grade, offset);
      const others = page.puzzles.map((one) => one.id).filter((id) => id !== last);
      const fresh = any(others.filter((id) => !score.seen.includes(id)));
      if (fresh) return fresh;
      seen ??= any(others);
      total = page.puzzles.length && page.total;
      offset += page.puzzles.length;
    }
  }
  return seen;
}

const any = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)];

/** A seat's answer to the player's move. */
export interface Answered {
  seat: number;
  /** One play, or several that it leads one after the other. */
  moves: string[];
  /** Whether it leads each to a new trick. */
  leads: boolean;
}

/** The last moves of a puzzle by trick, without passes that only end a trick. `events`: of the view after them. */
export function answersByTrick(events: readonly Event[], moves: readonly string[]): Answered[][] {
  const made = events.flatMap((event, i) =>
    event.seat !== null && (event.type === 'play' || event.type === 'pass')
      ? [{ seat: event.seat, leads: event.type === 'play' && (events[i - 1]?.type ?? 'trick') === 'trick' }]
      : [],
  );
  const last = made.slice(made.length - moves.length);
  const tricks: Answered[][] = [];
  moves.forEach((move, i) => {
    const one = { seat: last[i]?.seat ?? 0, moves: [move], leads: last[i]?.leads ?? false };
    if (one.leads || !tricks.length) tricks.push([one]);
    else tricks.at(-1)?.push(one);
  });
  return tricks
    .map((trick, i) => {
      const end = trick.findLastIndex((one) => one.moves[0] !== 'pass') + 1;
      return end && i < tricks.length - 1 ? trick.slice(0, end) : trick;
    })
    .reduce<Answered[][]>(joined, []);
}

/** The tricks with one more; unbeaten consecutive leads of one seat are grouped. */
function joined(before: Answered[][], trick: Answered[]): Answered[][] {
  const [now, then] = [trick[0], before.at(-1)];
  const last = then?.length === 1 ? then[0] : undefined;
  if (trick.length > 1 || !now?.leads || !last?.leads || last.seat !== now.seat) return [...before, trick];
  return [...before.slice(0, -1), [{ ...last, moves: [...last.moves, ...now.moves] }]];
}
