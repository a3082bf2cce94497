import { afterEach, describe, expect, it, vi } from 'vitest';
import { remaining } from '../seats/clock';
import { keyboard } from '../turn/keyboard';
import { FakeSocket, fakeBrowser, people, playing, snapshot, WAITING } from './fake-socket';

fakeBrowser();
const { Table } = await import('./table.svelte');
const { prefs } = await import('../browser/prefs.svelte');

afterEach(() => {
  prefs.autoPass = false;
  vi.restoreAllMocks();
});

const PASS = { move: 'pass', type: 'pass' };
const NINE = { move: '9S', type: 'play', kind: 'single', cards: ['9S'] };
const state = { ...WAITING, hand: ['4H', '9S'], hand_sizes: [2, 2, 2], table: { kind: 'single', cards: ['5D'] } };

function seated(): InstanceType<typeof Table> {
  const table = new Table('t1');
  FakeSocket.last.onopen?.();
  FakeSocket.last.say(playing({ ...state, events: [{ seq: 0, seat: 2, type: 'play', cards: ['5D'] }] }));
  return table;
}

/** The seat before passes, and these are the moves there are now; time: the milliseconds for one of them. */
function turn(...legal_moves: object[]): void {
  turnIn(null, ...legal_moves);
}
function turnIn(time: number | null, ...legal_moves: object[]): void {
  const events = [{ seq: 1, seat: 1, type: 'pass' }];
  FakeSocket.last.say({
    type: 'update',
    seq: 2,
    events,
    session: null,
    view: { ...state, to_act: 0, legal_moves },
    clocks: time && { now: 0, left: [null, null, null], to_act: 0, deadline: time },
  });
  vi.advanceTimersByTime(500);
}

type Seated = InstanceType<typeof Table>;

/** What the server sends again after a lost connection; event 3 is a line of chat. */
function again(seq: number, ...legal_moves: object[]): object {
  return {
    type: 'update',
    seq,
    events: [{ seq: 1, seat: 1, type: 'pass' }],
    view: { ...state, to_act: 0, legal_moves },
    clocks: null,
  };
}

const moves = (): string[] =>
  FakeSocket.last.sent
    .map((text) => JSON.parse(text) as { type: string; move: string })
    .filter((one) => one.type === 'move')
    .map((one) => one.move);

function press(table: InstanceType<typeof Table>, key: string, tagName = 'BODY', panel = false): void {
  const event = { key, target: { tagName, dataset: {}, getAttribute: () => null }, preventDefault: () => undefined };
  keyboard(event as unknown as KeyboardEvent, table, { step: () => undefined, close: () => undefined }, panel);
}

