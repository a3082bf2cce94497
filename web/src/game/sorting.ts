import { cardOf, isJoker, rankOf, SUITS, suitOf } from '../cards/cards';
import type { Sort } from '../browser/prefs.svelte';

/** The order in which a hand is laid out; the server's order is by rank, and cards that compare equal keep it. */
export function sorted(keys: readonly string[], by: Sort): string[] {
  if (by === 'rank') return [...keys];
  if (by === 'suit') {
    const suit = (key: string): number => (isJoker(cardOf(key)) ? 9 : (SUITS as readonly string[]).indexOf(suitOf(cardOf(key))));
    return [...keys].sort((a, b) => suit(a) - suit(b));
  }
  // Fours, then triplets, then pairs, then singles.
  const many = new Map<string, number>();
  for (const key of keys) many.set(rankOf(cardOf(key)), (many.get(rankOf(cardOf(key))) ?? 0) + 1);
  const size = (key: string): number => many.get(rankOf(cardOf(key))) ?? 1;
  return [...keys].sort((a, b) => size(b) - size(a));
}
