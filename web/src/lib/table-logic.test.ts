import { describe, expect, it, vi } from 'vitest';
import type { Event, LegalMove, View } from '../gen/protocol';
import { arrived } from './arrived';
import { cardOf, keys, sameCards, sameRanks, short } from './cards';
import { backOff, isFinal } from './connection';
import { fan } from './fan';
import { Pump } from './pump';
import { parse } from './paths';
import { place } from './seating';
import { commandFor, matching, playable, scopeOf } from './selection';
import { auction, topPlay, trick } from './trick';

const event = (seq: number, seat: number, type: Event['type'], extra: Partial<Event> = {}): Event => ({ seq, seat, type, ...extra });
const play = (seq: number, seat: number, ...cards: string[]): Event => event(seq, seat, 'play', { cards });

const HAND: Event[] = [
  event(0, 1, 'open', { cards: ['4H'] }),
  event(1, 1, 'bid', { bid: 1 }),
  event(2, 2, 'pass'),
  event(3, 0, 'bid', { bid: 3 }),
  event(4, 0, 'kitty', { cards: ['4D', '5D', '6D', '7D'] }),
  play(5, 1, '5H', '5S'),
  event(6, 2, 'pass'),
  play(7, 0, 'KH', 'KS'),
  event(8, 1, 'pass'),
  event(9, 2, 'pass'),
  event(10, 0, 'trick'),
];

const view = (over: Partial<View>): View => ({ events: HAND, phase: 'play', seat: 0, hand: [], legal_moves: [], to_act: 0, ...over }) as View;

describe('what lies on the table', () => {
  it('tells the auction from the play', () => {
    expect(auction(HAND).map((one) => one.bid)).toEqual([1, null, 3]);
    expect(trick(HAND).actions.map((one) => one.type)).toEqual(['play', 'pass', 'play', 'pass', 'pass']);
  });

  it('leaves a trick that is over until the next lead', () => {
    expect(trick(HAND).over).toBe(true);
    expect(topPlay(view({}))?.cards).toEqual(['KH', 'KS']);
    const led = [...HAND, play(11, 0, '6C')];
    expect(trick(led)).toMatchObject({ over: false, actions: [{ seq: 11 }] });
  });

  it('shows what has come into the hand until somebody plays', () => {
    expect([...arrived(view({ events: HAND.slice(0, 5) }))]).toEqual(['4D', '5D', '6D', '7D']);
    expect(arrived(view({})).size).toBe(0);
    const exchange = [event(0, 2, 'give', { cards: ['2S'] }), event(1, 0, 'offer', { cards: ['3D', '4C'] }), event(2, 2, 'take', { cards: ['3D'] })];
    expect([...arrived(view({ events: exchange }))]).toEqual(['2S']);
    expect([...arrived(view({ events: exchange, seat: 2 }))]).toEqual(['3D']);
  });
});

describe('selection', () => {
  const moves: LegalMove[] = [
    { move: '8D', type: 'play', kind: 'single', cards: ['8D'] },
    { move: '9D 9H', type: 'play', kind: 'pair', cards: ['9D', '9H'] },
    { move: 'pass', type: 'pass' },
  ];
  const turn = view({ legal_moves: moves, hand: ['8D', '8S', '9D', '9H', '9S', 'KD'] });

  it('lights up what some legal move contains', () => {
    expect([...playable(turn, 'complete')]).toEqual(['8D', '9D', '9H']);
    expect(playable(turn, 'canonical').has('8S')).toBe(false);
    expect(playable(turn, 'canonical').has('9S')).toBe(true);
    expect(playable(turn, 'ranks').has('8S')).toBe(true);
    expect(playable(turn, 'ranks').has('KD')).toBe(false);
  });

  it('names the combination whose ranks are chosen', () => {
    expect(matching(turn, ['9S', '9H'], 'canonical')?.kind).toBe('pair');
    expect(matching(turn, ['9S', '9H'], 'complete')).toBeNull();
    expect(matching(turn, ['9S', 'KD'], 'ranks')).toBeNull();
  });

  it('knows how the server lists moves', () => {
    expect(scopeOf({ preset: 'big-two', options: {} })).toBe('complete');
    expect(scopeOf({ preset: 'big-three-fr', options: {} })).toBe('ranks');
    expect(scopeOf({ preset: 'winner', options: {} })).toBe('canonical');
    expect(scopeOf({ preset: 'winner', options: { suits_ranked: false } })).toBe('ranks');
  });

  it('writes the command', () => {
    expect(commandFor(turn, ['9D', '9H'])).toBe('9D 9H');
    const offer = view({ legal_moves: [{ move: 'offer 3D 4C', type: 'offer', cards: ['3D', '4C'] }] });
    expect(commandFor(offer, ['3D', '4C'])).toBe('offer 3D 4C');
  });
});

