"""A player's own hands: every filter against a naive search, pages that stop early, and turning points."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

import dasan
from dasan.server.protocol.rest import HandRole
from dasan.server.store import Store
from dasan.server.store import hands as kept
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hand import Player as Seated
from dasan.server.store.hands import HandFilter, insert_hand
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import hand_seats

from .conftest import Opened
from .harness import Json, Player, Served, ok, played

ROLES: tuple[HandRole, ...] = ("bidder", "partner", "defender")
OTHERS = (("Bo", "bo", None), ("Old Chen", None, "level-6"), ("Cy", "cy", None))


def drawn(number: int, player: str, rng: random.Random) -> FinishedHand:
    """A hand of the player, in seat 1, and two others."""
    won = rng.random() < 0.5
    away = rng.sample(OTHERS, 2)
    sat = (
        Seated(0, *away[0], "defender", 1, not won),
        Seated(1, "Ann", player, None, rng.choice(ROLES), 1, won),
        Seated(2, *away[1], "defender", 1, not won),
    )
    result = {"payments": [1, 1, 1], "winners": [1] if won else [0, 2]}
    preset, bid = rng.choice((("big-three", rng.choice((1, 2, 3))), ("big-two", None)))
    return FinishedHand(f"h{number}", "t", number, preset, number, True, False, result, [], "", sat, bid)


@pytest.fixture
def hands(server: Served) -> tuple[Player, list[Json]]:
    """A player with 120 hands, and the server's list of all of them."""
    ann = server.player()
    played(ann)
    rng = random.Random(28)
    engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
    with engine.begin() as connection:
        ours = connection.scalar(sa.select(hand_seats.c.player).where(hand_seats.c.player.is_not(None)))
        for number in range(120):
            insert_hand(connection, drawn(number, str(ours), rng))
            turn = {"turn_seq": number, "turn_seat": rng.choice((0, 1, 2, None))}
            connection.execute(sa.update(hand_seats).where(hand_seats.c.hand_id == f"h{number}").values(**turn))
        missing = hand_seats.c.turn_seat.is_(None)
        connection.execute(sa.update(hand_seats).where(missing).values(turn_seq=None))
    engine.dispose()
    return ann, pages(ann)


def pages(player: Player, **wanted: str | int) -> list[Json]:
    """All hands of a filter, page by page."""
    listed: list[Json] = []
    before = None
    while True:
        page = ok(player.http.get("/api/me/history", params={**wanted, **({"before": before} if before else {})}))
        assert len(page["hands"]) <= kept.PAGE
        listed += page["hands"]
        before = page["before"]
        if before is None:
            return listed


def met(hand: Json, opponent: str) -> bool:
    names = [name if bot is None else f"bot:{bot}" for name, bot in zip(hand["names"], hand["bots"], strict=True)]
    return opponent in [name for seat, name in enumerate(names) if seat != hand["seat"]]


@pytest.mark.full
@pytest.mark.parametrize("scanned", [7, 2000])
def test_filters_find_what_a_naive_search_finds(
    hands: tuple[Player, list[Json]], monkeypatch: pytest.MonkeyPatch, scanned: int
) -> None:
    monkeypatch.setattr(kept, "SCANNED", scanned)
    ann, every = hands
    assert len(every) == 121
    tests: dict[tuple[str, str | int], Callable[[Json], bool]] = {
        ("preset", "big-two"): lambda hand: hand["preset"] == "big-two",
        ("role", "bidder"): lambda hand: hand["role"] == "bidder",
        ("bid", 2): lambda hand: hand["bid"] == 2,
        ("result", "won"): lambda hand: hand["seat"] in hand["winners"],
        ("result", "lost"): lambda hand: hand["seat"] not in hand["winners"],
        ("opponent", "Bo"): lambda hand: met(hand, "Bo"),
        ("opponent", "bot:level-6"): lambda hand: met(hand, "bot:level-6"),
        ("turning", "mine"): lambda hand: hand["turn"] is not None and hand["turn"]["seat"] == hand["seat"],
        ("turning", "theirs"): lambda hand: hand["turn"] is not None and hand["turn"]["seat"] != hand["seat"],
    }
    for (name, value), test in tests.items():
        wanted = [hand["id"] for hand in every if test(hand)]
        assert 0 < len(wanted) < 121
        assert [hand["id"] for hand in pages(ann, **{name: value})] == wanted, name
    both = [hand["id"] for hand in every if hand["role"] == "bidder" and met(hand, "Bo")]
    assert [hand["id"] for hand in pages(ann, role="bidder", opponent="Bo")] == both
    assert pages(ann, opponent="Ann") == [], "nobody is their own opponent"


@pytest.mark.full
def test_choices_are_what_the_hands_have(hands: tuple[Player, list[Json]]) -> None:
    ann, every = hands
    answer = ok(ann.http.get("/api/me/history/choices"))
    assert answer["presets"] == ["big-three", "big-two"]
    assert answer["bids"] == [1, 2, 3]
    assert set(answer["roles"]) == {hand["role"] for hand in every}
    counts = [sum(met(hand, name) for hand in every) for name in answer["opponents"]]
    assert counts == sorted(counts, reverse=True)
    assert {"Bo", "Cy", "bot:level-6", "bot:random"} == set(answer["opponents"])


def test_wrong_filters_are_refused(server: Served) -> None:
    ann = server.player()
    for wrong in ({"role": "dealer"}, {"bid": -1}, {"result": "drawn"}, {"turning": "x"}, {"opponent": "a\0b"}):
        assert ann.http.get("/api/me/history", params=wrong).status_code == 400, wrong
    assert ok(ann.http.get("/api/me/history/choices"))["presets"] == []


