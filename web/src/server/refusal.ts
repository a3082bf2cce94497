import type { ErrorMessage } from '../gen/protocol';
import { printed, short } from '../cards/cards';
import { locale, maybe, t } from '../i18n/i18n.svelte';
import { cardName, personName } from '../i18n/words';

/** A refusal: the server's sentence, and its id in the catalogue. */
export type Refusal = Pick<ErrorMessage, 'code' | 'clause' | 'message' | 'wording'>;

/** `3C 4D` as `3♣ 4♦`, `T` as `10`, `BJ` as `black joker`, for display. */
const drawn = (text: string): string =>
  text
    .replace(/\b([2-9TJQKA])([DCHS])\b/g, short)
    .replace(/\b[BR]J( [BR]J)*\b/g, (jokers) => jokers.split(' ').map(cardName).join(t('list.comma')))
    .replace(/\bT\b/g, printed('T'));

function value(name: string, text: string): string {
  if (name === 'name') return personName(text);
  return (name === 'kind' || name === 'other' ? maybe(`kind.bare.${text}`) : null) ?? drawn(text);
}

/** A refusal in the reader's language. */
export function refusalText({ code, message, wording }: Refusal): string {
  if (!wording) return maybe(`refusal.code.${code}`) ?? t('refusal.other');
  const values = Object.fromEntries(Object.entries(wording.values).map(([name, text]) => [name, value(name, text)]));
  const text = maybe(`refusal.${wording.id}`, values) ?? drawn(message);
  return text.charAt(0).toLocaleUpperCase(locale()) + text.slice(1);
}
