import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Event, LegalMove, Result, RulesFacts, SeatInfo, TableInfo, View } from '../gen/protocol';
import { arrived } from '../hand/arrived';
import { cardOf, keys, sameCards, short } from '../cards/cards';
import { botName, face } from '../i18n/bots';
import { LOCALES, type Locale, t, use } from '../i18n/i18n.svelte';
import { spoken } from '../seats/clock';
import { backOff, isFinal } from '../server/connection';
import { Pump } from './pump';
import { middlePlace, multiplied, outcome, standings } from './outcome';
import { announced } from './announcements';
import { openSides, sides } from './sides';
import { completions } from './smart';
import { sorted } from './sorting';
import { commandFor, matching, playable } from './selection';
import { raised, touch } from './touch';
import { auction, quietAfter, topPlay, trick, tricks } from './trick';
import { sentence, shortName } from '../i18n/words';

const event = (seq: number, seat: number, type: Event['type'], extra: Partial<Event> = {}): Event => ({
  seq,
  seat,
  type,
  ...extra,
});
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

const view = (over: Partial<View>): View =>
  ({ events: HAND, phase: 'play', seat: 0, hand: [], legal_moves: [], to_act: 0, ...over }) as View;

describe('the log in Chinese', () => {
  beforeAll(() => {
    vi.stubGlobal('document', { documentElement: {} });
    return use('zh-Hans');
  });
  afterAll(async () => {
    await use('en');
    vi.unstubAllGlobals();
  });

  it('says who opens the auction, or else who leads, and who does not bid', () => {
    const said = (events: Event[]): string[] =>
      announced({ table: { you: 0, seats: [], players: 3 }, view: view({ events }) } as never, events.filter(mine), 0);
    const mine = ({ seat }: Event): boolean => seat === 0;
    expect(said([event(0, 0, 'open'), event(1, 1, 'pass'), event(2, 0, 'pass')])).toEqual(['你先叫', '你不叫']);
    expect(said([event(0, 0, 'open'), play(1, 0, '3D'), event(2, 1, 'pass'), event(3, 0, 'pass')])).toEqual([
      '你先出',
      '你出方块3',
      '你过',
    ]);
  });
});

describe('the log in words', () => {
  it('tells the card left over in Big Two from a kitty', () => {
    const table = { you: 0, seats: [], players: 3 } as unknown as TableInfo;
    const said = (...cards: string[]) => sentence(event(0, 0, 'kitty', { cards }), table);
    expect([said('?'), said('3D')]).toEqual(['You take the card left over', 'You take the card left over: 3 of diamonds']);
    expect(said('?', '?', '?')).toBe('You take the kitty');
  });
});

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

  it('stays to be seen: a play shortly, a trick longer, the kitty longest', () => {
    const [play, trick, kitty] = [HAND.slice(5, 6), HAND.slice(9, 11), HAND.slice(3, 5)].map(quietAfter);
    expect(play).toBeLessThan(trick ?? 0);
    expect(trick).toBeLessThan(kitty ?? 0);
  });

  it('shows what has come into the hand until somebody plays', () => {
    expect([...arrived(view({ events: HAND.slice(0, 5) }))]).toEqual(['4D', '5D', '6D', '7D']);
    expect(arrived(view({})).size).toBe(0);
    const exchange = [
      event(0, 2, 'give', { cards: ['2S'] }),
      event(1, 0, 'offer', { cards: ['3D', '4C'] }),
      event(2, 2, 'take', { cards: ['3D'] }),
    ];
    expect([...arrived(view({ events: exchange }))]).toEqual(['2S']);
    expect([...arrived(view({ events: exchange, seat: 2 }))]).toEqual(['3D']);
  });
});

