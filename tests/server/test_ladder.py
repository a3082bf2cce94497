"""The ladder: ratings that follow from the stored hands, and leaderboards of accounts and bots."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.cli.running import cli, output

from dasan.arena.measured import measured
from dasan.server.new_ids import stranger
from dasan.server.store import ratings as store_ratings
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hand import Player as Seated
from dasan.server.store.hands import insert_hand
from dasan.server.store.migrating import migrate
from dasan.server.store.ratings import SETTLED, Rated, after, shown
from dasan.server.store.schema import hands, players, rating_points, ratings

from .conftest import Opened
from .harness import Json, Player, Served

GAME = "big-three"


def hand(number: int, seats: list[tuple[str | None, str | None]], bidder: int, won: bool, **more: Any) -> FinishedHand:
    """A hand of Big Three. seats: (player, bot). won: whether the bidder won."""
    sat = tuple(
        Seated(
            seat,
            player or bot or "",
            player,
            bot,
            "bidder" if seat == bidder else "defender",
            0,
            won == (seat == bidder),
        )
        for seat, (player, bot) in enumerate(seats)
    )
    result = {"payments": [0, 0, 0], "winners": [seat for seat, one in enumerate(sat) if one.won]}
    return FinishedHand(f"h{number:04}", "t", number, GAME, number, True, True, result, [], "", sat, **more)


@pytest.mark.full
def test_equal_players_stay_where_everybody_begins() -> None:
    """Each is the bidder in a third of the hands, and wins half of them."""
    known: dict[str, Rated] = {}
    rng = random.Random(1)
    for number in range(600):
        known |= after(hand(number, [("a", None), ("b", None), ("c", None)], number % 3, rng.random() < 0.5), known)
    shown_ratings = [shown(one.mu) for one in known.values()]
    assert sum(shown_ratings) == pytest.approx(3 * 1500, abs=3)
    assert all(1300 < rating < 1700 for rating in shown_ratings)


def test_a_measured_bot_keeps_its_rating_and_people_are_rated_against_it() -> None:
    known: dict[str, Rated] = {}
    for number in range(60):
        known |= after(hand(number, [("a", None), (None, "greedy"), (None, "level-1")], 0, True), known)
    assert shown(known["bot:greedy"].mu) == 1500
    assert shown(known["bot:level-1"].mu) == 1500 + measured(GAME)["level-1"]
    assert known["bot:greedy"].hands == 60
    assert shown(known["a"].mu) > 1700


def test_bots_are_measured_with_the_usual_number_of_players_alone() -> None:
    """Winner for three has no measurements: its bots are rated by their hands."""
    places: list[tuple[str | None, str | None]] = [("a", None), (None, "greedy"), ("b", None)]
    sat = tuple(Seated(seat, "", *one, "player", 0, seat == 1) for seat, one in enumerate(places))
    three = replace(hand(1, places, 0, True), preset="winner", players=sat, result={"finish_order": [1, 0, 2]})
    known = after(three, {})
    assert shown(known["bot:greedy"].mu) > 1500
    assert known["bot:greedy"].sigma > known["a"].sigma / 2
    four = replace(three, players=(*sat, Seated(3, "", "c", None, "player", 0, False)))
    assert shown(after(four, {})["bot:greedy"].mu) == 1500


def test_a_player_who_was_deleted_during_a_hand_is_not_rated() -> None:
    """The others are, against somebody without a rating."""
    gone = hand(1, [("a", None), (stranger(), None), (None, "greedy")], 0, True)
    known = hand(1, [("a", None), (None, None), (None, "greedy")], 0, True)
    assert after(gone, {}).keys() == {"a", "bot:greedy"}
    assert after(gone, {}) == after(known, {})


@pytest.mark.parametrize("result", [{"winners": []}, {}, None, 7])
def test_a_void_hand_changes_no_rating_though_its_row_is_damaged(result: Any) -> None:
    void = replace(hand(1, [("a", None), ("b", None), ("c", None)], 0, True), result=result)
    void = replace(void, players=tuple(replace(one, role="player", won=False) for one in void.players))
    assert after(void, {}) == {}


def some_hands(count: int) -> list[FinishedHand]:
    rng = random.Random(28)
    seats: list[tuple[str | None, str | None]] = [
        ("a", None), ("b", None), ("c", None), (None, "greedy"), (None, "low"), (None, None),
    ]  # fmt: skip
    made = [hand(n, rng.sample(seats, 3), rng.randrange(3), rng.random() < 0.5) for n in range(count)]
    void = tuple(replace(one, won=False) for one in made[5].players)
    made[5] = replace(made[5], result={"payments": [0, 0, 0], "winners": []}, players=void)
    return made


@pytest.mark.full
def test_ratings_are_computed_again_from_the_stored_hands(tmp_path: Path) -> None:
    """The command finds altered ratings, and restores them and their chart."""
    file = tmp_path / DATABASE_FILE
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        migrate(connection)
    tmp_path.chmod(0o700)
    file.chmod(0o600)
    with engine.begin() as connection:
        for one in some_hands(700):
            insert_hand(connection, one)
        rows = connection.execute(sa.select(ratings).order_by(ratings.c.player)).all()
        points = connection.execute(sa.select(rating_points).order_by(*rating_points.primary_key)).all()
    here = ("--data-dir", tmp_path)
    assert output("admin", "ratings", *here) == "5 ratings, of which 0 would be changed\n"
    with engine.begin() as connection:
        connection.execute(sa.update(ratings).where(ratings.c.player == "a").values(mu=40.0))
        connection.execute(sa.delete(rating_points).where(rating_points.c.player == "b"))
        connection.execute(sa.insert(ratings), {**rows[0]._mapping, "player": "nobody"})
    printed = cli("admin", "ratings", "--json", *here)
    assert printed.exit_code == 1
    changed = {one["player"]: (one["stored"], one["computed"]) for one in json.loads(printed.stdout)["differences"]}
    mine = next(row for row in rows if row.player == "a")
    assert changed == {"a": (2100, shown(mine.mu)), "nobody": (shown(rows[0].mu), None)}
    output("admin", "ratings", "--write", *here)
    with engine.begin() as connection:
        assert connection.execute(sa.select(ratings).order_by(ratings.c.player)).all() == rows
        assert connection.execute(sa.select(rating_points).order_by(*rating_points.primary_key)).all() == points
        assert connection.scalar(sa.select(sa.func.count()).select_from(hands)) == 700
    engine.dispose()


def account(server: Served, name: str) -> tuple[Player, str]:
    one = server.player()
    assert one.http.post("/api/account", json={"name": name, "password": "correct horse"}).status_code == 201
    return one, one.http.get("/api/me").json()["id"]


def put(server: Served, *rows: tuple[str, float, int]) -> None:
    """Store ratings of Big Three: player, shown rating, hands."""
    engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
    values = [
        {"player": one, "preset": GAME, "players": 3, "mu": (rating - 500) / 40, "sigma": 1.0, "hands": n, "at": 1}
        for one, rating, n in rows
    ]
    with engine.begin() as connection:
        connection.execute(sa.insert(ratings), values)
    engine.dispose()


def board(player: Player) -> Json:
    answer = player.http.get(f"/api/ladder/{GAME}/3")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.full
def test_accounts_and_measured_bots_have_places(server: Served) -> None:
    (ann, a), (_, b), (cy, c), (_, d) = (account(server, name) for name in ("Ann", "Bob", "Cyd", "Dan"))
    guest = server.player()
    g = guest.http.post("/api/me", json={}).json()["id"]
    put(server, (a, 1620, SETTLED), (b, 1490, 50), (c, 1900, SETTLED - 1), (d, 1800, 99), (g, 1950, 99))
    put(server, ("bot:greedy", 1777, 99), ("bot:low", 1111, 99))
    engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE players SET banned = 1 WHERE id = :id"), {"id": d})
    engine.dispose()
    page = board(ann)
    places = page["places"]
    assert [one["rank"] for one in places] == list(range(1, len(places) + 1))
    assert [one["rating"] for one in places] == sorted((one["rating"] for one in places), reverse=True)
    people = {one["name"]: (one["rating"], one["level"]) for one in places if one["bot"] is None}
    assert people == {"Ann": (1620, 6), "Bob": (1490, 4)}
    bots = {one["bot"]: (one["rating"], one["hands"]) for one in places if one["bot"] is not None}
    assert bots.pop("low") == (1111, 99)
    assert bots == {name: (round(1500 + points), None) for name, points in measured(GAME).items()}
    assert page["mine"] == next(one for one in places if one["name"] == "Ann")
    assert page["mine"]["you"]
    mine = board(cy)["mine"]
    assert (mine["rank"], mine["level"], mine["hands"]) == (None, None, SETTLED - 1)
    assert board(guest)["mine"] is None
    assert ann.http.get("/api/me/profile").json()["ratings"][0]["level"] == 6


@pytest.mark.full
def test_a_place_beyond_the_first_is_counted(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.server.api.ladder.SHOWN", 3)
    ann, a = account(server, "Ann")
    put(server, (a, 100, 40))
    page = board(ann)
    assert len(page["places"]) == 3
    assert page["mine"]["rank"] == len(measured(GAME)) + 1


@pytest.mark.full
async def test_places_of_a_large_ladder_are_those_of_a_plain_sort(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where steps end, and of equal ratings; what was counted is kept, and counted again by a later request."""
    store = await opened()
    rng = random.Random(5)
    rows = [(f"p{n:03}", rng.choice([rng.gauss(25, 3), rng.randrange(180, 320) / 10]), n % 9 * 5) for n in range(300)]
    people = [
        {"id": one, "name": one, "created": 1, "account": one if n % 11 else None, "banned": n % 13 == 0}
        for n, (one, _, _) in enumerate(rows)
    ]
    values = [
        {"player": one, "preset": GAME, "players": 3, "mu": mu, "sigma": 1.0, "hands": n, "at": 1} for one, mu, n in rows
    ]
    await store.database.write(lambda c: (c.execute(sa.insert(players), people), c.execute(sa.insert(ratings), values)))
    listed = [one for one, person in zip(rows, people, strict=True) if person["account"] and not person["banned"]]
    settled = [one for one in listed if one[2] >= SETTLED]
    monkeypatch.setattr(store_ratings, "LARGE", len(listed))
    for one, mu, _ in settled[:60]:
        _, mine = await store.ratings.board(GAME, 3, {"greedy": 25.0}, 5, one)
        assert mine is not None
        better = sum(other > mu for _, other, _ in settled) + (mu < 25.0)
        assert mine.rank == better + 1 if better >= 5 else mine.rank in range(1, 7)
    assert await store.ratings.boards() == [(GAME, 3, len(settled))]
    await store.database.write(lambda c: c.execute(sa.update(players).values(banned=True)))
    assert await store.ratings.boards() == [(GAME, 3, len(settled))], "kept"
    monkeypatch.setattr(store_ratings, "KEPT_FOR", 0)
    assert await store.ratings.boards() == [(GAME, 3, len(settled))], "counted again for the next request"
    for _ in range(1000):
        if not (after_it := await store.ratings.boards()):
            break
        await asyncio.sleep(0.01)
    assert after_it == []
    await store.close()


