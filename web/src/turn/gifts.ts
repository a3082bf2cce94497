import type { View } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';

/**
 * What the viewer gives in the exchange: the highest cards, or any. In the exchange of two pairs of players the Winner and
 * the second give cards back after two gifts.
 */
export function whatToGive({ legal_moves, events }: Pick<View, 'legal_moves' | 'events'>): string {
  const n = legal_moves[0]?.cards?.length ?? 1;
  if (events.filter(({ type }) => type === 'give').length > 1) return t('table.give.back', { n });
  return n > 1 ? t('table.give.highest', { n }) : t('table.give');
}
