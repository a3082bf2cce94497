"""What a table sends of its room: snapshots, and changes that fold into them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pydantic import TypeAdapter

import dasan
from dasan.server.compact import compact
from dasan.server.protocol.messages import ServerMessage
from dasan.server.tables import showing
from dasan.server.tables.showing import Mark

from .harness import Json
from .rooms import NOBODY, plays

MESSAGES: TypeAdapter[object] = TypeAdapter(ServerMessage)
TABLE_PARTS: tuple[str, ...] = ("seq", "session", "table", "clocks")


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_what_is_sent_folds_into_the_snapshot_and_fits_the_schema(preset: str) -> None:
    rooms, log = plays(preset, 1, speed={"kind": "move", "seconds": 30})
    for viewer in (None, 0):
        seen: Json = showing.snapshot(rooms[0], viewer, 0, NOBODY)
        marks = [Mark.of(rooms[0])]
        for (before, room), (entry, _) in zip(pairwise(rooms), log, strict=True):
            message = showing.changed(room, before, entry["type"], viewer, 0, lambda: NOBODY)
            MESSAGES.validate_json(compact(message))
            seen = told(seen, message)
            whole = showing.snapshot(room, viewer, 0, NOBODY)
            assert {**seen, "chat": []} == {**whole, "chat": []}
            marks.append(Mark.of(room))
        for mark, room in list(zip(marks, rooms, strict=True))[::5]:
            late = showing.snapshot(room, viewer, 0, NOBODY)
            target = rooms[min(len(rooms) - 1, rooms.index(room) + 3)]
            for message in showing.missed(target, mark, viewer, 0, NOBODY):
                MESSAGES.validate_json(compact(message))
                late = told(late, message)
            whole = showing.snapshot(target, viewer, 0, NOBODY)
            assert late["seq"] == target.seq
            assert {key: late[key] for key in ("table", "session", "view")} == {
                key: whole[key] for key in ("table", "session", "view")
            }


def told(seen: Json, message: Json) -> Json:
    """A client's state after one more message."""
    match message["type"]:
        case "snapshot":
            return message
        case "update":
            events = seen["view"]["events"] + message["events"]
            parts = {key: message[key] for key in TABLE_PARTS if key in message}
            return {**seen, **parts, "view": {**message["view"], "events": events}}
        case "table":
            return seen | {key: message[key] for key in TABLE_PARTS}
        case "chat":
            return {**seen, "seq": message["seq"]}
        case _:
            return seen