@pytest.mark.full
def test_a_turning_point_is_found_by_its_player(server: Served) -> None:
    """The solver's answer for the result sheet is what the filter reads."""
    moves: set[str] = set()
    for _ in range(8):
        ann = server.player()
        hand = played(ann)
        assert hand["turn"] is None
        answer = ok(ann.http.get(f"/api/hands/{hand['id']}/turning"))
        if answer["move"] is None:
            continue
        mine = answer["move"]["seat"] == hand["seat"]
        (shown,) = [one for one in pages(ann, turning="mine" if mine else "theirs") if one["id"] == hand["id"]]
        assert shown["turn"] == {"seq": answer["move"]["seq"], "seat": answer["move"]["seat"]}
        assert hand["id"] not in [one["id"] for one in pages(ann, turning="theirs" if mine else "mine")]
        moves.add("mine" if mine else "theirs")
        if len(moves) == 2:
            break
    assert moves


async def test_the_hands_of_a_table_name_who_played_them(opened: Opened) -> None:
    """By these seats the record of a session shows players the cards that they had."""
    store = await opened()
    for number, names in (1, ("ann", "bob", None)), (2, ("bob", None, "ann")):
        seats = tuple(
            Seated(seat, name or "greedy", name, None if name else "greedy", "player", 0, False)
            for seat, name in enumerate(names)
        )
        result = {"payments": [0, 0, 0], "winners": [], "finish_order": []}
        one = FinishedHand(f"h{number}", "t", number, "big-three", number, True, False, result, [], "", seats)
        await store.database.write(partial(insert_hand, hand=one))
    hands = await store.hands.of_table("t", 0, 9)
    assert [[hand.seat_of(name) for name in ("ann", "bob", "cyd", None)] for hand in hands] == [
        [0, 1, None, None],
        [2, 0, None, None],
    ]
    await store.close()


async def test_a_void_hand_is_neither_won_nor_lost(opened: Opened) -> None:
    """H.12: it has no role either; a hand that pays nothing counts."""
    store = await opened()
    none: tuple[HandRole, ...] = ("player", "player", "player")
    roles: tuple[HandRole, ...] = ("bidder", "defender", "defender")
    for number, (sat, winners) in enumerate(((roles, (0,)), (roles, (1, 2)), (none, ()))):
        seats = tuple(
            Seated(seat, name, name, None, sat[seat], 0, seat in winners)
            for seat, name in enumerate(("ann", "bo", "cy"))
        )
        hand = FinishedHand(f"h{number}", "t", number, "dou-dizhu", number, True, False, {}, [], "", seats)
        await store.database.write(lambda connection, hand=hand: insert_hand(connection, hand))  # type: ignore[misc]
    statistics = await store.hands.statistics(hand_seats.c.player, "ann")
    assert [(row.role, row.hands, row.won) for row in statistics] == [("bidder", 2, 1)]
    assert (await store.hands.choices("ann")).roles == ["bidder"]
    for won, ids in ((None, ["h2", "h1", "h0"]), (True, ["h0"]), (False, ["h1"])):
        page, _ = await store.hands.of_player("ann", None, HandFilter(won=won))
        assert [one.id for one in page] == ids
    await store.close()


@pytest.mark.full
async def test_hands_that_an_earlier_version_wrote_get_their_facts(tmp_path: Path) -> None:
    """One that runs beside this one during an upgrade."""
    store = await Store.open(tmp_path)
    for preset, bid in (("big-three", 2), ("big-two", None)):
        state = dasan.session(dasan.rules(preset), seed=1).state
        while state.to_act is not None:
            moves = state.legal_moves()
            state = state.play(next((move for move in moves if str(move) == "bid 2"), moves[-1]))
        assert state.bid == bid
        sat = (Seated(0, "Ann", "ann", None, "player", 0, True),)
        hand = FinishedHand(preset, preset, 1, preset, 1, True, False, {}, [], state.record(), sat, bid)
        await store.database.write(lambda connection, hand=hand: insert_hand(connection, hand))  # type: ignore[misc]
    facts = sa.select(hand_seats.c.hand_id, hand_seats.c.preset, hand_seats.c.bid).order_by(hand_seats.c.hand_id)
    before = await store.database.read(lambda connection: connection.execute(facts).all())
    bare = sa.update(hand_seats).values(preset="", bid=None)
    await store.database.write(lambda connection: connection.execute(bare))
    await prune(store.database, store.people, Keep(), 1)
    assert await store.database.read(lambda connection: connection.execute(facts).all()) == before
    await store.close()


async def test_nobody_waits_for_queries_of_the_whole_database(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run one at a time, whoever asks for them, and a bot's statistics are not made for each request."""
    store = await opened()
    seats = tuple(Seated(seat, "Bo", None, "random", "player", 1, seat == 0) for seat in range(3))
    first, second = (FinishedHand(f"h{n}", "t", n, "big-two", n, True, False, {}, [], "", seats) for n in (1, 2))
    await store.database.write(lambda connection: insert_hand(connection, first))
    async with store.database.scans:
        scans = [asyncio.create_task(work) for work in (store.hands.of_bot("random"), store.people.export("ann"))]
        await store.people.find("ann")
        done, _ = await asyncio.wait(scans, timeout=0.1)
        assert not done
    rows, _ = await asyncio.gather(*scans)
    assert [row.hands for row in rows] == [3]
    monkeypatch.setattr(kept, "KEPT_TIMES", 1_000_000)
    store.hands._of_bots.clear()
    await store.hands.of_bot("random")
    await store.database.write(lambda connection: insert_hand(connection, second))
    async with store.database.scans:
        assert [row.hands for row in await store.hands.of_bot("random")] == [3]
    store.hands._of_bots.clear()
    assert [row.hands for row in await store.hands.of_bot("random")] == [6]
    await store.close()
