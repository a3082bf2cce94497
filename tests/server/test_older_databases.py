"""Databases of earlier versions, one for each schema, open in this one, and can be backed up before that.

`databases/NNNN.sql.gz` is the dump of a database that the last commit with that schema wrote: five games, three of them in
their second hand, from schema 0002 on with chat, an account and a table that waits. `NNNN.json` has what that commit showed.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.cli.running import output, refusal
from typer.testing import CliRunner

import dasan
from dasan.cli import app
from dasan.server.store import Store
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.migrating import current, known, newest
from dasan.server.store.schema import hand_seats, hands

from .databases.make import shown
from .harness import Json, fast, served

DATABASES = Path(__file__).parent / "databases"
SCHEMAS = sorted(known() - {newest()})


def laid_out(schema: str, folder: Path) -> Path:
    """A data folder with the database of this schema."""
    folder.mkdir(mode=0o700)
    connection = sqlite3.connect(folder / DATABASE_FILE)
    connection.executescript(gzip.decompress((DATABASES / f"{schema}.sql.gz").read_bytes()).decode())
    connection.close()
    return folder


def told(schema: str) -> list[Json]:
    """The tables as the commit that wrote the database showed them."""
    data: list[Json] = json.loads((DATABASES / f"{schema}.json").read_text(encoding="utf-8"))
    return data


def test_there_is_a_database_of_every_schema_that_was_released() -> None:
    assert sorted(path.name[:4] for path in DATABASES.glob("*.sql.gz")) == SCHEMAS
    assert "0001" in SCHEMAS


async def check(folder: Path, schema: str) -> None:
    """Every table of the database looks as it did to the commit that wrote it."""
    store = await Store.open(folder)
    assert await store.database.read(current) == newest()
    for wanted in told(schema):
        room = (await store.log.load(wanted["id"])).room
        assert {name: value for name, value in shown(room).items() if name in wanted} == wanted
        assert (await store.log.load(wanted["id"], until=room.seq)).room.moves == room.moves
    if schema > "0001":
        person = await store.people.by_account("ann-ZO\u00cb")
        assert person is not None
        assert person.id == "player-1"
        assert await store.people.is_signed_in("a" * 64, "player-1", 0)
        facts = sa.select(hand_seats.c.preset, hand_seats.c.bid, hands.c.preset, hands.c.record)
        rows = await store.database.read(lambda c: c.execute(facts.join_from(hand_seats, hands)).all())
        assert rows
        for preset, bid, of_hand, record in rows:
            state = dasan.replay(record)
            assert isinstance(state, dasan.State)
            assert (preset, bid) == (of_hand, state.bid)
    await store.close()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("schema", SCHEMAS)
async def test_a_database_of_every_schema_opens(schema: str, tmp_path: Path) -> None:
    await check(laid_out(schema, tmp_path / "data"), schema)


async def test_the_first_databases_of_schema_0006_lack_the_keys_of_names(tmp_path: Path) -> None:
    """The last commit before the notes of the next version wrote such a database; the table came an hour later."""
    folder = laid_out("0006", tmp_path / "data")
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection, connection:
        connection.execute("DROP TABLE name_keys")
    await check(folder, "0006")


@pytest.mark.full
def test_the_oldest_tables_go_on(tmp_path: Path) -> None:
    laid_out("0001", tmp_path / "data")
    with served(fast(tmp_path)) as server:
        player = server.player()
        # Cookies of that version named a player but no session.
        player.http.cookies.set("dasan_session", server.identities._cookies.sign("player-1"))
        assert len(player.http.get("/api/tables").json()) == 5
        for table in told("0001"):
            with player.sit(table["id"]) as socket:
                assert socket.my_turn()
                socket.send(type="move", id="go-on", move=socket.view["legal_moves"][0]["move"])
                assert socket.answer("go-on")["type"] == "ack"


@pytest.mark.sampled(8, 8)
@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.full
def test_it_is_backed_up_before_it_is_migrated(schema: str, tmp_path: Path) -> None:
    """The first step of the upgrade guide: the backup has the old schema, and this version restores it."""
    folder, file = laid_out(schema, tmp_path / "data"), tmp_path / "before.gz"
    made = CliRunner().invoke(app, ["admin", "backup", str(file), "--data-dir", str(folder)])
    assert made.exit_code == 0, made.output
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection, connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (schema,)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        assert json.loads(next(lines))["schema"] == schema
    restored = CliRunner().invoke(app, ["admin", "restore", str(file), "--data-dir", str(tmp_path / "again")])
    assert restored.exit_code == 0, restored.output
    asyncio.run(check(tmp_path / "again", schema))


@pytest.mark.full
def test_a_restore_that_is_refused_migrates_nothing(tmp_path: Path) -> None:
    """The older version could not open the database any more."""
    folder, file = laid_out("0006", tmp_path / "data"), tmp_path / "before.gz"
    output("admin", "backup", file, "--data-dir", folder)
    assert "is not empty" in refusal("admin", "restore", file, "--data-dir", folder)
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection, connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0006",)


@pytest.mark.parametrize("kept", [0, 1], ids=["no line", "a header alone"])
@pytest.mark.full
def test_a_table_of_the_first_schema_that_has_no_deal_waits_for_one(kept: int, tmp_path: Path) -> None:
    """Its server stopped between the table and its first deal."""
    folder = laid_out("0001", tmp_path / "data")
    table_id = told("0001")[0]["id"]
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection, connection:
        connection.execute("DELETE FROM events WHERE table_id = ? AND seq >= ?", (table_id, kept))
        (left,) = connection.execute("SELECT count(*) FROM events WHERE table_id = ?", (table_id,)).fetchone()
        assert left == kept
    with served(fast(tmp_path)) as server:
        player = server.player()
        player.http.cookies.set("dasan_session", server.identities._cookies.sign("player-1"))
        with player.sit(table_id) as socket:
            socket.until_seen(lambda table: table["view"] is not None)
            assert socket.my_turn()
