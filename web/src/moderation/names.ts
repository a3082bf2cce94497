import type { Moderate, PlayerNamed } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';
import { personName } from '../i18n/words';

/** Carries out an action. Returns the reason for a refusal, or ''. */
export type Act = (action: Moderate['action']) => Promise<string>;

/** A player's displayed name: guests may have none, or another guest's. */
export const called = (player: PlayerNamed): string =>
  personName(player.name) || t('moderation.guest', { id: player.id.slice(0, 6) });
