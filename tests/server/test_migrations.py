"""Schemas: each revision leads to the next, in SQLite and PostgreSQL, and an unknown one is refused."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from dasan.server.refusals import CannotServe
from dasan.server.store import Store
from dasan.server.store.database import Database, SqliteDatabase
from dasan.server.store.migrating import MIGRATIONS, current, known, migrate, newest, require
from dasan.server.store.people import Taken
from dasan.server.store.schema import groups, metadata

from .conftest import Opened

pytestmark = pytest.mark.full

PLAYER = {"id": "p", "name": "Ann", "created": 1, "account": "ann", "password": "x", "banned": False}


async def test_revisions_make_the_schema_and_keep_what_is_stored(opened: Opened) -> None:
    store = await opened()
    database = store.database
    await database.write(_back_to_the_first)
    await database.write(lambda c: c.execute(sa.text(INSERT), PLAYER))
    await store.close()
    store = await opened()
    assert await store.database.read(current) == newest()
    assert await store.database.read(_differences) == []
    await _check_numbers(store)
    player_row = await store.people.find("p")
    assert player_row is not None
    assert (player_row.name, player_row.account) == ("Ann", "ann")
    await store.close()


async def _check_numbers(store: Store) -> None:
    """No table gives a deleted row's number to another row."""
    row = {"at": 1, "kind": "reopen", "subject": "t", "table_id": "t", "seq": 1, "by": "b", "text": "", "reason": ""}
    row |= {"action": "mute", "detail": {}, "group_id": "g", "player": "p"}
    group = {"id": "g", "name": "", "host": "p", "link": "", "created": 1, "preset": "", "options": {}, "chairs": []}
    await store.database.write(lambda c: c.execute(sa.insert(groups).values(**group, settings={})))
    numbered = [table for table in metadata.sorted_tables if table.autoincrement_column is not None]
    assert {table.name for table in numbered} == {"reports", "audit", "notices", "group_lines"}
    for table in numbered:
        values = {name: value for name, value in row.items() if name in table.columns}

        def twice(connection: sa.Connection, table: sa.Table = table, values: dict[str, Any] = values) -> list[int]:
            numbers: list[int] = []
            for _ in range(2):
                numbers += connection.execute(sa.insert(table).values(values)).inserted_primary_key or ()
                connection.execute(sa.delete(table))
            return numbers

        first, second = await store.database.write(twice)
        assert second > first, table.name


INSERT = (
    "INSERT INTO players (id, name, created, account, password, banned) "
    "VALUES (:id, :name, :created, :account, :password, :banned)"
)


def _back_to_the_first(connection: sa.Connection) -> None:
    metadata.drop_all(connection)
    connection.execute(sa.text("DELETE FROM alembic_version"))
    migrate(connection, "0002")


def _differences(connection: sa.Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, metadata))


def test_the_files_are_the_revisions_one_after_the_other() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [newest()]
    assert {script.revision for script in scripts.walk_revisions()} == known()


async def test_a_database_with_the_newest_schema_is_opened_without_alembic(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await opened()).close()
    monkeypatch.setitem(sys.modules, "alembic", None)
    store = await opened()
    assert await store.database.read(current) == newest()
    await store.close()


def test_a_revision_does_not_follow_the_code() -> None:
    """It spells out its operations, so that later code does not change them."""
    for path in (MIGRATIONS / "versions").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.partition(".")[0] == "dasan" for name in names), path.name


@pytest.mark.parametrize(("revision", "sentence"), [("9999", "a newer version of dasan"), ("0000", "an unknown schema")])
async def test_an_unknown_schema_is_refused_in_one_sentence(opened: Opened, revision: str, sentence: str) -> None:
    store = await opened()
    await store.database.write(lambda c: c.execute(sa.text(f"UPDATE alembic_version SET version_num = '{revision}'")))
    await store.close()
    with pytest.raises(CannotServe, match=sentence) as refused:
        await opened()
    assert "\n" not in str(refused.value)


async def test_an_older_schema_can_be_refused(tmp_path: Path) -> None:
    database: Database = await SqliteDatabase.open(tmp_path / "one.sqlite3")
    await database.write(_back_to_the_first)
    await database.close()
    with pytest.raises(CannotServe, match="dasan admin migrate"):
        await SqliteDatabase.open(tmp_path / "one.sqlite3", prepare=require)
    database = await SqliteDatabase.open(tmp_path / "one.sqlite3")
    assert await database.read(current) == newest()
    await database.close()


def account(player: str, name: str, created: int) -> dict[str, object]:
    """An account as earlier versions wrote it."""
    return {"id": player, "name": name, "created": created, "account": name.casefold(), "password": "x", "banned": False}


async def test_account_names_of_earlier_versions_are_folded_and_nobody_is_locked_out(opened: Opened) -> None:
    store = await opened()
    await store.database.write(_back_to_the_first)
    old = [
        account("full-width", "\uff21\uff4e\uff4e", 3),
        account("plain", "Ann", 4),
        account("accent", "Zoe\u0301", 1),
        account("older", "\uff22o\uff22", 5),
        account("younger", "Bo\uff22", 6),
        account("too long when folded", "\ufdfa" * 5, 7),
    ]
    for row in old:
        await store.database.write(lambda c, row=row: c.execute(sa.text(INSERT), row))  # type: ignore[misc]
    await store.close()
    store = await opened()
    for row in old:
        player_row = await store.people.by_account(str(row["name"]))
        assert player_row is not None
        assert player_row.id == row["id"]
    # Others write the same names differently.
    for typed, player in (("ANN", "plain"), ("zo\u00e9", "accent"), ("bob", "older"), ("\uff42ob", "older")):
        player_row = await store.people.by_account(typed)
        assert player_row is not None
        assert player_row.id == player, typed
    with pytest.raises(Taken):
        await store.people.register("new", "zo\u00e9", "x", 8)
    await store.close()
