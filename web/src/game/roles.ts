import type { SeatInfo, TableInfo, View } from '../gen/protocol';
import type { Position } from './replay';
import type { Action } from './trick';

/** Everything a seat's place at the table shows. */
export interface SeatState {
  info: SeatInfo;
  cards: number;
  toAct: boolean;
  dealer: boolean;
  /** The bid it plays for, if it is the bidder. */
  bid: number | null;
  /** Whether the bid may still be beaten. */
  auction: boolean;
  /** The number of times that bombs and the rocket have doubled its stake. */
  doublings: number;
  /** The preset, which may have its own word for the bidder. */
  preset: string;
  partner: boolean;
  called: string | null;
  /** 1 for the first out; null while it holds cards. */
  place: number | null;
  last: Action | null;
  /** Whether its play is the one to beat. */
  top: boolean;
  lastCard: boolean;
}

/** The part shown beside a name. */
export type Role = Pick<SeatState, 'dealer' | 'bid' | 'auction' | 'doublings' | 'preset' | 'partner' | 'called' | 'place'>;

/** The role of a seat in a position away from the table, without a dealer or seats that are out. */
export const roleOf = (
  position: Pick<Position, 'preset' | 'bidder' | 'bid' | 'auction' | 'doublings' | 'called'>,
  seat: number,
  partner: number | null = null,
): Role => {
  const bidder = position.bidder === seat;
  return {
    dealer: false,
    bid: bidder ? position.bid : null,
    auction: position.auction,
    doublings: position.doublings,
    preset: position.preset,
    partner: partner === seat && !bidder,
    called: bidder ? position.called : null,
    place: null,
  };
};

/** One state per seat, in order of play. */
export function seatStates(table: TableInfo, view: View, last: ReadonlyMap<number, Action>): SeatState[] {
  return table.seats.map((info) => {
    const { seat } = info;
    const cards = view.hand_sizes[seat] ?? 0;
    const at = view.finished.indexOf(seat);
    const bidder = view.bidder === seat;
    return {
      info,
      cards,
      toAct: view.to_act === seat,
      dealer: view.dealer === seat,
      // During the auction its last action says what it has bid.
      bid: bidder && view.phase !== 'auction' ? view.bid : null,
      auction: view.phase === 'auction',
      doublings: view.doublings ?? 0,
      preset: view.preset,
      partner: view.partner === seat && !bidder,
      called: bidder ? view.called : null,
      place: at < 0 ? null : at + 1,
      last: last.get(seat) ?? null,
      top: view.table_seat === seat,
      lastCard: cards === 1 && view.phase === 'play',
    };
  });
}
