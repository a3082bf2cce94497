"""Whose a hand is: a player's if they were in their seat when it was dealt, otherwise the bot's that played there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
import sqlalchemy as sa

from dasan.arena.measured import measured
from dasan.server.api.hands import _session
from dasan.server.protocol.commands import (
    ContributeCommand,
    LeaveCommand,
    MoveCommand,
    NextCommand,
    ReturnCommand,
    SitCommand,
)
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.hand import FinishedHand, finished
from dasan.server.store.hands import HandFilter
from dasan.server.store.ratings import after, differences, shown
from dasan.server.store.schema import hand_seats, hands, ratings
from dasan.server.tables import showing
from dasan.server.tables.decisions import bot_move, by_itself, decide, entries, substitute
from dasan.server.tables.directory import Tables
from dasan.server.tables.presence import Attendance
from dasan.server.tables.room import Room, fold

from .conftest import Opened
from .harness import RATED, SECONDS, fast
from .rooms import NOBODY, move, plays

GAME = "big-three"
LEAVE, RETURN = LeaveCommand(type="leave", id="l"), ReturnCommand(type="return", id="r")
NEXT, ADD = NextCommand(type="next", id="n"), ContributeCommand(type="contribute", id="c", text="7")


def on(room: Room, here: Collection[int] = ()) -> Room:
    while (entry := by_itself(room, room.at, frozenset(here))) is not None:
        room = fold(room, entry, room.at)
    return room


def said(room: Room, player: str, command: Any, here: Collection[int] = ()) -> Room:
    for entry in entries(room, player, command):
        room = fold(room, entry, room.at)
    return on(room, here)


def to_the_end(room: Room) -> Room:
    """The room at the end of its hand, of which everybody, people and bots, makes the first legal move."""
    while room.to_act is not None:
        room = next_move(room)
    return room


def next_move(room: Room) -> Room:
    assert room.state is not None
    assert room.to_act is not None
    chair, text = room.chairs[room.to_act], str(room.state.legal_moves()[0])
    entry = decide(room, chair.player or "", move(room)) if chair.plays is None else bot_move(room, room.to_act, text)
    return fold(room, entry, room.at)


def between(settings: Any = RATED, *, substituted: str | None = None) -> Room:
    """A table of three people after its first hand. substituted: why a bot plays for p2."""
    room = plays(GAME, 1, **settings)[0][-1]
    return room if substituted is None else fold(room, substitute(room, 2, substituted), room.at)


def second(room: Room) -> Room:
    for player in ("p0", "p1"):
        room = said(room, player, NEXT)
    assert room.number == 2
    return room


def sat(hand: FinishedHand) -> list[str | None]:
    return [one.player or one.bot for one in hand.players]


@pytest.mark.parametrize("why", ["left", "time", "absent"])
def test_a_rated_hand_is_the_bots_that_played_when_it_was_dealt(why: str) -> None:
    room = second(between(substituted=why))
    assert room.state is not None
    assert [one["kind"] for one in room.state.origin.seats] == ["human", "human", "bot"]
    assert room.state.origin.seats[2]["name"] == "greedy"
    hand = finished(to_the_end(room))
    assert sat(hand) == ["p0", "p1", "greedy"]
    assert (hand.players[2].name, hand.players[2].whole) == ("Greedy", True)
    new = after(hand, {})
    assert new.keys() == {"p0", "p1", "bot:greedy"}
    assert shown(new["bot:greedy"].mu) == round(1500 + measured(GAME)["greedy"])


def test_who_is_only_disconnected_when_a_rated_hand_is_dealt_plays_it() -> None:
    """A bot takes over after a minute, in this hand: the next one is the bot's."""
    room = said(said(between(), "p0", NEXT, {0, 1}), "p1", NEXT, {0, 1})
    room = to_the_end(fold(room, substitute(room, 2, "absent"), room.at))
    assert sat(finished(room)) == ["p0", "p1", "p2"]
    room = to_the_end(said(said(room, "p0", NEXT, {0, 1}), "p1", NEXT, {0, 1}))
    assert (room.number, sat(finished(room))) == (3, ["p0", "p1", "greedy"])


def test_a_bot_also_takes_over_between_hands() -> None:
    """Otherwise the next hand would count for somebody who has been away for minutes."""
    room, there = between(), Attendance(0)
    there.update({"p0", "p1", "p2"}, 0)
    there.update({"p0", "p1"}, 1000)
    assert room.over
    assert there.takeover_at(room, 2) == 61_000
    assert there.takeover_at(room, 0) is None


