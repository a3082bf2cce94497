import { vi } from 'vitest';

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
export function stub(): void {
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', { protocol: 'http:', host: 'table.test' });
  vi.stubGlobal('window', { addEventListener: () => undefined, removeEventListener: () => undefined });
  vi.stubGlobal('document', { addEventListener: () => undefined, removeEventListener: () => undefined, hidden: false });
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
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
