import type { View } from '../gen/protocol';

/** A seat's relation to the viewer, as far as the viewer knows; null without sides, or before they are known. */
export type Side = 'ally' | 'rival' | 'unknown' | null;

/** The viewer's seat, null for a spectator, and the number of seats. */
interface Seats {
  you: number | null;
  seats: readonly { seat: number }[];
}

/** One per seat. Sides exist only in games with a bidder, and only after the call in games with a called partner. */
export function sides(info: Seats, view: Pick<View, 'phase' | 'seat' | 'bidder' | 'called' | 'partner'>): Side[] {
  const { bidder, partner } = view;
  if (bidder === null || view.phase === 'auction' || view.phase === 'call') return info.seats.map(() => null);
  const team = new Set([bidder]);
  if (partner !== null) team.add(partner);
  const secret = view.called !== null && partner === null;
  // Who is not shown the hand in their seat, because a bot plays it, may sit there as the hidden partner.
  const mine = info.you === null || (secret && view.seat === null && info.you !== bidder) ? null : team.has(info.you);
  return info.seats.map(({ seat }) => {
    if (mine === null || seat === info.you) return null;
    // While the partner is hidden, the bidder knows nobody's side, and the others only the bidder's.
    if (secret && seat !== bidder) return 'unknown';
    return team.has(seat) === mine ? 'ally' : 'rival';
  });
}

/** The same with all hands open, where the holder of the called card is known to be the partner. */
export function openSides(info: Seats, view: View, hands: readonly (readonly string[])[]): Side[] {
  const { called, partner } = view;
  const holder = called === null ? -1 : hands.findIndex((hand) => hand.includes(called));
  return sides(info, { ...view, partner: partner ?? (holder < 0 ? null : holder) });
}
