"""The states and moves of a hand, from its beginning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dasan.play.dealing import Deal, Position
from dasan.play.events import MOVES, Event
from dasan.play.moves import Move, MoveType
from dasan.play.new_hand import begin
from dasan.play.set_up import from_position
from dasan.play.state import State
from dasan.ruleset.rules import Rules


def first_state(rules: Rules, begun: Deal | Position, first_seq: int) -> State:
    """The state at the beginning of a hand. first_seq: the number of its first event, if it was dealt."""
    return begin(rules, begun, first_seq=first_seq) if isinstance(begun, Deal) else from_position(rules, begun)


def positions(state: State) -> Iterator[State]:
    """Every state of a hand, from its beginning to `state`: one more than the number of moves."""
    now = first_state(state.rules, state.begun, state.first_seq)
    yield now
    for event in state.events:
        if event.type in MOVES:
            now = now.play(move_of(event))
            yield now


def moves_of(state: State) -> Iterator[tuple[State, Move]]:
    """Every move of a hand, with the state before it."""
    for now, after in pairwise(positions(state)):
        yield now, move_of(after.events[len(now.events)])


def move_of(event: Event) -> Move:
    """The move of an event whose type is in `MOVES`."""
    return Move(MoveType(event.type.value), tuple(c for c in event.cards if c is not None), event.bid)
