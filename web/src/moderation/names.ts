import type { Moderate, PlayerNamed } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';

/** Carries out an action. Returns why not, or '' if it was done. */
export type Act = (action: Moderate['action']) => Promise<string>;

/** What a player is called: guests may have no name, or that of another guest. */
export const called = (player: PlayerNamed): string => player.name || t('moderation.guest', { id: player.id.slice(0, 6) });
