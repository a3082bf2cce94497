"""`dasan admin`: on the database of a running server, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import errno
import json
import random
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from tests.cli.running import cli, output, refusal

from dasan.server.people.identity import signing_key
from dasan.server.store import Store
from dasan.server.store.migrating import migrate, newest
from dasan.server.store.overviews import Overviews
from dasan.server.store.processes import ALIVE
from dasan.server.store.schema import metadata
from dasan.server.times import now

from .conftest import Opened, new_database
from .harness import ban, fast, play_hand, served

pytestmark = pytest.mark.full


def listed(*arguments: object) -> Any:
    return json.loads(output("admin", *arguments, "--json"))


def test_a_host_looks_after_a_server_that_runs(tmp_path: Path) -> None:
    with served(fast(tmp_path)) as server:
        here = ("--data-dir", server.settings.data_dir)
        ann = server.player()
        ann.http.post("/api/account", json={"name": "Ann", "password": "correct horse"})
        guest = server.player()
        table_id = guest.open_table("big-three", ["random", "random"], name="Guest Bob")
        with guest.sit(table_id) as socket:
            play_hand(socket, random.Random(1))
        me = guest.http.get("/api/me").json()["id"]
        cookies = dict(guest.http.cookies)

        (table,) = listed("tables", *here)["tables"]
        assert (table["id"], table["players"]) == (table_id, {"0": me})
        assert "seed" not in table
        assert "Guest Bob" in output("admin", "tables", *here)
        assert listed("tables", "--status", "ended", *here) == {"tables": [], "total": 0}
        (player,) = listed("players", "an", *here)["players"]
        assert (player["name"], player["account"], player["banned"]) == ("Ann", "ann", False)
        assert "1 of 1 players" in output("admin", "players", *here)

        assert output("admin", "ban", me, *here) == f"{me} is banned\n"
        assert "Ann" not in output("admin", "players", "--banned", *here)
        assert guest.http.get("/api/me").status_code in (200, 403), "within a second"
        assert "is no longer banned" in output("admin", "unban", me, *here)
        assert "no account and no player" in refusal("admin", "ban", "nobody", *here)

        assert "no account and no player 'Guest'" in refusal("admin", "password", "Guest", *here)
        set_anew = output("admin", "password", "ANN", *here)
        assert set_anew.startswith("the password of ann is now ")
        anew = {"name": "Ann", "password": set_anew.split()[-1]}
        assert server.player().http.post("/api/sign-in", json={**anew, "password": "correct horse"}).status_code == 403
        assert server.player().http.post("/api/sign-in", json=anew).json()["name"] == "Ann"

        records = tmp_path / "hands.jsonl"
        assert "wrote 1 hands" in output("admin", "export", records, *here)
        assert cli("verify", records).exit_code == 0
        data = tmp_path / "ann.json"
        output("admin", "export", data, "--player", "ANN", *here)
        assert json.loads(data.read_text())["player"][0]["account"] == "ann"
        assert stat.S_IMODE(data.stat().st_mode) == 0o600
        assert "choose one" in refusal("admin", "export", data, "--player", "x", "--table", "y", *here)

        copy = tmp_path / "backup.gz"
        assert "hands 1" in output("admin", "backup", copy, *here)
        assert "another dasan server" in refusal("admin", "restore", copy, *here)
        key = (server.settings.data_dir / "session.key").read_bytes()
    there = ("--data-dir", tmp_path / "new")
    assert "restored" in output("admin", "restore", copy, *there)
    assert (tmp_path / "new/session.key").read_bytes() == key
    assert listed("tables", *there)["tables"][0]["id"] == table_id
    assert "not empty" in refusal("admin", "restore", copy, *there)
    with served(fast(tmp_path, data_dir=tmp_path / "new")) as server:
        known = httpx.get(f"{server.address}/api/me", cookies=cookies).json()
        assert known["id"] == me, "cookies are still valid"


def test_a_server_that_was_killed_counts_as_running_for_a_moment(tmp_path: Path) -> None:
    async def kill() -> None:
        store = await Store.open(tmp_path)
        await store.processes.beat("killed", "1", now())
        await store.close()

    asyncio.run(kill())
    refused = refusal("admin", "ratings", "--write", "--data-dir", tmp_path)
    assert "stop it first, or wait 30 seconds if it was killed" in refused


def test_an_export_that_is_cut_short_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(_closed(tmp_path))

    async def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "hands.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr(Overviews, "records", full)
        assert (
            refusal("admin", "export", file, "--data-dir", tmp_path) == f"cannot write {file}: No space left on device"
        )
    assert "wrote 0 hands" in output("admin", "export", file, "--data-dir", tmp_path)
    assert refusal("admin", "export", file, "--data-dir", tmp_path) == f"{file} exists already"


async def _closed(folder: Path) -> None:
    """An empty database."""
    await (await Store.open(folder)).close()


def test_a_backup_that_cannot_be_written_does_not_blame_the_database(tmp_path: Path) -> None:
    asyncio.run(_closed(tmp_path))
    file = tmp_path / "none" / "backup.gz"
    refused = refusal("admin", "backup", file, "--data-dir", tmp_path)
    assert f"{file} cannot be written: No such file or directory" in refused
    assert "database" not in refused


def test_a_backup_says_which_key_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def make() -> None:
        (tmp_path / "one").mkdir(mode=0o700)
        store = await Store.open(tmp_path / "one")
        await store.reports.add({"table_id": "t", "seq": 1, "by": "a", "text": "x", "reason": "y", "at": 1})
        await store.close()

    asyncio.run(make())
    here = ("--data-dir", tmp_path / "one")
    lacking, holding = tmp_path / "lacking.gz", tmp_path / "holding.gz"
    key = signing_key(tmp_path / "one")
    assert "DASAN_SECRET" not in output("admin", "backup", holding, *here)
    (tmp_path / "one/session.key").unlink()
    assert "not in the backup: there is no" in output("admin", "backup", lacking, *here)
    monkeypatch.setenv("DASAN_SECRET", "s" * 32)
    assert "not in the backup: keep DASAN_SECRET too" in output("admin", "backup", tmp_path / "secret.gz", *here)
    assert "with DASAN_SECRET, not with the backup's" in output(
        "admin", "restore", holding, "--data-dir", tmp_path / "two"
    )
    monkeypatch.delenv("DASAN_SECRET")
    assert "without the DASAN_SECRET of its server" in output(
        "admin", "restore", lacking, "--data-dir", tmp_path / "three"
    )

    (there := tmp_path / "four").mkdir(mode=0o700)
    (there / "session.key").write_bytes(b"another" * 5)
    assert "session.key, which is another key than the backup's" in refusal(
        "admin", "restore", holding, "--data-dir", there
    )
    (there / "session.key").unlink()
    assert "DASAN_SECRET" not in output("admin", "restore", holding, "--data-dir", there), "the refusal changed nothing"
    assert (there / "session.key").read_bytes() == key


def test_reports_are_read_and_dismissed(tmp_path: Path) -> None:
    row = {"table_id": "t", "seq": 1, "by": "a", "text": "rude\x1b[31m", "reason": "it was", "at": 1}

    async def write() -> None:
        store = await Store.open(tmp_path)
        await store.reports.add(row)
        await store.close()

    asyncio.run(write())
    here = ("--data-dir", tmp_path)
    shown = output("admin", "reports", *here)
    assert "rude?[31m" in shown
    (report,) = listed("reports", *here)["reports"]
    assert "deleted" in output("admin", "reports", "--dismiss", report["id"], *here)
    assert "no such report" in refusal("admin", "reports", "--dismiss", report["id"], *here)


def test_pruning_says_what_it_would_remove(tmp_path: Path) -> None:
    async def write() -> None:
        store = await Store.open(tmp_path)
        await store.people.rename("old", "Old", 0)
        await store.close()

    asyncio.run(write())
    here = ("--data-dir", tmp_path)
    assert "no retention period is set" in output("admin", "prune", *here)
    assert output("admin", "prune", "--guests", 30, "--dry-run", *here) == "would remove guests 1\n"
    assert json.loads(output("admin", "prune", "--json", *here, DASAN_KEEP_GUESTS_DAYS="30")) == {
        "dry": False,
        "guests": 1,
    }
    assert listed("players", *here)["total"] == 0


def _back(connection: sa.Connection) -> None:
    metadata.drop_all(connection)
    connection.execute(sa.text("DELETE FROM alembic_version"))
    migrate(connection, "0002")


def test_a_schema_is_migrated_when_the_host_says_so(tmp_path: Path, postgres_url: str) -> None:
    async def back(url: str = "") -> None:
        store = await Store.open(tmp_path, url)
        await store.database.write(_back)
        await store.close()

    asyncio.run(back())
    here = ("--data-dir", tmp_path)
    assert "older schema" in refusal("admin", "tables", *here)
    checked = cli("admin", "migrate", "--check", *here)
    assert (checked.exit_code, "older schema" in checked.stdout) == (1, True)
    assert newest() in output("admin", "migrate", *here)
    assert cli("admin", "migrate", "--check", *here).exit_code == 0
    url = asyncio.run(new_database(postgres_url))
    asyncio.run(back(url))
    there = ("--database", url)
    assert "older schema" in refusal("admin", "players", *there)
    assert newest() in output("admin", "migrate", *there)
    assert listed("players", *there) == {"players": [], "total": 0}


def test_a_folder_without_a_database_is_not_made_into_one(tmp_path: Path) -> None:
    assert "there is no database" in refusal("admin", "tables", "--data-dir", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "words", [("reports", "--dismiss"), ("players", "--most"), ("tables", "--most"), ("prune", "--chat")]
)
def test_numbers_that_no_database_holds_are_refused(words: tuple[str, str], tmp_path: Path) -> None:
    assert "2147483647" in refusal("admin", *words, "99999999999999999999", "--data-dir", tmp_path)


@pytest.mark.parametrize(
    "name", ["tables", "players", "ban", "unban", "reports", "export", "backup", "restore", "migrate", "prune"]
)
def test_every_command_explains_itself(name: str) -> None:
    assert f" {name} " in cli("admin", "--help").stdout
    assert cli("admin", name, "--help").exit_code == 0


async def test_a_process_whose_clock_is_ahead_counts_as_running(opened: Opened) -> None:
    """A backup is not restored under it."""
    store = await opened()
    await store.processes.beat("ahead", "1", 9 + 2 * ALIVE)
    assert [process.id for process in await store.processes.alive(9)] == ["ahead"]
    await store.close()


async def test_players_are_found_by_what_a_host_knows(opened: Opened) -> None:
    store = await opened()
    await store.people.register("a", "Ann_1", "x", 2)
    await store.people.rename("b", "Bob", 1)
    await ban(store, "b", 3)
    players = await store.overviews.players("nn_", False, 9)
    assert [row["id"] for row in players.rows] == ["a"]
    assert [row["id"] for row in (await store.overviews.players(None, True, 9)).rows] == ["b"]
    assert (await store.overviews.players(None, False, 1)).total == 2
    await store.close()
