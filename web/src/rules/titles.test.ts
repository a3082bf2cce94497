import { describe, expect, it } from 'vitest';
import en from '../i18n/en.json';
import { blocks } from './markdown';
import { titles } from './titles';

const chapters = import.meta.glob<string>('../../../docs/rules/*.md', { query: '?raw', import: 'default', eager: true });
const clauses = Object.entries(chapters)
  .filter(([path]) => !/index|presets/.test(path))
  .flatMap(([, text]) => text.split(/\n(?=\*\*[A-Z]+\d?\.\d\d\*\*)/).slice(1));
const clause = (id: string): string => clauses.find((text) => text.startsWith(`**${id}**`)) ?? '';
const named = (id: string, name: string): string[] =>
  [...titles(blocks(clause(id)))].flatMap(([part, title]) => (part.text === name ? [title] : []));

describe('names in a clause', () => {
  it('are values of the option that was named last', () => {
    expect(named('D2.18', 'winner')).toEqual([en['choice.winner']]);
    expect(named('W.21', 'winner')).toEqual([en['choice.winner']]);
    expect(named('H.26', 'any')).toEqual([en['choice.opening_lead.any']]);
    expect(named('H.29', 'double')).toEqual([en['choice.double']]);
    expect(named('H.40', 'double')).toEqual([en['choice.exchange.double'], en['choice.exchange.double']]);
  });
  it('are options and presets too', () => {
    expect(named('W.15', 'winner-bomb')).toEqual([en['preset.winner-bomb']]);
    expect(named('W.15', 'bomb')).toEqual([en['option.bomb']]);
  });
  it('are in the catalogue', () => {
    expect(clauses.length).toBeGreaterThan(100);
    const odd = clauses.flatMap((text) => [...titles(blocks(text))].filter(([part, title]) => part.text === title));
    expect(odd.map(([part]) => part.text)).toEqual([]);
  });
});