describe('selection', () => {
  const moves: LegalMove[] = [
    { move: '8D', type: 'play', kind: 'single', cards: ['8D'] },
    {
      move: '9D 9H',
      type: 'play',
      kind: 'pair',
      cards: ['9D', '9H'],
      fixed: [],
      choices: [{ take: 2, cards: ['9D', '9H', '9S'] }],
    },
    { move: 'pass', type: 'pass' },
  ];
  const turn = view({ legal_moves: moves, hand: ['8D', '8S', '9D', '9H', '9S', 'KD'] });

  it('lights up what some legal move contains', () => {
    expect([...playable(turn)]).toEqual(['8D', '9D', '9H', '9S']);
  });

  it('names the combination that the cards make', () => {
    expect(matching(turn, ['9S', '9H'])?.kind).toBe('pair');
    expect(matching(turn, ['8S'])).toBeNull();
    expect(matching(turn, ['9S', 'KD'])).toBeNull();
  });

  it('writes the command', () => {
    expect(commandFor(turn, ['9D', '9H'])).toBe('9D 9H');
    const offer = view({ legal_moves: [{ move: 'offer 3D 4C', type: 'offer', cards: ['3D', '4C'] }] });
    expect(commandFor(offer, ['3D', '4C'])).toBe('offer 3D 4C');
  });
});

describe('one touch', () => {
  const single: LegalMove = { move: '5D', type: 'play', kind: 'single', cards: ['5D'] };
  const pair: LegalMove = {
    move: '5D 5H',
    type: 'play',
    kind: 'pair',
    cards: ['5D', '5H'],
    fixed: ['5H'],
    choices: [{ take: 1, cards: ['5D', '5C'] }],
  };
  const runs: LegalMove[] = [
    { move: '5D 6C 7S', type: 'play', kind: 'straight', cards: ['5D', '6C', '7S'] },
    { move: '5D 6C 7S 8H', type: 'play', kind: 'straight', cards: ['5D', '6C', '7S', '8H'] },
  ];
  const leading = view({ legal_moves: [single, pair, ...runs], table: null });
  const following = view({ legal_moves: [pair], table: { kind: 'pair', cards: ['4D', '4H'] } });
  const hand = ['5D', '5C', '5H', '6C', '7S', '8H'];
  const touching = (at: View, ...touched: string[]): string[] =>
    [...touched.reduce((now, key) => touch(at, hand, now, key), raised([])).keys].sort();

  it('means one of each kind to a leader, the fewest cards first, and the longest run', () => {
    expect(completions(leading, ['5D']).map((cards) => cards.length)).toEqual([1, 2, 4]);
  });

  it('means the lowest play to who follows, with the touched card in place of its equal', () => {
    expect(completions(following, ['5C'])).toEqual([['5H', '5C']]);
    expect(completions(following, ['6C'])).toEqual([]);
  });

  it('means every play to who follows, the lowest first', () => {
    const at = view({ legal_moves: runs, table: { kind: 'straight', cards: ['3D', '4C', '5H'] } });
    expect(completions(at, ['6C']).map((cards) => cards.length)).toEqual([3, 4]);
  });

  it('leaves out cards that would be of another kind', () => {
    const mixed: LegalMove = {
      move: '5D 6C',
      type: 'play',
      kind: 'straight',
      cards: ['5D', '6C'],
      fixed: ['6C'],
      choices: [{ take: 1, cards: ['5D', '5C', '5H'] }],
      other: [['5C', '6C']],
    };
    const at = view({ legal_moves: [mixed], table: { kind: 'straight', cards: ['3D', '4C'] } });
    expect(completions(at, ['5H'])).toEqual([['6C', '5H']]);
    expect(completions(at, ['5C'])).toEqual([]);
    expect(matching(at, ['5C', '6C'])).toBeNull();
  });

  it('confirms a card that was raised for the player', () => {
    expect(touching(following, '5H')).toEqual(['5D', '5H']);
    expect(touching(following, '5H', '5D')).toEqual(['5D', '5H']);
    expect(touching(following, '5H', '5D', '5D')).toEqual(['5H']);
  });

  it('goes on to the next combination with the card that was touched, and then to none', () => {
    expect(touching(leading, '5D')).toEqual(['5D']);
    expect(touching(leading, '5D', '5D')).toEqual(['5D', '5H']);
    expect(touching(leading, '5D', '5D', '5D')).toEqual(['5D', '6C', '7S', '8H']);
    expect(touching(leading, '5D', '5D', '5D', '5D')).toEqual([]);
  });

  it('adds to what the player has touched alone, and corrects what was only likely', () => {
    expect(touching(leading, '5D', '5H')).toEqual(['5D', '5H']);
    expect(touching(following, '5H', '5C')).toEqual(['5C', '5H']);
    expect(touching(following, '5H', '8H')).toEqual(['5H', '8H']);
  });
});

