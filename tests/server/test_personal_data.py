"""All data about a player is in the player's export and is deleted with the player, in every database table."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from dasan.server.events.daily import deal_of
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.forgetting import forget_everywhere
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hand import Player as Seated
from dasan.server.store.hands import insert_hand
from dasan.server.store.reviews import Shared
from dasan.server.store.schema import decisions, metadata
from dasan.server.store.schema import tables as rows
from dasan.server.tables.directory import Tables
from dasan.server.tables.room import Room
from dasan.server.times import now

from .conftest import Opened

ANN, BOB = "player-ann", "player-bob"
NAMING = frozenset({"player", "by", "against", "leader", "host", "follower", "followed", "blocked"})
"""The columns that hold ids of players, and ``audit.subject``."""
KEPT_BACK = {
    ("name_keys", "player"): "keys of the account's name, which is in the export",
    ("links", "player"): "hashes of personal links, which end within minutes",
    ("challenges", "player"): "questions to a passkey, which end within minutes",
    ("departures", "player"): "the player's deletion, which is under way",
    ("forgotten", "player"): "tables that the player took off a list, or that name the player without a seat",
    ("blocks", "blocked"): "that others have blocked the player is the others' affair",
    ("reports", "against"): "that others have reported the player is the others' affair; what follows is in the export",
}


def names_players(column: sa.Column[Any]) -> bool:
    return column.name in NAMING or (column.table.name, column.name) == ("audit", "subject")


def value(column: sa.Column[Any]) -> Any:
    """A value that fits a column, the same for every table."""
    if column.name == "line":
        return '{"type":"chat","seat":0,"name":"x","text":"x"}'
    if column.name == "account":
        return None
    kinds: dict[type[Any], Any] = {
        sa.JSON: {"chairs": [], "chat": []},
        sa.LargeBinary: b"x",
        sa.Boolean: False,
        sa.Float: 1.0,
    }
    kinds |= {sa.String: "x", sa.Integer: 1}
    return next(one for kind, one in kinds.items() if isinstance(column.type, kind))


def fill(connection: sa.Connection, table: sa.Table, number: int, about: str | None, other: str = BOB) -> None:
    """Add a row with Ann's id in the column ``about``, and that of ``other`` in the others that name players."""
    row = {
        column.name: (ANN if column.name == about else other) if names_players(column) else value(column)
        for column in table.c
    }
    for column in table.c:
        alone = column.unique or (column.primary_key and not column.foreign_keys)
        if alone and not names_players(column) and number and row[column.name] is not None:
            row[column.name] = number if isinstance(column.type, sa.Integer) else f"x{number}"
    if table.name == "players":
        row["id"] = about or other
    connection.execute(sa.insert(table), row)


async def filled(store: Store) -> dict[tuple[str, str], bool]:
    """Fill every table that names players. For each column: whether Ann's export contains the row."""
    exported: dict[tuple[str, str], bool] = {}
    for name in ("tables", "hands", "players", "duplicates", "groups"):
        table = metadata.tables[name]
        await store.database.write(lambda connection, table=table: fill(connection, table, 0, None))  # type: ignore[misc]
    await store.people.rename(ANN, "Ann", 0)
    number = 1
    for table in metadata.sorted_tables:
        for column in filter(names_players, table.c):
            before, number = await store.people.export(ANN), number + 1
            await store.database.write(
                lambda connection, t=table, n=number, c=column: fill(connection, t, n, c.name)  # type: ignore[misc]
            )
            exported[table.name, column.name] = before != await store.people.export(ANN)
    return exported


async def test_the_export_has_all_that_is_stored(opened: Opened) -> None:
    store = await opened()
    exported = await filled(store)
    assert len(exported) > 20
    assert sorted(place for place, one in exported.items() if not one) == sorted(KEPT_BACK)
    (me,) = (await store.people.export(ANN))["player"]
    assert set(me) == {column.name for column in metadata.tables["players"].c} - {"password"}
    await store.close()


def left(connection: sa.Connection) -> set[str]:
    """The tables in which Ann's id is."""
    rows = {table.name: connection.execute(sa.select(table)).all() for table in metadata.sorted_tables}
    return {name for name, content in rows.items() if ANN in json.dumps([list(row) for row in content], default=str)}


@pytest.mark.full
async def test_nothing_that_names_a_deleted_player_stays(opened: Opened) -> None:
    store = await opened()
    await filled(store)
    await store.people.delete(ANN, 5)
    await store.moderation.saw([(ANN, "192.0.2.1"), (BOB, "192.0.2.2")], 6)

    assert await store.database.read(left) == {"notices"}, "processes are told to forget the player"
    assert [row["network"] for row in (await store.people.export(BOB))["addresses"]].count("192.0.2.2/32") == 1
    await store.close()


def of_others(connection: sa.Connection) -> dict[str, set[str]]:
    """The rows of each table that do not name Ann."""
    rows = {table.name: connection.execute(sa.select(table)).all() for table in metadata.sorted_tables}
    texts = {name: {json.dumps(list(row), default=str) for row in content} for name, content in rows.items()}
    return {name: {text for text in content if ANN not in text} for name, content in texts.items()}


