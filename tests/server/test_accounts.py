"""Accounts: a guest gets one without losing games, signs in and out, moves to another device, is deleted."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
import sqlalchemy as sa
from openskill.models import PlackettLuce

from dasan.server.protocol.rest import HandRole
from dasan.server.store import hands as kept
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hand import Player as Seated
from dasan.server.store.hands import insert_hand
from dasan.server.store.ratings import after, rate, shown, teams
from dasan.server.store.schema import hand_seats, metadata, ratings

from .harness import ANN, RATED, Serve, Served, ok, played


def test_a_guest_becomes_an_account_and_keeps_everything(server: Served) -> None:
    ann, other = server.player(), server.player()
    assert ok(ann.http.get("/api/me")) == {
        "id": None,
        "name": None,
        "account": None,
        "password": False,
        "moderator": False,
    }
    assert ok(ann.http.post("/api/me/name", json={"name": " Ann  B "}))["name"] == "Ann B"
    hand = played(ann)
    assert hand["seat"] == 0
    made = ok(ann.http.post("/api/account", json=ANN))
    assert made["account"] == ANN["name"]
    assert ok(ann.http.get("/api/me/history"))["hands"] == [hand]
    assert ann.http.post("/api/me/name", json={"name": "x"}).status_code == 409
    for name, message in (("ann-大三", "that name is taken"), ("greedy", "that name is reserved")):
        answer = other.http.post("/api/account", json={**ANN, "name": name})
        assert (answer.status_code, answer.json()["message"]) == (409, message)
    for name, status in (("王", 400), ("小明", 201)):
        answer = server.player().http.post("/api/account", json={**ANN, "name": name})
        assert answer.status_code == status, "most Chinese given names have two characters"
    answer = other.http.post("/api/account", json={**ANN, "name": "\ufdfa" * 4})
    assert (answer.status_code, answer.json()["message"]) == (400, "this name is too long")
    for wrong in ({**ANN, "password": "wrong horse"}, {**ANN, "name": "nobody"}):
        answer = other.http.post("/api/sign-in", json=wrong)
        assert (answer.status_code, "name or the password is wrong" in answer.json()["message"]) == (403, True)
    assert ok(other.http.post("/api/sign-in", json={**ANN, "name": "ANN-大三"})) == made
    assert [one["id"] for one in ok(other.http.get("/api/tables"))] == [
        one["id"] for one in ok(ann.http.get("/api/tables"))
    ]
    sessions = ok(ann.http.get("/api/sessions"))
    assert [one["current"] for one in sessions].count(True) == 1
    assert len(sessions) == 2
    profile = ok(server.player().http.get("/api/people/ann-大三"))
    assert sum(role["hands"] for role in profile["statistics"]) == 1
    assert profile["ratings"] == []


@pytest.mark.full
def test_a_guests_old_cookie_is_not_the_account(server: Served) -> None:
    ann = server.player()
    ok(ann.http.post("/api/me/name", json={"name": "Ann"}))
    old = dict(ann.http.cookies)
    ok(ann.http.post("/api/account", json=ANN))
    assert ok(httpx.get(f"{server.address}/api/me", cookies=old))["id"] is None
    table_id = ann.open_table("big-three", ["random", "random"])
    assert httpx.get(f"{server.address}/api/tables/{table_id}", cookies=old).status_code == 403


@pytest.mark.full
def test_signing_out_everywhere_and_another_password(server: Served) -> None:
    here, there = server.player(), server.player()
    ok(here.http.post("/api/account", json=ANN))
    ok(there.http.post("/api/sign-in", json=ANN))
    stolen = dict(there.http.cookies)
    answer = here.http.post("/api/account/password", json={"old": "wrong horse", "new": "battery staple"})
    assert answer.status_code == 403
    ok(here.http.post("/api/account/password", json={"old": ANN["password"], "new": "battery staple"}))
    assert ok(there.http.get("/api/me"))["account"] is None
    assert there.http.post("/api/sign-in", json=ANN).status_code == 403
    ok(there.http.post("/api/sign-in", json={**ANN, "password": "battery staple"}))
    ok(here.http.post("/api/sign-out", params={"everywhere": True}))
    for cookies in (stolen, dict(there.http.cookies)):
        assert ok(httpx.get(f"{server.address}/api/me", cookies=cookies))["account"] is None


@pytest.mark.full
def test_a_link_moves_a_guest_to_another_device(server: Served) -> None:
    phone, computer, thief = server.player(), server.player(), server.player()
    assert phone.http.post("/api/me/link").status_code == 403
    table_id = phone.open_table("big-three", ["random", "random"])
    link = ok(phone.http.post("/api/me/link"))
    ok(computer.http.post("/api/me/claim", json={"token": link["token"]}))
    with computer.sit(table_id) as socket:
        assert socket.table["table"]["you"] == 0
    assert thief.http.post("/api/me/claim", json={"token": link["token"]}).status_code == 404


@pytest.mark.full
def test_data_can_be_had_and_deleted(server: Served) -> None:
    ann = server.player()
    hand = played(ann, **RATED)
    (table_id,) = [one["id"] for one in ok(ann.http.get("/api/tables"))]
    for text in ("to be had", "again"):
        ok(ann.http.post(f"/api/tables/{table_id}/commands", json={"type": "chat", "id": text[:2], "text": text}))
    left = ann.open_table("big-three", seats=["me", "open", "random"])
    for command in ({"type": "chat", "id": "said", "text": "and left"}, {"type": "leave", "id": "left"}):
        ok(ann.http.post(f"/api/tables/{left}/commands", json=command))
    ok(ann.http.post(f"/api/hands/{hand['id']}/together", json={"type": "place", "seq": None}))
    ok(ann.http.post("/api/account", json=ANN))
    data = ok(ann.http.get("/api/account/export"))
    assert [one["hand_id"] for one in data["hands"]] == [hand["id"]]
    assert [one["hand_id"] for one in data["rating_points"]] == [hand["id"]]
    assert [one["hand_id"] for one in data["shared_reviews"]] == [hand["id"]]
    assert [one["text"] for one in data["chat"]] == ["to be had", "again", "and left"]
    assert "password" not in str(data)
    assert ann.http.post("/api/account/delete", json={"password": "wrong horse"}).status_code == 403
    ok(ann.http.post("/api/account/delete", json={"password": ANN["password"]}))
    assert ok(ann.http.get("/api/me"))["id"] is None
    page = ok(ann.http.get(f"/api/hands/{hand['id']}"))
    assert page["seats"][0]["name"] == "Former player"
    assert ann.http.post("/api/sign-in", json=ANN).status_code == 403


@pytest.mark.full
def test_a_deleted_player_leaves_every_table(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that the player's list, which is bounded, leaves out: others can take the chair."""
    monkeypatch.setattr("dasan.server.store.listings.MOST_LISTED", 1)
    ann, bo = server.player(), server.player()
    opened = [ann.open_table("big-three", seats=["me", "open", "open"]) for _ in range(3)]
    assert len(ok(ann.http.get("/api/tables"))) == 1
    ok(ann.http.post("/api/account/delete", json={}))
    for table_id in opened:
        assert ok(bo.http.post(f"/api/tables/{table_id}/join", json={"seat": 0}))["seat"] == 0


