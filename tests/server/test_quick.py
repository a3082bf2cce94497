"""Quick match over HTTP, and tables that are left permanently."""

from __future__ import annotations

import asyncio
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from dasan.server.api import quick
from dasan.server.refusals import Refused
from dasan.server.store import matches
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.schema import seekers
from dasan.server.tables.directory import Tables
from dasan.server.times import now

from .harness import SECONDS, Serve, Served, ok, play_hand

pytestmark = pytest.mark.full


def test_a_quick_match_is_rated_and_filled_by_bots(serve: Serve) -> None:
    with serve(quick_bots_after=0.0) as server:
        ann = server.player()
        answer = ann.http.post("/api/quick", json={"preset": "big-three", "name": "Ann", "bots": True}).json()
        detail = ann.http.get(f"/api/tables/{answer['table']}").json()
        assert detail["table"]["settings"]["rated"]
        assert detail["table"]["status"] == "playing"
        assert sorted(seat["kind"] for seat in detail["table"]["seats"]) == ["bot", "bot", "human"]
        assert {seat.get("bot") for seat in detail["table"]["seats"]} == {None, "level-5"}


def test_a_repeated_request_for_a_quick_match_gets_the_same_table(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a lost answer; and a player who is done with the table gets another one."""
    body = {"preset": "big-three", "speed": "move-20"}
    with serve(quick_bots_after=0.0) as server:
        ann = server.player()

        def match() -> str:
            answer = ann.http.post("/api/quick", json=body)
            assert answer.status_code == 200, answer.text
            return str(answer.json()["table"])

        async def unavailable(*_: object) -> None:
            raise Refused("unavailable", "")

        with monkeypatch.context() as patch:
            patch.setattr(Tables, "look", unavailable)
            first = match()
        assert match() == first
        assert ann.http.post("/api/quick/leave").json()["table"] == first
        assert match() == first, "that answer may be lost, too"
        with ann.sit(first) as socket:
            play_hand(socket, random.Random(5))
        second = match()
        assert second != first, "the hand is over"
        assert ann.http.post(f"/api/tables/{second}/forget").status_code == 200
        assert ann.http.post("/api/quick/leave").json()["table"] is None
        third = match()
        assert third not in (first, second), "the player has left it"


def test_quick_match_pairs_people_and_can_be_left(server: Served) -> None:
    people = [server.player() for _ in range(3)]
    body = {"preset": "big-three", "bots": False}
    waiting = people[0].http.post("/api/quick", json=body).json()
    assert (waiting["table"], waiting["seeking"], waiting["bots_after"]) == (None, 1, None)
    assert people[0].http.post("/api/quick/leave").json()["table"] is None
    for person in people:
        person.http.post("/api/quick", json=body)
    tables = [person.http.post("/api/quick", json=body).json()["table"] for person in people[:2]]
    mine = [person.http.get("/api/tables").json()[0] for person in people]
    assert tables == [mine[0]["id"]] * 2 == [mine[2]["id"]] * 2
    assert people[0].http.post("/api/quick", json={"preset": "poker"}).status_code == 400
    assert people[0].http.post("/api/quick", json={**body, "speed": "now"}).status_code == 400


def test_whoever_has_closed_the_page_takes_no_seat(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "PRESENT", 600_000)
    monkeypatch.setattr(matches, "GONE", 6_000_000)
    body = {"preset": "big-three", "bots": False}
    with serve(quick_rate=1e6, quick_burst=1_000_000) as server:
        ghost, *people = [server.player() for _ in range(4)]
        ghost.http.post("/api/quick", json=body)
        engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
        with engine.begin() as connection:
            connection.execute(sa.update(seekers).values(seen=seekers.c.seen - 1_000_000))
        engine.dispose()
        for person in people:
            assert person.http.post("/api/quick", json=body).status_code == 200
        tables = [person.http.post("/api/quick", json=body).json()["table"] for person in people[:2]]
        seats = people[2].http.get("/api/tables").json()
        assert [table["id"] for table in seats] == [tables[0]] == [tables[1]]
        assert ghost.http.get("/api/tables").json() == []


def test_a_table_that_is_left_for_good_is_off_the_list(server: Served) -> None:
    ann, bo = server.player(), server.player()
    alone = ann.open_table("big-three", ["random", "random"])
    shared = ann.open_table("big-three", seats=["me", "open", "random"])
    waiting = ann.open_table("big-three", seats=["me", "open", "random"])
    assert bo.http.post(f"/api/tables/{alone}/forget").status_code == 403
    assert bo.http.post(f"/api/tables/{shared}/join", json={"name": "Bo"}).status_code == 200
    for table in (alone, shared, waiting):
        assert ann.http.post(f"/api/tables/{table}/forget").status_code == 200
    assert ann.http.get("/api/tables").json() == []
    assert ann.http.get(f"/api/tables/{alone}").json()["table"]["status"] == "ended"
    seats = bo.http.get(f"/api/tables/{shared}").json()["table"]["seats"]
    assert seats[0]["substitute"]["reason"] == "left"
    assert bo.http.get(f"/api/tables/{waiting}").json()["table"]["seats"][0]["kind"] == "open"
    # Returning to the seat puts the table on the list again.
    with ann.sit(shared) as socket:
        socket.send(type="return", id="r")
        assert socket.answer("r")["type"] == "ack"
    assert [table["id"] for table in ann.http.get("/api/tables").json()] == [shared]
    with bo.sit(shared) as socket:
        assert socket.table["table"]["seats"][0].get("substitute") is None


def test_a_table_that_was_left_for_good_is_listed_again_after_a_return(server: Served) -> None:
    ann, bo = server.player(), server.player()
    shared = ann.open_table("big-three", seats=["me", "open", "random"])
    assert bo.http.post(f"/api/tables/{shared}/join", json={"name": "Bo"}).status_code == 200
    waiting = ann.open_table("big-three", seats=["me", "open", "open"])

    def listed() -> set[str]:
        return {table["id"] for table in bo.http.get("/api/tables").json()}

    def join() -> None:
        assert bo.http.post(f"/api/tables/{waiting}/join", json={"name": "Bo"}).status_code == 200

    join()
    for table in (shared, waiting):
        assert bo.http.post(f"/api/tables/{table}/forget").status_code == 200
    assert listed() == set()
    join()
    assert listed() == {waiting}
    with bo.sit(shared) as socket:  # a contribution brings the player back, as every act at the table
        socket.send(type="contribute", id="c", text="mine")
        assert socket.answer("c")["type"] == "ack"
    assert listed() == {shared, waiting}


def test_play_goes_on_for_those_who_stay(server: Served) -> None:
    ann, bo = server.player(), server.player()
    table = ann.open_table("big-three", seats=["me", "open", "random"])
    bo.http.post(f"/api/tables/{table}/join", json={"name": "Bo"})
    ann.http.post(f"/api/tables/{table}/forget")
    with bo.sit(table) as socket:
        play_hand(socket, random.Random(4))
        assert socket.view["phase"] == "over"


def test_a_request_that_took_long_takes_nobody_elses_place(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner of the player's last table did not answer for longer than others may be silent."""
    body = {"preset": "big-three", "speed": "move-20"}
    with serve(quick_bots_after=0.0) as server:
        ann, bo = server.player(), server.player()
        assert ok(ann.http.post("/api/quick", json=body))["table"] is not None
        moment = [now()]
        monkeypatch.setattr(quick, "now", lambda: moment[0])
        asked, go_on = threading.Event(), threading.Event()

        async def slowly(*_: object) -> bool:
            moment[0] += 2 * matches.GONE
            asked.set()
            assert await asyncio.to_thread(go_on.wait, SECONDS)
            return True

        monkeypatch.setattr(quick, "_is_done_with", slowly)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(ann.http.post, "/api/quick", json={**body, "bots": False})
            assert asked.wait(SECONDS)
            assert ok(bo.http.post("/api/quick", json={**body, "bots": False}))["seeking"] == 1
            go_on.set()
            assert ok(answer.result())["seeking"] == 2
