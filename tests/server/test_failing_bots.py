"""Bots that crash their process at every move: the table continues, and people are informed."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import dasan
from dasan import bots
from dasan.play import fairness
from dasan.records.retrace import moves_of
from dasan.server.store.database import DATABASE_FILE
from dasan.server.tables.bot_turns import TRIES

from .harness import RATED, Served, play_hand

pytestmark = pytest.mark.full

BOT = """
import os

class Crashing:
    name = "crashing"
    version = "1"

    def choose(self, view):
        os._exit(1)

def make(seed):
    return Crashing()
"""


@pytest.fixture
def crashing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An installed package with a bot of this name, which worker processes find by its entry point."""
    (tmp_path / "crashing_bot.py").write_text(BOT)
    installed = tmp_path / "crashing_bot-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: crashing-bot\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[dasan.bots]\ncrashing = crashing_bot:make\n")
    monkeypatch.syspath_prepend(tmp_path)
    if "crashing" not in bots.BOTS:
        bots.register("crashing", lambda seed: dasan.bot("random", seed=seed))
    yield "crashing"
    bots.BOTS.remove("crashing")


@pytest.mark.long
def test_a_bot_that_always_crashes_is_replaced_and_everybody_sees_it(server: Served, crashing: str) -> None:
    player = server.player()
    table_id = player.open_table("big-two", [crashing, "random", crashing], public=True)
    with player.sit(table_id) as socket, server.player().sit(table_id) as watching:
        play_hand(socket, random.Random(2))
        assert socket.view["phase"] == "over"
        seats = socket.table["table"]["seats"]
        replaced = {"bot": "greedy", "reason": "failed"}
        assert [seat.get("substitute") for seat in seats] == [None, replaced, None, replaced]
        assert server.tables.choices.failed == {crashing: TRIES}
        watching.until(lambda m: m["type"] == "table" and m["table"]["seats"][1].get("substitute") == replaced)
    assert server.tables.bots.counts["JobCrashed"] == TRIES
    # The same after the table is read from the log.
    server.tables.reopen(table_id)
    assert player.http.get(f"/api/tables/{table_id}").json()["table"]["seats"] == seats


def test_a_move_without_a_choice_asks_no_bot(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(2))
        (result,) = socket.table["session"]["results"]
    state = dasan.replay(player.http.get(f"/api/hands/{result['hand']}/record").text)
    assert isinstance(state, dasan.State)
    theirs = [len(now.legal_moves()) for now, _ in moves_of(state) if now.to_act != 0]
    assert server.tables.bots.counts == {"done": sum(legal > 1 for legal in theirs)}
    assert theirs.count(1) > 0


def test_a_hand_that_a_bot_did_not_play_does_not_change_its_rating(
    server: Served, crashing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In one deal of many the bot may never have a choice, and is not asked.
    monkeypatch.setattr(fairness, "new_secret", lambda: bytes(range(fairness.SECRET_BYTES)))
    player = server.player()
    table_id = player.open_table("big-two", [crashing, "random", "random"], settings=RATED)
    me = player.http.get("/api/me").json()["id"]

    def rated() -> dict[str, int]:
        """The number of rated hands of all players."""
        with closing(sqlite3.connect(server.settings.data_dir / DATABASE_FILE)) as database, database:
            return dict(database.execute("SELECT player, hands FROM ratings"))

    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(2))
        assert socket.table["table"]["seats"][1]["substitute"]["reason"] == "failed"
        assert rated() == {me: 1, "bot:random": 1}
        socket.send(type="next", id="next")
        socket.until(lambda m: m["type"] == "snapshot" and m["session"]["number"] == 2)
        play_hand(socket, random.Random(3))
        pages = [result["hand"] for result in socket.table["session"]["results"]]
    assert rated() == {me: 2, "bot:random": 2, "bot:greedy": 1}
    seats = [dasan.replay(player.http.get(f"/api/hands/{page}/record").text).origin.seats for page in pages]
    assert [hand[1]["name"] for hand in seats] == [crashing, "greedy"]
