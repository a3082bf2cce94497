import en from '../i18n/en.json';
import { short } from './cards';
import { locale, maybe, t } from './i18n.svelte';

const KINDS = new Set(['kind', 'other']);

/** Each refusal of the catalogue as a pattern: the server's sentences are the English ones. */
const PATTERNS = Object.entries(en)
  .filter((entry): entry is [string, string] => entry[0].startsWith('refusal.') && typeof entry[1] === 'string')
  .map(([key, text]) => {
    const names: string[] = [];
    const source = text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
      names.push(name);
      return '(.+?)';
    });
    return { key, names, pattern: new RegExp(`^${source}$`, 'i') };
  });

/** `3C 4D` as `3♣ 4♦`, for the eye. */
const drawn = (text: string): string => text.replace(/\b([2-9TJQKA])([DCHS])\b/g, (card) => short(card));

/** Which refusal a sentence of the server is, and the values in it. */
export function recognise(message: string): { key: string; values: Record<string, string> } | null {
  for (const { key, names, pattern } of PATTERNS) {
    const found = pattern.exec(message);
    if (found) return { key, values: Object.fromEntries(names.map((name, i) => [name, found[i + 1] ?? ''])) };
  }
  return null;
}

/** Why something was refused, in the reader's language; `code` as it came with the sentence. */
export function refusalText(message: string, code: string): string {
  if (locale() === 'en') return drawn(message);
  const found = recognise(message);
  if (!found) return code === 'illegal' ? t('refusal.other') : drawn(message);
  const values = Object.fromEntries(
    Object.entries(found.values).map(([name, value]) => [
      name,
      KINDS.has(name) ? (maybe(`kind.${value}`, { n: '' }) ?? value).trim() : drawn(value),
    ]),
  );
  return maybe(found.key, values) ?? drawn(message);
}
