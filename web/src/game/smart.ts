import type { LegalMove, View } from '../gen/protocol';
import type { Card } from '../cards/cards';
import { cardMoves, makes, shared, without } from './selection';

/** The number of combinations offered for one card before a touch deselects it. */
const MOST = 7;

/**
 * The plays that the touched cards may mean, likeliest first: the legal moves that contain these cards. When following, the
 * lowest first; when leading, one of each kind, the fewest cards first, and the longest run.
 */
export function completions(view: View, touched: readonly Card[]): Card[][] {
  const plays: { move: LegalMove; cards: Card[] }[] = [];
  const seen = new Set<string>();
  for (const move of cardMoves(view)) {
    const cards = withCards(move, touched);
    const name = cards && [...cards].sort().join(' ');
    if (!cards || !name || seen.has(name)) continue;
    seen.add(name);
    plays.push({ move, cards });
  }
  if (view.table) return plays.slice(0, MOST).map(({ cards }) => cards);
  const best = new Map<string, Card[]>();
  for (const { move, cards } of plays) {
    const kind = move.kind ?? '';
    const other = best.get(kind);
    if (!other || cards.length > other.length) best.set(kind, cards);
  }
  return [...best.values()].sort((a, b) => a.length - b.length).slice(0, MOST);
}

/** Cards that make the move, `wanted` among them, and as few others than the listed ones as possible; null if there are none. */
function withCards(move: LegalMove, wanted: readonly Card[]): Card[] | null {
  const cards = move.cards ?? [];
  if (without(cards, wanted)) return [...cards];
  if (!move.choices) return null;
  const fixed = move.fixed ?? [];
  // Wanted cards that are not fixed take places of the choices.
  const chosen = without(wanted, shared(wanted, fixed)) ?? [];
  const listed = without(cards, fixed) ?? [];
  const taken = move.choices.map(({ take, cards: pool }) => {
    const must = shared(pool, chosen);
    const rest = without(pool, must) ?? [];
    const likely = shared(listed, rest);
    return [...must, ...likely, ...(without(rest, likely) ?? [])].slice(0, Math.max(take, must.length));
  });
  const made = [...fixed, ...taken.flat()];
  if (makes(move, made) && without(made, wanted)) return made;
  // Exactly these cards are of another kind: replace one of them by a card that was not wanted.
  for (const choice of move.choices)
    for (const card of choice.cards)
      for (const old of made) {
        if (!choice.cards.includes(old) || wanted.includes(old)) continue;
        const other = made.map((one) => (one === old ? card : one));
        if (makes(move, other) && without(other, wanted)) return other;
      }
  return null;
}
