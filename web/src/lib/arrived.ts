import type { View } from '../gen/protocol';
import { isHidden } from './cards';
import { trick } from './trick';

/** Cards that came into the viewer's hand after the deal (kitty, exchange) and before anybody has played. */
export function arrived(view: View): Set<string> {
  if (view.seat === null || view.phase === 'over' || trick(view.events).actions.length) return new Set();
  const cards = new Set<string>();
  let given: string[] = [];
  let giver: number | null = null;
  for (const event of view.events) {
    const seen = (event.cards ?? []).filter((card) => !isHidden(card));
    if (event.type === 'kitty' && event.seat === view.seat) seen.forEach((card) => cards.add(card));
    if (event.type === 'give') [given, giver] = [seen, event.seat];
    if (event.type === 'take' && event.seat === view.seat) seen.forEach((card) => cards.add(card));
  }
  // A gift arrives with the one seat that then offers.
  const receiver = view.events.find((event) => event.type === 'offer')?.seat ?? view.to_act;
  if (giver !== null && giver !== view.seat && receiver === view.seat) given.forEach((card) => cards.add(card));
  return cards;
}
