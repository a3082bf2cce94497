import type { RulesFacts, View } from '../gen/protocol';
import type { Locale } from './i18n.svelte';

/** A step: a position or none, and the moves that go on; null where there is only something to read. */
export interface LessonStep {
  view: View | null;
  accept: string[] | null;
}

/** A lesson of one game: positions that the engine has made (scripts/lessons.py), and a text a step. */
export interface Lesson {
  preset: string;
  scope: RulesFacts['scope'];
  ranks: string;
  steps: LessonStep[];
}

export const LESSONS = ['big-three', 'big-three-4p', 'big-two', 'winner'] as const;

const files = import.meta.glob<{ default: Lesson }>('../lessons/*.json');
const words: Record<Locale, () => Promise<{ default: Record<string, string[]> }>> = {
  en: () => import('../lessons/text/en.json'),
  fr: () => import('../lessons/text/fr.json'),
  'zh-Hans': () => import('../lessons/text/zh-Hans.json'),
  'zh-Hant': () => import('../lessons/text/zh-Hant.json'),
};

/** The lesson of a game and its texts in a language. */
export async function lesson(game: string, locale: Locale): Promise<[Lesson, string[]]> {
  const file = files[`../lessons/${game}.json`];
  if (!file) throw new Error(`no lesson for ${game}`);
  const [found, texts] = await Promise.all([file(), words[locale]()]);
  return [found.default, texts.default[game] ?? []];
}
