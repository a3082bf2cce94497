import { meant } from '../game/selection';
import type { View } from '../gen/protocol';
import { lazy } from '../browser/lazy';
import { ApiError } from '../server/api';
import { t, type Locale } from '../i18n/i18n.svelte';

/** A step: an optional position, and the moves that continue; null if there is only text. */
export interface LessonStep {
  view: View | null;
  accept: string[] | null;
  /** A turn of a whole hand: the coach's comment, and the others' moves since the last turn. */
  coach: string | null;
  since: [number, string][];
}

/** A lesson of one game: positions made by the engine (scripts/lessons.py), and one text per step. */
export interface Lesson {
  preset: string;
  ranks: string;
  steps: LessonStep[];
}

/** A position for one clause, and its task (scripts/practice.py). */
export interface Exercise {
  view: View;
  accept: string[];
  clause: string;
  task: string;
}

export interface Exercises extends Omit<Lesson, 'steps'> {
  steps: Exercise[];
}

export const LESSONS = ['big-three', 'big-three-4p', 'wa-keng', 'dou-dizhu', 'big-two', 'winner'] as const;

const files = import.meta.glob<{ default: Lesson }>('../lessons/*.json');
const shelves = import.meta.glob<{ default: Exercises }>('../lessons/practice/*.json');
const words: Record<Locale, () => Promise<{ default: Record<string, string[]> }>> = {
  en: () => import('../lessons/text/en.json'),
  fr: () => import('../lessons/text/fr.json'),
  'zh-Hans': () => import('../lessons/text/zh-Hans.json'),
  'zh-Hant': () => import('../lessons/text/zh-Hant.json'),
};

/** The lesson of a game, and its texts in a language: one for each step without a coach. */
export async function lesson(game: string, locale: Locale): Promise<[Lesson, string[]]> {
  const file = files[`../lessons/${game}.json`];
  if (!file) throw new ApiError(404, t('page.missing'));
  const [module, texts] = await Promise.all([lazy(file), lazy(words[locale])]);
  return [module.default, texts.default[game] ?? []];
}

/** The exercises of a game. */
export async function exercises(game: string): Promise<Exercises> {
  const file = shelves[`../lessons/practice/${game}.json`];
  if (!file) throw new ApiError(404, t('page.missing'));
  return (await lazy(file)).default;
}

/** The rating of a move as an answer. */
export type Answer = 'right' | 'wrong' | 'forbidden';

/** Judge an answer to a position by the moves that continue. */
export function judged(view: View, answer: string, accept: readonly string[]): Answer {
  const move = meant(view, answer);
  if (!move) return 'forbidden';
  return accept.some((one) => meant(view, one) === move) ? 'right' : 'wrong';
}
