"""Points against the field, compared with a naive computation; and a large event: one query, its time and memory."""

from __future__ import annotations

import asyncio
import random
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import sqlalchemy as sa

import dasan
from dasan.estimates import Estimate
from dasan.server.api.events import _mine
from dasan.server.events import running
from dasan.server.events.daily import HOUSE, QUIET
from dasan.server.events.event import DuplicateEvent
from dasan.server.events.running import _table
from dasan.server.events.scoring import Play, standings
from dasan.server.protocol.table import EventPlace
from dasan.server.refusals import Refused
from dasan.server.store import Store, duplicates, schema
from dasan.server.store.duplicates import Guest, Mine
from dasan.server.store.event_plays import check_open
from dasan.server.tables.chairs import Chair, Head, bot_chairs
from dasan.server.tables.directory import Tables
from dasan.server.tables.room import Room
from dasan.server.times import DAY, now

from .conftest import Opened
from .harness import fast


def draw_plays(players: int, deals: int, seats: int, seed: int, *, played: float = 1.0) -> list[Play]:
    """Scores by luck of the deal and the seat, and by skill; each entrant has played the first deals only, or all of them."""
    rng = random.Random(seed)
    luck = {(deal, seat): rng.gauss(0, 8) for deal in range(deals) for seat in range(seats)}
    plays = []
    for n in range(players):
        skill, until = rng.gauss(0, 2), deals if rng.random() < played else rng.randrange(deals)
        for deal in range(until):
            seat = rng.randrange(seats)
            score = float(round(luck[deal, seat] + skill + rng.gauss(0, 3)))
            plays.append(Play(f"p{n}", deal, seat, score, rng.random() < 0.05))
    rng.shuffle(plays)
    return plays


def naive(plays: list[Play], deals: int) -> list[tuple[str, int | None, float]]:
    """(player, rank, points), straight from the definition: every play against every other play."""
    points: dict[str, list[float]] = {}
    for play in plays:
        beside = [o.score for o in plays if (o.deal, o.seat) == (play.deal, play.seat) and o.player != play.player]
        points.setdefault(play.player, [])
        if beside:
            points[play.player].append(play.score - fmean(beside))
    count = {player: sum(play.player == player for play in plays) for player in points}
    totals = {player: round(sum(gained), 6) for player, gained in points.items()}
    whole = [player for player in points if count[player] == deals]
    return sorted(
        (
            (player, 1 + sum(totals[other] > totals[player] for other in whole) if player in whole else None, total)
            for player, total in totals.items()
        ),
        key=lambda row: (row[1] is None, row[1] or 0, -row[2], row[0]),
    )


@pytest.mark.parametrize("seed", range(6))
def test_standings_are_those_of_a_naive_computation(seed: int) -> None:
    plays = draw_plays(24, 5, 1 + seed % 4, seed, played=0.7)
    rows = [(one.player, one.rank, round(one.total, 6)) for one in standings(plays, 5)]
    expected = naive(plays, 5)
    assert [row[:2] for row in rows] == [row[:2] for row in expected]
    assert [row[2] for row in rows] == pytest.approx([row[2] for row in expected], abs=1e-5)


def test_equal_points_share_a_rank_although_their_last_bits_differ() -> None:
    scores = {"a": (-2, 1), "b": (1, -2), "c": (-1, 1), "d": (0, 2)}
    plays = [Play(player, deal, 0, float(score)) for player, mine in scores.items() for deal, score in enumerate(mine)]
    assert [(one.player, one.rank) for one in standings(plays, 2)] == [("d", 1), ("c", 2), ("a", 3), ("b", 3)]


def test_nobody_gains_by_good_cards_alone() -> None:
    """A deal that pays everybody in a seat the same counts for nothing, and adding luck to a seat changes no points."""
    plays = draw_plays(10, 3, 3, 1)
    lucky = [Play(p.player, p.deal, p.seat, p.score + 100 * p.seat + 7 * p.deal, p.assisted) for p in plays]
    before, after = standings(plays, 3), standings(lucky, 3)
    assert [one.player for one in before] == [one.player for one in after]
    assert [one.total for one in before] == pytest.approx([one.total for one in after])


