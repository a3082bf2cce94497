import en from './en.json';
import { maybe, t } from './i18n.svelte';

/** Faces that bots can have. */
const FACES = 14;

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

/** The catalogue keys of the names that the server gives bots. */
const KEYS = new Map(Object.entries(en).flatMap(([key, name]) => (/^bot\.(name\.\d+|level-\d)$/.test(key) ? [[name, key]] : [])));

const hash = (text: string): number => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);

/** The bot's name in the reader's language. */
export const botName = (name: string): string => maybe(KEYS.get(name) ?? '') ?? name;

/** The face of a bot with this name. */
export function face(name: string): number {
  const key = KEYS.get(name)?.slice('bot.'.length);
  return key ? (GRADED[key] ?? Number(key.slice('name.'.length))) : hash(name) % FACES;
}

/** The English name of another player in a lesson, a puzzle or an auction for practice, by its id. */
export const extra = (id: string, seat: number): string =>
  (en as Record<string, unknown>)[`bot.name.${(hash(id) + seat * 5) % FACES}`] as string;

/** The seats of such an exercise: the player's, `me`, and those of bots. */
export const practiceSeats = (id: string, players: number, me: number | null) =>
  Array.from({ length: players }, (_, seat) =>
    seat === me ? { seat, name: t('seat.you'), kind: 'human' as const } : { seat, name: extra(id, seat), kind: 'bot' as const },
  );
