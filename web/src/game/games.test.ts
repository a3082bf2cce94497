import { describe, expect, it } from 'vitest';
import type { BotInfo, OptionInfo, PresetInfo } from '../gen/protocol';
import { botManner, settled } from './games';

const bot = (name: string, character: string, level: number | null = null): BotInfo => ({
  name,
  title: `${name}!`,
  character,
  level,
});

describe('what a bot does', () => {
  it('is the phrase of the server', () => {
    expect(botManner('level-3', [bot('low', 'plays low'), bot('level-3', 'never waits', 3)])).toBe('never waits');
  });
  it('is its kind if the server has no phrase', () => {
    expect(botManner('mine', [bot('mine', '')])).toBe('mine!');
  });
  it('is its kind while the list of bots is missing, and not the name that the seat shows already', () => {
    expect(botManner('low', [])).toBe('Lowest first');
    expect(botManner('level-3', [])).toBe('Level 3');
    expect(botManner('mine', [])).toBe('mine');
  });
});

describe('an option that needs another one', () => {
  const option = (name: string, rest: Partial<OptionInfo>): OptionInfo => ({
    name,
    default: false,
    choices: null,
    minimum: null,
    maximum: null,
    clause: 'H.28',
    help: '',
    needs: [],
    ...rest,
  });
  const guard = option('guard', { default: 'foul' });
  const pays = option('guard_pays', {
    default: true,
    needs: [{ values: [true], other: 'guard', among: ['foul'], otherwise: false }],
  });
  const game = { options: [guard, pays] } as PresetInfo;
  it('follows it unless it was chosen', () => {
    expect(settled(pays, game, {})).toBe(true);
    expect(settled(pays, game, { guard: 'off' })).toBe(false);
    expect(settled(pays, game, { guard: 'off', guard_pays: true })).toBe(true);
  });
  it('is as usual where the game lacks the other one', () => {
    expect(settled(pays, { options: [pays] } as unknown as PresetInfo, {})).toBe(true);
  });
});
