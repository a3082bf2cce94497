import type { SeatInfo, TableInfo } from '../gen/protocol';
import { maybe } from './i18n.svelte';

/** Faces that bots can have. */
export const CHARACTERS = 14;

type Who = Pick<SeatInfo, 'seat'> & Partial<Pick<SeatInfo, 'bot'>>;
type Where = Pick<TableInfo, 'id'> & Partial<Pick<TableInfo, 'seats'>>;

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

/** Which face a seat has: the same one for as long as the table lasts. */
export function character(seat: Who, table: Where): number {
  const level = graded(seat, table);
  return level ? (GRADED[level] ?? 0) : (hash(table.id) + seat.seat * 5) % CHARACTERS;
}

/** The bot's name in the reader's language. */
export function botName(seat: Who, table: Where): string {
  const level = graded(seat, table);
  return (level ? maybe(`bot.${level}`) : null) ?? maybe(`bot.name.${character({ seat: seat.seat }, table)}`) ?? '?';
}
