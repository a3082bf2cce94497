import type { Event, View } from '../gen/protocol';
import { isHidden, type Card } from '../cards/cards';

/** The position with all hands open, from a finished hand's record. */
export interface Position {
  preset: string;
  hands: Card[][];
  /** The play to beat; null for a free lead. */
  table: { seat: number; cards: Card[] } | null;
  /** The bidder, or the highest one during the auction. */
  bidder: number | null;
  bid: number | null;
  /** Whether the bid may still be beaten. */
  auction: boolean;
  /** How often bombs and the rocket have doubled the bid. */
  doublings: number;
  called: Card | null;
  /** The kitty, until the bidder takes it. */
  kitty: Card[];
}

/** The position of a view, with the hands that are to be shown. */
export const positionOf = (view: View, hands: Card[][], kitty: Card[] = []): Position => ({
  preset: view.preset,
  hands,
  table: view.table && view.table_seat !== null ? { seat: view.table_seat, cards: view.table.cards } : null,
  bidder: view.bidder,
  bid: view.bid,
  auction: view.phase === 'auction',
  doublings: view.doublings ?? 0,
  called: view.called,
  kitty,
});

/** A move of the hand: a bid, a call, a play, a pass, an exchange of cards. */
export interface Step {
  seq: number;
  seat: number;
  event: Event;
  before: Position;
  after: Position;
}

export interface Replay {
  preset: string;
  options: Record<string, boolean | number | string>;
  start: Position;
  steps: Step[];
  /** False if the record was written for a viewer who may not see all cards. */
  open: boolean;
}

const BEGINNINGS = new Set(['bid', 'pass', 'kitty', 'play']);
const AFTER_AUCTION = new Set(['kitty', 'call', 'play']);
const MOVES = new Set(['bid', 'pass', 'call', 'play', 'give', 'offer', 'take']);

interface Line extends Partial<Omit<Event, 'type' | 'cards'>> {
  type?: string;
  cards?: string[];
  hands?: string[];
  kitty?: string;
  /** Of a deal: the winner and the loser, then the two seats between them, in pairs that exchange cards. */
  exchange?: number[];
  rules?: { name: string; options: Replay['options'] };
}

/**
 * The hand of a climb/1 record, move by move. Nothing is checked: the record states what happened.
 * @param doublings the events of the plays that doubled the bid, which the record does not name
 */
export function replay(text: string, doublings: readonly number[] = []): Replay | null {
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const header = lines[0]?.rules;
  const dealing = lines.findLast((line) => line.type === 'deal');
  if (!header || !dealing?.hands) return null;
  const split = (cards: string | undefined): Card[] => (cards ?? '').split(' ').filter(Boolean);
  const hands = dealing.hands.map(split);
  const kitty = split(dealing.kitty);
  const rest = lines.slice(lines.indexOf(dealing) + 1);
  // Without an auction the cards that are left over are no kitty: they go to the first leader, or to nobody.
  const first = rest.find(({ type }) => type !== undefined && BEGINNINGS.has(type))?.type;
  const bidding = first === 'bid' || first === 'pass';
  let now: Position = {
    preset: header.name,
    hands,
    table: null,
    bidder: null,
    bid: null,
    auction: true,
    doublings: 0,
    called: null,
    kitty: bidding ? kitty : [],
  };
  const start = now;
  const steps: Step[] = [];
  const pairs = dealing.exchange ?? [];
  /** The seat that exchanges cards with this one. */
  const other = (seat: number): number => pairs[pairs.indexOf(seat) ^ 1] ?? -1;
  const handed = (hands: Card[][], from: number, to: number, cards: readonly Card[]): Card[][] =>
    added(taken(hands, from, cards), to, cards);
  for (const line of rest) {
    const { type, seat, seq } = line;
    if (type === undefined || seat === undefined || seq === undefined || seat === null) continue;
    const event = { ...line, type, seat, seq } as Event;
    const cards = line.cards ?? [];
    if (now.auction && AFTER_AUCTION.has(type)) {
      // If all have passed, the opener is the bidder, for 1. Both hold from the last bid or pass on.
      const none = bidding && now.bidder === null && type !== 'play';
      now = { ...now, ...(none ? { bidder: seat, bid: 1 } : {}), auction: false };
      const last = steps.at(-1);
      if (last) steps[steps.length - 1] = { ...last, after: now };
    }
    const before = now;
    switch (type) {
      case 'bid':
        now = { ...now, bidder: seat, bid: line.bid ?? null };
        break;
      case 'kitty':
        now = { ...now, hands: added(now.hands, seat, kitty), kitty: [] };
        break;
      case 'call':
        now = { ...now, called: cards[0] ?? null };
        break;
      case 'play':
        now = { ...now, hands: taken(now.hands, seat, cards), table: { seat, cards } };
        if (doublings.includes(seq)) now = { ...now, doublings: now.doublings + 1 };
        break;
      case 'trick':
        now = { ...now, table: null };
        break;
      case 'give':
        now = { ...now, hands: handed(now.hands, seat, other(seat), cards) };
        break;
      case 'take':
        now = { ...now, hands: handed(now.hands, other(seat), seat, cards) };
        break;
    }
    if (MOVES.has(type)) steps.push({ seq, seat, event, before, after: now });
    else if (steps.length) steps[steps.length - 1] = { ...(steps[steps.length - 1] as Step), after: now };
  }
  return { preset: header.name, options: header.options, start, steps, open: !hands.some((hand) => hand.some(isHidden)) };
}

const taken = (hands: Card[][], seat: number, cards: readonly Card[]): Card[][] =>
  hands.map((hand, at) => {
    if (at !== seat) return hand;
    const left = [...hand];
    for (const card of cards) {
      const i = left.indexOf(card);
      if (i >= 0) left.splice(i, 1);
    }
    return left;
  });

const added = (hands: Card[][], seat: number, cards: readonly Card[]): Card[][] =>
  hands.map((hand, at) => (at === seat ? [...hand, ...cards] : hand));

/** Cards from low to high, for hands that have grown. `ranks`: low to high. */
export const inOrder = (cards: readonly Card[], ranks: string): Card[] => {
  const order = (card: Card): number =>
    card === 'BJ' ? 98 : card === 'RJ' ? 99 : ranks.indexOf(card[0] ?? '') * 4 + 'DCHS'.indexOf(card[1] ?? '');
  return [...cards].sort((a, b) => order(a) - order(b));
};
