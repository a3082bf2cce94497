import { describe, expect, it } from 'vitest';
import type { Event, RulesFacts, SessionInfo, Snapshot, TableInfo, Update, View } from '../gen/protocol';
import { fold, NOTHING, sent, type Game } from './game';
import { atHome } from './games';

const view = (over: Partial<View> = {}): View => ({
  seat: 0,
  players: 3,
  preset: 'big-three',
  phase: 'play',
  to_act: 0,
  hand: ['4H', '4S', '5D'],
  hand_sizes: [3, 3, 3],
  dealer: 0,
  opener: 0,
  leader: 0,
  bidder: 0,
  bid: 1,
  called: null,
  partner: null,
  table: null,
  table_seat: null,
  passed: [],
  finished: [],
  offered: null,
  legal_moves: [],
  played: null,
  hands: null,
  left: null,
  must_include: null,
  guarding: null,
  kitty: null,
  result: null,
  events: [],
  ...over,
});
const event = (seq: number, type: Event['type'] = 'pass', seat = 1): Event => ({ seq, seat, type });
const session: SessionInfo = {
  number: 1,
  balances: [0, 0, 0],
  results: [],
  first_result: 1,
  opening: [],
  next_commitment: '',
  contributions: [null, null, null],
};
const table = {
  id: 't',
  preset: 'big-three',
  title: 'Big Three',
  options: {},
  players: 3,
  you: 0,
  seats: [] as unknown,
} as TableInfo;
const snapshot = (seq: number, events: Event[]): Snapshot => ({
  type: 'snapshot',
  seq,
  table,
  rules: {} as RulesFacts,
  session,
  view: view({ events }),
  clocks: null,
  presence: [],
  watching: 0,
  chat: [],
});
function update(seq: number, events: Event[], over: Partial<View> = {}): Update {
  const { events: _, ...state } = view(over);
  return { type: 'update', seq, events, session, view: state, clocks: null };
}
const seqs = (game: Game): number[] => game.view?.events.map((one) => one.seq) ?? [];

describe('fold', () => {
  const seated = fold(NOTHING, snapshot(5, [event(0), event(1)]));

  it('takes a snapshot whole', () => {
    expect(seated.seq).toBe(5);
    expect(seqs(seated)).toEqual([0, 1]);
  });

  it('adds the events of an update to the view', () => {
    const game = fold(seated, update(6, [event(2)], { to_act: 2 }));
    expect(seqs(game)).toEqual([0, 1, 2]);
    expect(game.view?.to_act).toBe(2);
    expect(seqs(seated)).toEqual([0, 1]);
  });

  it('ignores an update it has seen', () => {
    expect(fold(seated, update(5, [event(1)]))).toBe(seated);
  });

  it('keeps one of events that come twice', () => {
    expect(seqs(fold(seated, update(7, [event(1), event(2)])))).toEqual([0, 1, 2]);
  });

  it('is stale when an event is missing, until the next snapshot', () => {
    const game = fold(seated, update(8, [event(4)]));
    expect(game.stale).toBe(true);
    expect(seqs(game)).toEqual([0, 1]);
    expect(fold(game, snapshot(8, [event(0)])).stale).toBe(false);
  });

  it('waits for the answer to a command', () => {
    const waiting = sent(seated, 'c1');
    expect(fold(waiting, { type: 'ack', id: 'c0', seq: 5 }).pending).toBe('c1');
    expect(fold(waiting, { type: 'ack', id: 'c1', seq: 5 }).pending).toBeNull();
  });

  it('waits until what the command did is shown', () => {
    expect(fold(sent(seated, 'c1'), update(6, [event(2)])).pending).toBe('c1');
    const waiting = fold(sent(seated, 'c1'), { type: 'ack', id: 'c1', seq: 6 });
    expect(waiting.pending).toBe('c1');
    const later = fold(sent(seated, 'c1'), { type: 'ack', id: 'c1', seq: 7 });
    const between = fold(later, update(6, [event(2)]));
    expect([between.pending, fold(between, update(7, [event(3)])).pending]).toEqual(['c1', null]);
    expect(fold(waiting, update(6, [event(2)])).pending).toBeNull();
    expect(fold(waiting, snapshot(6, [event(0)])).pending).toBeNull();
  });

  it('keeps a refusal until the next command, and the view as it was', () => {
    const refused = fold(sent(seated, 'c1'), {
      type: 'error',
      id: 'c1',
      code: 'illegal',
      clause: 'B3.15',
      message: 'No.',
      wording: null,
    });
    expect(refused.refusal).toEqual({ code: 'illegal', clause: 'B3.15', message: 'No.', wording: null });
    expect(refused.pending).toBeNull();
    expect(refused.view).toBe(seated.view);
    expect(sent(refused, 'c2').refusal).toBeNull();
  });

  it('keeps what is said, once, and leaves moves that are still to come alone', () => {
    const line = { seq: 7, at: 0, seat: 1, name: 'Ada', text: 'hello' };
    const said = fold(fold(seated, { type: 'chat', seq: 7, lines: [line] }), { type: 'chat', seq: 7, lines: [line] });
    expect(said.chat).toEqual([line]);
    expect(seqs(fold(said, update(6, [event(2)])))).toEqual([0, 1, 2]);
  });

  it('keeps advice for the position it is for', () => {
    const hint = { type: 'hint', id: 'c1', seq: 5, bot: 'greedy', unit: 'none', candidates: [] } as const;
    const advised = fold(sent(seated, 'c1'), { ...hint, candidates: [] });
    expect(advised.hint?.seq).toBe(5);
    expect(advised.pending).toBeNull();
    expect(fold(advised, update(6, [event(2)])).hint).toBeNull();
    expect(fold(seated, { ...hint, seq: 4, candidates: [] }).hint).toBeNull();
  });

  it('has no use for an update before a snapshot', () => {
    expect(fold(NOTHING, update(1, [event(0)]))).toBe(NOTHING);
  });
});

describe('a game with regions', () => {
  it('begins with the one that the browser comes from', () => {
    const regions = ['big-two', 'big-two-hong-kong', 'big-two-taiwan', 'big-two-philippines', 'big-two-indonesia'];
    const homes = [['zh-TW'], ['zh-HK', 'en'], ['fil'], ['en-PH'], ['id'], ['zh-CN'], ['en-GB', 'id-ID'], []];
    expect(homes.map((languages) => atHome(regions, languages))).toEqual([
      'big-two-taiwan',
      'big-two-hong-kong',
      'big-two-philippines',
      'big-two-philippines',
      'big-two-indonesia',
      null,
      'big-two-indonesia',
      null,
    ]);
    expect(atHome(['winner'], ['zh-TW'])).toBeNull();
    expect(atHome(regions, ['en-US@posix', 'zh-TW'])).toBe('big-two-taiwan');
  });
});
