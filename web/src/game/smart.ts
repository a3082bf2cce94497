import type { LegalMove, View } from '../gen/protocol';
import { rankOf, type Card } from '../cards/cards';
import { cardMoves, standsForOthers, type Scope } from './selection';

/** How many combinations one card is offered for before the touch that lets go of it. */
const MOST = 7;

/**
 * The plays one touch of a card may mean, the likeliest first: of the moves that the server lists as legal, those with
 * the card in them. Following, the lowest; leading, one of each kind, the fewest cards first, and the longest of the runs.
 */
export function completions(view: View, card: Card, scope: Scope): Card[][] {
  const found: { move: LegalMove; cards: Card[] }[] = [];
  const seen = new Set<string>();
  for (const move of cardMoves(view)) {
    const cards = withCard(move, card, scope);
    const name = cards && [...cards].sort().join(' ');
    if (!cards || !name || seen.has(name)) continue;
    seen.add(name);
    found.push({ move, cards });
  }
  if (view.table) return found.slice(0, MOST).map(({ cards }) => cards);
  const best = new Map<string, Card[]>();
  for (const { move, cards } of found) {
    const kind = move.kind ?? '';
    const other = best.get(kind);
    if (!other || cards.length > other.length) best.set(kind, cards);
  }
  return [...best.values()].sort((a, b) => a.length - b.length).slice(0, MOST);
}

/** The move's cards with `card` among them, or null: a listed play can stand for others of the same ranks. */
function withCard(move: LegalMove, card: Card, scope: Scope): Card[] | null {
  const cards = move.cards ?? [];
  if (cards.includes(card)) return [...cards];
  if (!standsForOthers(move, scope)) return null;
  const at = cards.findIndex((one) => rankOf(one) === rankOf(card));
  return at < 0 ? null : cards.map((one, i) => (i === at ? card : one));
}
