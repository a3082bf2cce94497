import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { remaining } from '../seats/clock';
import { keyboard } from '../turn/keyboard';
import { FakeSocket, snapshot, stub } from './fake-socket';

let Table: typeof import('./table.svelte').Table;
let prefs: typeof import('../browser/prefs.svelte').prefs;

beforeAll(async () => {
  stub();
  ({ Table } = await import('./table.svelte'));
  ({ prefs } = await import('../browser/prefs.svelte'));
}, 120_000);
beforeEach(() => {
  FakeSocket.all = [];
  vi.useFakeTimers();
  stub();
});
afterEach(() => {
  prefs.autoPass = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('what is decided before the turn', () => {
  const PASS = { move: 'pass', type: 'pass' };
  const NINE = { move: '9S', type: 'play', kind: 'single', cards: ['9S'] };
  const state = {
    seat: 0,
    players: 3,
    phase: 'play',
    to_act: 1,
    hand: ['4H', '9S'],
    hand_sizes: [2, 2, 2],
    passed: [],
    finished: [],
    legal_moves: [],
    table: { kind: 'single', cards: ['5D'] },
    table_seat: 2,
    result: null,
  };

  function seated(): InstanceType<typeof Table> {
    const table = new Table('t1');
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(
      snapshot({
        table: {
          id: 't1',
          you: 0,
          players: 3,
          status: 'playing',
          seats: [0, 1, 2].map((seat) => ({ seat, name: '', kind: 'human' })),
        },
        session: { number: 1, opening: [], results: [], balances: [0, 0, 0], contributions: [null, null, null] },
        view: { ...state, events: [{ seq: 0, seat: 2, type: 'play', cards: ['5D'] }] },
      }),
    );
    return table;
  }

  /** The seat before passes, and these are the moves there are now. */
  function turn(...legal_moves: object[]): void {
    const events = [{ seq: 1, seat: 1, type: 'pass' }];
    FakeSocket.last.say({
      type: 'update',
      seq: 2,
      events,
      session: null,
      view: { ...state, to_act: 0, legal_moves },
      clocks: null,
    });
    vi.advanceTimersByTime(500);
  }

  const moves = (): string[] =>
    FakeSocket.last.sent
      .map((text) => JSON.parse(text) as { type: string; move: string })
      .filter((one) => one.type === 'move')
      .map((one) => one.move);

  it('is a pass, after a time that any pass may take, unless the player plays after all', () => {
    let table = seated();
    table.ahead('pass');
    turn(PASS, NINE);
    expect(moves()).toEqual([]);
    vi.advanceTimersByTime(8000);
    expect(moves()).toEqual(['pass']);
    table.close();
    const key = (name: string) => {
      const event = { key: name, target: { tagName: 'BODY', dataset: {}, getAttribute: () => null }, preventDefault: () => 0 };
      const nowhere = { step: () => undefined, close: () => undefined };
      keyboard(event as unknown as KeyboardEvent, table, nowhere, false);
    };
    for (const decide of [() => table.toggle('9S'), () => key('c'), () => key('Escape')]) {
      table = seated();
      table.ahead('pass');
      turn(PASS, NINE);
      decide();
      vi.advanceTimersByTime(8000);
      expect(moves()).toEqual([]);
      table.close();
    }
  });

  it('is browsed aloud: which of how many plays it is, from 1', () => {
    const table = seated();
    turn(PASS, NINE);
    for (const _ of [1, 2]) {
      table.cycle();
      expect(table.cycled).toEqual({ i: 1, n: 1 });
      expect(table.spoken.at(-1)?.text).toMatch(/^1 of 1: .*9 of spades$/);
    }
    table.close();
  });

  it('bids by the digit of any bid', () => {
    const table = seated();
    turn(PASS, { move: 'bid 4', type: 'bid', bid: 4, cards: null, kind: null });
    const target = { tagName: 'BODY', dataset: {}, getAttribute: () => null };
    const event = { key: '4', target, preventDefault: () => 0 } as unknown as KeyboardEvent;
    keyboard(event, table, { step: () => undefined, close: () => undefined }, false);
    expect(moves()).toEqual(['bid 4']);
    table.close();
  });

  it('is still an automatic pass where the player looks for a play in vain', () => {
    prefs.autoPass = true;
    const table = seated();
    turn(PASS);
    table.cycle();
    expect(table.remark).not.toBeNull();
    vi.advanceTimersByTime(8000);
    expect(moves()).toEqual(['pass']);
    table.close();
  });

  it('is done at once: a play that is still possible', () => {
    const table = seated();
    table.choose(['9S']);
    table.ahead('play');
    turn(PASS, NINE);
    expect(moves()).toEqual(['9S']);
    table.close();
  });

  it('is left, and said, where it has become impossible', () => {
    const table = seated();
    table.choose(['9S']);
    table.ahead('play');
    turn(PASS);
    expect(moves()).toEqual([]);
    expect(table.remark).not.toBeNull();
    table.close();
  });

  it('passes by itself only where nothing beats the table, after a time that anybody may take', () => {
    prefs.autoPass = true;
    const waits = new Set<number>();
    for (let i = 0; i < 12; i++) {
      const table = seated();
      turn(PASS);
      let waited = 0;
      while (!moves().length && waited < 5000) {
        vi.advanceTimersByTime(50);
        waited += 50;
      }
      waits.add(waited);
      table.close();
    }
    expect(Math.min(...waits)).toBeGreaterThan(350);
    expect(Math.max(...waits)).toBeLessThan(2700);
    expect(waits.size).toBeGreaterThan(3);
    const table = seated();
    turn(PASS, NINE);
    vi.advanceTimersByTime(10_000);
    expect(moves()).toEqual([]);
    table.close();
  });
});

describe('a hint', () => {
  it('is asked for only where the server gives one', () => {
    const asked = ([rated, event]: [boolean, object | null]): boolean => {
      const table = new Table('t1');
      FakeSocket.last.onopen?.();
      FakeSocket.last.say(
        snapshot({
          table: { id: 't1', you: 0, settings: { rated }, event, seats: [{ seat: 0, name: '', kind: 'human' }] },
          session: { number: 1, opening: [], results: [] },
          view: { seat: 0, phase: 'play', to_act: 0, hand: [], legal_moves: [], result: null, events: [] },
        }),
      );
      table.hint();
      table.close();
      return FakeSocket.last.sent.length > 0;
    };
    const tables: [boolean, object | null][] = [
      [false, null],
      [true, null],
      [false, { id: 'e1' }],
    ];
    expect(tables.map(asked)).toEqual([true, false, false]);
  });

  it('is closed by Escape, with its selection', () => {
    const table = new Table('t1');
    const nine = { move: '9S', type: 'play', cards: ['9S'], bid: null, kind: 'single' };
    const seats = [{ seat: 0, name: '', kind: 'human' }];
    FakeSocket.last.say(
      snapshot({
        table: { id: 't1', you: 0, settings: { rated: false }, event: null, seats },
        session: { number: 1, opening: [], results: [] },
        view: { seat: 0, phase: 'play', to_act: 0, hand: ['9S'], legal_moves: [nine], result: null, events: [] },
      }),
    );
    vi.advanceTimersByTime(9000);
    FakeSocket.last.say({
      type: 'hint',
      id: 'c1',
      seq: 9,
      bot: 'greedy',
      unit: 'none',
      candidates: [{ move: nine, reasons: [] }],
    });
    expect(table.advice?.move.move).toBe('9S');
    const target = { tagName: 'BODY', dataset: {}, getAttribute: () => null };
    const event = { key: 'Escape', target, preventDefault: () => 0 } as unknown as KeyboardEvent;
    table.opened();
    keyboard(event, table, { step: () => undefined, close: () => undefined }, false);
    expect([table.advice, table.selection]).toEqual([null, []]);
    table.close();
  });
});

describe('the chat of a table', () => {
  const said = (seq: number, seat: number, name: string) => ({ seq, at: 0, seat, name, text: 'hello' });
  const say = (...lines: object[]) => FakeSocket.last.say({ type: 'chat', seq: 1, lines });

  it('counts nothing that a muted player says', () => {
    const table = new Table('t1');
    say(said(1, 1, 'Blaise'));
    table.muted = new Set(['Blaise']);
    say(said(2, 1, 'Blaise'));
    expect(table.unread).toBe(1);
    say(said(3, 2, 'Colin'));
    expect(table.unread).toBe(2);
    table.close();
  });

  it('mutes a player who changes seats, and neither the next one in that seat nor a reader of the same name', () => {
    const table = new Table('t1');
    const sit = (seq: number, you: number, ...names: string[]) => {
      const seats = names.map((name, seat) => ({ seat, name, kind: 'human' }));
      FakeSocket.last.say({ type: 'table', seq, table: { you, seats }, session: null, clocks: null });
      vi.advanceTimersByTime(0);
    };
    sit(1, 0, 'Blaise', 'Colin', 'Blaise');
    table.muted = new Set(['Blaise']);
    say(said(1, 2, 'Blaise'), said(2, 1, 'Colin'));
    expect(table.unread).toBe(1);
    const hidden = [said(1, 2, 'Blaise'), said(2, 1, 'Colin'), said(3, 0, 'Blaise')].map((line) => table.mutes(line));
    expect(hidden).toEqual([true, false, false]);
    sit(2, 2, 'Blaise', 'Colin', 'Ada');
    expect(table.mutes(said(1, 2, 'Blaise')), 'whose seat the reader has taken').toBe(true);
    table.close();
  });

  it('shows no reactions of a muted player', () => {
    const table = new Table('t1');
    const seats = ['Ada', 'Blaise', 'Colin'].map((name, seat) => ({ seat, name, kind: 'human' }));
    FakeSocket.last.say({ type: 'table', seq: 1, table: { you: 0, seats }, session: null, clocks: null });
    vi.advanceTimersByTime(0);
    table.muted = new Set(['Blaise']);
    for (const seat of [1, 2]) FakeSocket.last.say({ type: 'reaction', seat, reaction: 'hurry' });
    expect(table.reactions).toEqual({ 2: 'hurry' });
    table.close();
  });

  it('does not count lines again that the server sends again after a lost connection', () => {
    const table = new Table('t1');
    say(said(1, 1, 'Blaise'));
    table.unread = 0;
    FakeSocket.last.close();
    vi.advanceTimersByTime(1000);
    say(said(1, 1, 'Blaise'), said(2, 1, 'Blaise'));
    expect(FakeSocket.all.length).toBe(2);
    expect(table.unread).toBe(1);
    table.close();
  });

  it('returns a message, and a report, whose answer is lost with the connection', () => {
    const table = new Table('t1');
    const refused = vi.fn();
    table.say('hello', refused);
    table.report(7);
    FakeSocket.last.close();
    expect(refused).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1000);
    FakeSocket.last.close();
    expect(refused).toHaveBeenCalledOnce();
    expect(table.reported.size).toBe(0);
    table.close();
  });

  it('says that nothing was sent without a connection', () => {
    const table = new Table('t1');
    FakeSocket.last.readyState = 3;
    for (const send of [() => table.say('hello', () => undefined), () => table.report(7)]) {
      table.dismiss();
      send();
      expect(table.problem).not.toBeNull();
    }
    table.close();
  });

  it('waits for the answer to a report, and returns a refused message', () => {
    const table = new Table('t1');
    const line = FakeSocket.last;
    const id = () => (JSON.parse(line.sent.at(-1) ?? '{}') as { id: string }).id;
    const refuse = () => line.say({ type: 'error', id: id(), code: 'too-fast', clause: null, message: '', wording: null });
    table.report(7);
    refuse();
    expect(table.reported.size).toBe(0);
    expect(table.problem).not.toBeNull();
    table.report(7);
    expect(table.reported.size).toBe(0);
    line.say({ type: 'ack', id: id(), seq: 9 });
    expect([...table.reported]).toEqual([7]);
    const refused = vi.fn();
    table.say('hello', refused);
    line.say({ type: 'ack', id: id(), seq: 10 });
    expect(refused).not.toHaveBeenCalled();
    table.say('hello', refused);
    refuse();
    expect(refused).toHaveBeenCalledOnce();
    table.close();
  });
});

describe('the clocks of a table', () => {
  it('run while a move waits to be shown, and end with the table', () => {
    const view = { seat: 0, phase: 'auction', to_act: 1, hand: [], legal_moves: [], result: null };
    const clocks = { now: 0, left: [null, null, null], to_act: 2, deadline: 30_000 };
    const session = { number: 1, opening: [{ type: 'deal', seat: 0 }], results: [] };
    const table = new Table('clocks');
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(
      snapshot({
        table: { id: 'clocks', you: 0, seats: [0, 1, 2].map((seat) => ({ seat, name: '', kind: 'human' })) },
        session,
        view: { ...view, events: [] },
      }),
    );
    expect(table.opening).toBe(true);
    const events = [{ seq: 0, seat: 1, type: 'bid', bid: 1 }];
    FakeSocket.last.say({ type: 'update', seq: 2, events, view: { ...view, to_act: 2 }, clocks });
    vi.advanceTimersByTime(4000);
    table.opened();
    vi.advanceTimersByTime(0);
    expect(table.game.clocks).toEqual(clocks);
    expect(remaining(clocks, table.game.clocksAt, 2, Date.now())).toBe(26_000);
    expect(table.clocks).toEqual(clocks);
    // The server has closed the table for this player.
    FakeSocket.last.onclose?.({ code: 4403 });
    expect(table.clocks).toBeNull();
    table.close();
  });
});

describe('what is heard at a table', () => {
  const view = {
    seat: 0,
    players: 3,
    phase: 'play',
    to_act: 2,
    hand: [],
    hand_sizes: [9, 9, 9],
    passed: [],
    finished: [],
    legal_moves: [],
    table_seat: 1,
    bid: 2,
    result: null,
  };

  /** The pitches of what a play sounds like. doublings: how often the stake is doubled after it; it was not before. */
  function heard(kind: string, doublings = 0, bombs = ['four-plus-one', 'quad', 'bomb', 'rocket']): number[] {
    const table = new Table('t1');
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(
      snapshot({
        table: {
          id: 't1',
          you: 0,
          players: 3,
          status: 'playing',
          seats: [0, 1, 2].map((seat) => ({ seat, name: '', kind: 'human' })),
        },
        rules: { bombs },
        session: { number: 1, opening: [], results: [], balances: [0, 0, 0], contributions: [null, null, null] },
        view: { ...view, table: null, doublings: 0, events: [] },
      }),
    );
    pitches = [];
    const events = [{ seq: 0, seat: 1, type: 'play', cards: ['3D'] }];
    const after = { ...view, table: { kind, cards: ['3D'] }, doublings };
    FakeSocket.last.say({ type: 'update', seq: 2, events, session: null, view: after, clocks: null });
    vi.advanceTimersByTime(500);
    const said = table.spoken.map((one) => one.text).join();
    expect(said.includes(`${2 ** (doublings + 1)}`)).toBe(doublings > 0);
    table.close();
    return pitches.map((pitch) => pitch.value);
  }

  /** A hand whose end reveals the kitty, so that the server sends the whole table again. */
  it('is the end of a hand after its last plays, also where it changes what was hidden', () => {
    const kitty = { seq: 0, seat: 1, type: 'kitty', cards: ['?'] };
    const plays = [1, 2].map((seq) => ({ seq, seat: seq, type: 'play', cards: ['3D'] }));
    const [state, clocks] = [{ ...view, table: null, doublings: 0 }, null];
    const over = { ...state, phase: 'over', to_act: null, result: { winners: [0], payments: [1, 0, -1] } };
    const whole = (seq: number, shown: object) =>
      snapshot({
        seq,
        table: { id: 't1', you: 0, seats: [0, 1, 2].map((seat) => ({ seat, name: '', kind: 'human' })) },
        rules: { bombs: [] },
        session: { number: 1, opening: [], results: [] },
        view: shown,
      });
    const end = whole(3, { ...over, events: [{ ...kitty, cards: ['4H'] }, ...plays] });
    let table = new Table('t1');
    let line = FakeSocket.last;
    const begin = () => {
      line.onopen?.();
      line.say(whole(1, { ...state, events: [kitty] }));
      pitches = [];
    };
    begin();
    line.say({ type: 'update', seq: 2, events: [plays[0]], view: state, clocks });
    line.say(end);
    line.say({ type: 'chat', seq: 4, lines: [{ seq: 4, seat: 0, name: '', text: 'well' }] });
    expect(table.view?.events.length).toBe(2);
    vi.advanceTimersByTime(500);
    expect(table.view?.events.map((event) => event.cards)).toEqual([['4H'], ['3D'], ['3D']]);
    expect(table.spoken.length).toBe(2);
    expect(table.game.chat.length).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(table.settled).toBe(false);
    vi.advanceTimersByTime(500);
    expect(table.settled).toBe(true);
    const [play, won] = [1500, [523, 659, 784, 1047]];
    expect(pitches.map((pitch) => pitch.value)).toEqual([play, play, ...won]);

    table.close();

    // A player who comes back sees the result at once, and hears nothing.
    table = new Table('t1');
    line = FakeSocket.last;
    begin();
    table.reconnect();
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(end);
    vi.advanceTimersByTime(0);
    expect(table.settled).toBe(true);
    expect(pitches).toEqual([]);
    table.close();
  });

  let pitches: { value: number }[] = [];
  const node = () => {
    const gain = { value: 0, setValueAtTime: () => 0, linearRampToValueAtTime: () => 0, exponentialRampToValueAtTime: () => 0 };
    const made = { frequency: { value: 0 }, gain, connect: (next: unknown) => next, start: () => 0, stop: () => 0 };
    return made;
  };
  const pitched = () => {
    const made = node();
    pitches.push(made.frequency);
    return made;
  };

  beforeEach(() => {
    vi.stubGlobal('navigator', { userActivation: { hasBeenActive: true } });
    vi.stubGlobal(
      'AudioContext',
      class {
        currentTime = 0;
        sampleRate = 1000;
        createOscillator = pitched;
        createBiquadFilter = pitched;
        createGain = node;
        createBufferSource = node;
        createBuffer = () => ({ getChannelData: () => new Float32Array(70) });
      },
    );
  });

  it('is a bomb, whatever it is called, and a rocket, alike with and without a doubled stake', () => {
    const [card, bomb, rocket] = [heard('single'), heard('bomb', 1), heard('rocket', 1)];
    expect(card).toHaveLength(1);
    expect(bomb.length).toBeGreaterThan(3);
    expect(rocket.length).toBeGreaterThan(3);
    expect(bomb).not.toEqual(rocket);
    expect(heard('quad', 1)).toEqual(bomb);
    expect(heard('four-plus-one')).toEqual(bomb);
    expect(heard('quad', 0, [])).toEqual(card);
  });
});
