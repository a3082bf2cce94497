import type { TableInfo, View } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';
import { cardMoves, canPass } from '../game/selection';
import type { Table } from '../game/table.svelte';
import { cardName, seatName } from '../i18n/words';

/** The status line for the player. */
export function status(table: Table, info: TableInfo, view: View): string {
  if (info.status !== 'playing' || view.phase === 'over' || view.to_act === null) return '';
  if (!table.mine) return t(table.sitsOut ? 'seat.substitute.next' : 'seat.substitute.you');
  if (!table.myTurn) {
    if (table.plan) return t(table.plan === 'pass' ? 'ahead.pass.set' : 'ahead.play.set');
    return t('table.waiting', { name: seatName(info.seats[view.to_act], info) });
  }
  if (view.phase !== 'play') return t('table.yourTurn');
  if (view.table && canPass(view) && !cardMoves(view).length) return t('table.cannot');
  if (view.guarding !== null) return t('table.guard', { name: seatName(info.seats[view.guarding], info) });
  if (view.table) return t('table.beat');
  // A last card needs no text.
  const must = view.hand.length > 1 ? view.must_include : null;
  return must ? t('table.youLead.with', { card: cardName(must) }) : t('table.youLead');
}
