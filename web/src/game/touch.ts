import type { View } from '../gen/protocol';
import { cardOf, type Card } from '../cards/cards';
import { completions } from './smart';

/** The raised cards of a hand. `touched`: those raised by the player; the others were raised automatically. */
export interface Raised {
  keys: ReadonlySet<string>;
  touched: readonly string[];
  /** The last card whose touch raised others, and the number of the combination that it raised. */
  anchor: { key: string; i: number } | null;
}

/** Exactly these cards, each as if it had been touched. */
export const raised = (keys: Iterable<string>): Raised => {
  const touched = [...keys];
  return { keys: new Set(touched), touched, anchor: null };
};

/** The keys of cards in a hand; of equal cards, those in `first` before their copies. */
export function keysOf(hand: readonly string[], cards: readonly Card[], first: readonly string[] = []): string[] {
  const wanted = [...cards];
  return [...first, ...hand.filter((key) => !first.includes(key))].filter((key) => {
    const at = wanted.indexOf(cardOf(key));
    if (at >= 0) wanted.splice(at, 1);
    return at >= 0;
  });
}

/** A touch that raises or lowers only this card. */
export const toggled = (now: Raised, key: string): Raised =>
  raised(now.keys.has(key) ? [...now.keys].filter((other) => other !== key) : [...now.keys, key]);

/**
 * A touch that raises a likely combination with the card. It confirms an automatically raised card; touching the card that
 * raised the others again raises the next combination, and after the last lowers them all.
 */
export function touch(view: View, hand: readonly string[], now: Raised, key: string): Raised {
  const { anchor, touched, keys } = now;
  if (keys.has(key) && !touched.includes(key)) return { ...now, touched: [...touched, key] };
  const others = touched.filter((other) => other !== key);
  if (keys.has(key) && (anchor?.key !== key || others.length)) return toggled(now, key);
  // Automatically raised cards are replaced by those of the combination with all touched cards.
  const guessed = keys.size > touched.length;
  if (keys.size && !keys.has(key) && !guessed) return toggled(now, key);
  const wanted = [...others, key];
  const plays = completions(view, wanted.map(cardOf));
  const i = keys.has(key) ? (anchor?.i ?? 0) + 1 : 0;
  const play = plays[i];
  if (play) return { keys: new Set(keysOf(hand, play, wanted)), touched: wanted, anchor: { key, i } };
  if (keys.has(key)) return plays.length ? raised([]) : toggled(now, key);
  return raised(wanted);
}
