import { describe, expect, it, vi } from 'vitest';
import type { PlaceShown, PlaceTold, QuickMatched } from '../gen/protocol';
import { FakeSocket, fakeBrowser, playing, WAITING } from './fake-socket';

fakeBrowser();
const { Together } = await import('../review/together.svelte');
const { Table } = await import('./table.svelte');
const { Quick } = await import('../start/quick.svelte');
const { Connection } = await import('../server/connection');

const told = (over: Partial<PlaceTold>): PlaceTold => ({
  type: 'place',
  seq: null,
  moves: [],
  shown: false,
  lead: false,
  leader: 'Ada',
  hand: 'h1',
  revision: 1,
  ...over,
});

describe('a review watched together', () => {
  it('moves followers until they go somewhere themselves', () => {
    const moved: (number | null)[] = [];
    const together = new Together((place) => moved.push(place.seq));
    together.open('r1');
    FakeSocket.last.say(told({ seq: 4 }));
    together.went({ type: 'place', seq: 9, moves: [], shown: false });
    FakeSocket.last.say(told({ seq: 5 }));
    expect(moved).toEqual([4]);
    expect(FakeSocket.last.sent).toEqual([]);
    together.follow();
    expect(moved).toEqual([4, 5]);
  });

  it('comes back after its line is lost, also when it has been closed once', () => {
    const together = new Together(() => undefined);
    together.open('r1');
    together.close();
    together.open('r2');
    FakeSocket.last.close();
    vi.advanceTimersByTime(2500);
    expect(FakeSocket.all.map((socket) => socket.url.split('/').at(-1))).toEqual(['r1', 'r2', 'r2']);
    together.open('r3');
    vi.advanceTimersByTime(5000);
    expect(FakeSocket.all.length).toBe(4);
  });

  it.each([4403, 4404])('ends where the server refuses it with %i, once it has been asked again', (code) => {
    const together = new Together(() => undefined);
    together.open('r1');
    FakeSocket.last.say(told({}));
    FakeSocket.last.onclose?.({ code });
    vi.advanceTimersByTime(2500);
    expect(FakeSocket.all.length).toBe(2);
    FakeSocket.last.onclose?.({ code });
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all.length).toBe(2);
    expect([together.lost, together.place, together.id]).toEqual([true, null, null]);
  });
});

describe('the leader of a review', () => {
  const place = (seq: number): PlaceShown => ({ type: 'place', seq, moves: [], shown: false });
  const moves = (): number[] => FakeSocket.last.sent.map((text) => (JSON.parse(text) as PlaceShown).seq ?? -1);
  const away = (): void => {
    FakeSocket.last.close();
    vi.advanceTimersByTime(2500);
  };

  it('takes followers along after its line was lost', () => {
    const moved: (number | null)[] = [];
    const together = new Together(({ seq }) => moved.push(seq));
    together.open('r1');
    FakeSocket.last.say(told({ lead: true, seq: 4 }));
    together.went(place(5));
    together.went(place(5));
    FakeSocket.last.say(told({ lead: true, seq: 5, revision: 2 }));
    expect(moves()).toEqual([5]);
    FakeSocket.last.readyState = 3;
    together.went(place(6));
    together.went(place(7));
    away();
    FakeSocket.last.say(told({ lead: true, seq: 5, revision: 2 }));
    FakeSocket.last.say(told({ lead: true, seq: 7, revision: 3 }));
    expect(moves()).toEqual([7]);
    expect(moved).toEqual([4]);
    together.went(place(7));
    expect(moves()).toEqual([7]);
  });

  it('sends a place again that went into a dead line, and no other page back', () => {
    const together = new Together(() => undefined);
    together.open('r1');
    FakeSocket.last.say(told({ lead: true, seq: 4 }));
    together.went(place(5));
    away();
    FakeSocket.last.say(told({ lead: true, seq: 4 }));
    expect(moves()).toEqual([5]);
    FakeSocket.last.say(told({ lead: true, seq: 5, revision: 2 }));
    // The same person's other page leads on.
    FakeSocket.last.say(told({ lead: true, seq: 8, revision: 3 }));
    away();
    FakeSocket.last.say(told({ lead: true, seq: 9, revision: 4 }));
    expect(moves()).toEqual([]);
  });
});