@pytest.mark.parametrize("until", [3, 2])
def test_the_others_are_the_same_before_standings_have_the_play(until: int) -> None:
    """The server's standings can be a second older than a player's own score."""
    plays = [Play("a", 0, 1, 2.0), Play("b", 0, 1, 4.0), Play("me", 0, 1, 6.0)]
    mine = Mine(0, "t", 1, 4, 5, 6.0, assisted=False, hand="h")
    assert _mine(mine, "me", _table(plays[:until], 1, 0)).field == 3.0
    assert _mine(mine, "me", _table((), 1, 0)).field is None


@pytest.mark.full
def test_an_interval_holds_the_mean_and_narrows() -> None:
    few, many = (standings(draw_plays(40, deals, 1, 3), deals)[0].estimate((-60, 60)) for deals in (8, 64))
    assert few is not None
    assert many is not None
    assert few.low <= few.mean <= few.high
    assert many.high - many.low < few.high - few.low


def test_an_interval_is_computed_once_for_all_viewers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the points change: each request for the standings reads fifty of them."""
    computed: list[int] = []
    of = Estimate.of

    def counted(values: Sequence[float], *arguments: Any, **options: Any) -> Estimate:
        computed.append(len(values))
        return of(values, *arguments, **options)

    monkeypatch.setattr(Estimate, "of", counted)
    plays = draw_plays(6, 3, 1, 11)
    for _ in range(4):
        assert all(one.estimate((-60, 60)) is not None for one in standings(plays, 3))
    assert computed == [3] * 6
    assert standings(plays[:-1], 3)[0].estimate((-60, 60)) is not None
    assert len(computed) == 7


def event_of(deals: int) -> DuplicateEvent:
    return DuplicateEvent("big", dasan.rules("big-two"), bytes(128), deals, 1, HOUSE, 0, DAY, QUIET)


@pytest.mark.full
async def test_a_thousand_entries_are_one_query(tmp_path: Path) -> None:
    """1,000 entries and 16 deals from the store: the naive standings, within a second and 64 megabytes."""
    event, plays = event_of(16), draw_plays(1000, 16, 4, 5)
    store = await Store.open(tmp_path)
    await store.duplicates.create(event)
    await store.duplicates.add_bots("big", plays, {play.player: play.player.upper() for play in plays}, 1)
    begun = time.perf_counter()
    read = list(await store.duplicates.plays("big"))
    queried = time.perf_counter()
    result = standings(read, 16)
    computed = time.perf_counter()
    tracemalloc.start()
    standings(await store.duplicates.plays("big"), 16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    await store.close()
    print(f"query {queried - begun:.3f} s, standings {computed - queried:.3f} s, {peak / 1e6:.1f} MB")
    assert len(read) == 16_000
    assert computed - begun < 10
    assert peak < 64e6
    sums: dict[tuple[int, int], list[float]] = {}
    for play in plays:
        sums.setdefault((play.deal, play.seat), []).append(play.score)
    totals: dict[str, float] = {}
    for play in plays:
        scores = sums[play.deal, play.seat]
        gain = play.score - (sum(scores) - play.score) / (len(scores) - 1)
        totals[play.player] = totals.get(play.player, 0.0) + gain
    assert {one.player: one.total for one in result} == pytest.approx(totals)
    assert [one.total for one in result] == sorted((one.total for one in result), reverse=True)
    assert result[0].rank == 1


async def test_a_hand_is_closed_to_those_who_have_not_finished_its_deal(tmp_path: Path) -> None:
    """Until the event is over; a deal of another number, or one under way, opens nothing."""
    store = await Store.open(tmp_path)
    event = event_of(2)
    await store.duplicates.create(event)
    await store.duplicates.add_bots("big", [Play("done", 1, 0, 3.0), Play("other", 0, 0, 1.0)], {}, 1)
    seated = [await store.duplicates.seat(event, "done", "Ann", 1, room) for _ in range(2)]
    assert seated[0] == seated[1]
    await store.duplicates.seat(event, "late", "Bo", 1, room)

    async def refused(reader: str | None) -> bool:
        try:
            await store.database.read(lambda connection: check_open(connection, "late-0", reader))
        except Refused as refusal:
            return refusal.code == "forbidden"
        return False

    assert [await refused(reader) for reader in ("late", "done", "other", None)] == [True, True, False, True]
    await store.duplicates.reveal("big", 2)
    assert await refused("late"), "a play is under way"
    await store.duplicates.reveal("big", 2, stuck=True)
    assert not await refused("late")
    await store.close()


async def test_an_event_ends_while_bots_play_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LOOK_EVERY", 0.01)
    playing, over = asyncio.Event(), asyncio.Event()

    async def never(*_: object, **__: object) -> None:
        playing.set()
        await asyncio.Event().wait()

    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    store = await Store.open(settings.data_dir)
    reveal = store.duplicates.reveal

    async def reveals(*given: Any, **options: Any) -> None:
        await reveal(*given, **options)
        over.set()

    monkeypatch.setattr(store.duplicates, "reveal", reveals)
    played = replace(event_of(2), ends=now() + DAY)
    await store.duplicates.create(played)
    async with Tables(store, settings) as tables:
        monkeypatch.setattr(tables.study, "run", never)
        events = running.Events(tables)
        await events.table(played)
        tables.chore(events.run(), "events")
        async with asyncio.timeout(30):
            await playing.wait()
            await store.duplicates.create(replace(played, id="due", ends=now() - 1))
            await over.wait()
        assert (await store.duplicates.load("due")).revealed is not None
    await store.close()


async def test_some_events_are_ended_at_a_time_and_only_those_whose_time_is_over(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened()
    await store.duplicates.create(replace(event_of(1), id="some", ends=now() + DAY))
    (row,) = await store.database.read(lambda connection: connection.execute(sa.select(schema.duplicates)).all())
    rows = [{**row._asdict(), "id": f"future-{n}"} for n in range(2000)]
    due = [{**row._asdict(), "id": f"due-{n}", "ends": now() - 1} for n in range(2 * duplicates.MOST_CLOSING + 1)]
    await store.database.write(lambda connection: connection.execute(sa.insert(schema.duplicates), rows + due))
    events = running.Events(Tables(store, fast(tmp_path)))
    ended: list[str] = []
    end = events._end

    async def noted(event_id: str) -> None:
        ended.append(event_id)
        await end(event_id)

    monkeypatch.setattr(events, "_end", noted)
    for count in (duplicates.MOST_CLOSING, duplicates.MOST_CLOSING, 1, 0):
        ended.clear()
        await events.end_due()
        assert (len(ended), {name.partition("-")[0] for name in ended}) == (count, {"due"} if count else set())
    await store.close()


def room(deal: int, guests: Sequence[Guest]) -> Room:
    head = Head(
        f"{guests[0].player}-{deal}", dasan.rules("big-two"), QUIET, bytes(128), EventPlace(id="big", deal=deal, deals=2)
    )
    people = {guest.seat: guest for guest in guests}
    names = [None if seat in people else HOUSE for seat in range(4)]
    chairs = (
        bot or Chair("human", people[seat].name, player=people[seat].player)
        for seat, bot in enumerate(bot_chairs(names, "big"))
    )
    return Room.create(head, tuple(chairs), None, 1)


def test_the_seats_of_an_event_move_round() -> None:
    event = event_of(8)
    assert sorted(event.seats(deal)[0] for deal in range(4)) == [0, 1, 2, 3]
    assert len(set(event.commitments)) == 8
