import type { SeatInfo } from '../gen/protocol';
import { maybe } from './i18n.svelte';

/** Faces that bots can have. */
export const CHARACTERS = 14;

type Who = Pick<SeatInfo, 'seat'> & Partial<Pick<SeatInfo, 'bot'>>;
/** A table, and who sits there where that is known. */
export interface Where {
  id: string;
  seats?: readonly Who[];
}

/** The faces of the graded players. */
const GRADED: Record<string, number> = {
  'level-1': 4,
  'level-2': 1,
  'level-3': 13,
  'level-4': 0,
  'level-5': 12,
  'level-6': 2,
  'level-7': 8,
  'level-8': 9,
};

const hash = (text: string): number => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);

/** A graded player sits at a table as itself, once; a second one of its grade goes by another name. */
function graded(seat: Who, table: Where): string | null {
  if (!seat.bot || !(seat.bot in GRADED)) return null;
  const first = table.seats?.find((other) => other.bot === seat.bot);
  return !first || first.seat === seat.seat ? seat.bot : null;
}

/** Which face a seat has: no other seat's, and the same one for as long as the same players sit at the table. */
export function character(seat: Who, table: Where): number {
  const faces = new Map<number, number>();
  const all = table.seats ?? [seat];
  for (const one of all) {
    const level = graded(one, table);
    if (level) faces.set(one.seat, GRADED[level] ?? 0);
  }
  const taken = new Set(faces.values());
  for (const one of all) {
    if (faces.has(one.seat)) continue;
    let face = (hash(table.id) + one.seat * 5) % CHARACTERS;
    while (taken.has(face)) face = (face + 1) % CHARACTERS;
    faces.set(one.seat, face);
    taken.add(face);
  }
  return faces.get(seat.seat) ?? 0;
}

/** The bot's name in the reader's language. */
export function botName(seat: Who, table: Where): string {
  return maybe(`bot.${graded(seat, table) ?? `name.${character(seat, table)}`}`) ?? '?';
}