describe('a table whose line is lost', () => {
  it('does not wait for the answer to a command', () => {
    const table = new Table('t1');
    const line = FakeSocket.last;
    line.onopen?.();
    expect([1, 2].map(() => table.send({ type: 'return' }))).toEqual([true, false]);
    expect(line.sent.length).toBe(1);
    expect(table.game.pending).not.toBeNull();
    line.close();
    expect(table.game.pending).toBeNull();
    table.close();
  });
});

describe('a table that is asked to come back as somebody else', () => {
  it('does so at once, and says nothing of a lost line', () => {
    const table = new Table('t1');
    const line = FakeSocket.last;
    line.onopen?.();
    line.say(playing({ ...WAITING, events: [] }, { seq: 7 }));
    expect(table.game.seq).toBe(7);
    table.reconnect();
    expect(FakeSocket.last.url).not.toContain('seq');
    expect(FakeSocket.all.length).toBe(2);
    expect(line.readyState).not.toBe(FakeSocket.OPEN);
    expect(table.status).toBe('connecting');
    FakeSocket.last.onopen?.();
    expect(table.status).toBe('open');
    vi.advanceTimersByTime(5000);
    expect(FakeSocket.all.length).toBe(2);
    table.close();
  });
});

describe('a quick match', () => {
  const nothing: QuickMatched = { table: null, waited: 0, seeking: 1, bots_after: null };

  /** Seeks, and stops while the question is on its way; the server then answers it and the leaving. */
  async function stopped(answer: QuickMatched, left: QuickMatched): Promise<{ asked: string[]; tables: string[] }> {
    const asked: string[] = [];
    let reply: () => void = () => undefined;
    vi.stubGlobal('fetch', (path: string) => {
      if (path === '/api/me') return Promise.resolve(new Response('{}'));
      asked.push(path);
      if (path.endsWith('/leave')) return Promise.resolve(new Response(JSON.stringify(left)));
      return new Promise((done) => (reply = () => done(new Response(JSON.stringify(answer)))));
    });
    const tables: string[] = [];
    const quick = new Quick((table) => tables.push(table));
    quick.start('panel');
    await vi.advanceTimersByTimeAsync(0);
    const end = quick.stop();
    expect(asked).toEqual(['/api/quick']);
    reply();
    await end;
    await vi.advanceTimersByTimeAsync(5000);
    expect(quick.seeking).toBe(false);
    return { asked, tables };
  }

  it('is left only after the last question has been answered', async () => {
    expect(await stopped(nothing, nothing)).toEqual({ asked: ['/api/quick', '/api/quick/leave'], tables: [] });
  });

  it('goes to a table that was found while it was being left', async () => {
    expect((await stopped(nothing, { ...nothing, table: 't1' })).tables).toEqual(['t1']);
    expect((await stopped({ ...nothing, table: 't2' }, nothing)).tables).toEqual(['t2']);
  });

  it('goes on while the server restarts, but not once it refuses', async () => {
    const answers = [
      new Response(JSON.stringify(nothing)),
      null,
      new Response('<h1>Bad Gateway</h1>', { status: 502 }),
      new Response(JSON.stringify(nothing)),
      new Response('{}', { status: 403 }),
    ];
    vi.stubGlobal('fetch', (path: string) => {
      if (path === '/api/me') return Promise.resolve(new Response('{}'));
      const answer = answers.shift();
      return answer ? Promise.resolve(answer) : Promise.reject(new TypeError());
    });
    const quick = new Quick(() => undefined);
    quick.start('panel');
    const seen: [boolean, boolean][] = [];
    while (answers.length) {
      await vi.advanceTimersByTimeAsync(seen.length ? 2000 : 0);
      seen.push([quick.seeking, quick.problem !== '']);
    }
    expect(seen).toEqual([
      [true, false],
      [true, true],
      [true, true],
      [true, false],
      [false, true],
    ]);
  });

  it('that is stopped says nothing more of a server that does not answer', async () => {
    const answers = [new Response(JSON.stringify(nothing))];
    let fail: () => void = () => undefined;
    vi.stubGlobal('fetch', (path: string) => {
      if (path === '/api/me') return Promise.resolve(new Response('{}'));
      const answer = answers.shift();
      if (answer) return Promise.resolve(answer);
      return new Promise((_, failed) => (fail = () => failed(new TypeError())));
    });
    const quick = new Quick(() => undefined);
    quick.start('panel');
    await vi.advanceTimersByTimeAsync(2000);
    fail();
    await vi.advanceTimersByTimeAsync(2000);
    expect(quick.problem).not.toBe('');
    void quick.stop();
    expect(quick.problem).toBe('');
    fail();
    await vi.advanceTimersByTimeAsync(0);
    expect(quick.problem).toBe('');
  });

  it('is left at once where the page is closed, by a request that outlives it', async () => {
    const asked: [string, boolean][] = [];
    vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
      if (path === '/api/me') return Promise.resolve(new Response('{}'));
      asked.push([path, init?.keepalive === true]);
      return new Promise(() => undefined);
    });
    const quick = new Quick(() => undefined);
    quick.start('panel');
    await vi.advanceTimersByTimeAsync(0);
    quick.close();
    expect(asked).toEqual([
      ['/api/quick', false],
      ['/api/quick/leave', true],
    ]);
    expect(quick.seeking).toBe(false);
  });
});

