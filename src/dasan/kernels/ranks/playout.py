"""Positions of Big Three as rows of `env`, and playouts from them."""

from __future__ import annotations

from dasan.arrays import U, Words
from dasan.cards import Card
from dasan.kernels.cards import card_bits
from dasan.kernels.env.buffers import Buffers, signed
from dasan.kernels.env.one_hand import make_kernels
from dasan.kernels.env.playout_policies import (
    ThriftyTables,
    extreme,
    thrifty_bid,
    thrifty_play,
)
from dasan.kernels.env.playouts import copy_row, make_choose_all, make_play_out
from dasan.kernels.ranks import env
from dasan.kernels.ranks.auction import counts_of
from dasan.kernels.ranks.env import RankTables
from dasan.kernels.ranks.tables import LEAD, pack_counts
from dasan.kernels.runtime.bits import deposit, popcount
from dasan.kernels.runtime.compiled import lean, woven
from dasan.play.action_ids import action_ids
from dasan.play.dealing import Position
from dasan.play.events import EventType
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Phase
from dasan.play.set_up import bidder_plays
from dasan.play.state import State

_0, _1 = U(0), U(1)
_RANKS, _ONES = U(0x1FFF), U(0x0001_1111_1111_1111)
PHASES = {Phase.AUCTION: env.AUCTION, Phase.CALL: env.CALLING, Phase.PLAY: env.PLAYING}


def put(state: State, states: Words, i: int) -> None:
    """Write `state`, a hand that is not over, to row `i`."""
    rules, begun, order = state.rules, state.begun, state.rules.order
    bits = card_bits(rules)

    def lanes(cards: list[Card]) -> int:
        return pack_counts([sum(order.place[card][0] == rank for card in cards) for rank in range(len(rules.ranks))])

    def some(value: int | None) -> int:
        return env.NONE if value is None else value

    row = [0] * env.COLUMNS
    bids = [0] * rules.players
    for seat, hand in enumerate(state.hands):
        plays = [event for event in state.events if event.type is EventType.PLAY and event.seat == seat]
        bids[seat] = max([event.bid or 0 for event in state.events if event.seat == seat], default=0)
        row[env.HAND + seat] = lanes(list(hand))
        row[env.PLAYED + seat] = lanes([card for event in plays for card in event.cards if card is not None])
        row[env.DEALT + seat] = sum(bits[card] for card in begun.hands[seat] if card is not None)
    row[env.DEALT + 4] = sum(bits[card] for card in begun.kitty if card is not None)
    row[env.KITTY] = lanes([card for card in begun.kitty if card is not None])
    shown = next((event.cards[0] for event in state.events if event.type is EventType.OPEN and event.cards), None)
    row[env.PHASE] = PHASES[state.phase]
    row[env.SEAT], row[env.OPENER] = some(state.to_act), some(state.opener)
    row[env.OPENING] = env.NONE if shown is None else order.place[shown][0]
    row[env.BID], row[env.BIDDER] = state.bid or 0, some(state.bidder)
    row[env.PASSED] = sum(1 << seat for seat in state.passed)
    row[env.BIDS] = sum(n << (8 * seat) for seat, n in enumerate(bids))
    row[env.PARTNER] = some(state.partner)
    row[env.CALLED] = env.NONE if state.called is None else bits[state.called].bit_length() - 1
    row[env.HOLDER] = env.NONE if state.partner_shown else some(state.partner)
    row[env.LAST], row[env.TABLE_SEAT], row[env.DEALER] = LEAD, some(state.table_seat), state.dealer
    if state.table is not None:
        tables = env.tables(rules, True)
        action = action_ids(rules).of(Move(MoveType.PLAY, state.table.cards, None, state.table), state.called)
        row[env.LAST] = int(tables.ids.codes[action]) & 255
    if state.phase is Phase.AUCTION:
        kinds = [event.type for event in state.events if event.type in (EventType.BID, EventType.PASS)]
        row[env.TALLY] = len(kinds) - max([k for k, kind in enumerate(kinds, 1) if kind is EventType.BID], default=0)
    elif rules.doubles:
        row[env.BOMBS], row[env.TALLY] = state.bombs, sum(n << (8 * seat) for seat, n in enumerate(_plays(state)))
    states[i] = row


