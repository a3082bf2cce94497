"""A bot's turn at a table: what it thinks of, and what is played."""

from __future__ import annotations

import asyncio

import dasan
from dasan.server.protocol.commands import TakeBackCommand
from dasan.server.tables.bot_turns import BotTurns, Thought
from dasan.server.tables.decisions import decide
from dasan.server.tables.pace import Pace
from dasan.server.tables.room import Entry, Room, fold

from .rooms import done, move, room_of, settle


class Thinkers:
    """Bots that answer when they are told to, and choose their last legal move."""

    def __init__(self) -> None:
        self.pace = Pace(0)
        self.asked: list[dasan.View] = []
        self.answer = asyncio.Event()
        self.failures = 0

    async def think(self, name: str, view: dasan.View) -> Thought:
        self.asked.append(view)
        await self.answer.wait()
        return Thought(str(view.legal_moves()[-1]))

    async def only(self, name: str, move: str) -> Thought:
        return Thought(move, only=True)

    def bot_failed(self, name: str) -> None:
        self.failures += 1

    def stand_in(self, bot: str) -> str:
        return "random"


def at_its_turn() -> Room:
    """A room in which the person opens the hand."""
    for seed in range(100):
        room = settle(room_of("big-two", ["p0", "greedy", "greedy", "greedy"], seed=bytes([seed]) * 128), 1000)
        if room.to_act == 0:
            return room
    raise AssertionError("the person never opens")


class AtTable:
    """The bots' turns at a table whose room is ``room``."""

    def __init__(self, room: Room, bots: Thinkers) -> None:
        self.room = room
        self.turns = BotTurns(bots, lambda: self.room, self.write, lambda: None)

    async def write(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.room = fold(self.room, entry, 2000)


async def test_a_bot_thinks_anew_when_its_position_was_taken_back() -> None:
    """Also when the take-back and another move come before it has answered, so that as many moves are made as before."""
    before = at_its_turn()
    assert before.state is not None
    low, high = (str(before.state.legal_moves()[i]) for i in (0, -1))
    bots = Thinkers()
    table = AtTable(done(before, "p0", move(before, low)), bots)
    await table.turns.go_on()
    await asyncio.sleep(0)
    back = fold(table.room, decide(table.room, "p0", TakeBackCommand(type="take-back", id="t")), 2000)
    table.room = done(back, "p0", move(back, high))
    for _ in range(3):
        await table.turns.go_on()
        await asyncio.sleep(0)
    assert table.room.state is not None
    expected = str(table.room.state.legal_moves()[-1])
    assert len(bots.asked) == 2
    bots.answer.set()
    while len(table.room.moves) < 2:
        await asyncio.sleep(0)
        await table.turns.go_on()
    assert (table.room.moves[:2], bots.failures) == ((high, expected), 0)
