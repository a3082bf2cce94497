"""Rooms for tests, sessions in them, and a table in a store."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import dasan
from dasan.server.protocol.commands import ChatCommand, ContributeCommand, MoveCommand, NextCommand, RoomCommand
from dasan.server.protocol.table import TableSettings
from dasan.server.store import Store
from dasan.server.store.log import Cause, Write, WrittenEntry
from dasan.server.tables.chairs import OPEN, Chair, Head, bot_chairs
from dasan.server.tables.decisions import bot_move, by_itself, decide
from dasan.server.tables.room import Entry, Room, fold

from .harness import Json

NOBODY: Json = {"presence": [], "watching": 0}
"""The presence at a table to which nobody is connected."""


LEASE = 60_000
"""Milliseconds."""


def room_of(preset: str | dasan.Rules, seated: list[str], *, seed: bytes = bytes(range(128)), **settings: Any) -> Room:
    """A room: ``p0``, ``p1`` … are people, ``open`` is an open seat, and every other word is the name of a bot."""
    rules = dasan.rules(preset) if isinstance(preset, str) else preset
    bots = bot_chairs([None if word == "open" or word.startswith("p") else word for word in seated], "table")
    chairs = tuple(
        bot or (OPEN if word == "open" else Chair("human", word.upper(), player=word))
        for bot, word in zip(bots, seated, strict=True)
    )
    head = Head("table", rules, TableSettings.model_validate(settings), seed)
    return Room.create(head, chairs, "p0", at=1000)


def everybody(room: Room) -> frozenset[int]:
    return frozenset(room.humans)


def settle(room: Room, at: int, log: list[tuple[Entry, int]] | None = None) -> Room:
    """The room after every entry that needs no command."""
    while (entry := by_itself(room, at, everybody(room))) is not None:
        room = fold(room, entry, at)
        if log is not None:
            log.append((entry, at))
    return room


def done(room: Room, player: str, command: RoomCommand, at: int = 0) -> Room:
    return settle(fold(room, decide(room, player, command), at or room.at), at or room.at)


def move(room: Room, text: str = "") -> MoveCommand:
    assert room.state is not None
    return MoveCommand(type="move", id="m", move=text or str(room.state.legal_moves()[0]))


def plays(preset: str | dasan.Rules, hands: int, **settings: Any) -> tuple[list[Room], list[tuple[Entry, int]]]:
    """Every room of a random session of people, with its log."""
    rules = dasan.rules(preset) if isinstance(preset, str) else preset
    room = room_of(rules, [f"p{seat}" for seat in range(rules.players)], **settings)
    log: list[tuple[Entry, int]] = []
    rng, rooms, at = random.Random(rules.name), [room], 1000

    def add(entry: Entry) -> None:
        nonlocal room
        log.append((entry, at))
        room = fold(room, entry, at)
        rooms.append(room)

    while room.number < hands or not room.over:
        at += rng.randrange(3000)
        here = everybody(room)
        if (entry := by_itself(room, at, here)) is not None:
            add(entry)
        elif room.over:
            missing = min(set(room.humans) - room.votes)
            add(decide(room, f"p{missing}", NextCommand(type="next", id="n")))
        elif room.seq % 7 == 0 and 1 not in room.contributions:
            add(decide(room, "p1", ContributeCommand(type="contribute", id="c", text="七 7")))
        elif room.seq % 11 == 0:
            add(decide(room, "p0", ChatCommand(type="chat", id="h", text="hello 大三")))
        else:
            assert room.state is not None
            assert room.to_act is not None
            text = str(rng.choice(room.state.legal_moves()))
            if room.chairs[room.to_act].plays is not None:
                add(bot_move(room, room.to_act, text))
            else:
                add(decide(room, f"p{room.to_act}", MoveCommand(type="move", id="m", move=text), lag=5))
    return rooms, log


def named(room: Room, table_id: str) -> Room:
    """The room with another id."""
    return replace(room, head=replace(room.head, id=table_id))


def begun(**settings: Any) -> tuple[Room, list[WrittenEntry]]:
    """A table with its first hand dealt, and its log so far."""
    log: list[tuple[Entry, int]] = []
    room = settle(room_of("big-three", ["p0", "p1", "p2"], **settings), 1000, log)
    return room, [WrittenEntry(seq, at, entry) for seq, (entry, at) in enumerate(log)]


def moved(room: Room, fence: int, client_id: str, text: str = "") -> Write:
    """The write of a legal move."""
    player = f"p{room.to_act}"
    entry = decide(room, player, move(room, text))
    after = fold(room, entry, 2000)
    return Write(after, fence, (WrittenEntry(room.seq, 2000, entry, Cause(player, client_id, f"said {entry['move']}")),))


async def open_table(store: Store, **settings: Any) -> tuple[Room, int]:
    """The table in the store, owned by nobody else."""
    room, log = begun(**settings)
    await store.log.create(room_of("big-three", ["p0", "p1", "p2"], **settings))
    fence = await store.leases.claim("table", "me", LEASE)
    assert fence is not None
    await store.log.append(Write(room, fence, tuple(log), dealt=True))
    return room, fence
