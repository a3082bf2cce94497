import type { Event, View } from '../gen/protocol';

/** A play, pass or bid that is still shown at a seat. */
export interface Action {
  seq: number;
  seat: number;
  type: 'play' | 'pass' | 'bid';
  cards: string[];
  bid: number | null;
  /** A bid or a pass of the auction. */
  bidding: boolean;
}

export interface Trick {
  actions: Action[];
  /** The trick is over; its cards stay until the next lead. */
  over: boolean;
}

const BEFORE_PLAY = new Set(['bid', 'kitty', 'call', 'open', 'give', 'offer', 'take']);

const action = (event: Event): Action => ({
  seq: event.seq,
  seat: event.seat ?? 0,
  type: event.type as Action['type'],
  cards: event.cards ?? [],
  bid: event.bid ?? null,
  bidding: false,
});

/** The events after the auction and the exchange. */
const played = (events: readonly Event[]): Event[] =>
  events.slice(events.findLastIndex((event) => BEFORE_PLAY.has(event.type)) + 1);

const isAction = (event: Event): boolean => ['play', 'pass', 'bid'].includes(event.type);

/** Bids and passes of the auction, in order. */
export function auction(events: readonly Event[]): Action[] {
  const end = events.findIndex((event) => ['kitty', 'call', 'play'].includes(event.type));
  return (end < 0 ? events : events.slice(0, end)).filter(isAction).map((event) => ({ ...action(event), bidding: true }));
}

/** The numbers of the auction's events: its bids and passes, and its `open`. In a hand without one, whoever opens leads. */
export function bidsOf({ events, phase }: { events: readonly Event[]; phase?: View['phase'] }): Set<number> {
  const bids = auction(events);
  const opens = phase === 'auction' || bids.length ? events.filter((event) => event.type === 'open') : [];
  return new Set([...opens, ...bids].map((one) => one.seq));
}

/** The trick on the table: the one in progress or, until somebody leads, the one just over. */
export function trick(events: readonly Event[]): Trick {
  let current: Action[] = [];
  let before: Action[] = [];
  for (const event of played(events)) {
    if (event.type === 'trick') {
      before = current;
      current = [];
    } else if (isAction(event)) {
      current.push(action(event));
    }
  }
  return current.length ? { actions: current, over: false } : { actions: before, over: true };
}

/** Each seat's last action in the auction or in this trick. */
export function lastActions(view: View): Map<number, Action> {
  const bidding = view.phase === 'auction' || view.phase === 'call';
  const actions = bidding ? auction(view.events) : trick(view.events).actions;
  return new Map(actions.map((one) => [one.seat, one]));
}

/** The play in the middle of the table: the last one of the trick. */
export function topPlay(view: View): Action | null {
  if (view.phase === 'auction' || view.phase === 'call') return null;
  return trick(view.events).actions.findLast((one) => one.type === 'play') ?? null;
}

/** Whether nobody has played or passed yet in this trick, after the auction or exchange. */
export const untouched = (view: View): boolean => view.phase === 'play' && trick(view.events).actions.length === 0;

/** A hand in which no player has moved. */
export const unmoved = (view: View): boolean => !view.events.some((event) => isAction(event) || event.type === 'give');

/** Milliseconds for which events stay visible before the next: longer for a finished trick, and for the kitty. */
export function quietAfter(events: readonly Event[]): number {
  if (events.some((event) => event.type === 'kitty')) return 2200;
  return events.some((event) => event.type === 'trick') ? 900 : 420;
}

/** One trick for the log: each seat's play, in order; an empty list is a pass. */
export interface LogTrick {
  seq: number;
  /** By seat, in the order made. */
  moves: Map<number, Action[]>;
  /** The seat whose play stood. */
  winner: number | null;
  over: boolean;
}

/** The play of a hand as its tricks, the one in progress last. */
export function tricks(events: readonly Event[]): LogTrick[] {
  const all: LogTrick[] = [];
  let current: LogTrick | null = null;
  for (const event of played(events)) {
    if (event.type === 'trick') {
      if (current) current.over = true;
      current = null;
    } else if (isAction(event) && event.type !== 'bid' && event.seat !== null) {
      if (!current) {
        current = { seq: event.seq, moves: new Map(), winner: null, over: false };
        all.push(current);
      }
      current.moves.set(event.seat, [...(current.moves.get(event.seat) ?? []), action(event)]);
      if (event.type === 'play') current.winner = event.seat;
    }
  }
  return all;
}
