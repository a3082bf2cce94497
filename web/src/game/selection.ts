import type { LegalMove, View } from '../gen/protocol';
import { sameCards, type Card } from '../cards/cards';

/** The moves that are made by selecting cards of the hand. */
export const CARD_MOVES = new Set(['play', 'give', 'offer']);

export const cardMoves = (view: View): LegalMove[] =>
  view.legal_moves.filter((move) => CARD_MOVES.has(move.type) && move.cards?.length);

export const canPass = (view: View): boolean => view.legal_moves.some((move) => move.type === 'pass');

/** `cards` without `others`, each removed once; null if one is missing. */
export function without(cards: readonly Card[], others: readonly Card[]): Card[] | null {
  const left = [...cards];
  for (const card of others) {
    const at = left.indexOf(card);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

/** The cards that both lists have, in the order of the first. */
export function shared(cards: readonly Card[], others: readonly Card[]): Card[] {
  const left = [...others];
  return cards.filter((card) => {
    const at = left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** The cards of the hand that are in some legal move. */
export const playable = (view: View): Set<Card> =>
  new Set(cardMoves(view).flatMap((move) => [...(move.cards ?? []), ...(move.choices ?? []).flatMap((choice) => choice.cards)]));

/** Whether these cards make the move, as listed or as an alternative that the server names. */
export function makes(move: LegalMove, cards: readonly Card[]): boolean {
  if (sameCards(move.cards ?? [], cards)) return true;
  if (!move.choices || move.cards?.length !== cards.length || move.other?.some((other) => sameCards(other, cards))) return false;
  const rest = without(cards, move.fixed ?? []);
  return (
    rest !== null &&
    move.choices.every((choice) => rest.filter((card) => choice.cards.includes(card)).length === choice.take) &&
    rest.every((card) => move.choices?.some((choice) => choice.cards.includes(card)))
  );
}

/** The legal move that these cards make, if there is one. */
export function matching(view: View, cards: readonly Card[]): LegalMove | null {
  const moves = cardMoves(view);
  return moves.find((move) => sameCards(move.cards ?? [], cards)) ?? moves.find((move) => makes(move, cards)) ?? null;
}

export type Verb = 'play' | 'give' | 'offer';

/** The use of selected cards in this phase. */
export const verb = (view: View): Verb => (cardMoves(view)[0]?.type as Verb | undefined) ?? 'play';

/** The text of the command for these cards. */
export const commandFor = (view: View, cards: readonly Card[]): string => {
  const text = cards.join(' ');
  return verb(view) === 'play' ? text : `${verb(view)} ${text}`;
};

/** The legal move that a text names; its cards may be in any order. */
export function meant(view: View, text: string): LegalMove | null {
  const words = text.split(' ');
  const cards = CARD_MOVES.has(words[0] ?? '') ? words.slice(1) : words;
  return view.legal_moves.find((move) => move.move === text) ?? matching(view, cards);
}