@pytest.mark.full
def test_guessing_passwords_is_slow(serve: Serve) -> None:
    with serve(sign_in_burst=3, sign_in_rate=0.001) as server:
        codes = [server.player().http.post("/api/sign-in", json=ANN).status_code for _ in range(4)]
        assert codes == [403, 403, 403, 429]


@pytest.mark.full
def test_hands_that_end_at_the_same_time_stand_on_one_page_each(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PAGE", 3)
    ann = server.player()
    first = played(ann)
    engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
    with engine.begin() as connection:
        ours = connection.scalar(sa.select(hand_seats.c.player).where(hand_seats.c.player.is_not(None)))
        sat = (Seated(0, "Ann", ours, None, "player", 1, True),)
        # Ids sort in another order than they were written in, and more of them share a moment than fit on a page.
        for number, hand_id in enumerate(["b-2", "a_1", "Z9", "c", "-x", "d", "e"]):
            result = {"payments": [1], "winners": [0]}
            insert_hand(connection, FinishedHand(hand_id, "t", number, "big-two", 5, True, False, result, [], "", sat))
    engine.dispose()
    hands: list[str] = []
    before = None
    while before is not None or not hands:
        page = ok(ann.http.get("/api/me/history", params={} if before is None else {"before": before}))
        hands += [hand["id"] for hand in page["hands"]]
        before = page["before"]
    assert hands[0] == first["id"]
    assert sorted(hands[1:]) == sorted(["b-2", "a_1", "Z9", "c", "-x", "d", "e"])
    # A moment alone is a place too, so addresses of earlier versions still work.
    assert [hand["id"] for hand in ok(ann.http.get("/api/me/history?before=6"))["hands"]] == hands[1:4]
    for wrong in ("x", "-1", "1.", "1.a b", "9" * 16, "1.2.3"):
        assert ann.http.get("/api/me/history", params={"before": wrong}).status_code == 400


@pytest.mark.full
def test_the_history_says_in_which_order_players_were_out(server: Served) -> None:
    ann = server.player()
    hand = played(ann, "winner", ["random"] * 3)
    assert sorted(hand["finish_order"]) == [0, 1, 2, 3]
    assert hand["finish_order"][0] in hand["winners"]


@pytest.mark.full
def test_rated_hands_rate_people_and_bots(server: Served) -> None:
    ann = server.player()
    played(ann, **RATED)
    profile = ok(ann.http.get("/api/me/profile"))
    (rating,) = profile["ratings"]
    assert (rating["preset"], rating["players"], rating["hands"], rating["provisional"]) == ("big-three", 3, 1, True)
    assert rating["rating"] != 1500
    chart = ok(ann.http.get("/api/me/ratings/big-three/3"))
    assert [point["rating"] for point in chart] == [rating["rating"]]
    bot = ok(ann.http.get("/api/bots/random"))
    assert bot["ratings"][0]["hands"] == 1
    assert sum(role["hands"] for role in bot["statistics"]) == 2


@pytest.mark.full
def test_a_rated_hand_counts_for_a_player_who_leaves_it(server: Served) -> None:
    ann = server.player()
    refused = ann.http.post("/api/tables", json={"preset": "big-three", "settings": {"rated": True}})
    assert refused.json()["code"] == "malformed"
    assert "time limit" in refused.json()["message"]
    table_id = ann.open_table("big-three", ["random", "random"], settings=RATED)
    with ann.sit(table_id) as socket:
        socket.until(lambda _: socket.my_turn())
        ok(ann.http.post(f"/api/tables/{table_id}/forget"))
        socket.until(lambda _: socket.view["phase"] == "over")
    (rating,) = ok(ann.http.get("/api/me/profile"))["ratings"]
    assert rating["hands"] == 1


def hand_of(roles: list[tuple[HandRole, bool, int]], finish_order: list[int]) -> FinishedHand:
    players = tuple(Seated(s, f"P{s}", f"p{s}", None, role, paid, won) for s, (role, won, paid) in enumerate(roles))
    result = {"finish_order": finish_order}
    return FinishedHand("h", "t", 1, "big-two", 0, True, True, result, [], "", players)


def test_sides_and_places_follow_from_the_result() -> None:
    sides = hand_of([("defender", True, 1), ("bidder", False, -1), ("partner", False, -1), ("defender", True, 1)], [0])
    assert teams(sides) == ([[1, 2], [0, 3]], [2.0, 1.0])
    places = hand_of([("player", False, 0), ("player", True, 0), ("player", False, 0)], [1, 2, 0])
    assert teams(places) == ([[0], [1], [2]], [3.0, 1.0, 2.0])
    paid = hand_of([("player", False, -3), ("player", True, 4), ("player", False, -1)], [1])
    assert teams(paid) == ([[0], [1], [2]], [3.0, 1.0, 2.0])
    for hand, order in (places, [1, 7, 0]), (places, [1, 2, 0]), (sides, [0]):
        *rest, last = hand.players
        damaged = replace(hand, players=(*rest, replace(last, seat=7)), result={"finish_order": order})
        assert len(after(damaged, {})) == len(hand.players)
    *rest, last = sides.players
    without = replace(
        sides, players=tuple(replace(one, role="player") if one.role == "defender" else one for one in sides.players)
    )
    assert teams(without) == teams(sides)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_ratings_are_openskills(order: list[int]) -> None:
    engine = sa.create_engine("sqlite://")
    metadata.create_all(engine)
    hand = hand_of([("player", seat == order[0], 0) for seat in range(3)], order)
    with engine.begin() as connection:
        rate(connection, hand)
        stored_ratings = {row.player: shown(row.mu) for row in connection.execute(sa.select(ratings))}
    model = PlackettLuce()
    expected = model.rate([[model.rating()] for _ in range(3)], ranks=[order.index(seat) + 1 for seat in range(3)])
    assert stored_ratings == {f"p{seat}": shown(expected[seat][0].mu) for seat in range(3)}
    engine.dispose()
