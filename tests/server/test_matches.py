"""Who sits down together in a quick match, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

import dasan
from dasan.server.api.quick import SPEEDS
from dasan.server.protocol.table import TableSettings
from dasan.server.store.matches import COLLECTED, GONE, PRESENT, SPEED, Matches, Seeker, Sought, party
from dasan.server.tables.chairs import Chair, Head
from dasan.server.tables.room import Room

from .conftest import Opened
from .two_processes import TwoProcesses

pytestmark = pytest.mark.full


def seeker(name: str, rating: int, *, bots: bool = False, since: int = 0) -> Seeker:
    return Seeker(name, name, rating, bots, since)


def test_the_nearest_sit_down_together_and_the_window_widens() -> None:
    me = seeker("me", 1500)
    far, near, nearer = seeker("far", 1700), seeker("near", 1590), seeker("nearer", 1510)
    assert party(me, [far, near], 3, 0, 1000) == ()
    assert party(me, [far, near, nearer], 3, 0, 1000) == (me, nearer, near)
    assert party(me, [far, near], 3, 5_000, 1_000_000) == (me, near, far)
    # Both must have waited: a newcomer is not matched with a distant rating at once.
    assert party(me, [seeker("new", 1700, since=5_000), near], 3, 5_000, 1_000_000) == ()


def test_bots_fill_only_for_those_who_want_them() -> None:
    me, other = seeker("me", 1500, bots=True), seeker("other", 1500)
    assert party(me, [other], 4, 20_000, 15_000) == (me,)
    assert party(seeker("me", 1500), [], 4, 20_000, 15_000) == ()
    assert party(me, [seeker("too", 1500, bots=True)], 4, 14_999, 15_000) == ()


def test_a_block_costs_nobody_else_a_game() -> None:
    me, near, nearer, far = seeker("me", 1500), seeker("near", 1520), seeker("nearer", 1510), seeker("far", 1590)
    everybody = [near, nearer, far]

    def names(players: int, *blocked: str, bots_after: int = 10**6, seekers: list[Seeker] = everybody) -> list[str]:
        pairs = frozenset(frozenset(pair.split("-")) for pair in blocked)
        return [one.name for one in party(me, seekers, players, 0, bots_after, pairs)]

    assert names(3, "near-nearer") == ["me", "nearer", "far"]
    assert names(3, "near-nearer", "nearer-far") == ["me", "near", "far"], "the nearest would play with nobody else"
    assert names(3, "near-nearer", "nearer-far", "near-far") == []
    four = [nearer, near, far, seeker("last", 1599)]
    assert names(4, "near-far", "near-last", seekers=four) == ["me", "nearer", "far", "last"], (
        "one in the middle stays out"
    )
    stranger = seeker("stranger", 1900)
    assert names(2, "near-stranger", seekers=[stranger, near]) == ["me", "near"], "who does not fit keeps nobody out"


def room_for(players: int) -> Callable[[tuple[Seeker, ...]], Room]:
    rules = dasan.rules("big-three")

    def make(together: tuple[Seeker, ...]) -> Room:
        head = Head(f"table-{together[0].player}", rules, TableSettings(), b"s" * 32)
        chairs = [Chair("human", one.name, player=one.player) for one in together]
        chairs += [Chair("bot", "Greedy", bot="greedy")] * (players - len(chairs))
        return Room.create(head, tuple(chairs), together[0].player, 0)

    return make


async def seek(matches: Matches, player: str, now: int, *, bots: bool = False) -> Sought:
    game = ("big-three", "move-60")
    return await matches.seek(player, player, game, 3, now, bots=bots, fill_after=15_000, make=room_for(3))


async def test_everybody_who_seeks_is_at_one_table(opened: Opened) -> None:
    store = await opened()
    try:
        matches = store.matches
        first = await seek(matches, "a", 0)
        assert (first.table, first.seeking) == (None, 1)
        assert (await seek(matches, "b", 1)).seeking == 2
        match = await seek(matches, "c", 2)
        assert match.table is not None
        assert {(await seek(matches, name, 3)).table for name in "ab"} == {match.table}
        room = (await store.log.load(match.table)).room
        assert sorted(chair.name for chair in room.chairs) == ["a", "b", "c"]
        # A player with a table stops seeking, and one who does not ask again is dropped.
        assert (await seek(matches, "d", 10)).seeking == 1
        assert (await seek(matches, "e", 10 + GONE + 1)).seeking == 1
        assert await matches.leave("e") is None
    finally:
        await store.close()


async def test_many_at_once_are_each_at_one_table(opened: Opened) -> None:
    store = await opened()
    try:
        names = [f"p{n}" for n in range(12)]
        matches = dict(zip(names, await asyncio.gather(*(seek(store.matches, name, 0) for name in names)), strict=True))
        tables = {name: one.table or (await seek(store.matches, name, 1)).table for name, one in matches.items()}
        assert None not in tables.values()
        for table in set(tables.values()):
            assert table is not None
            room = (await store.log.load(table)).room
            assert sorted(chair.player or "" for chair in room.chairs) == sorted(n for n in names if tables[n] == table)
    finally:
        await store.close()


async def test_a_player_who_no_longer_asks_is_seated_with_nobody(opened: Opened) -> None:
    """As with two processes on PostgreSQL: two stores of one database."""
    one, other = await opened(), await opened()
    try:
        await seek(one.matches, "ghost", 0)
        await seek(other.matches, "a", 0)
        late = PRESENT + 1
        assert (await seek(one.matches, "a", late)).seeking == 1, "the ghost is neither counted"
        assert (await seek(other.matches, "b", late)).table is None, "nor seated"
        match = await seek(one.matches, "c", late)
        assert match.table is not None
        room = (await other.log.load(match.table)).room
        assert sorted(chair.player or "" for chair in room.chairs) == ["a", "b", "c"]
        # A player whose request was only late keeps their waiting time; after a longer gap it starts again.
        assert (await seek(other.matches, "ghost", GONE)).since == 0
        assert (await seek(other.matches, "ghost", 2 * GONE + 1)).since == 2 * GONE + 1
    finally:
        await one.close()
        await other.close()


async def test_a_clock_that_is_set_back_prolongs_no_search_and_keeps_no_ghost(opened: Opened) -> None:
    store = await opened()
    try:
        hour = 3_600_000
        for name in ("ghost", "a"):
            await seek(store.matches, name, 2 * hour, bots=True)
        assert await seek(store.matches, "a", hour, bots=True) == Sought(None, hour, 1)
        assert (await seek(store.matches, "b", hour - PRESENT - 1, bots=True)).seeking == 1
    finally:
        await store.close()


async def test_a_table_that_was_found_waits_for_a_request_that_is_late(opened: Opened) -> None:
    store = await opened()
    try:
        for name in "abc":
            match = await seek(store.matches, name, 0)
        assert match.table is not None
        assert (await seek(store.matches, "a", COLLECTED)).table == match.table
        assert (await seek(store.matches, "b", COLLECTED + 1)).table is None, "it is too late"
    finally:
        await store.close()


async def test_who_is_seated_while_leaving_is_told_the_table(two_processes: TwoProcesses) -> None:
    for name in "ab":
        await seek(two_processes.store.matches, name, 0)
    seated, left = await two_processes.overtake(
        lambda store: seek(store.matches, "c", 1), lambda store: store.matches.leave("a")
    )
    assert left == seated.table is not None


@pytest.mark.parametrize("speed", SPEEDS)
async def test_every_speed_can_be_sought(opened: Opened, speed: str) -> None:
    """PostgreSQL refuses a name that is wider than its column."""
    assert len({one[:SPEED] for one in SPEEDS}) == len(SPEEDS)
    store = await opened()
    game = ("big-three", speed)
    for name in "abc":
        found = await store.matches.seek(name, name, game, 3, 0, bots=False, fill_after=15_000, make=room_for(3))
    assert found.table is not None
    await store.close()
