"""A player who acts at the table takes back the seat from a substitute."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

import dasan
from dasan.server.protocol.commands import RoomCommand
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.tables.chairs import Chair, Head
from dasan.server.tables.decisions import deal, entries, substitute
from dasan.server.tables.room import Room, fold

READ: TypeAdapter[Any] = TypeAdapter(RoomCommand)


def replaced(*, over: bool) -> Room:
    """A table of two people and two bots; a bot plays for the first person."""
    people = [Chair("human", name, player=name) for name in ("ann", "bob")]
    bots = [Chair("bot", name, bot="greedy") for name in ("Sun", "Chen")]
    head = Head("t", dasan.rules("big-two"), TableSettings.model_validate({}), bytes(range(128)))
    room = Room.create(head, (*people, *bots), "ann", at=1000)
    room = fold(room, deal(room), 1000)
    room = fold(room, substitute(room, 0, "time"), 2000)
    while over and not room.over:
        assert room.to_act is not None
        assert room.state is not None
        room = fold(room, {"type": "move", "seat": room.to_act, "move": str(room.state.legal_moves()[0])}, 3000)
    return room


@pytest.mark.parametrize(
    ("over", "command"),
    [
        (True, {"type": "next"}),
        (True, {"type": "offer", "offer": "end"}),
        (False, {"type": "contribute", "text": "luck"}),
    ],
)
def test_a_player_who_acts_is_back(over: bool, command: dict[str, Any]) -> None:
    room = replaced(over=over)
    assert room.chairs[0].substitute is not None
    for entry in entries(room, "ann", READ.validate_python({"id": "c", **command})):
        room = fold(room, entry, 4000)
    assert room.chairs[0].substitute is None
    assert [
        e["type"] for e in entries(room, "bob", READ.validate_python({"type": "chat", "id": "d", "text": "hi"}))
    ] == ["chat"]


def test_chat_and_a_late_move_do_not_bring_a_player_back() -> None:
    room = replaced(over=False)
    chat = entries(room, "ann", READ.validate_python({"type": "chat", "id": "c", "text": "hi"}))
    assert [entry["type"] for entry in chat] == ["chat"]
    with pytest.raises(Refused):
        entries(room, "ann", READ.validate_python({"type": "move", "id": "m", "move": "pass"}))
