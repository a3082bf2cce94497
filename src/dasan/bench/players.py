"""Scripted players over real sockets that measure the delay until others see a move."""

from __future__ import annotations

import asyncio
import json
import random
import re
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from time import perf_counter
from typing import Any
from urllib.request import Request, urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from dasan.bench.hosting import NotServed

Json = dict[str, Any]

MOVES = frozenset({"bid", "pass", "call", "play", "give", "offer", "take"})
UPDATE, SNAPSHOT, PROBE, ACK, ERROR = (
    f'{{"type":"{kind}"'.encode() for kind in ("update", "snapshot", "probe", "ack", "error")
)
CONNECTS_IN = 60.0
"""The time limit for a handshake, in seconds."""
TURN = re.compile(rb'"phase":"([a-z]+)","to_act":([0-9]+|null)')
REQUESTS = 8
"""Concurrent requests while tables are opened."""


@dataclass
class Noted:
    """The players' measurements in one run; times in milliseconds.

    moves: all moves made, by bots too; own: moves made by people. seen: from sending a move until another connection at
    the table receives it; acknowledged: until its player receives the answer. failed: connections that were lost or never
    opened, and refusals, since the crowd began.
    """

    moves: int = 0
    own: int = 0
    seen: list[float] = field(default_factory=list)
    acknowledged: list[float] = field(default_factory=list)
    failed: int = 0

    def clear(self) -> None:
        """Discard the warm-up's measurements, but not `failed`: a player lost then stays away."""
        self.moves = self.own = 0
        self.seen.clear()
        self.acknowledged.clear()


@dataclass
class _WatchedTable:
    """A table, with the cookies of its people. sent: when `mover` sent the pending move; None if there is none."""

    id: str
    cookies: list[str]
    sent: float | None = None
    mover: int | None = None