describe('a hand', () => {
  it('is laid out by suit, or by what belongs together', () => {
    const hand = ['4H', '5D', '5S', '9D', 'BJ'];
    expect(sorted(hand, 'rank')).toEqual(hand);
    expect(sorted(hand, 'suit')).toEqual(['5D', '9D', '4H', '5S', 'BJ']);
    expect(sorted(hand, 'combination')).toEqual(['5D', '5S', '4H', '9D', 'BJ']);
  });
});

describe('sides', () => {
  const table = (you: number | null, players: number): TableInfo =>
    ({ you, seats: Array.from({ length: players }, (_, seat) => ({ seat, name: '', kind: 'bot' })) }) as unknown as TableInfo;

  it('are two against the bidder', () => {
    expect(sides(table(0, 3), view({ bidder: 1, partner: null, called: null }))).toEqual([null, 'rival', 'ally']);
    expect(sides(table(1, 3), view({ bidder: 1, partner: null, called: null }))).toEqual(['rival', null, 'rival']);
  });

  it('stay open while the partner is hidden', () => {
    expect(sides(table(0, 4), view({ bidder: 1, partner: null, called: '8C' }))).toEqual([null, 'rival', 'unknown', 'unknown']);
    // While the card is being called nobody is on a side yet, whatever the bidder is.
    expect(sides(table(1, 4), view({ phase: 'call', bidder: 1, partner: null, called: null }))).toEqual([null, null, null, null]);
    expect(sides(table(0, 4), view({ bidder: 1, partner: 0, called: '8C' }))).toEqual([null, 'ally', 'rival', 'rival']);
    expect(sides(table(null, 3), view({ bidder: 1, partner: null, called: null }))).toEqual([null, null, null]);
  });

  it('stay open for who is not shown the hand in their seat, unless it is the bidder', () => {
    const secret = view({ seat: null, bidder: 1, partner: null, called: '8C' });
    expect(sides(table(0, 4), secret)).toEqual([null, null, null, null]);
    expect(sides(table(1, 4), secret)).toEqual(['unknown', null, 'unknown', 'unknown']);
    expect(sides(table(0, 4), { ...secret, partner: 2 })).toEqual([null, 'rival', 'rival', 'ally']);
  });

  it('are known where all hands are open', () => {
    const secret = view({ bidder: 1, partner: null, called: '8C' });
    const hands = [['4H'], ['5S'], ['6D'], ['8C', '9D']];
    expect(openSides(table(0, 4), secret, hands)).toEqual([null, 'rival', 'ally', 'rival']);
    expect(openSides(table(1, 4), secret, hands)).toEqual(['rival', null, 'rival', 'ally']);
  });
});

describe('the log', () => {
  it('has one entry a trick', () => {
    const all = tricks([...HAND, play(11, 0, '6C'), play(12, 1, '8C')]);
    expect(all.map((one) => [one.winner, one.over])).toEqual([
      [0, true],
      [1, false],
    ]);
    expect(all[0]?.moves.get(1)?.map((made) => made.type)).toEqual(['play', 'pass']);
  });

  it('orders the seats of a result', () => {
    const result = { payments: [-2, 4, -2], finish_order: [1], winners: [1], foul: null, next_dealer: 1 } as Result;
    expect(standings(result, 3)).toEqual([1, 0, 2]);
    expect(standings({ ...result, payments: [0, 0, 0], finish_order: [2, 0, 1] }, 3)).toEqual([2, 0, 1]);
  });
  it('names the places between the first and the last', () => {
    expect([2, 0, 3, 1].map((seat) => middlePlace([2, 0, 3, 1], 4, seat))).toEqual([
      null,
      'You finish 2nd',
      'You finish 3rd',
      null,
    ]);
    expect(middlePlace([2], 4, 0)).toBe(null);
    expect(middlePlace([], 3, 1)).toBe(null);
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
  });
  it('prints a ten as such', () => expect(short('TS')).toBe('10♠'));
});

