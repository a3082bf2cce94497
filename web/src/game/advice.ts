import type { Reason } from '../gen/protocol';
import { maybe } from '../i18n/i18n.svelte';

/** A bot's reason in the reader's language, with the player's name for `seat`. */
export function advised(reason: Reason, names: readonly string[]): string {
  const values = { ...reason.values } as Record<string, string | number>;
  const seat = values.seat;
  if (typeof seat === 'number') values.seat = names[seat] ?? String(seat);
  return maybe(`reason.${reason.id}`, values) ?? reason.text;
}
