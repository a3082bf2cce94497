import type { Result, RulesFacts, SeatInfo, TableInfo, View } from '../gen/protocol';
import { maybe, t } from '../i18n/i18n.svelte';
import { seatName } from '../i18n/words';

export interface Outcome {
  title: string;
  /** Sentences that give the reasons. */
  lines: string[];
  good: boolean;
}

/** The end of a hand in words. */
export function outcome(table: TableInfo, view: View, rules: RulesFacts): Outcome | null {
  const { result } = view;
  if (!result) return null;
  if (!result.winners.length) return { title: t('over.title.void'), lines: [t('over.void')], good: false };
  const name = (seat: number): string => seatName(table.seats[seat], table);
  const mine = (seat: number | undefined): string => (seat !== undefined && seat === table.you ? '.you' : '');
  const say = (key: string, seat: number | undefined, params: Record<string, string | number> = {}): string =>
    maybe(key + mine(seat), { name: seat === undefined ? '' : name(seat), ...params }) ?? '';

  const first = result.finish_order[0] ?? result.winners[0];
  const won = table.you !== null && result.winners.includes(table.you);
  const lines: string[] = [];

  if (rules.wins === 'side' && view.bidder !== null) {
    // What one of several losers pays, or one of several winners is paid.
    const n = Math.min(...result.payments.map(Math.abs));
    const made = result.winners.includes(view.bidder);
    const key = made ? 'over.bidder.made' : 'over.bidder.set';
    if (rules.call_ranks === null) lines.push(say(`${key}.${view.preset}`, view.bidder, { n }) || say(key, view.bidder, { n }));
    else lines.push(say('over.first', first), t(made ? 'over.sides.made' : 'over.sides.set', { n }));
    const winners = result.winners.length;
    const stake = n / (rules.pay_each_winner ? Math.min(winners, table.players - winners) : 1);
    if (view.bid && stake > view.bid) lines.push(t('over.doubled', { n: stake, times: stake / view.bid }));
    // Bombs alone would have doubled it less often.
    if (view.bid && view.doublings != null && stake > view.bid * 2 ** view.doublings) lines.push(t('over.spring'));
  } else if (view.events.some(({ type }) => type === 'dragon')) {
    lines.push(say('over.dragon', first));
  } else if (rules.wins === 'places') {
    const loser = result.finish_order.at(-1) ?? 0;
    lines.push(say('over.winner', first), say('over.loser', loser));
  } else {
    lines.push(say('over.first', first));
  }
  if (result.foul !== null) lines.push(say(table.options.guard_pays ? 'over.foul.pays' : 'over.foul', result.foul));

  let title = t('over.title.lose');
  if (won) title = t('over.title.win');
  else if (table.you === null) title = t('over.title.other', { name: name(result.winners[0] ?? 0) });
  else title = middlePlace(result.finish_order, table.players, table.you) ?? title;
  return { title, lines, good: won };
}

/** A place between the first and the last in words; null for these two, and if the hand ends before all have a place. */
export function middlePlace(order: readonly number[], players: number, seat: number): string | null {
  const rank = order.indexOf(seat);
  if (order.length !== players || rank <= 0 || rank === players - 1) return null;
  return t('over.title.place', { place: maybe(`place.${rank + 1}`) ?? String(rank + 1) });
}

/** The seats from best to last: those out in order, then the others by payment. */
export function standings(result: Result, players: number): number[] {
  const out = (seat: number): number => (result.finish_order.indexOf(seat) + players + 1) % (players + 1);
  const seats = Array.from({ length: players }, (_, seat) => seat);
  if (result.finish_order.length === players) return seats.sort((a, b) => out(a) - out(b));
  return seats.sort((a, b) => (result.payments[b] ?? 0) - (result.payments[a] ?? 0) || out(a) - out(b));
}

/**
 * How a loser's payment for cards came about, where each card counted more than once: `9 × 2`; else null. A guard who pays
 * for all, and hands that went on after the first was out, are paid otherwise.
 */
export function multiplied(result: Result, held: number, seat: number, rules: Pick<RulesFacts, 'score'>): string | null {
  const owed = -(result.payments[seat] ?? 0);
  const times = owed / held;
  const plain = rules.score === 'cards' && result.foul === null && result.finish_order.length <= 1;
  return plain && times > 1 && Number.isInteger(times) ? `${held} × ${times}` : null;
}

/** The other players who want a rematch, once the session is over. */
export const wishing = (table: TableInfo): SeatInfo[] =>
  table.status === 'ended' ? table.seats.filter(({ seat }) => seat !== table.you && table.voted.includes(seat)) : [];
