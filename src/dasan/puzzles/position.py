"""Positions of puzzles: the canonical form, and removal of the history."""

from __future__ import annotations

from dasan.play.phases import Phase
from dasan.play.set_up import start
from dasan.play.state import State


def forced(state: State) -> State:
    """The position after all moves that are the only legal ones."""
    while state.phase is Phase.PLAY and len(state.legal_moves()) == 1:
        state = state.play(state.legal_moves()[0])
    return state


def canonical(state: State) -> str:
    """Everything that the result depends on, as text: the position without suits, seats counted from the bidder."""
    n, first = state.rules.players, state.bidder or 0
    seats = [(first + i) % n for i in range(n)]
    table = state.table
    parts = [
        state.rules.name,
        *("".join(c.rank for c in state.hands[seat]) for seat in seats),
        "side " + "".join(str(i) for i, seat in enumerate(seats) if seat in state.partners),
        f"to act {'-' if state.to_act is None else seats.index(state.to_act)}",
    ]
    if table is not None and state.table_seat is not None:
        parts.append(f"{''.join(c.rank for c in table.cards)} by {seats.index(state.table_seat)}")
    return "/".join(parts)


def without_history(state: State) -> State:
    """The same position as the start of a hand."""
    return start(
        state.rules,
        state.hands,
        dealer=state.dealer,
        bidder=state.bidder,
        bid=state.bid,
        called=state.called,
        partner=state.partner,
        leader=state.leader,
        table=None if state.table is None else state.table.cards,
        table_seat=state.table_seat,
        to_act=state.to_act,
        passed=state.passed,
    )
