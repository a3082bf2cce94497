"""A room as JSON at a deal, so that a table opens without the log of earlier hands."""

from __future__ import annotations

from typing import Any

from dasan.errors import BadRecord
from dasan.play.dealing import Deal
from dasan.play.events import Event
from dasan.records.write import begun_json
from dasan.server.protocol.hand import HandResult
from dasan.server.protocol.messages import ChatLine
from dasan.server.tables.chairs import Chair, Head
from dasan.server.tables.clocks import Clock
from dasan.server.tables.room import Room, dealt

Json = dict[str, Any]


def checkpoint(room: Room) -> Json:
    """The room as plain data. ValueError: its hand has not just been dealt."""
    state = room.state
    if state is None or not isinstance(state.begun, Deal) or room.moves:
        raise ValueError("a checkpoint is taken right after a deal")
    return {
        "seq": room.seq,
        "at": room.at,
        "status": room.status,
        "chairs": [chair.to_json() for chair in room.chairs],
        "host": room.host,
        "locked": room.locked,
        "number": room.number,
        "opening": [event.to_json() for event in room.opening],
        "deal": {
            "engine": state.origin.engine,
            "seats": list(state.origin.seats),
            "deal": begun_json(state.begun, state.first_seq - 1),
        },
        "balances": list(room.balances),
        "results": [result.model_dump() for result in room.results],
        "clock": [list(room.clock.left), room.clock.since],
        "chat": [line.model_dump() for line in room.chat],
    }


def restore(head: Head, data: Json) -> Room:
    """The room from ``checkpoint``'s data. ``BadRecord``: the data are damaged."""
    try:
        _check(data, head.rules.players)
        left, since = data["clock"]
        return Room(
            head=head,
            chairs=tuple(map(Chair.from_json, data["chairs"])),
            host=data["host"],
            seq=data["seq"],
            at=data["at"],
            status=data["status"],
            locked=data["locked"],
            number=data["number"],
            opening=tuple(map(Event.from_json, data["opening"])),
            state=dealt(head, data["number"], data["deal"]),
            balances=tuple(data["balances"]),
            results=tuple(map(HandResult.model_validate, data["results"])),
            clock=Clock(tuple(left), since),
            chat=tuple(map(ChatLine.model_validate, data["chat"])),
        )
    except BadRecord:
        raise
    except Exception as error:  # damaged data may lack anything
        raise BadRecord("the table's checkpoint is damaged") from error


def _check(data: Json, players: int) -> None:
    """``BadRecord``: values of other types or lengths than ``checkpoint`` writes, which nothing else would notice until they
    are used.
    """
    (left, since), host = data["clock"], data["host"]
    numbers = (data["seq"], data["at"], data["number"], since, *left, *data["balances"])
    sizes = {len(data["chairs"]), len(data["balances"]), len(left) or players}
    plain = all(type(number) is int for number in numbers) and type(data["locked"]) is bool
    if not plain or sizes != {players} or not (host is None or type(host) is str) or data["status"] != "playing":
        raise BadRecord("the table's checkpoint is damaged")
