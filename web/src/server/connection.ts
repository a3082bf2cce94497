import type { ClientMessage, ServerMessage } from '../gen/protocol';

export type Status = 'connecting' | 'open' | 'lost' | 'closed';

interface Handlers {
  message(message: ServerMessage): void;
  status(status: Status, attempt: number): void;
}

const PING_EVERY = 20_000;
const FIRST_RETRY = 400;
const LAST_RETRY = 15_000;
/** Milliseconds within which a connection answers after the page was hidden or offline; a ping waits for the answer to a hint. */
const ANSWER = 15_000;

/** The delay before a retry: doubled each time, with jitter so that clients do not reconnect in step. */
export const backOff = (attempt: number, chance = Math.random()): number =>
  Math.min(FIRST_RETRY * 2 ** attempt, LAST_RETRY) * (0.75 + chance / 2);

/** The server closes with 4000 + an HTTP status; reconnecting would not change a 403, a 404, or damaged data (410). */
export const isFinal = (code: number): boolean => [4400, 4401, 4403, 4404, 4410].includes(code);

/** A WebSocket that reconnects automatically; the server's snapshot on connection replaces missed messages. */
export class Connection {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private retry: ReturnType<typeof setTimeout> | null = null;
  private heartbeat: ReturnType<typeof setInterval> | null = null;
  private silent = 0;
  /** The number of messages so far. */
  private heard = 0;
  private over = false;

  constructor(
    private readonly url: () => string,
    private readonly handlers: Handlers,
  ) {
    window.addEventListener('online', this.hurry);
    document.addEventListener('visibilitychange', this.hurry);
    this.open();
  }

  /** False if the socket is not connected. */
  send(message: ClientMessage): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Close the socket and reconnect immediately. */
  restart(): void {
    const { socket } = this;
    this.attempt = 0;
    this.socket = null;
    if (this.heartbeat) clearInterval(this.heartbeat);
    if (this.retry) clearTimeout(this.retry);
    socket?.close();
    this.open();
  }

  close(): void {
    this.over = true;
    window.removeEventListener('online', this.hurry);
    document.removeEventListener('visibilitychange', this.hurry);
    if (this.retry) clearTimeout(this.retry);
    if (this.heartbeat) clearInterval(this.heartbeat);
    this.socket?.close();
    this.handlers.status('closed', 0);
  }

  private open(): void {
    this.retry = null;
    if (this.attempt === 0) this.handlers.status('connecting', 0);
    const socket = new WebSocket(this.url());
    this.socket = socket;
    socket.onopen = () => {
      this.silent = 0;
      this.handlers.status('open', this.attempt);
      this.heartbeat = setInterval(() => this.beat(), PING_EVERY);
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket !== this.socket) return;
      const message = JSON.parse(event.data) as ServerMessage;
      // A server that accepts nobody at the moment says so before it closes.
      if (message.type !== 'error') this.attempt = 0;
      this.silent = 0;
      this.heard++;
      this.handlers.message(message);
    };
    socket.onclose = (event) => this.lost(socket, event.code);
  }

  private lost(socket: WebSocket, code: number): void {
    if (socket !== this.socket || this.over) return;
    if (isFinal(code)) {
      this.close();
      return;
    }
    this.socket = null;
    if (this.heartbeat) clearInterval(this.heartbeat);
    this.handlers.status('lost', this.attempt);
    this.retry = setTimeout(() => this.open(), backOff(this.attempt++));
  }

  private beat(): void {
    // Two pings without an answer.
    if (this.silent++ >= 2) this.abandon();
    else this.send({ type: 'ping' });
  }

  /** The connection is dead although the socket does not know it: a browser waits a minute for the answer to a close. */
  private abandon(): void {
    const { socket } = this;
    if (!socket) return;
    this.lost(socket, 1006);
    socket.close();
  }

  private hurry = (): void => {
    if (this.over || document.hidden) return;
    if (!this.retry) {
      this.check();
      return;
    }
    clearTimeout(this.retry);
    this.open();
  };

  /** Reconnect unless the server answers: after a phone has slept, its connection may be dead although the socket does not know it. */
  private check(): void {
    const { socket, heard } = this;
    if (!this.send({ type: 'ping' })) return;
    setTimeout(() => {
      if (!this.over && socket === this.socket && heard === this.heard) this.abandon();
    }, ANSWER);
  }
}
