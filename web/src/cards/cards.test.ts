import { describe, expect, it } from 'vitest';
import { runFromLow } from './cards';

describe('a low straight', () => {
  it.each([
    ['3D 4C 5H AS 2S', 'AS 2S 3D 4C 5H'],
    ['3D 4C 5H 6S 2S', '2S 3D 4C 5H 6S'],
    ['3D 3C AD AS 2D 2S', 'AD AS 2D 2S 3D 3C'],
  ])('is laid from its lowest card: %s', (cards, laid) => {
    expect(runFromLow(cards.split(' ')).join(' ')).toBe(laid);
  });

  it.each([
    'TD JC QH KS AS',
    'QD KC AH 2S 3D',
    'JD QC KH AS 2S',
    '3D 5D 6D AD 2D',
    '3D 3C 3H 2S 2C',
    '3D 4D AD AS 2D',
    '3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D',
    '? ? ?',
    'BJ RJ',
  ])('is nothing else: %s', (cards) => {
    expect(runFromLow(cards.split(' ')).join(' ')).toBe(cards);
  });
});
