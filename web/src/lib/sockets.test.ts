import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlaceTold, QuickMatched } from '../gen/protocol';

/** A socket that a test answers for. */
class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = FakeSocket.OPEN;
  sent: string[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.readyState = 3;
    this.onclose?.({ code: 1000 });
  }
  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  static get last(): FakeSocket {
    const socket = FakeSocket.all.at(-1);
    if (!socket) throw new Error('no socket');
    return socket;
  }
}

let Together: typeof import('./together.svelte').Together;
let Table: typeof import('./table.svelte').Table;
let Quick: typeof import('./quick.svelte').Quick;

/** What a page has and a test has not. */
function stub(): void {
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { protocol: 'http:', host: 'table.test' });
  vi.stubGlobal('window', { addEventListener: () => undefined, removeEventListener: () => undefined });
  vi.stubGlobal('document', { addEventListener: () => undefined, removeEventListener: () => undefined, hidden: false });
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
}

beforeAll(async () => {
  stub();
  ({ Together } = await import('./together.svelte'));
  ({ Table } = await import('./table.svelte'));
  ({ Quick } = await import('./quick.svelte'));
}, 120_000);
beforeEach(() => {
  FakeSocket.all = [];
  vi.useFakeTimers();
  stub();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

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
    FakeSocket.last.say({ type: 'error', code: 'not-found', message: '' });
    together.open('r2');
    FakeSocket.last.close();
    vi.advanceTimersByTime(2500);
    expect(FakeSocket.all.map((socket) => socket.url.split('/').at(-1))).toEqual(['r1', 'r2', 'r2']);
    together.open('r3');
    vi.advanceTimersByTime(5000);
    expect(FakeSocket.all.length).toBe(4);
  });
});

describe('a table whose line is lost', () => {
  it('does not wait for the answer to a command', () => {
    const table = new Table('t1');
    const line = FakeSocket.last;
    line.onopen?.();
    table.send({ type: 'return' });
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
    table.reconnect();
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
      asked.push(path);
      if (path.endsWith('/leave')) return Promise.resolve(new Response(JSON.stringify(left)));
      return new Promise((done) => (reply = () => done(new Response(JSON.stringify(answer)))));
    });
    const tables: string[] = [];
    const quick = new Quick((table) => tables.push(table));
    quick.start();
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

  it('is left at once where the page is closed, by a request that outlives it', async () => {
    const asked: [string, boolean][] = [];
    vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
      asked.push([path, init?.keepalive === true]);
      return new Promise(() => undefined);
    });
    const quick = new Quick(() => undefined);
    quick.start();
    await vi.advanceTimersByTimeAsync(0);
    quick.close();
    expect(asked).toEqual([
      ['/api/quick', false],
      ['/api/quick/leave', true],
    ]);
    expect(quick.seeking).toBe(false);
  });
});
