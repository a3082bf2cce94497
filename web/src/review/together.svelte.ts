import type { ErrorMessage, PlaceShown, PlaceTold } from '../gen/protocol';
import { togetherUrl, watchTogether } from '../server/api';
import { isFinal } from '../server/connection';

const AGAIN = 2000;

/** A place as it is sent. */
const textOf = ({ seq, moves, shown }: PlaceShown | PlaceTold): string => JSON.stringify({ type: 'place', seq, moves, shown });

/** A shared review: the leader's place is published, and followers move to it. */
export class Together {
  /** The leader's latest position; null before that, or without a leader. */
  place = $state.raw<PlaceTold | null>(null);
  /** Whether this page goes where the leader goes. */
  following = $state(true);
  lost = $state(false);
  id = $state<string | null>(null);
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;
  /** Whether a leader has received a place: only a returning leader's page is moved to the last one. */
  private led = false;
  /** The leader's place until the server has it: a new connection sends it again. */
  private unknown: string | null = null;

  constructor(private readonly moved: (place: PlaceTold) => void) {}

  get lead(): boolean {
    return this.place?.lead ?? false;
  }

  /** Begin to lead; returns the path for followers. */
  async start(hand: string, place: PlaceShown): Promise<string> {
    const shared = await watchTogether(hand, place);
    this.open(shared.id);
    return shared.path;
  }

  /** Follow the review with this id, or continue to lead it. */
  open(id: string): void {
    this.socket?.close();
    clearTimeout(this.timer);
    this.closed = false;
    this.id = id;
    const socket = new WebSocket(togetherUrl(id));
    this.socket = socket;
    let joined = false;
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket !== this.socket) return;
      const message = JSON.parse(event.data) as PlaceTold | ErrorMessage;
      if (message.type === 'error') return;
      const again = joined;
      joined = true;
      this.lost = false;
      this.place = message;
      if (!message.lead) {
        if (this.following) this.moved(message);
        return;
      }
      if (textOf(message) === this.unknown) this.unknown = null;
      if (!this.led) this.moved(message);
      else if (!again && this.unknown !== null) socket.send(this.unknown);
      this.led = true;
    };
    socket.onclose = ({ code }) => {
      if (this.closed || socket !== this.socket) return;
      this.lost = true;
      // A socket that had joined is also closed after its player signs out, who may follow as a guest.
      if (!joined && isFinal(code)) this.close();
      else this.timer = setTimeout(() => this.open(id), AGAIN);
    };
  }

  /** The reader has moved: a leader's move is published, a follower stops following. */
  went(place: PlaceShown): void {
    if (!this.place) return;
    if (!this.lead) {
      this.following = false;
      return;
    }
    const text = textOf(place);
    if (text === (this.unknown ?? textOf(this.place))) return;
    this.unknown = text;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  /** Return to the leader. */
  follow(): void {
    this.following = true;
    if (this.place) this.moved(this.place);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
    this.place = null;
    this.unknown = null;
    this.id = null;
  }
}