@pytest.mark.full
async def test_an_export_and_a_deletion_touch_nothing_of_others(opened: Opened) -> None:
    store = await opened()
    empty = await store.people.export("player-dee")
    await filled(store)
    await store.people.rename("player-cy", "Cy", 0)
    for table in filter(lambda table: any(map(names_players, table.c)), metadata.sorted_tables):
        await store.database.write(partial(fill, table=table, number=1000, about=None, other="player-cy"))
    assert await store.people.export("player-dee") == empty
    before = await store.database.read(of_others)
    await store.people.delete(ANN, 5)
    after = await store.database.read(of_others)
    changed = {name: rows - after[name] for name, rows in before.items() if rows - after[name]}
    assert set(changed) <= {"tables"}, "Ann's name is erased at the table where she sat"
    await store.close()


async def test_nothing_is_stored_of_a_player_who_is_deleted_meanwhile(opened: Opened) -> None:
    """The request has read the player, who is then deleted before it writes; a review takes minutes."""
    store = await opened()
    for name in (ANN, BOB):
        await store.people.register(name, name, "hash", 1)
    sat = tuple(Seated(seat, name, name, None, "player", 0, False) for seat, name in enumerate((ANN, BOB)))
    hand = FinishedHand("h", "t", 1, "big-two", 0, True, False, {}, [], "", sat)
    await store.database.write(lambda connection: insert_hand(connection, hand))
    event = deal_of(date(2026, 11, 25), 2, "big-two")
    await store.duplicates.create(event)
    await store.people.delete(ANN, 2)
    judged = {"habit": None, "unit": "place", "cost": 0.5, "mistake": False, "estimates": [1]}
    await store.reviews.keep(hand, "known", "1", ["{}\n"], [{**judged, "seq": seat, "seat": seat} for seat in (0, 1)])
    report = {"table_id": "t", "seq": 1, "by": ANN, "text": "x", "reason": "", "at": 3}

    def make(*_: object) -> Room:
        raise AssertionError("nobody is seated")

    seek = partial(store.matches.seek, ANN, "Ann", ("big-two", "move-20"), 4, 3, bots=False, fill_after=0, make=make)
    late: list[Callable[[], Awaitable[object]]] = [
        partial(store.people.rename, ANN, "Ann", 3),
        partial(store.reviews.note, ANN, "h", 0, "why"),
        partial(store.reviews.share, Shared("s", "h", ANN, "Ann", {}, 0), 3),
        partial(store.reports.add, report),
        partial(store.duplicates.create, replace(event, id="other", day=None, host=ANN)),
        partial(store.duplicates.seat, event, ANN, "Ann", event.starts, make),
        partial(store.bids.hand, ANN, "big-three", 3),
        seek,
    ]
    for write in late:
        with pytest.raises(Refused):
            await write()
    assert await store.database.read(left) == {"notices"}
    kept = await store.database.read(lambda connection: connection.execute(sa.select(decisions.c.player)).all())
    assert [row.player for row in kept] == [BOB]
    await store.close()


async def test_a_seat_taken_during_the_deletion_is_left_too(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await opened()
    tables, seats = (metadata.tables[name] for name in ("tables", "seats"))
    await store.database.write(lambda connection: fill(connection, tables, 0, None))
    await store.people.rename(ANN, "Ann", 0)

    def after_a_seat(connection: sa.Connection, player: str, other: str, now: int) -> None:
        fill(connection, seats, 1, "player")
        forget_everywhere(connection, player, other, now)

    monkeypatch.setattr("dasan.server.store.people.forget_everywhere", after_a_seat)
    assert len(await store.people.forget(ANN, 5)) == 1
    assert await store.database.read(left) == {"notices"}
    await store.close()


async def test_nobody_follows_or_blocks_a_player_who_is_deleted_meanwhile(opened: Opened) -> None:
    """The request has read the player, who is then deleted before it writes."""
    store = await opened()
    for name in ("ada", "bob"):
        await store.people.register(name, name, "hash", 1)
    await store.people.delete("bob", 2)
    for change in (store.friends.follow, store.friends.block):
        for one, other in (("ada", "bob"), ("bob", "ada")):
            with pytest.raises(Refused, match="no account"):
                await change(one, other, 3)
    await store.close()


@pytest.mark.full
async def test_a_deletion_finds_the_tables_that_name_a_player_without_a_seat(tables: Tables) -> None:
    """Who opened a table without sitting down, and who is silent at a rematch without having joined it."""
    store = tables.store
    table_id, _ = await tables.create("opener-id", "big-two", {}, ["open"] * 4)
    room = (await store.log.load(table_id)).room
    await store.log.create(
        replace(room, head=replace(room.head, id="again"), host=None, silenced=frozenset({"silent-id"}))
    )
    assert (await store.log.load("again")).room.silenced == {"silent-id"}
    for player in ("opener-id", "silent-id"):
        await store.people.delete(player, now())
        opened = await store.database.read(lambda c: str(c.execute(sa.select(rows.c.opened)).all()))
        assert player not in opened
