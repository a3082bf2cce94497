import { afterEach, beforeEach, vi } from 'vitest';

/** A socket whose server is the test. */
export class FakeSocket {
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

/** Browser objects that tests lack. */
function stub(): void {
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { protocol: 'http:', host: 'table.test' });
  vi.stubGlobal('window', { addEventListener: () => undefined, removeEventListener: () => undefined });
  vi.stubGlobal('document', { addEventListener: () => undefined, removeEventListener: () => undefined, hidden: false });
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
}

/** Gives each test its own sockets and clock. Import the page's modules after this call: they need the browser objects. */
export function fakeBrowser(): void {
  stub();
  beforeEach(() => {
    FakeSocket.all = [];
    vi.useFakeTimers();
    stub();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

/** The first message of a table: its table, session and view, and nothing else unless the test says so. */
export const snapshot = (told: object): object => ({
  type: 'snapshot',
  seq: 1,
  clocks: null,
  presence: [],
  watching: 0,
  chat: [],
  ...told,
});

/** The seats of people, by their names. */
export const people = (...names: string[]) => names.map((name, seat) => ({ seat, name, kind: 'human' }));

/** The view of seat 0 of three while another seat is to act. */
export const WAITING = {
  seat: 0,
  players: 3,
  phase: 'play',
  to_act: 1,
  hand: [],
  hand_sizes: [9, 9, 9],
  passed: [],
  finished: [],
  legal_moves: [],
  table_seat: 2,
  result: null,
};

/** The first message of a table of three people where a hand is being played. */
export const playing = (view: object, told: object = {}): object =>
  snapshot({
    table: { id: 't1', you: 0, players: 3, status: 'playing', seats: people('', '', '') },
    session: { number: 1, opening: [], results: [], balances: [0, 0, 0], contributions: [null, null, null] },
    view,
    ...told,
  });
