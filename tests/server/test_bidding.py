"""The bidding trainer over HTTP: a hand that hides its cards, a verdict, and the history of a player's bids."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import sqlalchemy as sa

from dasan.server.refusals import Refused
from dasan.server.store import bids
from dasan.server.store.retention import UNSEEN_DAYS, Keep, prune
from dasan.server.store.schema import bid_answers
from dasan.server.study import bid_practice
from dasan.server.times import DAY

from .conftest import Opened
from .harness import Player, Served

SEED = bytes(range(32))


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "dou-dizhu"])
def test_a_hand_is_the_same_for_its_seed_and_hides_the_other_hands(preset: str) -> None:
    view = bid_practice.shown(preset, SEED)
    assert view == bid_practice.shown(preset, SEED)
    assert view["phase"] == "auction"
    assert view["to_act"] == view["seat"]
    assert len(view["legal_moves"]) > 1
    state = bid_practice.hand(preset, SEED)
    others = {str(card) for seat, cards in enumerate(state.hands) if seat != view["seat"] for card in cards}
    shown = {card for event in view["events"] for card in event.get("cards", [])}
    words = set(json.dumps(view).replace('"', " ").split())
    assert words & (others | {str(card) for card in state.kitty}) <= shown, "only the opening card is shown"


def test_earlier_bids_differ_from_seed_to_seed() -> None:
    hands = [bid_practice.hand("big-three", bytes([n]) * 32) for n in range(24)]
    before = {sum(event.type in ("bid", "pass") for event in state.events) for state in hands}
    assert before == {0, 1, 2}


@pytest.mark.full
def test_a_bid_is_judged_and_counted_once(server: Served) -> None:
    player, other = server.player(), server.player()
    assert player.http.post("/api/bidding/big-three", json={}).status_code == 403, "nobody knows whose bids these are"
    for one in (player, other):
        one.http.post("/api/me", json={})
    assert player.http.post("/api/bidding/winner", json={}).status_code == 404, "this game has no auction"
    hand = answered(player, "/api/bidding/big-three")
    assert answered(player, "/api/bidding/big-three") == hand, "it stays until it is answered"
    path = f"/api/bidding/big-three/hands/{hand['id']}"
    move = hand["view"]["legal_moves"][-1]["move"]
    assert other.http.post(path, json={"bid": move}).status_code == 404, "it is another player's hand"
    assert player.http.post(path, json={"bid": "bid 9"}).status_code == 409
    assert player.http.post(path, json={"bid": "BID  02"}).status_code == 400, "a bid is written in one way"
    verdict = answered(player, path, bid=move)
    known = verdict["known"]
    assert known["move"] == move
    assert {one["move"] for one in known["estimates"]} == {one["move"] for one in hand["view"]["legal_moves"]}
    assert all(one["margin"] >= 0 for one in known["estimates"])
    chance = verdict["contract"]
    assert 0 <= chance["low"] <= chance["chance"] <= chance["high"] <= 1
    assert len(verdict["as_bidder"]) == 3
    assert sum(verdict["payments"]) == 0
    cards = [card for cards in (*verdict["hands"], verdict["kitty"]) for card in cards]
    assert len(set(cards)) == 52
    history = player.http.get("/api/bidding/big-three").json()
    (latest,) = history["latest"]
    assert (history["bids"], latest["bid"], latest["best"]) == (1, move, known["best"])
    assert history["best"] == (known["best"] == move)
    answered(player, path, bid=hand["view"]["legal_moves"][0]["move"])
    assert player.http.get("/api/bidding/big-three").json() == history, "what is tried afterwards is not counted"
    assert other.http.get("/api/bidding/big-three").json()["bids"] == 0
    assert answered(player, "/api/bidding/big-three")["id"] != hand["id"]
    export = player.http.get("/api/account/export").json()
    assert [one["bid"] for one in export["bids"]] == [move, None]
    assert "seed" not in export["bids"][0]


def answered(player: Player, path: str, **body: object) -> Any:
    answer = player.http.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_means_follow_the_answers_and_old_ones_go(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await opened()
    monkeypatch.setattr(bids, "MOST", 3)
    for n in range(5):
        hand_id, seed = await store.bids.hand("p", "big-three", n)
        assert await store.bids.seed("p", "big-three", hand_id) == seed
        judged = {"move": "pass", "best": "bid 1", "habit": "bid-low", "cost": n / 10, "mistake": n > 3}
        await store.bids.answer("p", "big-three", hand_id, judged, n)
        await store.bids.answer("p", "big-three", hand_id, judged | {"move": "bid 1"}, n)
    answers = await store.bids.answers("p", "big-three")
    assert [(one.bid, one.cost) for one in answers] == [("pass", 0.2), ("pass", 0.3), ("pass", 0.4)]
    await store.people.forget("p", 9)
    with pytest.raises(Refused):
        await store.bids.hand("p", "big-three", 10)
    assert await store.database.read(lambda c: c.scalar(sa.select(sa.func.count()).select_from(bid_answers))) == 0
    await store.close()


async def test_one_hand_is_open_and_a_guests_hands_go_in_the_end(opened: Opened) -> None:
    store = await opened()
    asked = await asyncio.gather(*(store.bids.hand("guest", "big-three", 5) for _ in range(4)))
    assert len(set(asked)) == 1
    again = {"id": "second", "seed": b"", "player": "guest", "preset": "big-three", "at": 6}
    with pytest.raises(sa.exc.IntegrityError):
        await store.database.write(lambda c: c.execute(sa.insert(bid_answers), again))
    for now, left in ((5 + UNSEEN_DAYS * DAY, 1), (6 + UNSEEN_DAYS * DAY, 0)):
        await prune(store.database, store.people, Keep(), now)
        assert await store.database.read(lambda c: c.scalar(sa.select(sa.func.count()).select_from(bid_answers))) == left
    await store.close()
