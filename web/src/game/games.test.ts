import { describe, expect, it } from 'vitest';
import type { BotInfo, OptionInfo, PresetInfo } from '../gen/protocol';
import { botManner, settled, unmet } from './games';

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
    expect(settled(game, {}).guard_pays).toBe(true);
    expect(settled(game, { guard: 'off' }).guard_pays).toBe(false);
    expect(settled(game, { guard: 'off', guard_pays: true }).guard_pays).toBe(true);
  });
  it('follows one that follows a third, in whatever order they are listed', () => {
    const doubles = option('doubles', {
      default: true,
      needs: [{ values: [true], other: 'guard_pays', among: [true], otherwise: false }],
    });
    for (const options of [
      [doubles, pays, guard],
      [guard, pays, doubles],
    ]) {
      const chain = { options } as PresetInfo;
      expect(settled(chain, { guard: 'off' })).toEqual({ guard: 'off', guard_pays: false, doubles: false });
      expect(settled(chain, { guard: 'off', guard_pays: true }).doubles).toBe(true);
      expect(unmet(doubles, settled(chain, { guard: 'off', doubles: true }))?.other).toBe('guard_pays');
    }
  });
  it('is as usual where the game lacks the other one', () => {
    expect(settled({ options: [pays] } as unknown as PresetInfo, {}).guard_pays).toBe(true);
  });
});
