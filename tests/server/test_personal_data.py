"""All data about a player is in the player's export and is deleted with the player, in every database table."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.schema import metadata

from .conftest import Opened

ANN, BOB = "player-ann", "player-bob"
NAMING = frozenset({"player", "by", "against", "leader", "host", "follower", "followed", "blocked"})
"""The columns that hold ids of players, and ``audit.subject``."""
KEPT_BACK = {
    ("name_keys", "player"): "keys of the account's name, which is in the export",
    ("links", "player"): "hashes of personal links, which end within minutes",
    ("challenges", "player"): "questions to a passkey, which end within minutes",
    ("forgotten", "player"): "tables that the player took off a list",
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


def fill(connection: sa.Connection, table: sa.Table, number: int, about: str | None) -> None:
    """Add a row with Ann's id in the column ``about``, and Bob's in the others that name players."""
    row = {
        column.name: (ANN if column.name == about else BOB) if names_players(column) else value(column)
        for column in table.c
    }
    for column in table.c:
        alone = column.unique or (column.primary_key and not column.foreign_keys)
        if alone and not names_players(column) and about is not None and row[column.name] is not None:
            row[column.name] = number if isinstance(column.type, sa.Integer) else f"x{number}"
    if table.name == "players":
        row["id"] = about or BOB
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


@pytest.mark.full
async def test_nothing_that_names_a_deleted_player_stays(opened: Opened) -> None:
    store = await opened()
    await filled(store)
    await store.people.delete(ANN, 5)
    await store.moderation.saw([(ANN, "192.0.2.1"), (BOB, "192.0.2.2")], 6)

    def left(connection: sa.Connection) -> set[str]:
        rows = {table.name: connection.execute(sa.select(table)).all() for table in metadata.sorted_tables}
        return {name for name, content in rows.items() if ANN in json.dumps([list(row) for row in content], default=str)}

    assert await store.database.read(left) == {"notices"}, "processes are told to forget the player"
    assert [row["network"] for row in (await store.people.export(BOB))["addresses"]].count("192.0.2.2/32") == 1
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
