"""The authority: a value, so whatever is tried on it, either the next one comes out or nothing has happened."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

import dasan
from dasan.server.protocol import Command, ContributeCommand, MoveCommand, NextCommand, Snapshot, Update
from dasan.server.refusals import Refused
from dasan.server.rooms import Chair, Head, Room

from .harness import Json


def head(players: int) -> Head:
    chairs = (Chair("human", "You", player="me"), *(Chair("bot", "Random", bot="random") for _ in range(players - 1)))
    return Head("table", chairs, public=True, seed=bytes(range(128)))


def move(room: Room, text: str, command_id: str = "") -> MoveCommand:
    return MoveCommand(type="move", id=command_id or f"c{room.seq}", move=text)


def plays(preset: str, hands: int) -> list[tuple[Room, tuple[str, ...]]]:
    """Every room of a random session, with all lines of its log."""
    rules = dasan.rules(preset)
    room, lines = Room.create(head(rules.players), rules)
    rng, out = random.Random(preset), [(room, lines)]
    while room.session.number < hands or room.session.state.to_act is not None:
        state = room.session.state
        command: Command
        if state.to_act is None:
            command = NextCommand(type="next", id=f"c{room.seq}")
        elif room.seq % 7 == 0 and 1 not in room.contributions:
            command = ContributeCommand(type="contribute", id="mine" + str(room.seq), text="七 7")
            step = room.handle(1, command)
            room, lines = step.room, lines + step.lines
            out.append((room, lines))
            continue
        else:
            command = move(room, str(rng.choice(state.legal_moves())))
        step = room.handle(state.to_act or 0, command)
        room, lines = step.room, lines + step.lines
        out.append((room, lines))
    return out


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_the_log_restores_every_room_as_it_was(preset: str) -> None:
    """State = fold(log), after every single command, and with the same future."""
    for room, lines in plays(preset, 2):
        again = Room.restore(room.head, lines, room.done)
        assert again == room
        assert again.session.record() == room.session.record()
        assert again.session.state.origin == room.session.state.origin
        assert again.session.commitment == room.session.commitment
        if room.session.state.to_act is None:
            command = NextCommand(type="next", id="further")
            assert again.handle(0, command).lines == room.handle(0, command).lines


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_updates_fold_into_the_snapshot(preset: str) -> None:
    rooms = [room for room, _ in plays(preset, 2)]
    for viewer in (None, 0, 1):
        seen: Json = rooms[0].snapshot(viewer).model_dump(exclude_unset=True)
        for before, room in pairwise(rooms):
            message = room.since(before, viewer)
            told = message.model_dump(exclude_unset=True)
            if isinstance(message, Update):
                events = seen["view"]["events"] + told["events"]
                seen |= {"seq": told["seq"], "session": told["session"], "view": {**told["view"], "events": events}}
            else:
                assert isinstance(message, Snapshot)
                seen = told
            assert seen == room.snapshot(viewer).model_dump(exclude_unset=True)


def test_a_repeated_id_changes_nothing() -> None:
    room, _ = Room.create(head(3), dasan.rules("big-three"))
    seat = room.session.state.to_act
    assert seat is not None
    step = room.handle(seat, move(room, "bid 1", "a"))
    again = step.room.handle(seat, move(room, "bid 1", "a"))
    assert (again.room, again.lines, again.seq) == (step.room, (), step.seq)
    with pytest.raises(Refused):
        step.room.handle(seat, move(room, "bid 2", "a"))
    other = step.room.session.state.to_act
    assert other is not None
    assert step.room.handle(other, move(room, "bid 2", "a")).lines, "ids belong to a seat"


def test_a_refused_command_leaves_no_trace() -> None:
    room, _ = Room.create(head(3), dasan.rules("big-three"))
    seat = room.session.state.to_act
    assert seat is not None
    for command in (
        move(room, "bid 1", "x"),
        NextCommand(type="next", id="x"),
    ):
        with pytest.raises(dasan.IllegalPlay):
            room.handle((seat + 1) % 3, command)
    for text in ("bid", "bid 99", "5 5 5", "\x00", "🂡", "call 8C", "give 2S", "pass pass", "4H" * 200):
        with pytest.raises(dasan.DasanError):
            room.handle(seat, move(room, text, "x"))
    assert not room.done


def test_a_contribution_is_made_once_and_bounded() -> None:
    room, _ = Room.create(head(3), dasan.rules("big-three"))
    step = room.handle(0, ContributeCommand(type="contribute", id="a", text="x"))
    with pytest.raises(Refused):
        step.room.handle(0, ContributeCommand(type="contribute", id="b", text="y"))
    with pytest.raises(dasan.Malformed):
        room.handle(0, ContributeCommand(type="contribute", id="c", text="🂡" * 128))


def test_another_seed_is_refused() -> None:
    room, lines = Room.create(head(3), dasan.rules("big-three"))
    forged = Head("table", room.head.chairs, public=True, seed=bytes(128))
    with pytest.raises(dasan.BadRecord):
        Room.restore(forged, lines, {})


def test_rooms_do_not_show_their_secrets() -> None:
    """What is printed or logged of a room names no card and no seed (G.02)."""
    room, _ = Room.create(head(4), dasan.rules("big-two"))
    shown = repr(room)
    assert "Hand" not in shown
    assert "\\x01\\x02" not in shown
    assert "me" not in shown.replace("name", "").split("'")
