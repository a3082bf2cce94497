"""Scripted people over real sockets, who note how long a move takes until others see it."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from time import perf_counter
from typing import Any
from urllib.request import Request, urlopen

from dasan.bench.hosting import NotServed

Json = dict[str, Any]

MOVES = frozenset({"bid", "pass", "call", "play", "give", "offer", "take"})
REQUESTS = 8
"""Requests on their way at the same time while tables are opened."""


@dataclass
class Noted:
    """The measurements of the players of one run, times in milliseconds.

    moves: all moves made, also by bots; own: those of people. seen: from sending a move until another connection at the table
    receives it; acknowledged: until its player receives the answer. failed: connections that ended early, and refusals.
    """

    moves: int = 0
    own: int = 0
    seen: list[float] = field(default_factory=list)
    acknowledged: list[float] = field(default_factory=list)
    failed: int = 0

    def clear(self) -> None:
        """Drop everything measured so far, which was the warm-up."""
        self.moves = self.own = self.failed = 0
        self.seen.clear()
        self.acknowledged.clear()


@dataclass
class _Table:
    """A table, with the cookies of its people. sent: when `mover` sent the move that is under way; None: there is none."""

    id: str
    cookies: list[str]
    sent: float | None = None
    mover: int = 0


class Crowd:
    """People who play at tables, each with bots in the other chairs; at some tables somebody watches.

    addresses: of the server's processes. people: at each table. think: seconds a person thinks, on average. watched: the
    share of tables.
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
        self._preset, self._bots, self._think, self._watched = preset, bots, think, watched
        self._people = people
        self._rng = random.Random(seed)
        self._tables: list[_Table] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._opening = asyncio.Semaphore(REQUESTS)

    @property
    def tables(self) -> int:
        return len(self._tables)

    @property
    def connected(self) -> int:
        """Sockets that are open."""
        return sum(not task.done() for task in self._tasks)

    async def open(self, tables: int) -> None:
        """Open tables until there are `tables`, and sit down at each."""
        made = await asyncio.gather(*(self._open(number) for number in range(self.tables, tables)))
        for table in made:
            number = len(self._tables)
            self._tables.append(table)
            # Half of the people sit at a process that does not own their table, as behind a load balancer.
            there = self._addresses[number // len(self._addresses) % len(self._addresses)]
            for cookie in table.cookies:
                self._tasks.append(asyncio.create_task(self._guarded(self._play(table, cookie, there))))
            if number % max(1, round(1 / self._watched)) == 0 if self._watched else False:
                elsewhere = self._addresses[(number + 1) % len(self._addresses)]
                self._tasks.append(asyncio.create_task(self._guarded(self._watch(table, elsewhere))))
            await asyncio.sleep(0.002)

    async def leave(self) -> None:
        """Disconnect everybody."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    async def _open(self, number: int) -> _Table:
        address = self._addresses[number % len(self._addresses)]
        settings = {"spectators": True, "grace": 3600}
        seats = ["me", *["open"] * (self._people - 1), *self._bots]
        body = {"preset": self._preset, "seats": seats, "settings": settings}
        async with self._opening:
            return await asyncio.to_thread(_create, address, body, self._people)

    async def _guarded(self, one: Any) -> None:
        from websockets.exceptions import WebSocketException

        try:
            await one
        except (OSError, WebSocketException):
            self.noted.failed += 1

    async def _play(self, table: _Table, cookie: str, address: str) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        url = f"ws{address.removeprefix('http')}/ws/tables/{table.id}"
        noted, rng = self.noted, self._rng
        number, thinking, acted_on = 0, None, -1
        seat, counts = -1, cookie == table.cookies[0]
        async with connect(url, additional_headers={"Cookie": cookie}, max_size=None, compression=None) as socket:

            async def send(kind: str, **more: object) -> None:
                await asyncio.sleep(self._think * (0.5 + rng.random()))
                table.sent, table.mover = perf_counter() if kind == "move" else None, seat
                with suppress(OSError, WebSocketException):
                    await socket.send(json.dumps({"type": kind, "id": f"b{number}", **more}))

            async for text in socket:
                message: Json = json.loads(text)
                kind = message["type"]
                if kind == "probe":
                    await socket.send(json.dumps({"type": "probe", "n": message["n"]}))
                elif kind == "ack":
                    if table.sent is not None and table.mover == seat:
                        noted.own += 1
                        noted.acknowledged.append(1000 * (perf_counter() - table.sent))
                elif kind == "error":
                    noted.failed += 1
                if kind not in ("snapshot", "update"):
                    continue
                moved = [event for event in message.get("events", ()) if event["type"] in MOVES]
                noted.moves += len(moved) if counts else 0
                view = message["view"]
                seat = view["seat"]
                self._saw(table, moved, seat)
                over = view["phase"] == "over"
                if message["seq"] == acted_on or not (over or view["to_act"] == view["seat"]):
                    continue
                number, acted_on = number + 1, message["seq"]
                wanted = {} if over else {"move": rng.choice(view["legal_moves"])["move"]}
                thinking = asyncio.create_task(send("next" if over else "move", **wanted))
            if thinking is not None:
                thinking.cancel()

    async def _watch(self, table: _Table, address: str) -> None:
        from websockets.asyncio.client import connect

        url = f"ws{address.removeprefix('http')}/ws/tables/{table.id}"
        async with connect(url, max_size=None, compression=None) as socket:
            async for text in socket:
                message: Json = json.loads(text)
                if message["type"] == "probe":
                    await socket.send(json.dumps({"type": "probe", "n": message["n"]}))
                if message["type"] == "update":
                    self._saw(table, [event for event in message["events"] if event["type"] in MOVES], None)

    def _saw(self, table: _Table, moved: list[Json], seat: int | None) -> None:
        """The socket of `seat` received these moves: if the one under way is among them and another seat's, note its delay."""
        if table.sent is not None and seat != table.mover and any(event["seat"] == table.mover for event in moved):
            self.noted.seen.append(1000 * (perf_counter() - table.sent))


def _create(address: str, body: Json, people: int) -> _Table:
    """Open a table, and take its seats."""
    made, cookie = _post(f"{address}/api/tables", body)
    joined = [_post(f"{address}/api/tables/{made['id']}/join", {})[1] for _ in range(people - 1)]
    return _Table(made["id"], [cookie, *joined])


def _post(url: str, body: Json) -> tuple[Json, str]:
    try:
        request = Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            found, cookie = json.load(answer), answer.headers["set-cookie"]
    except (ValueError, HTTPException) as error:
        raise NotServed(f"there is no server of dasan at {url}") from error
    if not isinstance(found, dict) or cookie is None:
        raise NotServed(f"there is no server of dasan at {url}")
    return found, cookie.partition(";")[0]
