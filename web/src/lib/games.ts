import type { PresetInfo } from '../gen/protocol';

/** What the start page shows of a preset besides its words. */
interface Shown {
  /** A few cards that say which game it is. */
  cards: string[];
  players: number;
  /** Listed below the others. */
  variant?: boolean;
}

const SHOWN: Record<string, Shown> = {
  'big-three': { cards: ['4H', '2S', '3D', '3S'], players: 3 },
  'big-three-4p': { cards: ['8C', 'KC', '2H', '3H'], players: 4 },
  'big-two': { cards: ['TS', 'JS', 'QS', 'KS', 'AS', '2S'], players: 4 },
  winner: { cards: ['QH', 'AC', '2S', 'RJ'], players: 4 },
  'big-three-denexa': { cards: [], players: 3, variant: true },
  'big-three-fr': { cards: [], players: 3, variant: true },
  'winner-bomb': { cards: [], players: 4, variant: true },
};

/** A preset this page has never heard of is shown too, as a variant. */
export const shown = (name: string): Shown => SHOWN[name] ?? { cards: [], players: 4, variant: true };

const ORDER = Object.keys(SHOWN);
const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

export const inOrder = (presets: readonly PresetInfo[]): PresetInfo[] =>
  [...presets].sort((a, b) => rank(a.name) - rank(b.name));

/** The options that change the table; the rest are house rules. */
export const MAIN_OPTIONS = new Set(['players', 'decks', 'jokers', 'scoring']);

/** How many sit at the table with these options. */
export function playersOf(preset: PresetInfo, options: Record<string, unknown>): number {
  const option = preset.options.find((one) => one.name === 'players');
  return Number(options.players ?? option?.default ?? shown(preset.name).players);
}

/** The bots the server knows, from the strongest. */
export const BOTS = ['greedy', 'random'] as const;
