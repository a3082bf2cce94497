"""Duplicate events over HTTP and sockets: events of players, closed hands, and the end."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import time
from contextlib import ExitStack
from pathlib import Path
from typing import get_args

import pytest
from websockets.exceptions import ConnectionClosed

import dasan
from dasan.play import fairness
from dasan.records.retrace import moves_of
from dasan.server.events import running
from dasan.server.events.event import DuplicateEvent
from dasan.server.events.running import Events
from dasan.server.protocol.commands import ReactionName
from dasan.server.protocol.table import EventPlace, TableSettings
from dasan.server.store import Store
from dasan.server.store.hand import finished
from dasan.server.tables.chairs import Chair, Head
from dasan.server.tables.directory import Tables
from dasan.server.tables.room import Room, fold
from dasan.server.times import DAY, now

from .harness import SECONDS, Json, Player, Serve, Served, Socket, fast, play_hand
from .rooms import settle
from .test_leaks import cards_in

GAME = "big-two"


def next_deal(player: Player, event: str, name: str = "Ann") -> Json:
    answer = player.http.post(f"/api/events/{event}/play", json={"name": name})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def play_deal(player: Player, event: str, seed: int = 1, name: str = "Ann") -> Json:
    """Play the next deal to its end; the detail of its table."""
    table = next_deal(player, event, name)["table"]
    with player.sit(table) as socket:
        play_hand(socket, random.Random(seed))
        socket.until_seen(lambda seen: seen["table"]["status"] == "ended")
        return dict(socket.table)


def end_now(server: Served, event: str) -> None:
    """Move the end of an event into the past."""
    connection = sqlite3.connect(server.settings.data_dir / "dasan.sqlite3", timeout=30)
    with connection:
        connection.execute("UPDATE duplicates SET ends = ? WHERE id = ?", [now() - 1, event])
    connection.close()


def until_over(player: Player, event: str) -> Json:
    for _ in range(600):
        detail = player.http.get(f"/api/events/{event}").json()
        if detail["event"]["status"] == "over":
            return dict(detail)
        time.sleep(0.1)
    raise AssertionError("the event did not end")


@pytest.mark.full
def test_everybody_plays_the_same_deals_once(server: Served) -> None:
    ann, bo = server.player(), server.player()
    event = ann.open_event()
    before = ann.http.get(f"/api/events/{event}").json()
    assert (before["event"]["status"], before["secrets"], before["deals"]) == ("open", None, [])
    tables: list[tuple[Json, Json]] = []
    for deal in range(2):
        mine, theirs = play_deal(ann, event, deal), play_deal(bo, event, 7 + deal, "Bo")
        assert mine["table"]["event"] == {"id": event, "deal": deal, "deals": 2}
        assert mine["table"]["you"] == theirs["table"]["you"]
        assert [seat["name"] for seat in mine["table"]["seats"] if seat["kind"] == "bot"] == [
            seat["name"] for seat in theirs["table"]["seats"] if seat["kind"] == "bot"
        ]
        tables.append((mine, theirs))
    for deal, pair in enumerate(tables):
        records = [
            who.http.get(f"/api/tables/{table['table']['id']}/record").text
            for who, table in zip((ann, bo), pair, strict=True)
        ]
        hands = [next(json.loads(line) for line in text.splitlines() if '"type":"deal"' in line) for text in records]
        assert hands[0]["hands"] == hands[1]["hands"]
        assert hands[0]["commitment"] == before["commitments"][deal]
    assert tables[0][0]["table"]["you"] != tables[1][0]["table"]["you"], "the seats move round"
    again = ann.http.post(f"/api/events/{event}/play", json={})
    assert (again.status_code, again.json()["wording"]["id"]) == (409, "event.played")
    detail = ann.http.get(f"/api/events/{event}").json()
    assert [one["deal"] for one in detail["deals"]] == [0, 1]
    paid = [table["session"]["results"][-1]["payments"] for pair in tables for table in pair]
    seats = [table["table"]["you"] for pair in tables for table in pair]
    scores = [payments[seat] for payments, seat in zip(paid, seats, strict=True)]
    assert [one["score"] for one in detail["deals"]] == scores[::2]


def test_a_deal_under_way_is_the_one_that_goes_on(server: Served) -> None:
    ann = server.player()
    event = ann.open_event()
    table = next_deal(ann, event)["table"]
    assert next_deal(ann, event)["table"] == table
    assert len(ann.http.get(f"/api/events/{event}").json()["deals"]) == 1


@pytest.mark.full
def test_at_a_table_of_an_event_one_only_plays(server: Served) -> None:
    ann = server.player()
    table = next_deal(ann, ann.open_event())["table"]
    with ann.sit(table) as socket:
        assert socket.my_turn()
        commands: list[Json] = [
            {"type": "chat", "text": "hello"},
            {"type": "hint"},
            {"type": "take-back"},
            {"type": "offer", "offer": "undo"},
            {"type": "offer", "offer": "end"},
            {"type": "contribute", "text": "mine"},
            {"type": "next"},
            {"type": "react", "reaction": get_args(ReactionName)[0]},
        ]
        for n, command in enumerate(commands):
            socket.send(id=f"c{n}", **command)
            answer = socket.answer(f"c{n}")
            assert answer["type"] == "error", command
        play_hand(socket, random.Random(1))
        socket.until_seen(lambda seen: seen["table"]["status"] == "ended")
        socket.send(type="rematch", id="again")
        assert socket.answer("again")["type"] == "error"
    stranger = server.player()
    assert stranger.http.get(f"/api/tables/{table}").status_code == 403
    assert stranger.http.get(f"/api/tables/{table}/record").status_code == 403


@pytest.mark.full
def test_nobody_receives_a_card_of_a_deal_that_they_have_not_played(server: Served) -> None:
    """Every byte that an entrant can get from any address of the hand and the table while another has played more."""
    ann, bo = server.player(), server.player()
    event = ann.open_event(listed=True)
    play_deal(bo, event, name="Bo")
    first = play_deal(ann, event)
    second = play_deal(ann, event, 2)
    hand, table = second["session"]["results"][-1]["hand"], second["table"]["id"]
    note = {"seq": 1, "text": "mine"}
    place = {"type": "place", "seq": 5, "moves": ["3D"], "shown": True}
    shared = ann.http.post(f"/api/hands/{hand}/together", json=place)
    assert shared.status_code == 201, shared.text
    got = [
        bo.http.get(path)
        for path in (
            f"/api/hands/{hand}",
            f"/api/hands/{hand}/record",
            f"/api/hands/{hand}/picture",
            f"/api/hands/{hand}/review",
            f"/api/hands/{hand}/known",
            f"/api/hands/{hand}/turning",
            f"/api/hands/{hand}/advice?seq=5",
            f"/api/tables/{table}",
            f"/api/tables/{table}/record",
            f"/api/tables/{table}/hands",
        )
    ]
    got += [
        bo.http.post(f"/api/hands/{hand}/solve", json={"seq": 5, "moves": []}),
        bo.http.post(f"/api/hands/{hand}/notes", json=note),
        bo.http.post(f"/api/hands/{hand}/together", json=place),
    ]
    assert {answer.status_code for answer in got} == {403}
    got += [
        bo.http.get(path)
        for path in (
            "/api/lobby",
            "/api/tables",
            "/api/events",
            "/api/me/history",
            "/api/me/profile",
            f"/api/events/{event}",
            f"/api/events/{event}/standings",
        )
    ]
    with bo.connect(table) as watching, bo.connect(shared.json()["id"], what="reviews") as following:
        texts = [text for socket in (watching, following) for text in _everything(socket)]
    assert [json.loads(text)["code"] for text in texts] == ["forbidden", "forbidden"]
    for text in [*texts, *(answer.text for answer in got)]:
        assert not list(cards_in(_parsed(text))), text
    # The deal that both have played is open to both.
    mine = first["session"]["results"][-1]["hand"]
    assert bo.http.get(f"/api/hands/{mine}/record").status_code == 200
    assert server.player().http.get(f"/api/hands/{mine}/record").status_code == 403
    end_now(server, event)
    until_over(bo, event)
    assert server.player().http.get(f"/api/hands/{hand}/record").status_code == 200


@pytest.mark.full
def test_nobody_delays_the_end_of_an_event_by_returning(serve: Serve) -> None:
    """A bot whose player returns does not move, and the event waited an hour for it."""
    with serve(bot_delay=0.5) as server:
        ann = server.player()
        event = ann.open_event()
        with ann.sit(next_deal(ann, event)["table"]) as socket:
            assert socket.my_turn()
            for n, when in enumerate(("before", "after")):
                if when == "after":
                    end_now(server, event)
                else:
                    socket.send(type="leave", id="leave")
                socket.until_seen(lambda seen: "substitute" in seen["table"]["seats"][seen["table"]["you"]])
                socket.send(type="return", id=f"return-{n}")
                answer = socket.answer(f"return-{n}")
                assert (answer["type"], answer.get("code")) == (("ack", None), ("error", "illegal"))[n]


def _everything(socket: Socket) -> list[str]:
    """What the server sends before it closes the socket."""
    out: list[str] = []
    try:
        while True:
            out.append(str(socket.raw.recv(timeout=SECONDS)))
    except ConnectionClosed:
        return out


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


@pytest.mark.full
def test_the_event_ends_bots_finish_and_the_deals_are_revealed(server: Served) -> None:
    ann, bo = server.player(), server.player()
    event = ann.open_event()
    play_deal(ann, event)
    play_deal(bo, event, 3, "Bo")
    table = next_deal(ann, event)["table"]
    end_now(server, event)
    assert bo.http.post(f"/api/events/{event}/play", json={}).json()["wording"]["id"] == "event.ended"
    detail = until_over(ann, event)
    assert [one["assisted"] for one in detail["deals"]] == [False, True]
    assert ann.http.get(f"/api/tables/{table}").json()["table"]["status"] == "ended"
    published = [hashlib.sha256(bytes.fromhex(secret)).hexdigest() for secret in detail["secrets"]]
    assert published == detail["commitments"]
    rules = dasan.rules(GAME)
    for one, secret in zip(detail["deals"], detail["secrets"], strict=True):
        record = server.player().http.get(f"/api/hands/{one['hand']}/record").text
        dealt = next(json.loads(line) for line in record.splitlines() if '"type":"deal"' in line)
        seed = fairness.deal_seed(bytes.fromhex(secret), (), rules.digest, 1)
        dealer = dealt["dealer"]
        again = dasan.play.dealing.deal_hand(rules, seed, number=1, dealer=dealer)
        assert [[str(card) for card in hand] for hand in again.hands] == [
            hand if isinstance(hand, list) else hand.split() for hand in dealt["hands"]
        ]


@pytest.mark.full
def test_standings_count_against_the_field(server: Served) -> None:
    ann, bo = server.player(), server.player()
    event = ann.open_event(bot="greedy")
    for deal in range(2):
        play_deal(ann, event, deal)
        play_deal(bo, event, 9 + deal, "Bo")
    for _ in range(600):
        answer = ann.http.get(f"/api/events/{event}/standings").json()
        if answer["total"] == 2 + len(running.BOTS):
            break
        time.sleep(0.1)
    assert {row["bot"] for row in answer["rows"]} == {None, *running.BOTS}
    assert answer["mine"] in answer["rows"]
    assert [row["name"] for row in answer["rows"] if row["you"]] == ["Ann"]
    points = [row["points"] for row in answer["rows"]]
    assert points == sorted(points, reverse=True)
    assert sum(points) == pytest.approx(0, abs=0.05), "everybody has played every deal in the same seats"
    assert all(row["low"] <= row["mean"] <= row["high"] for row in answer["rows"])
    assert answer["rows"][0]["rank"] == 1


@pytest.mark.full
def test_par_is_what_best_play_pays(server: Served) -> None:
    """For those who have finished the deal, and for games that the solver plays from the first card."""
    ann, bo = server.player(), server.player()
    event = ann.open_event(preset="big-three", deals=8, bot="greedy")
    # The solver proves most deals in a second; some take longer than a page would wait.
    for deal in range(8):
        path = f"/api/events/{event}/deals/{deal}/par"
        table = next_deal(ann, event)["table"]
        assert [one.http.get(path).status_code for one in (ann, bo, server.player())] == [403, 403, 403]
        with ann.sit(table) as socket:
            play_hand(socket, random.Random(deal))
            socket.until_seen(lambda seen: seen["table"]["status"] == "ended")
        hand = ann.http.get(f"/api/events/{event}").json()["deals"][deal]
        answer = ann.http.get(path).json()
        if answer["par"] is not None:
            break
    state = dasan.replay(ann.http.get(f"/api/hands/{hand['hand']}/record").text)
    assert isinstance(state, dasan.State)
    dealt = next(now for now, _ in moves_of(state) if now.phase is dasan.Phase.PLAY)
    value = dasan.solve(dealt, seconds=None, moves=False).value
    assert value is not None
    # The bidder's payment; each of the two defenders pays half of it.
    assert answer == {"par": value if hand["seat"] == state.bidder else -value // 2}
    assert bo.http.get(path).status_code == 403
    connection = sqlite3.connect(server.settings.data_dir / "dasan.sqlite3", timeout=30)
    stored = connection.execute("SELECT contract, payments FROM duplicate_pars WHERE deal = ?", [deal]).fetchall()
    connection.execute("UPDATE duplicate_pars SET payments = '[7, 7, 7]'")
    connection.commit()
    connection.close()
    assert [(one, sum(json.loads(payments))) for one, payments in stored] == [(f"{state.bidder}..{state.bid}", 0)]
    assert ann.http.get(path).json() == {"par": 7}, "it is not computed twice"
    other = ann.open_event(deals=1)
    play_deal(ann, other)
    assert ann.http.get(f"/api/events/{other}/deals/0/par").json() == {"par": None}


async def test_a_void_hand_has_no_par(tmp_path: Path) -> None:
    """Nobody has bid (H.12)."""
    rules = dasan.rules("wa-keng", all_pass="redeal")
    event = DuplicateEvent("event", rules, bytes(128), 1, 3, "greedy", 0, DAY, TableSettings())
    head = Head("table", rules, event.settings, event.deal_seed(0), EventPlace(id=event.id, deal=0, deals=1))
    room = settle(Room.create(head, tuple(Chair("human", who, player=who) for who in "abc"), "a", 0), 1000)
    while room.to_act is not None:
        room = fold(room, {"type": "move", "seat": room.to_act, "move": "pass"}, 1000)
    store = await Store.open(tmp_path)
    events = Events(Tables(store, fast(tmp_path)))
    assert await events.par(event, 0, finished(room), lambda: None) is None
    await store.close()


def test_people_meet_at_tables_of_an_event(server: Served) -> None:
    people = [server.player() for _ in range(4)]
    event = people[0].open_event(people=4, fill=None, speed={"kind": "move", "seconds": 60})
    answers = [next_deal(player, event, f"P{n}") for n, player in enumerate(people)]
    assert [answer["table"] is None for answer in answers] == [True, True, True, False]
    assert [answer["waiting"] for answer in answers] == [1, 2, 3, 0]
    tables = {next_deal(player, event)["table"] for player in people}
    assert tables == {answers[-1]["table"]}
    seats = people[0].http.get(f"/api/tables/{answers[-1]['table']}").json()["table"]["seats"]
    assert sorted(seat["name"] for seat in seats) == ["P0", "P1", "P2", "P3"]


def test_bots_take_the_seats_of_people_who_are_missing(server: Served) -> None:
    people = [server.player() for _ in range(2)]
    event = people[0].open_event(people=4, fill=0, deals=1)
    table = next_deal(people[0], event)["table"]
    kinds = [seat["kind"] for seat in people[0].http.get(f"/api/tables/{table}").json()["table"]["seats"]]
    assert sorted(kinds) == ["bot", "bot", "bot", "human"]


@pytest.mark.full
def test_who_leaves_is_finished_by_a_bot(server: Served) -> None:
    ann = server.player()
    event = ann.open_event()
    table = next_deal(ann, event)["table"]
    assert ann.http.post(f"/api/tables/{table}/forget").status_code == 200
    for _ in range(600):
        one = ann.http.get(f"/api/events/{event}").json()["deals"][0]
        if one["score"] is not None:
            break
        time.sleep(0.05)
    assert one["assisted"]


def test_what_cannot_be_opened_is_refused(server: Served) -> None:
    ann = server.player()
    moment = now()
    good: Json = {"title": "x", "preset": GAME}
    for wrong in (
        {"title": " "},
        {"preset": "poker"},
        {"people": 5},
        {"bot": "nobody"},
        {"lasts": 0},
        {"lasts": 40 * DAY},
        {"starts": moment + 40 * DAY},
        {"deals": 0},
    ):
        assert ann.http.post("/api/events", json={**good, **wrong}).status_code == 400, wrong
    assert ann.http.get("/api/events/none").status_code == 404
    early = ann.open_event(after=DAY // 2)
    assert ann.http.post(f"/api/events/{early}/play", json={}).json()["wording"]["id"] == "event.early"


def test_only_its_host_cancels_an_event_and_only_before_it_begins(server: Served) -> None:
    host, other = server.player(), server.player()
    later = host.open_event(after=DAY // 2)
    begun = host.open_event()
    told = [player.http.get(f"/api/events/{later}").json()["event"]["hosting"] for player in (host, other)]
    assert told == [True, False]
    daily = host.http.get("/api/events/today").json()["next"]

    def cancelled(player: Player, event: str) -> tuple[int, str | None]:
        answer = player.http.post(f"/api/events/{event}/cancel")
        return answer.status_code, answer.json().get("message")

    for player, event in ((other, later), (server.player(), later), (host, daily)):
        assert cancelled(player, event) == (403, "only the player who opened the event can cancel it")
    assert cancelled(host, begun) == (409, "the event has already begun")
    assert cancelled(host, later) == (200, None)
    assert cancelled(host, later) == (404, "there is no such event")
    assert host.http.get(f"/api/events/{begun}").status_code == 200


def test_listed_events_are_shown_and_others_are_found_by_their_link(server: Served) -> None:
    ann, bo = server.player(), server.player()
    shown, hidden = ann.open_event(listed=True), ann.open_event(title="Friends")
    assert [one["id"] for one in bo.http.get("/api/events").json()] == [shown]
    assert {one["id"] for one in ann.http.get("/api/events").json()} == {shown, hidden}
    assert bo.http.get(f"/api/events/{hidden}").json()["event"]["title"] == "Friends"
    end_now(server, hidden)
    later = bo.open_event(listed=True)
    assert [one["id"] for one in ann.http.get("/api/events").json()] == [shown, later, hidden], (
        "those that have ended last"
    )


def test_pages_of_hands_differ_between_tables_with_the_same_deal() -> None:
    place = EventPlace(id="e", deal=0, deals=2)
    rules, seed = dasan.rules(GAME), bytes(128)
    heads = [Head(name, rules, TableSettings(), seed, place) for name in ("a", "b")]
    assert heads[0].page(1) != heads[1].page(1)
    assert heads[0].commitment(1) == heads[1].commitment(1)


@pytest.mark.full
def test_an_event_goes_on_after_a_kill(serve: Serve) -> None:
    """No state of an event is only in memory: another server on the same data shows the same, and continues the deal."""
    with ExitStack() as stack:
        first = stack.enter_context(serve())
        ann = first.player()
        event = ann.open_event()
        play_deal(ann, event)
        table = next_deal(ann, event)["table"]
        before = ann.http.get(f"/api/events/{event}").json()
        cookies = dict(ann.http.cookies)
    with serve() as second:
        back = second.player()
        back.http.cookies.update(cookies)
        assert back.http.get(f"/api/events/{event}").json() == before
        assert next_deal(back, event)["table"] == table
