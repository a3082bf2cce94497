import type { TableInfo, View } from '../gen/protocol';

/** How a seat stands to the viewer, as far as the viewer may know; null where there are no sides, or not yet. */
export type Side = 'ally' | 'rival' | 'unknown' | null;

/** One a seat. Sides exist only where one bid for the hand, and once a partner is called where one is. */
export function sides(info: TableInfo, view: View): Side[] {
  const { bidder, partner } = view;
  if (bidder === null || view.phase === 'auction' || view.phase === 'call') return info.seats.map(() => null);
  const team = new Set([bidder]);
  if (partner !== null) team.add(partner);
  const secret = view.called !== null && partner === null;
  const mine = info.you === null ? null : team.has(info.you);
  return info.seats.map(({ seat }) => {
    if (mine === null || seat === info.you) return null;
    // While the partner is hidden, the bidder knows nobody's side, and the others only the bidder's.
    if (secret && seat !== bidder) return 'unknown';
    return team.has(seat) === mine ? 'ally' : 'rival';
  });
}