describe('what is decided before the turn', () => {
  it('is a pass, after a time that any pass may take, unless the player plays after all', () => {
    let table = seated();
    table.ahead('pass');
    turn(PASS, NINE);
    expect(moves()).toEqual([]);
    vi.advanceTimersByTime(8000);
    expect(moves()).toEqual(['pass']);
    table.close();
    for (const decide of [() => table.toggle('9S'), () => press(table, 'c'), () => press(table, 'Escape')]) {
      table = seated();
      table.ahead('pass');
      turn(PASS, NINE);
      decide();
      vi.advanceTimersByTime(8000);
      expect(moves()).toEqual([]);
      table.close();
    }
  });

  it('is cancelled by Escape', () => {
    const table = seated();
    table.ahead('pass');
    press(table, 'Escape');
    turn(PASS, NINE);
    vi.advanceTimersByTime(8000);
    expect(moves()).toEqual([]);
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

  it('is a pass within a third of the time left', () => {
    const table = seated();
    table.ahead('pass');
    turnIn(1500, PASS, NINE);
    expect(moves()).toEqual(['pass']);
    table.close();
  });

  it('is forgotten in a new hand, and after a move was taken back', () => {
    const table = seated();
    table.choose(['9S']);
    table.ahead('pass');
    FakeSocket.last.say(playing({ ...state, events: [] }, { seq: 3 }));
    expect([table.plan, table.selection]).toEqual([null, []]);
    table.close();
  });

  it('is done at once: a play that is still possible', () => {
    const table = seated();
    table.choose(['9S']);
    press(table, 'Enter');
    expect(moves()).toEqual([]);
    turn(PASS, NINE);
    expect(moves()).toEqual(['9S']);
    table.close();
  });

  it('is an automatic pass also where the connection is lost before it goes out', () => {
    prefs.autoPass = true;
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const table = seated();
    turn(PASS);
    FakeSocket.last.close();
    vi.advanceTimersByTime(600);
    FakeSocket.last.readyState = 0;
    vi.advanceTimersByTime(9000);
    expect(moves()).toEqual([]);
    FakeSocket.last.readyState = FakeSocket.OPEN;
    FakeSocket.last.onopen?.();
    const events = [{ seq: 1, seat: 1, type: 'pass' }];
    FakeSocket.last.say({ type: 'update', seq: 2, events, view: { ...state, to_act: 0, legal_moves: [PASS] }, clocks: null });
    vi.advanceTimersByTime(8000);
    expect(moves()).toEqual(['pass']);
    table.close();
  });

  it('is what was selected while the play was on its way', () => {
    const table = seated();
    turn(PASS, NINE);
    table.choose(['9S']);
    table.play();
    table.choose(['9S', '5D']);
    const events = [{ seq: 2, seat: 0, type: 'play', cards: ['9S'] }];
    FakeSocket.last.say({ type: 'update', seq: 3, events, view: { ...state, hand: ['5D', '5C'], to_act: 1 }, clocks: null });
    vi.advanceTimersByTime(500);
    expect(table.selection).toEqual(['5D']);
    table.close();
  });

  it.each([2, 3])('is a planned pass also where the connection is lost before it goes out, up to event %i', (seq) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const table = seated();
    table.ahead('pass');
    turn(PASS, NINE);
    FakeSocket.last.close();
    vi.advanceTimersByTime(600);
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(again(seq, PASS, NINE));
    vi.advanceTimersByTime(8000);
    expect(moves()).toEqual(['pass']);
    table.close();
  });

  it.each([2, 3])('is no pass that the player had given up before the connection was lost, up to event %i', (seq) => {
    prefs.autoPass = true;
    for (const decide of [(table: Seated) => table.choose(['9S']), (table: Seated) => table.send({ type: 'hint' })]) {
      const table = seated();
      turn(PASS);
      decide(table);
      FakeSocket.last.close();
      vi.advanceTimersByTime(10_000);
      FakeSocket.last.onopen?.();
      FakeSocket.last.say(again(seq, PASS));
      vi.advanceTimersByTime(8000);
      expect(moves()).toEqual([]);
      table.close();
    }
  });

  it('is left, and said, where it has become impossible', () => {
    for (const [plan, ...now] of [
      ['play', PASS],
      ['pass', NINE],
    ] as const) {
      const table = seated();
      table.choose(['9S']);
      table.ahead(plan);
      turn(...now);
      expect(table.remark).not.toBeNull();
      vi.advanceTimersByTime(10_000);
      expect(moves()).toEqual([]);
      table.close();
    }
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

describe('an automatic pass', () => {
  it('is no bid', () => {
    prefs.autoPass = true;
    const table = new Table('t1');
    FakeSocket.last.onopen?.();
    const bids = [PASS, { move: 'bid 1', type: 'bid', bid: 1 }];
    FakeSocket.last.say(playing({ ...state, phase: 'auction', to_act: 0, legal_moves: bids, events: [] }));
    vi.advanceTimersByTime(10_000);
    expect(moves()).toEqual([]);
    table.close();
  });

  it('takes its time from passes by hand with a choice', () => {
    const kept = new Map<string, string>();
    vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: kept.set.bind(kept) });
    for (const now of [[PASS], [PASS, NINE]]) {
      const table = seated();
      turn(...now);
      table.pass();
      expect(moves()).toEqual(['pass']);
      expect(kept.has('dasan.passTimes')).toBe(now.length > 1);
      table.close();
    }
  });
});

describe('a move on the screen', () => {
  const play = (seq: number, seat: number, view: object = state): void =>
    FakeSocket.last.say({
      type: 'update',
      seq,
      events: [{ seq: seq - 1, seat, type: 'play', cards: ['4H'] }],
      view,
      clocks: null,
    });

  it('is seen at once if it is one’s own, and else after those before it', () => {
    for (const [seat, seen] of [
      [0, 3],
      [2, 2],
    ] as const) {
      const table = seated();
      play(2, 1);
      play(3, seat);
      expect(table.game.seq).toBe(seen);
      table.close();
    }
  });

  it('leaves no equal card of the second deck selected', () => {
    const table = new Table('t1');
    FakeSocket.last.say(playing({ ...state, hand: ['4H', '4H'], to_act: 0, events: [] }));
    table.choose(['4H']);
    play(2, 1, { ...state, hand: ['4H', '4H'] });
    expect(table.selection).toEqual(['4H']);
    play(3, 0, { ...state, hand: ['4H'] });
    expect(table.selection).toEqual([]);
    table.close();
  });
});

describe('a turn', () => {
  it('says which of how many legal plays is being shown, from 1', () => {
    const table = seated();
    turn(PASS, NINE);
    expect([...(table.bright ?? [])]).toEqual(['9S']);
    for (const _ of [1, 2]) {
      table.cycle();
      expect(table.cycled).toEqual({ i: 1, n: 1 });
      expect(table.spoken.at(-1)?.text).toMatch(/^1 of 1: .*9 of spades$/);
    }
    table.close();
  });

  it('leaves the keys of a field and of an open panel alone', () => {
    const table = seated();
    turn(PASS, NINE);
    press(table, 'p', 'INPUT');
    press(table, 'p', 'BODY', true);
    expect(moves()).toEqual([]);
    press(table, 'p');
    expect(moves()).toEqual(['pass']);
    table.close();
  });

  it('bids by the digit of any bid', () => {
    const table = seated();
    turn(PASS, { move: 'bid 4', type: 'bid', bid: 4, cards: null, kind: null });
    press(table, '4');
    expect(moves()).toEqual(['bid 4']);
    table.close();
  });
});

describe('the next hand', () => {
  const over = { ...state, phase: 'over', to_act: null, result: { winners: [0], payments: [0, 0, 0] }, events: [] };
  const seats = people('', '', '');

  it.each([
    [over, 0, 'playing', 1],
    [over, null, 'playing', 0],
    [over, 0, 'ended', 0],
    [{ ...state, events: [] }, 0, 'playing', 0],
  ])('is asked for by N only after a hand, and by a player: %#', (view, you, status, asked) => {
    const table = new Table('t1');
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(playing(view, { table: { id: 't1', you, players: 3, status, seats } }));
    press(table, 'n');
    expect(FakeSocket.last.sent).toHaveLength(asked);
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
          table: { id: 't1', you: 0, settings: { rated }, event, seats: people('') },
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
    FakeSocket.last.say(
      snapshot({
        table: { id: 't1', you: 0, settings: { rated: false }, event: null, seats: people('') },
        session: { number: 1, opening: [], results: [] },
        view: { seat: 0, phase: 'play', to_act: 0, hand: ['9S'], legal_moves: [nine], result: null, events: [] },
      }),
    );
    FakeSocket.last.say({
      type: 'hint',
      id: 'c1',
      seq: 9,
      bot: 'greedy',
      unit: 'none',
      candidates: [{ move: nine, reasons: [] }],
    });
    expect(table.advice?.move.move).toBe('9S');
    expect(table.selection).toHaveLength(1);
    press(table, 'Escape');
    expect([table.advice, table.selection]).toEqual([null, []]);
    table.close();
  });
});

describe('a seat that a bot plays', () => {
  const seats = (substitute?: object): object => {
    const [own, ...others] = people('', '', '');
    return { id: 't1', you: 0, players: 3, status: 'playing', settings: {}, seats: [{ ...own, substitute }, ...others] };
  };
  const tell = (seq: number, table: object): void =>
    FakeSocket.last.say({ type: 'table', seq, table, session: null, clocks: null });

  it.each([
    ['play', NINE],
    ['auction', { move: 'bid 1', type: 'bid', bid: 1 }],
    ['call', { move: 'call 9S', type: 'call', cards: ['9S'] }],
    ['exchange', { move: 'take 9S', type: 'take', cards: ['9S'] }],
  ])('offers its player no move until they have it back: %s', (phase, move) => {
    const table = new Table('t1');
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(playing({ ...state, phase, to_act: 0, legal_moves: [move], events: [] }, { table: seats() }));
    FakeSocket.last.say({ type: 'hint', id: 'c1', seq: 1, bot: 'greedy', unit: 'none', candidates: [{ move, reasons: [] }] });
    const offered = (): unknown[] => [table.myTurn, table.view?.legal_moves.length, table.advice?.move.type];
    expect(offered()).toEqual([true, 1, move.type]);
    table.choose(['9S']);
    tell(2, seats({ bot: 'greedy', reason: 'time' }));
    expect(offered()).toEqual([false, 0, undefined]);
    expect(table.selection).toEqual([]);
    table.touch('9S');
    for (const key of ['p', 'Enter', 'c', 'h', '1']) press(table, key);
    expect([table.selection, table.plan, FakeSocket.last.sent]).toEqual([[], null, []]);
    tell(3, seats());
    expect(offered()).toEqual([true, 1, move.type]);
    table.close();
  });

  it('says that it is the turn of a player who takes it back', () => {
    const table = new Table('t1');
    FakeSocket.last.onopen?.();
    FakeSocket.last.say(
      playing({ ...state, to_act: 0, legal_moves: [NINE], events: [] }, { table: seats({ bot: 'greedy', reason: 'time' }) }),
    );
    const said = (): string[] => table.spoken.map(({ text }) => text);
    expect(said()).not.toContain('Your turn');
    tell(2, seats());
    expect(said().filter((text) => text === 'Your turn')).toHaveLength(1);
    tell(3, seats());
    expect(said().filter((text) => text === 'Your turn')).toHaveLength(1);
    table.close();
  });

  it('forgets the plan of its player', () => {
    const table = seated();
    table.ahead('pass');
    tell(2, seats({ bot: 'greedy', reason: 'left' }));
    tell(3, seats());
    turn(PASS, NINE);
    vi.advanceTimersByTime(8000);
    expect(moves()).toEqual([]);
    table.close();
  });
});

describe('the opening of a hand', () => {
  it('is not shown once a player has moved', () => {
    const session = { number: 1, opening: [{ type: 'deal', seat: 0 }], results: [] };
    for (const events of [[], [{ seq: 0, seat: 2, type: 'play', cards: ['5D'] }]]) {
      const table = new Table('t1');
      FakeSocket.last.say(playing({ ...state, events }, { session }));
      expect(table.opening).toBe(!events.length);
      table.close();
    }
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
        table: { id: 'clocks', you: 0, seats: people('', '', '') },
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
    expect([table.opening, table.empty]).toEqual([false, false]);
    expect(table.game.clocks).toEqual(clocks);
    expect(remaining(clocks, table.game.clocksAt, 2, Date.now())).toBe(26_000);
    expect(table.clocks).toEqual(clocks);
    // The server has closed the table for this player.
    FakeSocket.last.onclose?.({ code: 4403 });
    expect(table.clocks).toBeNull();
    table.close();
  });
});
