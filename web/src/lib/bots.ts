import type { SeatInfo, TableInfo } from '../gen/protocol';
import { maybe } from './i18n.svelte';

/** Bots that sit at tables; each has a name in every language (`bot.name.N`) and a face. */
export const CHARACTERS = 14;

const hash = (text: string): number => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);

/** Which character plays at a seat: the same one for as long as the table lasts, and no other seat's. */
export const character = (seat: Pick<SeatInfo, 'seat'>, table: Pick<TableInfo, 'id'>): number =>
  (hash(table.id) + seat.seat * 5) % CHARACTERS;

/** The character's name in the reader's language. */
export const botName = (seat: Pick<SeatInfo, 'seat'>, table: Pick<TableInfo, 'id'>): string =>
  maybe(`bot.name.${character(seat, table)}`) ?? '?';

/** How strong a bot is and how it plays, in words: `Greedy`, `plans its hand`. */
export const botKind = (kind: string): string => maybe(`bot.${kind}`) ?? kind;
export const botAbout = (kind: string): string => maybe(`bot.${kind}.about`) ?? '';
