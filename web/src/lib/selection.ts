import type { LegalMove, View } from '../gen/protocol';
import { rankOf, sameCards, sameRanks, type Card } from './cards';

/** The moves that are made by choosing cards of one's hand. */
const CARD_MOVES = new Set(['play', 'give', 'offer']);

export const cardMoves = (view: View): LegalMove[] =>
  view.legal_moves.filter((move) => CARD_MOVES.has(move.type) && move.cards?.length);

export const canPass = (view: View): boolean => view.legal_moves.some((move) => move.type === 'pass');

/** Big Two's list is complete; the others list one play of those that differ only in suits that cannot matter. */
const listsEverything = (view: View): boolean => view.preset.startsWith('big-two');

const ONE_SUIT = new Set(['flush', 'straight-flush']);
const mayStandFor = (move: LegalMove): boolean =>
  (move.cards?.length ?? 0) > 1 && move.type === 'play' && !ONE_SUIT.has(move.kind ?? '');

/** The cards of the hand that are in some legal move. A hint, not a ruling: the server decides. */
export function playable(view: View): Set<Card> {
  const moves = cardMoves(view);
  const cards = new Set(moves.flatMap((move) => move.cards ?? []));
  if (listsEverything(view)) return cards;
  const ranks = new Set(moves.filter(mayStandFor).flatMap((move) => (move.cards ?? []).map(rankOf)));
  return new Set([...cards, ...view.hand.filter((card) => ranks.has(rankOf(card)))]);
}

/** The listed move that these cards make, if there is one. */
export function matching(view: View, cards: readonly Card[]): LegalMove | null {
  const moves = cardMoves(view);
  const exact = moves.find((move) => sameCards(move.cards ?? [], cards));
  if (exact || listsEverything(view)) return exact ?? null;
  return moves.find((move) => mayStandFor(move) && sameRanks(move.cards ?? [], cards)) ?? null;
}

export type Verb = 'play' | 'give' | 'offer';

/** What chosen cards would be used for now. */
export const verb = (view: View): Verb => (cardMoves(view)[0]?.type as Verb | undefined) ?? 'play';

/** The text of the command for these cards. */
export const commandFor = (view: View, cards: readonly Card[]): string => {
  const text = cards.join(' ');
  return verb(view) === 'play' ? text : `${verb(view)} ${text}`;
};