@pytest.mark.full
async def test_a_count_that_fails_is_reported_and_the_last_one_kept(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = await opened()
    await store.people.register("ada", "ada", "hash", 1)
    rating = {"player": "ada", "preset": GAME, "players": 3, "mu": 25.0, "sigma": 1.0, "hands": SETTLED, "at": 1}
    await store.database.write(lambda connection: connection.execute(sa.insert(ratings), [rating]))
    monkeypatch.setattr(store_ratings, "LARGE", 1)
    monkeypatch.setattr(store_ratings, "KEPT_FOR", 0)
    assert await store.ratings.boards() == [(GAME, 3, 1)]
    await store.database.write(ratings.drop)
    for _ in range(1000):
        assert await store.ratings.boards() == [(GAME, 3, 1)]
        if "counting the ladder failed" in caplog.text:
            break
        await asyncio.sleep(0.01)
    assert "counting the ladder failed" in caplog.text
    await store.close()


def test_boards_are_listed_and_others_refused(server: Served) -> None:
    player = server.player()
    listed = {(one["preset"], one["players"]) for one in player.http.get("/api/ladder").json()}
    assert {("big-three", 3), ("big-three-4p", 4), ("big-two", 4), ("winner", 4)} <= listed
    assert player.http.get("/api/ladder/poker/4").status_code == 404
    assert player.http.get("/api/ladder/winner/6").json()["places"] == []