@pytest.mark.parametrize("why", ["left", "time"])
def test_nobody_comes_back_in_the_middle_of_a_rated_hand_that_is_the_bots(why: str) -> None:
    """It would not count for them, and would for the others."""
    room = second(between(substituted=why))
    back = said(room, "p2", RETURN, {0, 1, 2})
    assert (back.chairs[2].plays, back.chairs[2].left) == ("greedy", False)
    with pytest.raises(Refused, match="a bot plays this hand to its end"):
        decide(back, "p2", RETURN)
    with pytest.raises(Refused, match="a bot is playing in your seat"):
        decide(back, "p2", MoveCommand(type="move", id="m", move="pass"))
    added = said(room, "p2", ADD, {0, 1, 2})
    assert (added.chairs[2].substitute, added.contributions) == (("greedy", why), {2: "7"})
    over = to_the_end(back)
    assert sat(finished(over)) == ["p0", "p1", "greedy"]
    assert on(over, {0, 1, 2}).chairs[2].plays is None, "back for the next hand, before it can be dealt"
    assert on(over, {0, 1}).chairs[2].plays == "greedy", "gone again"
    left = said(back, "p2", LEAVE, {0, 1, 2})
    assert on(to_the_end(left), {0, 1, 2}).chairs[2].left


@pytest.mark.parametrize("why", ["left", "time"])
def test_who_cannot_play_a_hand_does_not_see_its_cards(why: str) -> None:
    """Until the hand is over; who may take their seat back in it sees them."""
    room = second(between(substituted=why))
    for now in room, said(room, "p2", RETURN, {0, 1, 2}):
        shown, watched = (showing.detail(now, viewer, now.at)["view"] for viewer in (2, None))
        assert shown == watched
        assert showing.detail(now, 0, now.at)["view"]["hand"]
    before, after = room, next_move(room)
    while not after.over:
        before, after = after, next_move(after)
    told = showing.changed(after, before, "move", 2, after.at, lambda: NOBODY)
    assert told["view"]["seat"] == 2
    casual = second(between({"speed": RATED["speed"]}, substituted=why))
    assert showing.detail(casual, 2, casual.at)["view"]["hand"]


async def test_the_record_of_the_session_does_not_show_a_hand_that_a_bot_plays() -> None:
    room = second(between(substituted="left"))
    store: Any = SimpleNamespace(hands=SimpleNamespace(of_table=AsyncMock(return_value=())))
    left, watching, playing = [
        "".join([text async for text in _session(store, room, viewer)]) for viewer in ("p2", None, "p0")
    ]
    assert left == watching != playing


def test_who_comes_back_with_days_for_a_move_need_not_be_there_when_the_bots_hand_ends() -> None:
    room = second(between({"rated": True, "speed": {"kind": "correspondence", "days": 3}}, substituted="time"))
    room = to_the_end(said(room, "p2", RETURN))
    assert sat(finished(room)) == ["p0", "p1", "greedy"]
    assert on(room).chairs[2].plays is None


def test_who_leaves_a_rated_hand_and_comes_back_plays_on() -> None:
    room = said(said(between(), "p2", NEXT), "p1", NEXT)
    room = said(room, "p0", NEXT)
    room = said(said(room, "p2", LEAVE), "p2", RETURN)
    assert room.chairs[2].plays is None
    assert sat(finished(to_the_end(said(room, "p2", LEAVE)))) == ["p0", "p1", "p2"], "it counts, whoever plays it"


def test_a_bot_that_fails_in_a_hand_of_its_own_is_not_rated() -> None:
    room = second(between(substituted="left"))
    room = to_the_end(fold(room, substitute(room, 2, "left", "random"), room.at))
    hand = finished(room)
    assert (sat(hand), hand.players[2].whole) == (["p0", "p1", "greedy"], False)
    assert after(hand, {}).keys() == {"p0", "p1"}


def test_the_seats_of_two_who_have_left_are_one_bots() -> None:
    room = between()
    room = said(said(said(room, "p1", LEAVE), "p2", LEAVE), "p0", NEXT)
    hand = finished(to_the_end(room))
    assert sat(hand) == ["p0", "greedy", "greedy"]
    assert after(hand, {})["bot:greedy"].hands == 1


