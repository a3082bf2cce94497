import { describe, expect, it } from 'vitest';
import type { BotInfo } from '../gen/protocol';
import { botManner } from './games';

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