describe('bots', () => {
  it('have a face each, and names that a reader knows', () => {
    expect(new Set(['Mr Lin', 'Auntie Hua', 'Little Wei', 'Old Chen', 'Big Zhou'].map(face)).size).toBe(5);
    expect([botName('Old Chen'), botName('Mr Lin'), botName('Of another package')]).toEqual([
      'Old Chen',
      'Mr Lin',
      'Of another package',
    ]);
    expect(face('Of another package')).toBeLessThan(14);
  });

  it('keep their whole names where the short ones agree', () => {
    const bot = (seat: number, name: string): SeatInfo => ({ seat, name, kind: 'bot' });
    const seats: SeatInfo[] = [{ seat: 0, name: 'Lin', kind: 'human' }, bot(1, 'Auntie Lin'), bot(2, 'Teacher Sun')];
    const table = { id: 'fixed', seats, you: null } as unknown as TableInfo;
    expect(seats.map((seat) => shortName(seat, table))).toEqual(['Lin', 'Auntie Lin', 'Sun']);
    const old: SeatInfo[] = [bot(0, 'Greedy 1'), bot(1, 'Greedy 2'), bot(2, 'Old Chen 1')];
    expect(old.map((seat) => shortName(seat, { ...table, seats: old }))).toEqual(['Greedy 1', 'Greedy 2', 'Chen 1']);
  });
});

