import type { LegalMove, RulesFacts, View } from '../gen/protocol';
import { rankOf, sameCards, sameRanks, type Card } from '../cards/cards';

/** The moves that are made by choosing cards of one's hand. */
const CARD_MOVES = new Set(['play', 'give', 'offer']);

export const cardMoves = (view: View): LegalMove[] =>
  view.legal_moves.filter((move) => CARD_MOVES.has(move.type) && move.cards?.length);

export const canPass = (view: View): boolean => view.legal_moves.some((move) => move.type === 'pass');

/**
 * How the server lists plays that differ only in suits: all of them, one that stands for those equal in kind, ranks and
 * deciding suit, or one that stands for all of its ranks.
 */
export type Scope = RulesFacts['scope'];

const ONE_SUIT = new Set(['flush', 'straight-flush']);

/** Does this move stand for others of the same ranks? */
export function standsForOthers(move: LegalMove, scope: Scope): boolean {
  if (scope === 'complete' || move.type !== 'play' || ONE_SUIT.has(move.kind ?? '')) return false;
  return scope === 'ranks' || (move.cards?.length ?? 0) > 1;
}

/** The cards of the hand that are in some legal move. A hint, not a ruling: the server decides. */
export function playable(view: View, scope: Scope): Set<Card> {
  const moves = cardMoves(view);
  const cards = new Set(moves.flatMap((move) => move.cards ?? []));
  const ranks = new Set(moves.filter((move) => standsForOthers(move, scope)).flatMap((move) => (move.cards ?? []).map(rankOf)));
  return new Set([...cards, ...view.hand.filter((card) => ranks.has(rankOf(card)))]);
}

/** The listed move that these cards make, if there is one. */
export function matching(view: View, cards: readonly Card[], scope: Scope): LegalMove | null {
  const moves = cardMoves(view);
  const exact = moves.find((move) => sameCards(move.cards ?? [], cards));
  return exact ?? moves.find((move) => standsForOthers(move, scope) && sameRanks(move.cards ?? [], cards)) ?? null;
}

export type Verb = 'play' | 'give' | 'offer';

/** What chosen cards would be used for now. */
export const verb = (view: View): Verb => (cardMoves(view)[0]?.type as Verb | undefined) ?? 'play';

/** The text of the command for these cards. */
export const commandFor = (view: View, cards: readonly Card[]): string => {
  const text = cards.join(' ');
  return verb(view) === 'play' ? text : `${verb(view)} ${text}`;
};