describe('a server that takes nobody just now', () => {
  it('is asked again later each time, and at once after it has taken one', async () => {
    const connection = new Connection(() => 'ws://table.test', { message: () => undefined, status: () => undefined });
    const refuse = () => {
      FakeSocket.last.say({ type: 'error', id: null, code: 'unavailable', clause: null, message: 'not now' });
      FakeSocket.last.onclose?.({ code: 4503 });
    };
    for (let second = 0; second < 200; second++) {
      if (FakeSocket.last.readyState === FakeSocket.OPEN) refuse();
      FakeSocket.last.readyState = 3;
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(FakeSocket.all.length).toBeLessThan(9);
    await vi.advanceTimersByTimeAsync(20_000);
    const tries = FakeSocket.all.length;
    FakeSocket.last.say({ type: 'pong' });
    FakeSocket.last.onclose?.({ code: 1012 });
    await vi.advanceTimersByTimeAsync(600);
    expect(FakeSocket.all.length).toBe(tries + 1);
    connection.close();
  });
});

describe('a connection without a network', () => {
  it('is lost after two pings without an answer, although its socket would wait for the answer to its close', async () => {
    const said: string[] = [];
    const connection = new Connection(() => 'ws://table.test', { message: () => undefined, status: (one) => said.push(one) });
    const dead = FakeSocket.last;
    dead.onopen?.();
    dead.close = () => undefined;
    await vi.advanceTimersByTimeAsync(61_000);
    expect(dead.sent).toHaveLength(2);
    expect(said).toEqual(['connecting', 'open', 'lost']);
    expect(FakeSocket.all.length).toBe(2);
    connection.close();
  });
});

describe('a connection that is closed, or made anew at once', () => {
  it('leaves no attempt and no ping of the old one behind', async () => {
    const connection = new Connection(() => 'ws://table.test', { message: () => undefined, status: () => undefined });
    FakeSocket.last.onopen?.();
    connection.restart();
    FakeSocket.last.onopen?.();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(FakeSocket.last.sent).toHaveLength(1);
    FakeSocket.last.close();
    connection.restart();
    await vi.advanceTimersByTimeAsync(1000);
    expect(FakeSocket.all.length).toBe(3);
    FakeSocket.last.close();
    connection.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all.length).toBe(3);
  });
});

describe('a phone that has slept', () => {
  it('connects anew where its connection is dead although the socket is open, and only there', async () => {
    let wake: () => void = () => undefined;
    const document = { addEventListener: (_: string, woken: () => void) => (wake = woken), removeEventListener: () => undefined };
    vi.stubGlobal('document', { ...document, hidden: false });
    const connection = new Connection(() => 'ws://table.test', { message: () => undefined, status: () => undefined });
    FakeSocket.last.onopen?.();
    wake();
    FakeSocket.last.say({ type: 'pong' });
    await vi.advanceTimersByTimeAsync(16_000);
    expect(FakeSocket.all.length).toBe(1);
    wake();
    await vi.advanceTimersByTimeAsync(16_000);
    expect(FakeSocket.all.length).toBe(2);
    connection.close();
  });
});
