import type { TableSettings } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';

/** A table's speed in words. */
export function speedText(speed: TableSettings['speed']): string {
  switch (speed?.kind) {
    case 'move':
      return t('speed.move', { n: speed.seconds });
    case 'clock':
      return t('speed.clock', { minutes: speed.seconds / 60, seconds: speed.increment });
    case 'correspondence':
      return t('speed.correspondence', { n: speed.days });
    default:
      return t('pace.untimed');
  }
}
