import type { EventSummary } from '../gen/protocol';
import { dated, t } from '../i18n/i18n.svelte';

/** `Deal of the day, 25 Nov 2026`, or the title that its host has given an event. */
export const eventTitle = (event: Pick<EventSummary, 'title' | 'day'>): string =>
  event.day ? t('duplicate.daily.dated', { date: dated(`${event.day}T12:00:00`, null) }) : event.title;
