"""The rows of tables: how a room begins, who sits in it, and its public facts."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from dasan.errors import BadRecord
from dasan.server.protocol.table import EventPlace, TableSettings
from dasan.server.store.schema import forgotten, seats, tables
from dasan.server.tables.chairs import Chair, Head
from dasan.server.tables.checkpoints import restore
from dasan.server.tables.room import Room
from dasan.server.tables.shared_rules import kept_rules


def opened(row: Any, *, from_the_start: bool = False) -> Room:
    """The room in a row of ``tables``: at its checkpoint, or at its start. ``BadRecord``: the row is damaged."""
    try:
        rules = kept_rules(row.preset, row.rules["options"])
        if rules.digest != row.rules["digest"]:
            raise BadRecord("the rules do not match the digest in the table's row")
        place = row.opened.get("event")
        event = None if place is None else EventPlace(**place)
        head = Head(row.id, rules, TableSettings.model_validate(row.settings), row.seed, event)
        if row.checkpoint is not None and not from_the_start:
            return restore(head, row.checkpoint)
        chairs = tuple(map(Chair.from_json, row.opened["chairs"]))
        given = {int(seat): text for seat, text in row.opened["contributions"].items()}
        silenced = frozenset(row.opened.get("silenced", ()))
        return Room.create(head, chairs, row.opened["host"], row.created, given, silenced)
    except BadRecord:
        raise
    except Exception as error:  # a damaged row may lack anything
        raise BadRecord("the table's row is damaged") from error


def summary(room: Room) -> dict[str, Any]:
    """The public facts of a table, for lists and the lobby."""
    state = room.state
    return {
        "number": room.number,
        "phase": None if state is None else state.phase.value,
        "to_act": room.to_act,
        "deadline": room.deadline,
        "balances": list(room.balances),
        "chairs": [[chair.shown, chair.name, chair.bot] for chair in room.chairs],
        "locked": room.locked,
    }


def names_of(summary: Any) -> list[tuple[str, str]]:
    """The kind and the name of each chair in a `summary`; none if it is damaged."""
    chairs = summary.get("chairs") if isinstance(summary, dict) else None
    if not isinstance(chairs, list) or not all(isinstance(chair, list) and len(chair) == 3 for chair in chairs):
        return []
    return [(str(kind), str(name)) for kind, name, _ in chairs]


def insert_room(connection: sa.Connection, room: Room) -> bool:
    """Insert a new table with an empty log, inside a transaction. False if the table exists already."""
    head = room.head
    begun: dict[str, Any] = {
        "chairs": [chair.to_json() for chair in room.chairs],
        "host": room.host,
        "contributions": {str(seat): text for seat, text in room.contributions.items()},
    }
    if room.silenced:
        begun["silenced"] = sorted(room.silenced)
    if head.event is not None:
        begun["event"] = head.event.model_dump()
    row = {
        "id": head.id,
        "preset": head.rules.name,
        "rules": {"options": head.rules.options, "digest": head.rules.digest},
        "settings": head.settings.model_dump(),
        "opened": begun,
        "seed": head.seed,
        "created": room.at,
        "touched": room.at,
        "status": room.status,
        "listed": head.settings.visibility == "lobby",
        "seq": room.seq,
        "summary": summary(room),
        "deadline": None,
        "fence": 0,
        "lease_until": 0,
    }
    if connection.execute(sa.select(tables.c.id).where(tables.c.id == head.id)).first() is not None:
        return False
    connection.execute(sa.insert(tables), row)
    insert_seats(connection, room)
    # The row names these players too: the deletion of a player finds it by their entry, which ends when they sit down.
    unseated = {*room.silenced, *([] if room.host is None else [room.host])} - {chair.player for chair in room.chairs}
    if unseated:
        connection.execute(sa.insert(forgotten), [{"table_id": head.id, "player": one} for one in sorted(unseated)])
    return True


def insert_seats(connection: sa.Connection, room: Room) -> None:
    """Insert the seats of the people at a table."""
    people = [
        {"table_id": room.head.id, "seat": seat, "player": chair.player}
        for seat, chair in enumerate(room.chairs)
        if chair.player is not None
    ]
    if people:
        connection.execute(sa.insert(seats), people)
