import type { BotInfo, NeedInfo, OptionInfo, PresetInfo } from '../gen/protocol';
import { maybe, parsed, t } from '../i18n/i18n.svelte';

/** Presets without the small variants of others, in the server's order. */
export const mains = (presets: readonly PresetInfo[]): PresetInfo[] => presets.filter((one) => !one.variant);

/** The presets of each game together, in the server's order; small variants come last. */
export function families(presets: readonly PresetInfo[]): PresetInfo[][] {
  return [...new Set(presets.map((one) => one.family))].map((family) => {
    const of = presets.filter((one) => one.family === family);
    return [...mains(of), ...of.filter((one) => one.variant)];
  });
}

/** The options that change the table; the rest are house rules. */
export const MAIN_OPTIONS = new Set(['players', 'decks', 'jokers', 'scoring']);

/** The default settings of a new table: the source of Big Two has no scoring, but players expect it. */
const OPENED_WITH: Record<string, Options> = { 'big-two': { scoring: 'cards-multiplied' } };
type Value = OptionInfo['default'];
type Options = Record<string, Value>;

/** The default options of a table. */
export const usualOptions = (preset: string): Options => ({ ...OPENED_WITH[preset] });

/** The number of seats at a table with these options. */
export function playersOf(preset: PresetInfo, options: Record<string, unknown>): number {
  const option = preset.options.find((one) => one.name === 'players');
  return Number(options.players ?? option?.default ?? preset.facts.players);
}

/** The first need of an option that these values, one for every option, do not meet. */
export const unmet = (option: OptionInfo, values: Options): NeedInfo | undefined =>
  option.needs?.find((need) => {
    const other = values[need.other];
    return need.values.some((value) => value === values[option.name]) && other !== undefined && !need.among.includes(other);
  });

/** The value of every option: the chosen one, or the default, which gives way where the other options do not meet its needs. */
export function settled(preset: PresetInfo, chosen: Options): Options {
  const values: Options = {};
  for (const option of preset.options) values[option.name] = chosen[option.name] ?? option.default;
  const free = preset.options.filter((option) => !(option.name in chosen));
  // A value that gives way may be what another option needs; two needs that contradict each other never settle.
  for (const _ of free.flatMap((option) => option.needs ?? [])) {
    const option = free.find((one) => unmet(one, values));
    if (option) values[option.name] = unmet(option, values)?.otherwise ?? option.default;
  }
  return values;
}

/** Graded bots are named by level: at a table each has a character's name. */
export const botTitle = (bot: Pick<BotInfo, 'name' | 'title' | 'level'>): string =>
  bot.level ? t('start.level', { n: bot.level }) : (maybe(`bot.${bot.name}`) ?? bot.title);
/** What a bot does, to follow its name; in English if the catalogue lacks it. */
export const botCharacter = (bot: Pick<BotInfo, 'name' | 'character'>): string => maybe(`bot.${bot.name}.about`) ?? bot.character;

/** What the bot of this name does; without such a phrase, and while the list of bots is missing, its kind. */
export function botManner(name: string, bots: readonly BotInfo[]): string {
  const level = Number(/^level-(\d)$/.exec(name)?.[1]) || null;
  const bot = bots.find((one) => one.name === name) ?? { name, title: name, character: '', level };
  return botCharacter(bot) || botTitle(bot);
}

/** The presets that people of a region play, by its code. */
const HOME: Partial<Record<string, string>> = {
  HK: 'big-two-hong-kong',
  MO: 'big-two-hong-kong',
  TW: 'big-two-taiwan',
  PH: 'big-two-philippines',
  ID: 'big-two-indonesia',
};

/** The one of these presets that is played where a browser with these languages is; null if none is known. */
export function atHome(presets: readonly string[], languages: readonly string[]): string | null {
  for (const tag of languages) {
    const home = HOME[parsed(tag)?.maximize().region ?? ''];
    if (home && presets.includes(home)) return home;
  }
  return null;
}