class Crowd:
    """People at tables, with bots in the other chairs; some tables have a spectator.

    addresses: the server processes. people: per table. think: mean thinking time in seconds. watched: the share of
    tables with a spectator.
    """

    def __init__(
        self,
        addresses: list[str],
        *,
        preset: str,
        bots: list[str],
        think: float,
        watched: float,
        seed: int,
        people: int = 1,
    ) -> None:
        self.noted = Noted()
        self._addresses = addresses
        self._preset, self._bots, self._watched = preset, bots, watched
        self._people = people
        self.think = think
        self.rng = random.Random(seed)
        self._tables: list[_WatchedTable] = []
        self._listening: list[asyncio.Task[None]] = []
        self._opening = asyncio.Semaphore(REQUESTS)

    @property
    def tables(self) -> int:
        return len(self._tables)

    @property
    def connected(self) -> int:
        """The number of open sockets."""
        return sum(not task.done() for task in self._listening)

    async def open(self, tables: int) -> None:
        """Open tables until there are `tables`, and take the seats."""
        made = await asyncio.gather(*(self._open(number) for number in range(self.tables, tables)))
        for table in made:
            number = len(self._tables)
            self._tables.append(table)
            # Half of the people sit at a process that does not own their table, as behind a load balancer.
            there = self._addresses[number // len(self._addresses) % len(self._addresses)]
            for cookie in table.cookies:
                await self._sit(table, cookie, there)
            if number % max(1, round(1 / self._watched)) == 0 if self._watched else False:
                elsewhere = self._addresses[(number + 1) % len(self._addresses)]
                await self._watch(table, elsewhere)

    async def leave(self) -> None:
        """Disconnect everybody."""
        for task in self._listening:
            task.cancel()
        await asyncio.gather(*self._listening, return_exceptions=True)
        self._listening.clear()

    async def _open(self, number: int) -> _WatchedTable:
        address = self._addresses[number % len(self._addresses)]
        settings = {"spectators": True, "grace": 3600}
        seats = ["me", *["open"] * (self._people - 1), *self._bots]
        body = {"preset": self._preset, "seats": seats, "settings": settings}
        async with self._opening:
            return await asyncio.to_thread(_create, address, body, self._people)

    async def _sit(self, table: _WatchedTable, cookie: str, address: str) -> None:
        await self._connect(_Person(self, table, cookie == table.cookies[0]), cookie, address)

    async def _watch(self, table: _WatchedTable, address: str) -> None:
        await self._connect(_Watcher(self, table), "", address)

    async def _connect(self, who: _Watcher, cookie: str, address: str) -> None:
        try:
            # No compression and no pings: the load shares the machine with the server that it measures.
            socket = await connect(
                f"ws{address.removeprefix('http')}/ws/tables/{who.table.id}",
                additional_headers={"Cookie": cookie} if cookie else None,
                compression=None,
                max_size=None,
                open_timeout=CONNECTS_IN,
                ping_interval=None,
                proxy=None,
            )
        except (OSError, WebSocketException):
            self.noted.failed += 1
        else:
            listening = asyncio.create_task(self._listen(who, socket))
            listening.add_done_callback(self._ended)
            self._listening.append(listening)

    async def _listen(self, who: _Watcher, socket: ClientConnection) -> None:
        async with socket:
            while True:
                await who.hear(socket, await socket.recv(decode=False))

    def _ended(self, listening: asyncio.Task[None]) -> None:
        self.noted.failed += not listening.cancelled()


class _Watcher:
    """A connection at a table that receives its messages. seat: None for a spectator."""

    def __init__(self, crowd: Crowd, table: _WatchedTable) -> None:
        self.crowd = crowd
        self.table = table
        self.seat: int | None = None

    async def hear(self, socket: ClientConnection, text: bytes) -> None:
        """Handle a message. Only an update's events are parsed; they come before the view."""
        if text.startswith(UPDATE):
            self._saw(json.loads(text[text.index(b'"events":') + 9 : text.index(b',"view":')]))
        elif text.startswith(PROBE):
            await socket.send(text, text=True)

    def _saw(self, events: list[Json]) -> int:
        """Record the delay of the pending move if another seat made it and it is among `events`; return the number of
        moves in them.
        """
        table, moves = self.table, 0
        for event in events:
            if event["type"] in MOVES:
                moves += 1
                if table.sent is not None and self.seat != table.mover == event["seat"]:
                    self.crowd.noted.seen.append(1000 * (perf_counter() - table.sent))
        return moves


class _Person(_Watcher):
    """A player. counts: whether it counts the table's moves."""

    def __init__(self, crowd: Crowd, table: _WatchedTable, counts: bool) -> None:
        super().__init__(crowd, table)
        self._counts = counts
        self._number, self._acted_on = 0, -1
        self._thinking: asyncio.Task[None] | None = None

    async def hear(self, socket: ClientConnection, text: bytes) -> None:
        """Handle a message; an update is parsed in full only on this player's turn, or when the hand is over."""
        noted, table = self.crowd.noted, self.table
        if text.startswith(UPDATE):
            view = text.index(b',"view":')
            moves = self._saw(json.loads(text[text.index(b'"events":') + 9 : view]))
            noted.moves += moves if self._counts else 0
            turn = TURN.search(text, view)
            if turn is None or turn[1] == b"over" or turn[2] == str(self.seat).encode():
                self._act(socket, json.loads(text))
        elif text.startswith(SNAPSHOT):
            self._act(socket, json.loads(text))
        elif text.startswith(PROBE):
            await socket.send(text, text=True)
        elif text.startswith(ACK):
            if table.sent is not None and table.mover == self.seat:
                noted.own += 1
                noted.acknowledged.append(1000 * (perf_counter() - table.sent))
        elif text.startswith(ERROR):
            noted.failed += 1

    def _act(self, socket: ClientConnection, message: Json) -> None:
        """Make the move, or deal the next hand, after thinking time."""
        view = message["view"]
        self.seat = view["seat"]
        over = view["phase"] == "over"
        if message["seq"] == self._acted_on or not (over or view["to_act"] == self.seat):
            return
        self._number, self._acted_on = self._number + 1, message["seq"]
        command: Json = {"type": "next" if over else "move", "id": f"b{self._number}"}
        if not over:
            command["move"] = self.crowd.rng.choice(view["legal_moves"])["move"]
        self._thinking = asyncio.create_task(self._send(socket, json.dumps(command), over))

    async def _send(self, socket: ClientConnection, command: str, over: bool) -> None:
        await asyncio.sleep(self.crowd.think * (0.5 + self.crowd.rng.random()))
        self.table.sent, self.table.mover = None if over else perf_counter(), self.seat
        with suppress(ConnectionClosed):
            await socket.send(command)


def _create(address: str, body: Json, people: int) -> _WatchedTable:
    """Open a table, and take its seats."""
    made, cookie = _post(f"{address}/api/tables", body)
    joined = [_post(f"{address}/api/tables/{made['id']}/join", {})[1] for _ in range(people - 1)]
    return _WatchedTable(made["id"], [cookie, *joined])


def _post(url: str, body: Json) -> tuple[Json, str]:
    try:
        request = Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            body, cookie = json.load(answer), answer.headers["set-cookie"]
    except (ValueError, HTTPException) as error:
        raise NotServed(f"there is no server of dasan at {url}") from error
    if not isinstance(body, dict) or cookie is None:
        raise NotServed(f"there is no server of dasan at {url}")
    return body, cookie.partition(";")[0]
