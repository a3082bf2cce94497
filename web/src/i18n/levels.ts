import { t, type Key } from './i18n.svelte';

/** The name of a level, from 1 to 9. */
export const levelName = (level: number): string => t(`level.${level}` as Key);