def test_a_casual_hand_is_a_persons_who_comes_back_in_its_middle() -> None:
    casual = {"speed": RATED["speed"]}
    room = second(between(casual, substituted="left"))
    assert sat(finished(to_the_end(room))) == ["p0", "p1", "greedy"]
    assert sat(finished(to_the_end(said(room, "p2", RETURN)))) == ["p0", "p1", "p2"]


async def ratings_of(store: Store) -> dict[str, tuple[int, float]]:
    rows = await store.database.read(lambda c: c.execute(sa.select(ratings)).all())
    return {row.player: (row.hands, row.mu) for row in rows}


async def hand_of(store: Store, number: int) -> tuple[list[Any], list[str]]:
    """(player and bot by seat, kinds of seats in the record) of a hand."""
    query = sa.select(hand_seats, hands.c.record).join_from(hand_seats, hands).where(hands.c.number == number)
    rows = await store.database.read(lambda c: c.execute(query.order_by(hand_seats.c.seat)).all())
    header = json.loads(rows[0].record.partition("\n")[0])
    return [row.player or row.bot for row in rows], [seat["kind"] for seat in header["seats"]]


async def play(tables: Tables, table_id: str, moves: int = 1000) -> Room:
    """Make the first legal move for everybody for whom no bot plays."""
    async with asyncio.timeout(SECONDS):
        while not (room := await tables.look(table_id)).over and moves:
            player = room.chairs[room.to_act or 0].player
            if room.bot_to_act is None and player is not None:
                assert room.state is not None
                text = str(room.state.legal_moves()[0])
                await tables.command(table_id, player, MoveCommand(type="move", id=f"m{room.seq}", move=text))
                moves -= 1
            else:
                await asyncio.sleep(0.01)
    return room


@pytest.mark.full
@pytest.mark.timeout(120)
async def test_a_hand_that_was_dealt_after_a_player_had_left_does_not_change_their_rating(
    opened: Opened, tmp_path: Path
) -> None:
    """Over several hands, a restart in the middle of one, and the deletion of the player."""
    store, settings = await opened(), fast(tmp_path)
    async with Tables(store, settings) as tables:
        rated = TableSettings.model_validate(RATED)
        table_id, _ = await tables.create("ann", GAME, {}, ["me", "open", "open"], settings=rated)
        for player in ("bo", "cy"):
            await tables.command(table_id, player, SitCommand(type="sit", id="sit"))
        await play(tables, table_id, 2)
        await tables.command(table_id, "cy", LEAVE)
        await play(tables, table_id)
        one = await ratings_of(store)
        assert {name: count for name, (count, _) in one.items()} == {"ann": 1, "bo": 1, "cy": 1}, "it counts when left"
        assert await hand_of(store, 1) == (["ann", "bo", "cy"], ["human"] * 3)
        for player in ("ann", "bo"):
            await tables.command(table_id, player, NEXT)
        await play(tables, table_id, 1)
    await store.close()
    store = await opened()
    async with Tables(store, settings) as tables:
        await tables.command(table_id, "cy", RETURN)
        assert (await tables.look(table_id)).chairs[2].plays == "greedy"
        await play(tables, table_id)
        two = await ratings_of(store)
        assert {name: count for name, (count, _) in two.items()} == {"ann": 2, "bo": 2, "cy": 1, "bot:greedy": 1}
        assert two["cy"] == one["cy"]
        assert await hand_of(store, 2) == (["ann", "bo", "greedy"], ["human", "human", "bot"])
        mine, _ = await store.hands.of_player("cy", None, HandFilter())
        assert [hand.number for hand in mine] == [1]
        for number, player in enumerate(("cy", "ann", "bo")):
            await tables.command(table_id, player, NextCommand(type="next", id=f"again{number}"))
        await play(tables, table_id)
        assert (await hand_of(store, 3))[0] == ["ann", "bo", "cy"]
        assert (await ratings_of(store))["cy"][0] == 2
        assert await store.database.read(differences) == (4, [])
        for player in ("bo", "cy"):
            await tables.command(table_id, player, LeaveCommand(type="leave", id="for-good"))
        await tables.command(table_id, "ann", NextCommand(type="next", id="fourth"))
        for changed in await store.people.delete("cy", 1):
            tables.reopen(changed)
        await play(tables, table_id)
        assert (await hand_of(store, 4))[0] == ["ann", "greedy", "greedy"]
        four = await ratings_of(store)
        assert {name: count for name, (count, _) in four.items()} == {"ann": 4, "bo": 3, "bot:greedy": 2}
    await store.close()
