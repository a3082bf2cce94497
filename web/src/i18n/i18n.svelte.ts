import en from './en.json';
import { requests } from '../browser/latest';
import { lazy } from '../browser/lazy';
import { load, save } from '../browser/storage';

export type Key = keyof typeof en;
type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
type Catalogue = Partial<Record<string, Message>>;
export type Params = Record<string, string | number>;

export const LOCALES = { en: 'English', 'zh-Hans': '简体中文', 'zh-Hant': '繁體中文', fr: 'Français' } as const;
export type Locale = keyof typeof LOCALES;

const catalogues: Record<Exclude<Locale, 'en'>, () => Promise<{ default: Catalogue }>> = {
  'zh-Hans': () => import('./zh-Hans.json'),
  'zh-Hant': () => import('./zh-Hant.json'),
  fr: () => import('./fr.json'),
};

let current = $state.raw<{ locale: Locale; messages: Catalogue }>({ locale: 'en', messages: en });
const begin = requests();

/** The locale in use. */
export const locale = (): Locale => current.locale;

/** A tag of `navigator.languages`; null if it is no language tag: under LANG=C Chromium names `en-US@posix`. */
export function parsed(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}

/** Our locale for a language tag; null if there is none. */
function ours(tag: string): Locale | null {
  const { language = '', script, region = '' } = parsed(tag) ?? {};
  if (language !== 'zh') return language in LOCALES ? (language as Locale) : null;
  const traditional = script ? script === 'Hant' : ['TW', 'HK', 'MO'].includes(region);
  return traditional ? 'zh-Hant' : 'zh-Hans';
}

/** The best of our locales for a list of language tags. */
export const choose = (tags: readonly string[]): Locale => tags.map(ours).find((one) => one !== null) ?? 'en';

/** Use a locale, unless another one is wanted by the time its catalogue is there. */
export async function use(wanted: Locale): Promise<void> {
  const latest = begin();
  const messages = wanted === 'en' ? en : (await lazy(catalogues[wanted])).default;
  if (!latest()) return;
  current = { locale: wanted, messages };
  document.documentElement.lang = wanted;
}

/** Use a locale, and remember it. */
export async function setLocale(wanted: Locale): Promise<void> {
  await use(wanted);
  save('locale', current.locale);
}

/** Use the reader's locale, or English if its catalogue cannot be loaded. */
export const start = (): Promise<void> => {
  const kept = load<string>('locale', '');
  return use(kept in LOCALES ? (kept as Locale) : choose(navigator.languages)).catch(() => use('en'));
};

/** A moment, as a text or in milliseconds, in the format of the reader's country, if the page is in the browser's language. */
export function dated(moment: string | number | undefined, time: 'short' | null = 'short'): string {
  // A server that is still to be upgraded may not send it.
  if (moment === undefined) return '';
  const home = navigator.languages.find((tag) => ours(tag) === current.locale);
  return new Intl.DateTimeFormat(home ?? current.locale, { dateStyle: 'medium', ...(time && { timeStyle: time }) }).format(
    new Date(moment),
  );
}

/** `−1`, where `Intl` writes a hyphen. */
const minus = (figure: string): string => figure.replace('-', '−');

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** The marks around an isolated text; written out, they would reorder this line. */
const [ISOLATE, END] = [String.fromCharCode(0x2068), String.fromCharCode(0x2069)];

/** A name written from right to left, apart from the sentence around it: otherwise figures beside it change places. */
const isolated = (value: string): string => (RIGHT_TO_LEFT.test(value) ? ISOLATE + value + END : value);

/** French puts a space before `: ; ! ? »` and after `«`, at which a line must not end. */
const unbroken = (text: string, tag: string): string =>
  tag === 'fr' ? text.replace(/ (?=[:;!?»%])/g, '\u00a0').replaceAll('« ', '«\u00a0') : text;

/** A text outside the catalogue, such as a clause or a lesson, with the apostrophes and spaces of the reader's language. */
export const typeset = (text: string): string => unbroken(text.replaceAll("'", '’'), locale());

/** The text with its `{placeholders}` filled, numbers in the locale's format; `params.n` selects the plural form. */
export function format(message: Message, params: Params, tag: string): string {
  const text =
    typeof message === 'string'
      ? message
      : (message[new Intl.PluralRules(tag).select(Number(params.n ?? 0))] ?? message.other ?? '');
  return unbroken(text, tag).replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = params[name];
    if (value === undefined) return hole;
    return typeof value === 'number' ? minus(new Intl.NumberFormat(tag).format(value)) : isolated(value);
  });
}

/** A text of the catalogue, in English if the locale lacks it. */
export const t = (key: Key, params: Params = {}): string => maybe(key, params) ?? key;

/** The same for a key that is built at run time and may not exist. */
export function maybe(key: string, params: Params = {}): string | null {
  const { messages, locale: tag } = current;
  const message = messages[key] ?? (en as Catalogue)[key];
  return message === undefined ? null : format(message, params, tag);
}

/** Sentences as one text: Chinese has no space between them. */
export const prose = (...sentences: readonly (string | null)[]): string => sentences.filter(Boolean).join(t('list.space'));

const decimals = (most: number, least: number) => ({ minimumFractionDigits: least, maximumFractionDigits: most });

/** A number in the locale's format, with `least` to `most` decimals: `0.5`. */
export const numeral = (value: number, most = 2, least = 0): string =>
  minus(new Intl.NumberFormat(locale(), decimals(most, least)).format(value));

/** The same with its sign: `+3`, `−1`, `0`. */
export const signed = (value: number, most = 2, least = 0): string =>
  minus(new Intl.NumberFormat(locale(), { ...decimals(most, least), signDisplay: 'exceptZero' }).format(value));

/** `45%`. */
export const percent = (share: number): string => new Intl.NumberFormat(locale(), { style: 'percent' }).format(share);
