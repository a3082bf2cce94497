import { render } from 'svelte/server';
import { describe, expect, it, vi } from 'vitest';
import type { Event, TableInfo } from '../gen/protocol';
import { cardName, moveText, sentence } from '../i18n/words';
import Board from '../practice/Board.svelte';
import Bubble from '../seats/Bubble.svelte';
import Cards from './Cards.svelte';
import MiniCards from './MiniCards.svelte';
import WrittenMove from './WrittenMove.svelte';

vi.mock('../browser/prefs.svelte', () => ({ prefs: { time: () => 0 } }));
vi.mock('../browser/screen.svelte', () => ({ screen: { width: 1280, height: 800, shape: 'wide', short: false, roomy: true } }));

const RUN = ['3D', '4C', '5H', 'AS', '2S'];
const [BY_RANK, FROM_LOW] = [RUN, ['AS', '2S', '3D', '4C', '5H']].map((cards) => cards.map(cardName).join(', '));
const TABLE = { you: 0, seats: [], players: 3 } as unknown as TableInfo;
const event = (type: Event['type']) => sentence({ seq: 0, seat: 0, type, cards: RUN }, TABLE);
const seats = [0, 1].map((seat) => ({ seat, name: `P${seat}`, kind: 'human' as const }));
const position = {
  preset: 'big-two',
  hands: [RUN, []],
  table: { seat: 1, cards: RUN },
  bidder: null,
  bid: null,
  auction: false,
  doublings: 0,
  called: null,
  kitty: [],
};

describe('the order of cards that make a low straight', () => {
  it('is that of the straight in a play', () => {
    const shown = [
      render(Bubble, { props: { action: { seq: 0, seat: 0, type: 'play', cards: RUN, bid: null, bidding: false }, fit: 8 } })
        .body,
      render(WrittenMove, { props: { move: RUN.join(' ') } }).body,
      moveText({ move: RUN.join(' '), type: 'play', cards: RUN }),
      event('play'),
    ];
    for (const one of shown) expect(one).toContain(FROM_LOW);
  });

  it('is that of the rank in a hand, in a kitty and in a pack', () => {
    const shown = [
      render(Cards, { props: { cards: RUN, size: 40, width: 200 } }).body,
      render(MiniCards, { props: { cards: RUN } }).body,
      event('kitty'),
    ];
    for (const one of shown) expect(one).toContain(BY_RANK);
  });

  it('differs between a hand and the play on one board', () => {
    const props = { position, seats, names: ['P0', 'P1'], ranks: '3456789TJQKA2', toAct: 0 };
    const { body } = render(Board, { props });
    const said = [...body.matchAll(/aria-label="([^"]* of [^"]*)"/g)].map(([, name]) => name);
    expect(said).toEqual([BY_RANK, FROM_LOW]);
  });
});
