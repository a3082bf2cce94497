import type { View } from '../gen/protocol';
import { isHidden } from '../cards/cards';
import { trick } from '../game/trick';

/** Cards that came into the viewer's hand after the deal (kitty, exchange) and before anybody has played. */
export function arrived(view: View): Set<string> {
  if (view.seat === null || view.phase === 'over' || trick(view.events).actions.length) return new Set();
  const cards = new Set<string>();
  let given: string[] = [];
  let giver: number | null = null;
  for (const event of view.events) {
    const seen = (event.cards ?? []).filter((card) => !isHidden(card));
    if (['kitty', 'take'].includes(event.type) && event.seat === view.seat) for (const card of seen) cards.add(card);
    if (event.type === 'give') [given, giver] = [seen, event.seat];
  }
  // The given card goes to the seat that then offers.
  const receiver = view.events.find((event) => event.type === 'offer')?.seat ?? view.to_act;
  if (giver !== null && giver !== view.seat && receiver === view.seat) for (const card of given) cards.add(card);
  return cards;
}
