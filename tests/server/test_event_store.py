"""Duplicate events in either database: how many a host has, in which order they are listed, and who is seated with whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import dasan
from dasan.server.events.daily import QUIET
from dasan.server.events.event import DuplicateEvent
from dasan.server.events.running import _room
from dasan.server.events.scoring import Play
from dasan.server.protocol.events import EventPlayed
from dasan.server.refusals import Refused
from dasan.server.store import Store, duplicates
from dasan.server.store.duplicates import Guest
from dasan.server.store.hand import FinishedHand, Player, finished
from dasan.server.store.hands import insert_hand
from dasan.server.store.retention import Keep, prune
from dasan.server.tables.decisions import bot_move
from dasan.server.tables.room import Room, fold
from dasan.server.times import DAY

from .conftest import Opened
from .rooms import settle
from .two_processes import TwoProcesses

EVENT = DuplicateEvent("event", dasan.rules("big-two"), bytes(128), 2, 2, "greedy", 0, DAY, QUIET, listed=True)


class Queue:
    """An event at which people ask for a table; ``parties`` has the players of each table made."""

    def __init__(self, store: Store, event: DuplicateEvent) -> None:
        self.parties: list[set[str]] = []
        self._store, self._event = store, event

    async def ask(self, player: str, now: int) -> EventPlayed:
        return await self._store.duplicates.seat(self._event, player, player, now, self._make)

    def _make(self, deal: int, guests: Sequence[Guest]) -> Room:
        self.parties.append({guest.player for guest in guests})
        return _room(self._event, deal, guests)


async def test_a_host_has_a_bounded_number_of_events_that_are_not_over(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "MOST_OPEN", 2)
    store = await opened()
    for name in ("one", "two"):
        await store.duplicates.create(replace(EVENT, id=name, host="ada"))
    with pytest.raises(Refused, match="at most 2 events"):
        await store.duplicates.create(replace(EVENT, id="three", host="ada"))
    assert await store.duplicates.create(replace(EVENT, id="another host's", host="bob"))
    assert await store.duplicates.create(replace(EVENT, id="a day's", host=None))
    await store.duplicates.reveal("one", DAY)
    assert await store.duplicates.create(replace(EVENT, id="three", host="ada"))
    await store.close()


async def test_events_that_have_ended_do_not_crowd_out_open_ones(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "MOST_LISTED", 4)
    store = await opened()
    for ends in (4, 7, 3, 6, 2, 5, 1):
        await store.duplicates.create(replace(EVENT, id=f"ends {ends}", ends=ends))
    assert [event.ends for event in await store.duplicates.listed(2, 5)] == [6, 7, 5, 4]
    assert [event.ends for event in await store.duplicates.listed(2, 0)] == [3, 4, 5, 6]
    await store.close()


async def test_an_event_that_somebody_plays_is_not_cancelled_by_a_request_that_waited(opened: Opened) -> None:
    store = await opened()
    event = replace(EVENT, people=1, host="host")
    await store.duplicates.create(event)
    await Queue(store, event).ask("ann", 1)
    with pytest.raises(Refused, match="the event has already begun"):
        await store.duplicates.cancel("event", "host", -1)
    assert [one.deal for one in await store.duplicates.mine("event", "ann")] == [0]
    await store.close()


async def test_a_cancelled_event_takes_its_reminders_along_and_gets_no_more(opened: Opened) -> None:
    store = await opened()
    await store.people.rename("ann", "Ann", 0)
    await store.duplicates.create(replace(EVENT, host="host", starts=5))
    await store.notifications.remind("event", "ann", wanted=True)
    await store.duplicates.cancel("event", "host", 1)
    assert not await store.notifications.reminded("event", "ann")
    with pytest.raises(Refused, match="there is no such event"):
        await store.notifications.remind("event", "ann", wanted=True)
    with pytest.raises(Refused, match="there is no such event"):
        await Queue(store, EVENT).ask("ann", 6)
    await store.close()


async def test_who_comes_back_to_the_queue_waits_anew(opened: Opened) -> None:
    """Bots take seats after 30 seconds of waiting, not 30 seconds after the first request of a player who went away."""
    store = await opened()
    queue = Queue(store, replace(EVENT, fill=30))
    await store.duplicates.create(EVENT)
    for now in (0, 5_000, 60_000, 64_000, 85_000, 89_000):
        assert (await queue.ask("ada", now)).table is None, now
    for now in (94_000, 103_000, 111_000):
        assert (await queue.ask("ada", now)).table is None, now
    assert (await queue.ask("ada", 115_100)).table is not None
    assert queue.parties == [{"ada"}]
    await store.close()


async def test_a_clock_that_is_set_back_prolongs_no_wait_and_keeps_no_ghost(opened: Opened) -> None:
    store = await opened()
    queue = Queue(store, replace(EVENT, fill=30))
    await store.duplicates.create(EVENT)
    hour = DAY // 24
    await queue.ask("ghost", 2 * hour - 7_000)
    await queue.ask("ada", 2 * hour)
    for later in range(0, 30_000, 5_000):
        assert await queue.ask("ada", hour + later) == EventPlayed(deal=0, table=None, waiting=1)
    assert (await queue.ask("ada", hour + 30_000)).table is not None
    assert queue.parties == [{"ada"}]
    await store.close()


async def test_no_two_between_whom_there_is_a_block_are_seated_at_a_table_of_an_event(opened: Opened) -> None:
    store = await opened()
    for name in ("ada", "bob", "cyd", "dan"):
        await store.people.register(name, name, "hash", 1)
    await store.friends.block("ada", "bob", 1)
    await store.friends.block("cyd", "ada", 1)
    event = replace(EVENT, people=3, fill=None)
    await store.duplicates.create(event)
    queue = Queue(store, event)
    waiting = [(await queue.ask(name, at)).waiting for at, name in enumerate(("ada", "bob", "cyd"), 1)]
    assert waiting == [1, 1, 2], "nobody counts those with whom they are not seated"
    assert (await queue.ask("dan", 4)).waiting == 2, (
        "dan could sit with ada, or with bob and cyd, but not with all three"
    )
    assert (await queue.ask("bob", 5)).table is not None
    assert queue.parties == [{"bob", "cyd", "dan"}]
    await store.close()


async def test_only_those_who_wait_for_the_same_deal_of_the_same_event_meet(opened: Opened) -> None:
    store = await opened()
    one, other = (replace(EVENT, id=name, fill=None) for name in ("one", "other"))
    for event in (one, other):
        await store.duplicates.create(event)
    assert (await Queue(store, other).ask("ann", 1)).waiting == 1
    assert [(await Queue(store, one).ask(name, 2)).waiting for name in ("bob", "ann")] == [1, 0]
    assert [play.table for play in await store.duplicates.mine("other", "ann")] == [None]
    mine = {name: (await store.duplicates.mine("one", name))[0] for name in ("ann", "bob")}
    table = mine["ann"].table
    assert table is not None
    seated = tuple(Player(play.seat or 0, name, name, None, "player", 0, won=False) for name, play in mine.items())
    hand = FinishedHand("hand", table, 1, "big-two", 3, True, False, {}, [], "", seated, scores=(0.0, 1.0, 2.0, 3.0))
    await store.database.write(lambda connection: insert_hand(connection, hand))
    assert {play.player: play.score for play in await store.duplicates.plays("one")} == {
        name: float(play.seat or 0) for name, play in mine.items()
    }
    assert [(await Queue(store, one).ask(name, 4)).waiting for name in ("cyd", "ann")] == [1, 1], "of different deals"
    assert (await Queue(store, one).ask("bob", 5)).waiting == 0
    assert [play.table == table for play in await store.duplicates.mine("one", "ann")] == [True, False]
    await store.close()


async def test_a_player_who_is_deleted_while_waiting_gets_no_seat(opened: Opened) -> None:
    store = await opened()
    await store.people.rename("ada", "Ada", 1)
    await store.duplicates.create(EVENT)
    queue = Queue(store, replace(EVENT, fill=None))
    await queue.ask("ada", 1)
    await store.people.delete("ada", 2)
    assert (await queue.ask("bob", 3)).waiting == 1
    assert queue.parties == []
    await store.close()


async def test_the_hand_of_a_player_who_is_deleted_during_it_is_nobodys_and_scores(opened: Opened) -> None:
    store = await opened()
    await store.people.rename("ada", "Ada", 1)
    await store.duplicates.create(EVENT)
    table = (await Queue(store, replace(EVENT, people=1)).ask("ada", 1)).table
    assert table is not None
    await store.people.delete("ada", 2)
    room = settle((await store.log.load(table)).room, 3)
    while not room.over:
        assert room.state is not None
        assert room.to_act is not None
        room = settle(fold(room, bot_move(room, room.to_act, str(room.state.legal_moves()[0])), 4), 4)
    hand = finished(room)
    assert {player.player for player in hand.players} == {None}
    await store.database.write(lambda connection: insert_hand(connection, hand))
    (play,) = await store.duplicates.plays("event")
    (seat,) = room.humans
    assert (play.seat, play.score) == (seat, (hand.scores or ())[seat])
    await store.close()


async def test_nobody_is_seated_and_no_bot_scores_once_an_event_is_over(opened: Opened) -> None:
    """A process may have been paused since a request came, or since its bots began."""
    store = await opened()
    event = replace(EVENT, people=1, ends=5)
    await store.duplicates.create(event)
    queue = Queue(store, event)
    assert (await queue.ask("ada", 1)).table is not None
    (mine,) = await store.duplicates.mine("event", "ada")
    await store.duplicates.reveal("event", 6)
    assert not (await store.duplicates.load("event")).revealed, "ada still plays"
    assert (await queue.ask("ada", 7)).table == mine.table
    await store.duplicates.reveal("event", 8, stuck=True)
    for player in ("ada", "bob"):
        with pytest.raises(Refused, match="has ended"):
            await queue.ask(player, 4)
    await store.duplicates.add_bots("event", [Play("bot:greedy", 0, 0, 1.0)], {"bot:greedy": "greedy"}, 9)
    assert await store.duplicates.plays("event") == ()
    await store.close()


@pytest.mark.full
async def test_an_event_does_not_end_while_another_process_seats_a_player(two_processes: TwoProcesses) -> None:
    event = replace(EVENT, people=1, ends=5)
    store = two_processes.store
    await store.duplicates.create(event)
    seating, ended = await two_processes.overtake(
        lambda store: store.duplicates.seat(event, "ada", "Ada", 4, lambda *a: _room(event, *a)),
        lambda store: store.duplicates.reveal("event", 6),
    )
    assert seating.table is not None
    assert ended is None
    assert (await store.duplicates.load("event")).revealed is None, "ada's hand is under way"


async def test_the_hands_guests_and_host_of_an_event_stay_until_it_is_over(opened: Opened) -> None:
    """Also if they are older than the host keeps others. Afterwards no deal leads to a hand that is gone."""
    store = await opened()
    await store.people.rename("eve", "Eve", 1)
    event = replace(EVENT, people=1, ends=31 * DAY, host="eve")
    await store.duplicates.create(event)
    queue = Queue(store, event)
    for deal in range(2):
        table = (await queue.ask("ada", deal)).table
        assert table is not None
        (mine,) = [one for one in await store.duplicates.mine("event", "ada") if one.table == table]
        assert mine.seat is not None
        player = Player(mine.seat, "Ada", "ada", None, "player", 0, won=False)
        scores = (float(deal),) * 4
        hand = FinishedHand(f"hand {deal}", table, 1, "big-two", deal, True, False, {}, [], "", (player,), scores=scores)
        await store.database.write(lambda connection, hand=hand: insert_hand(connection, hand))  # type: ignore[misc]

    async def hands() -> list[str | None]:
        return [one.hand for one in await store.duplicates.mine("event", "ada")]

    keep = Keep(hands=7, guests=7)
    counted = await prune(store.database, store.people, keep, 8 * DAY, dry=True)
    removed = await prune(store.database, store.people, keep, 8 * DAY)
    assert (removed["hands"], removed["guests"]) == (counted["hands"], counted["guests"]) == (0, 0)
    assert await hands() == ["hand 0", "hand 1"]
    await store.duplicates.reveal("event", 31 * DAY)
    removed = await prune(store.database, store.people, Keep(hands=7, guests=31), 33 * DAY)
    assert (removed["hands"], removed["guests"]) == (2, 1)
    assert await hands() == [None, None]
    assert [one.score for one in await store.duplicates.mine("event", "ada")] == [0.0, 1.0]
    await store.close()
