import type { Audited } from '../gen/protocol';
import { locale, t } from '../i18n/i18n.svelte';

/** A line of the audit log as a sentence. For a list of words too long for the log, the line has their number. */
export function sentence({ action, by, subject, detail }: Audited): string {
  const about = { by: by === 'host' ? t('moderation.host') : by, subject: subject || t('moderation.nobody') };
  switch (action) {
    case 'mute':
      return t('moderation.action.mute', { ...about, n: Number(detail.hours) });
    case 'ban-network':
      return t('moderation.action.ban-network', { ...about, n: Number(detail.days) });
    case 'add-words':
    case 'remove-words': {
      const language = { ...about, subject: languageName(subject) };
      return typeof detail.words === 'number'
        ? t(`moderation.action.${action}.many`, { ...language, n: detail.words })
        : t(`moderation.action.${action}`, { ...language, words: String(detail.words ?? '') });
    }
    default:
      return t(`moderation.action.${action}`, about);
  }
}

/** A language's name in the page's language, else its code. */
function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(locale(), { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
