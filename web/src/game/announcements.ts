import type { Event } from '../gen/protocol';
import { prose, t } from '../i18n/i18n.svelte';
import { moveText, seatName, sentence } from '../i18n/words';
import type { Cue } from '../browser/sound';
import { advised } from './advice';
import { blast } from './bombs';
import type { Game } from './game';
import { bidsOf } from './trick';

/** What a screen reader says of new events. doublings: the number of times that bombs had doubled the stake before. */
export function announced({ table, view }: Game, events: readonly Event[], doublings: number): string[] {
  if (!table || !view) return [];
  const bids = bidsOf(view);
  const texts = events.map((event) => sentence(event, table, view.table, bids.has(event.seq)));
  const now = view.doublings ?? 0;
  if (now > doublings && view.bid !== null) texts.push(t('table.doubled', { n: view.bid * 2 ** now }));
  return texts.filter((text) => text !== null);
}

/** The sound of new events. */
export function soundOf({ view, rules }: Game, events: readonly Event[]): Cue | null {
  if (!view) return null;
  if (events.some((event) => event.type === 'play')) return blast(view.table?.kind, rules) ?? 'play';
  return events.some((event) => event.type === 'pass') ? 'pass' : null;
}

/** What a screen reader says of a hint: the best move and its reasons; null without one. */
export function adviceText({ table, view, hint }: Game): string | null {
  const best = hint?.candidates[0];
  if (!table || !best) return null;
  const names = table.seats.map((seat) => seatName(seat, table));
  const move = `${moveText(best.move, view?.phase === 'auction')}${t('list.stop')}`;
  return prose(move, ...best.reasons.map((reason) => advised(reason, names)));
}
