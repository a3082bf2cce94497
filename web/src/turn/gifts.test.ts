import { expect, it } from 'vitest';
import type { Event, LegalMove } from '../gen/protocol';
import { whatToGive } from './gifts';

const give = (...cards: string[]): LegalMove => ({ type: 'give', move: `give ${cards.join(' ')}`, cards });
const given = (n: number): Event[] => Array.from({ length: n }, (_, seq) => ({ seq, seat: seq, type: 'give' }));
const said = (gifts: number, ...cards: string[]): string => whatToGive({ legal_moves: [give(...cards)], events: given(gifts) });

it('asks the last players for their highest cards, and the first for any in return', () => {
  expect([said(0, 'AS', '2S'), said(1, '2H'), said(2, '3D', '4D'), said(3, '3C')]).toEqual([
    'Give your 2 highest cards',
    'Give your highest card',
    'Give back 2 cards of your choice',
    'Give back a card of your choice',
  ]);
});
