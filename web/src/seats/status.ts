import type { TableInfo, View } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';
import { cardMoves, canPass } from '../game/selection';
import type { Table } from '../game/table.svelte';
import { cardName, seatName } from '../i18n/words';

/** A card that every legal lead holds, where the hand has others: the first lead must have it. */
export function mustLead(view: View): string | null {
  const plays = cardMoves(view);
  const first = plays[0]?.cards ?? [];
  if (view.table || plays.length < 2) return null;
  const always = first.filter((card) => plays.every((move) => move.cards?.includes(card)));
  return always.length === 1 && view.hand.length > 1 ? (always[0] ?? null) : null;
}

/** The next seat in order of play that still holds cards. */
function after(view: View, seat: number): number {
  for (let i = 1; i < view.players; i++) {
    const other = (seat + i) % view.players;
    if ((view.hand_sizes[other] ?? 0) > 0) return other;
  }
  return seat;
}

/** What the player should know now, in one line. */
export function status(table: Table, info: TableInfo, view: View): string {
  if (view.phase === 'over' || view.to_act === null) return '';
  if (!table.mine) return t('seat.substitute.you');
  if (!table.myTurn) {
    if (table.plan) return t(table.plan === 'pass' ? 'ahead.pass.set' : 'ahead.play.set');
    return t('table.waiting', { name: seatName(info.seats[view.to_act], info) });
  }
  if (view.phase !== 'play') return t('table.yourTurn');
  const next = after(view, info.you ?? 0);
  const singles = !view.table || view.table.cards.length === 1;
  const guarded = (table.game.rules?.guard ?? 'off') !== 'off' && singles && view.hand_sizes[next] === 1;
  if (view.table && canPass(view) && !cardMoves(view).length) return t('table.cannot');
  if (guarded) return t('table.guard', { name: seatName(info.seats[next], info) });
  if (view.table) return t('table.beat');
  const must = mustLead(view);
  return must ? t('table.youLead.with', { card: cardName(must) }) : t('table.youLead');
}