def _plays(state: State) -> list[int]:
    """The number of plays of each seat; in a hand that began in the middle, of the known plays. Those of the bidder and of a
    possible partner add up to those of their side.
    """
    plays = [int(seat in state.has_played) for seat in range(state.rules.players)]
    for seat in range(state.rules.players):
        made = sum(event.type is EventType.PLAY and event.seat == seat for event in state.events)
        plays[seat] = max(plays[seat], made)
    if state.bidder is None:
        return plays
    if isinstance(state.begun, Position) and state.begun.bidder_plays is not None:
        plays[state.bidder] = max(0, state.bidder_plays - sum(plays[s] for s in state.partners if s != state.bidder))
        return plays
    alone = bidder_plays(state, None)
    shared = [max(n, bidder_plays(state, seat) - alone) for seat, n in enumerate(plays)]
    return [alone if seat == state.bidder else n for seat, n in enumerate(shared)]


@lean
def fill(states: Words, first: int, one: Words, two: Words, tables: RankTables) -> None:
    """Give rows from `first` on, copies of one position, the hands and kitty of the worlds in `one`.

    After the auction a world without a kitty keeps that of the position.
    """
    players = tables.auction.players
    for k in range(one.shape[0]):
        row = states[first + k]
        for seat in range(players):
            row[env.HAND + seat] = counts_of(one[k, seat])
            if row[env.PHASE] != U(env.PLAYING):
                row[env.DEALT + seat] = one[k, seat]
            if row[env.HOLDER] != U(env.NONE) and (one[k, seat] >> row[env.CALLED]) & _1 != _0:
                row[env.HOLDER] = row[env.PARTNER] = U(seat)
        if row[env.PHASE] == U(env.AUCTION):
            row[env.DEALT + 4] = one[k, players]
        if row[env.PHASE] == U(env.AUCTION) or one[k, players] != _0:
            row[env.KITTY] = counts_of(one[k, players])


@woven
def _publish(states: Words, buffers: Buffers, tables: RankTables, scratch: Words) -> None:
    """Write the seat to act and the legal actions of row 0."""
    env.publish(0, states[0], buffers, tables)


@woven
def _choose(i: int, states: Words, buffers: Buffers, tables: RankTables, thrifty: ThriftyTables) -> int:
    """The action that thrifty chooses in row `i`, whose legal actions are published."""
    row = states[i]
    players = tables.auction.players
    n = signed(buffers.num_legal[i])
    seat = signed(row[env.SEAT])
    hand = row[env.HAND + seat]
    held = _0
    for j in range(4):
        held += deposit((hand >> U(16 * j)) & _RANKS, _ONES)
    if row[env.PHASE] == U(env.AUCTION):
        return thrifty_bid(buffers.legal[i], n, held, thrifty)
    if row[env.PHASE] == U(env.CALLING):
        return extreme(buffers.legal[i], n, True)
    known = row[env.PARTNER] != U(env.NONE) and (row[env.HOLDER] == U(env.NONE) or row[env.PARTNER] == U(seat))
    side = _1 << row[env.BIDDER]
    if known:
        side |= _1 << row[env.PARTNER]
    ours = (side >> U(seat)) & _1
    sizes = _0
    for other in range(players):
        if (side >> U(other)) & _1 != ours:
            sizes |= _1 << popcount(row[env.HAND + other])
    last = row[env.LAST]
    leading = last == U(LEAD)
    friendly = (not leading) and (side >> row[env.TABLE_SEAT]) & _1 == ours
    size = 0 if leading else signed(tables.catalogue.sizes[last])
    return thrifty_play(buffers.legal[i], n, held, leading, size, friendly, sizes, thrifty)


@woven
def _step(states: Words, action: int, buffers: Buffers, tables: RankTables, scratch: Words) -> bool:
    """Carry out a legal action (an id) in row 0. True: the hand is over, and row 0 of `buffers` has its result."""
    row = states[0]
    over = env.move(row, action, tables)
    if over:
        for seat in range(tables.auction.players):
            buffers.places[0, seat] = 0
        env.settle(0, row, buffers, tables.auction)
        buffers.done[0] = 0
    return over


publish, choose, step, move_hand, deal_hand = make_kernels(__name__, _publish, _choose, _step, fill)
play_out = make_play_out(__name__, copy_row, _publish, _choose, _step, publish, step)
choose_all = make_choose_all(__name__, _choose)