describe('the end of a hand', () => {
  /** The sentences after a hand with these payments, as the engine settles it, for a spectator. */
  function sentences(preset: string, bid: number, payments: number[], facts: Partial<RulesFacts> = {}, bombs?: number): string[] {
    const seats = payments.map((_, seat) => ({ seat, name: `P${seat}`, kind: 'human' }));
    const table = { seats, you: null, players: payments.length } as unknown as TableInfo;
    const winners = payments.flatMap((payment, seat) => (payment > 0 ? [seat] : []));
    const result = { winners, finish_order: winners.slice(0, 1), payments, foul: null } as unknown as Result;
    const rules = { wins: 'side', call_ranks: null, pay_each_winner: true, ...facts } as unknown as RulesFacts;
    return outcome(table, view({ result, preset, bidder: 0, bid, doublings: bombs }), rules)?.lines ?? [];
  }
  const SIDES = { call_ranks: '456789T' };

  /** The title and the sentences for the player in seat 0, after a hand without sides. */
  function told(over: Partial<Result>, options: TableInfo['options'] = {}, events: Event[] = HAND): string[] {
    const seats = [0, 1, 2, 3].map((seat) => ({ seat, name: `P${seat}`, kind: 'human' }));
    const table = { seats, you: 0, players: 4, options } as unknown as TableInfo;
    const result = { winners: [1], finish_order: [1], payments: [-1, 3, -1, -1], foul: null, ...over } as unknown as Result;
    const end = outcome(table, view({ result, bidder: null, events }), { wins: 'first-out' } as RulesFacts);
    return end ? [end.title, ...end.lines] : [];
  }

  beforeAll(() => void vi.stubGlobal('document', { documentElement: {} }));
  afterAll(async () => {
    await use('en');
    vi.unstubAllGlobals();
  });

  it('says how often each card counted where it was more than once', () => {
    const shown = (over: Partial<Result> = {}, score: RulesFacts['score'] = 'cards') => {
      const result = { finish_order: [0], payments: [58, -7, -18, -33], foul: null, ...over } as unknown as Result;
      return [0, 7, 9, 11].map((held, seat) => multiplied(result, held, seat, { score }));
    };
    expect(shown()).toEqual([null, null, '9 × 2', '11 × 3']);
    expect(shown({}, 'fixed')).toEqual([null, null, null, null]);
    // One guard pays for all; in a hand that goes on, cards are counted when the first is out.
    expect(shown({ foul: 2 })).toEqual([null, null, null, null]);
    expect(shown({ finish_order: [0, 1] })).toEqual([null, null, null, null]);
  });

  it('knows no winner of a void hand', () => {
    const nobody = { winners: [], finish_order: [], payments: [0, 0, 0, 0] };
    expect(told(nobody)).toEqual(['Nobody bid', 'The hand is void: nobody pays, and the same player deals again.']);
  });

  it('says that a dragon has won, who is not out of cards', () => {
    expect(told({}, {}, [event(0, 1, 'dragon', { cards: ['3D'] })])).toEqual([
      'You lose',
      'P1 was dealt a dragon and wins at once.',
    ]);
    expect(told({})).toEqual(['You lose', 'P1 is out first.']);
  });

  it('says that a guard pays for all only where that is the rule', () => {
    expect(told({ foul: 0 }).at(-1)).toBe('You failed to guard the last card and shuffle next.');
    expect(told({ foul: 0 }, { guard_pays: true }).at(-1)).toBe(
      'You failed to guard the last card, pay for all losers and shuffle next.',
    );
  });

  it('says whose side has won where the bidder has a partner', () => {
    expect(sentences('big-three-4p', 3, [6, -6, 6, -6], SIDES)).toContain(t('over.sides.made', { n: 6 }));
    expect(sentences('big-three-4p', 3, [-6, 6, -6, 6], SIDES)).toContain(t('over.sides.set', { n: 6 }));
  });

  it('calls the landlord by that name', () => {
    expect(sentences('dou-dizhu', 3, [6, -3, -3])).toEqual(['P0, the landlord, wins: each of the others pays 3.']);
    expect(sentences('big-three', 3, [6, -3, -3])).toEqual(['P0 won alone: each of the others pays 3.']);
    expect(sentences('big-three', 3, [-6, 3, 3])).toEqual(['P0 is caught and pays 3 to each.']);
  });

  it.each(Object.keys(LOCALES) as Locale[])('names what is paid, and the stake only if it is doubled (%s)', async (locale) => {
    await use(locale);
    const numbers = (...args: Parameters<typeof sentences>) =>
      sentences(...args).map((line) => line.replaceAll(/P\d/g, '').match(/\d+/g)?.map(Number) ?? []);
    expect(numbers('dou-dizhu', 3, [-12, 6, 6])).toEqual([[6], [2, 6]]);
    expect(numbers('dou-dizhu', 3, [48, -24, -24])).toEqual([[24], [8, 24]]);
    const SPRING = t('over.spring');
    expect(sentences('dou-dizhu', 3, [12, -6, -6], {}, 0).slice(1)).toEqual([t('over.doubled', { n: 6, times: 2 }), SPRING]);
    expect(sentences('dou-dizhu', 3, [-24, 12, 12], {}, 1).slice(1)).toEqual([t('over.doubled', { n: 12, times: 4 }), SPRING]);
    expect(sentences('dou-dizhu', 3, [-12, 6, 6], {}, 1)).not.toContain(SPRING);
    expect(numbers('wa-keng', 3, [-6, 3, 3])).toEqual([[3]]);
    expect(numbers('wa-keng', 3, [24, -12, -12])).toEqual([[12], [4, 12]]);
    expect(numbers('wa-keng-4', 4, [-24, 8, 8, 8])).toEqual([[8], [2, 8]]);
    expect(numbers('big-three-4p', 3, [3, -3, 3, -3], { ...SIDES, pay_each_winner: false })).toEqual([[], [3]]);
    expect(numbers('big-three-4p', 3, [6, -6, 6, -6], SIDES)).toEqual([[], [6]]);
    expect(numbers('big-three-4p', 3, [-12, 12, 12, -12], SIDES)).toEqual([[], [12], [2, 6]]);
  });
});

describe('the wire', () => {
  it('backs off, up to a limit', () => {
    expect(backOff(0, 0.5)).toBe(400);
    expect(backOff(3, 0.5)).toBe(3200);
    expect(backOff(30, 1)).toBeLessThanOrEqual(18_750);
  });

  it('does not knock again where it has no business', () => {
    for (const code of [4404, 4410]) expect(isFinal(code)).toBe(true);
    expect(isFinal(4503)).toBe(false);
    expect(isFinal(1006)).toBe(false);
  });

  it('hands messages on at a pace, and none while held', () => {
    vi.useFakeTimers();
    const seen: number[] = [];
    const pump = new Pump<number>(
      (n) => seen.push(n),
      () => 100,
      () => Date.now(),
    );
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

describe('a clock', () => {
  it('says long times in the language of the page', () => {
    expect(spoken(65_000, 'en')).toBe('1:05');
    expect(spoken(3 * 3_600_000, 'en')).toBe('3 hr');
    expect(spoken(3 * 86_400_000, 'fr')).toMatch(/^3\sj$/);
    expect(spoken(3 * 86_400_000, 'zh-Hans')).toBe('3天');
  });
});