describe('cards', () => {
  it('tells the copies of two decks apart', () => {
    expect(keys(['4H', '4H', '5S'])).toEqual(['4H', "4H'", '5S']);
    expect(cardOf("4H'")).toBe('4H');
  });
  it('compares lists', () => {
    expect(sameCards(['4H', '5S'], ['5S', '4H'])).toBe(true);
    expect(sameCards(['4H', '4H'], ['4H', '4S'])).toBe(false);
    expect(sameRanks(['4H', 'TS'], ['TD', '4C'])).toBe(true);
  });
  it('prints a ten as such', () => expect(short('TS')).toBe('10♠'));
});

describe('layout', () => {
  it('gives every card of a hand a strip of its own', () => {
    expect(fan(13, 1000, 100, 40).rows).toEqual([13]);
    expect(fan(20, 374, 76, 30).rows).toEqual([10, 10]);
    expect(fan(36, 374, 76, 30).rows).toEqual([12, 12, 12]);
    expect(fan(7, 200, 76, 30).rows).toEqual([3, 4]);
    expect(fan(0, 374, 76, 30).rows).toEqual([]);
    for (let n = 1; n <= 36; n++) {
      const { rows, step } = fan(n, 374, 76, 30);
      expect(rows.reduce((a, b) => a + b)).toBe(n);
      expect(Math.max(...rows.map((row) => 76 + step * (row - 1)))).toBeLessThanOrEqual(374.001);
    }
  });

  it('seats the next player on the right where play is counter-clockwise', () => {
    for (const players of [3, 4, 5, 6, 7, 8]) {
      for (const shape of ['wide', 'narrow', 'low'] as const) {
        expect(place(1, 0, players, 'counterclockwise', shape).x).toBeGreaterThan(50);
        expect(place(1, 0, players, 'clockwise', shape).x).toBeLessThan(50);
        expect(place(0, players - 1, players, 'clockwise', shape).x).toBeLessThan(50);
      }
    }
  });

  it('has each seat in a place of its own', () => {
    const places = Array.from({ length: 8 }, (_, seat) => place(seat, 3, 8, 'clockwise', 'narrow'));
    expect(new Set(places.map(({ x, y }) => `${x},${y}`)).size).toBe(8);
  });
});

describe('paths', () => {
  it('names pages', () => {
    expect(parse('/')).toEqual({ page: 'start' });
    expect(parse('/t/abc_-1')).toEqual({ page: 'table', id: 'abc_-1' });
    expect(parse('/x')).toEqual({ page: 'missing' });
  });
});

describe('the wire', () => {
  it('backs off, up to a limit', () => {
    expect(backOff(0, 0.5)).toBe(400);
    expect(backOff(3, 0.5)).toBe(3200);
    expect(backOff(30, 1)).toBeLessThanOrEqual(18_750);
  });

  it('does not knock again where it has no business', () => {
    expect(isFinal(4404)).toBe(true);
    expect(isFinal(4503)).toBe(false);
    expect(isFinal(1006)).toBe(false);
  });

  it('hands messages on at a pace, and none while held', () => {
    vi.useFakeTimers();
    const seen: number[] = [];
    const pump = new Pump<number>((n) => seen.push(n), () => 100, () => Date.now());
    pump.push(1);
    pump.push(2);
    expect(seen).toEqual([1]);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([1, 2]);
    pump.hold();
    pump.push(3);
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual([1, 2]);
    pump.release();
    expect(seen).toEqual([1, 2, 3]);
    pump.push(4);
    pump.clear();
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual([1, 2, 3]);
    vi.useRealTimers();
  });
});
