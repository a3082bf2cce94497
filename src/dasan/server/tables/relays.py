"""Relays for tables owned by another process: commands go to the owner, and its redacted messages come back.

A socket may be at any process. If another process owns its table, the socket's process asks the owner to register a
*relayed* connection: the owner numbers every text for it, and the socket's process forwards them. A gap in the numbers,
a text that a keep-alive reports as lost, or an owner that no longer knows the connection, ends the socket; the
client reconnects with the last ``seq`` it saw and gets the difference from the current owner. Only the owner decides and
redacts.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from itertools import zip_longest
from typing import Any, cast

from dasan.errors import Ambiguous, BadRecord, DasanError, IllegalPlay, Malformed
from dasan.reasons import Sentence, reason
from dasan.server.bus import Answerer, Bus, NoOwner
from dasan.server.compact import compact
from dasan.server.connections.send_queues import Connection
from dasan.server.operations.background import guarded, repeat
from dasan.server.operations.reporting import report
from dasan.server.protocol.commands import ReactCommand, RoomCommand, read_client
from dasan.server.refusals import ErrorCode, OwnedElsewhere, Refused
from dasan.server.tables.open_table import RESTART, Table
from dasan.server.times import now

Json = dict[str, Any]

KEPT_FOR = 6.0
"""The keep-alive timeout of relayed connections in seconds."""
KEEP_EVERY = 2.0
"""Seconds between keep-alives."""
ANSWERED_IN = 5.0
"""The timeout of an owner's answer in seconds."""
MOST_WAITING, MOST_WAITING_BYTES = 4096, 1 << 26
"""The most texts queued for one process, and their bytes; further ones are dropped, which ends their connections."""
MOST_TOGETHER = 500_000
"""The most bytes of texts in one message, below NATS's limit of a megabyte. A longer text, which no table has, is sent alone."""


class _Relayed(Connection):
    """At the owner: a connection whose socket is at another process."""

    def __init__(self, relays: Relays, process: str, number: int, player: str | None) -> None:
        super().__init__(0, player)
        self._relays = relays
        self.address = (process, number)
        self.kept_until = time.monotonic() + KEPT_FOR
        self._sent = 0
        self._sent_by = (0, 0)
        """The numbers of texts sent before each of the last two keep-alives. The next keep-alive comes an interval after the
        last: the texts sent before the earlier of the two have arrived by then, or are lost."""

    @property
    def silent(self) -> bool:
        """Whether the process has not kept the connection alive in time."""
        return self.kept_until < time.monotonic()

    def keep(self, received: int | None) -> bool:
        """Keep the connection alive; False if it is closed, also because a text was lost.

        received: the number of texts that have arrived; None from a process of a version that does not report it.
        """
        if received is not None and received < self._sent_by[0]:
            self.close(RESTART)
        if self._closed:
            return False
        self._sent_by = (self._sent_by[1], self._sent)
        self.kept_until = time.monotonic() + KEPT_FOR
        return True

    def offer(self, text: str) -> None:
        if not self._closed:
            self._send({"text": text})

    def close(self, code: int) -> None:
        if not self._closed:
            self._closed = True
            self._send({"close": code})

    def _send(self, what: Json) -> None:
        process, number = self.address
        self._relays.send(process, {"to": number, "n": self._sent, **what})
        self._sent += 1


class _Here:
    """At the socket's process: the connection's table, and the number of the next text."""

    def __init__(self, table_id: str, connection: Connection) -> None:
        self.table_id = table_id
        self.connection = connection
        self.next = 0


class Relays:
    """Both ends of all relayed connections of this process."""

    def __init__(self, bus: Bus, process: str) -> None:
        self._bus = bus
        self._process = process
        self._here: dict[int, _Here] = {}
        self._keeping: set[str] = set()
        self._numbers = 0
        self._owned: dict[str, tuple[Table, Callable[[], Awaitable[None]]]] = {}
        self._there: dict[str, dict[tuple[str, int], _Relayed]] = defaultdict(dict)
        self._out: dict[str, deque[bytes]] = defaultdict(deque)
        self._out_bytes: Counter[str] = Counter()
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Listen, send and keep connections alive, until cancelled."""
        end = await self._bus.subscribe(f"process-{self._process}", self._heard)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(repeat("sending to other processes", self._pump))
                group.create_task(repeat("keeping connections alive", lambda: self._keep(group), KEEP_EVERY))
        finally:
            await end()

    @property
    def connected(self) -> bool:
        """Whether the bus reaches other processes, as far as this one knows."""
        return self._bus.connected

    # At the socket's process.

    async def command(self, table_id: str, player: str, command: RoomCommand, lag: int) -> int:
        """Let the owner carry out a command; returns the length of the log after it. ``NoOwner``: no answer came."""
        asked = {"do": "command", "player": player, "command": command.wire(), "lag": lag}
        return cast("int", await self._ask(table_id, asked))

    async def react(self, table_id: str, player: str, command: ReactCommand) -> None:
        """Let the owner show a reaction."""
        await self._ask(table_id, {"do": "react", "player": player, "command": command.wire()})

    async def detail(self, table_id: str, player: str | None) -> Json:
        """The table for the player, as REST sends it."""
        return cast("Json", await self._ask(table_id, {"do": "detail", "player": player}))

    async def seen_by(self, table_id: str, player: str | None) -> int:
        """The length of the log up to which the player may see the table."""
        return cast("int", await self._ask(table_id, {"do": "seen", "player": player}))

    async def join(self, table_id: str, player: str | None, connection: Connection, seen: int | None) -> None:
        """Let the owner send the table to ``connection``."""
        self._numbers += 1
        number = self._numbers
        self._here[number] = _Here(table_id, connection)
        try:
            asked = {"do": "join", "process": self._process, "number": number, "player": player, "seen": seen}
            connection.timed = bool(await self._ask(table_id, asked))
        except BaseException:
            self._here.pop(number, None)
            raise

    async def leave(self, connection: Connection) -> bool:
        """Tell the owner that the socket has closed. False if the connection is not relayed."""
        relayed = next(((number, here) for number, here in self._here.items() if here.connection is connection), None)
        if relayed is None:
            return False
        number, here = relayed
        del self._here[number]
        with suppress(NoOwner, Refused, DasanError):  # if this is lost, the owner drops the connection after its timeout
            await self._ask(here.table_id, {"do": "leave", "process": self._process, "number": number})
        return True

    async def _ask(self, table_id: str, what: Json) -> object:
        # By then the caller has given up or retried: a late request must not be carried out.
        asked = {**what, "until": now() + int(ANSWERED_IN * 1000)}
        answer: Json = json.loads(await self._bus.request(table_id, json.dumps(asked).encode(), ANSWERED_IN))
        if "elsewhere" in answer:
            raise OwnedElsewhere
        if "refused" in answer:
            raise _refusal(answer["refused"])
        return answer["done"]

    def _heard(self, message: bytes) -> None:
        for what in json.loads(message):
            here = self._here.get(what["to"])
            if here is None:
                continue
            if what["n"] != here.next or "close" in what:
                here.connection.close(what.get("close", RESTART))
                del self._here[what["to"]]
                continue
            here.next += 1
            here.connection.offer(what["text"])

    async def _keep(self, group: asyncio.TaskGroup) -> None:
        """Keep connections alive, table by table, so that a silent or failing owner does not delay others."""
        at: dict[str, list[int]] = defaultdict(list)
        for number, here in self._here.items():
            at[here.table_id].append(number)
        for table_id in at.keys() - self._keeping:
            self._keeping.add(table_id)
            group.create_task(guarded(f"keeping table {table_id} alive", self._keep_at(table_id, at[table_id])))
        for table, _ in list(self._owned.values()):
            group.create_task(guarded(f"dropping silent connections of table {table.id}", self._drop_silent(table)))

    async def _keep_at(self, table_id: str, numbers: Iterable[int]) -> None:
        received = {number: self._here[number].next for number in numbers if number in self._here}
        lost = set(received)
        try:
            counts = list(received.values())
            asked = {"do": "keep", "process": self._process, "numbers": list(received), "received": counts}
            lost.difference_update(cast("list[int]", await self._ask(table_id, asked)))
        except (NoOwner, Refused, DasanError):
            pass
        finally:
            self._keeping.discard(table_id)
            self._lose(lost)

    def _lose(self, numbers: set[int]) -> None:
        """Close connections unknown to their owner; their clients reconnect."""
        for number in numbers:
            lost = self._here.pop(number, None)
            if lost is not None:
                lost.connection.close(RESTART)

    # At the owner.

    async def opened(self, table: Table) -> None:
        """Start to answer for a table that this process owns."""
        self._owned[table.id] = (table, await self._bus.serve(table.id, self._answerer(table)))

    async def closed(self, table: Table) -> None:
        """Stop answering for a table."""
        owned = self._owned.get(table.id)
        if owned is not None and owned[0] is table:
            del self._owned[table.id]
            self._there.pop(table.id, None)
            try:
                await owned[1]()
            except Exception as error:
                report(f"ending the subscription for table {table.id} failed", error)

    def _answerer(self, table: Table) -> Answerer:

        async def answer(message: bytes) -> bytes:
            asked: Json = json.loads(message)
            try:
                done = await self._carry_out(table, asked)
            except OwnedElsewhere:
                return json.dumps({"elsewhere": table.id}).encode()
            except (DasanError, Refused) as error:
                clause = error.clause if isinstance(error, DasanError) else None
                wording = [error.message.id, error.message.values] if isinstance(error.message, Sentence) else None
                return json.dumps({"refused": [error.code, error.message, clause, wording]}).encode()
            return json.dumps({"done": done}).encode()

        return answer

    async def _carry_out(self, table: Table, asked: Json) -> object:
        if now() > asked["until"]:
            raise Refused("unavailable", reason("gone"))
        player = cast("str", asked.get("player"))  # None for spectators, which the requests below allow
        there = self._there[table.id]
        match asked["do"]:
            case "command":
                command = cast("RoomCommand", read_client(asked["command"]))
                return await table.ask(lambda own: own.carry_out(player, command, asked["lag"]))
            case "react":
                reaction = cast("ReactCommand", read_client(asked["command"]))
                return await table.ask(lambda own: own.react(player, reaction))
            case "detail":
                return await table.ask(lambda own: own.detail(player))
            case "seen":
                return (await table.ask(lambda own: own.seen_by(player))).seq
            case "join":
                relayed = _Relayed(self, asked["process"], asked["number"], player)
                there[relayed.address] = relayed

                async def show(own: Table) -> None:
                    if there.get(relayed.address) is not relayed:  # dropped as silent while it waited for its turn
                        raise Refused("unavailable", reason("gone"))
                    await own.show(player, relayed, asked["seen"])

                await table.ask(show)
                return relayed.timed
            case "leave":
                await self._gone(table, there.pop((asked["process"], asked["number"]), None))
                return None
            case "keep":
                return [
                    number
                    for number, received in zip_longest(asked["numbers"], asked.get("received", ()))
                    if (kept := there.get((asked["process"], number))) is not None and kept.keep(received)
                ]
        raise Refused("malformed", "no such request")

    async def _drop_silent(self, table: Table) -> None:
        """Drop relayed connections whose process is silent."""
        there = self._there.get(table.id, {})
        for relayed in [relayed for relayed in there.values() if relayed.silent]:
            # Another request may have renewed or removed it in the meantime.
            if there.get(relayed.address) is relayed and relayed.silent:
                del there[relayed.address]
                await self._gone(table, relayed)

    async def _gone(self, table: Table, relayed: _Relayed | None) -> None:
        if relayed is not None and relayed in table.hub:
            table.hub.leave(relayed)
            with suppress(Refused):
                await table.ask(lambda own: own.attended())

    def send(self, process: str, what: Json) -> None:
        """Queue a text without waiting."""
        waiting, text = self._out[process], compact(what).encode()
        if len(waiting) < MOST_WAITING and self._out_bytes[process] + len(text) <= MOST_WAITING_BYTES:
            waiting.append(text)
            self._out_bytes[process] += len(text)
        self._wake.set()

    async def _pump(self) -> None:
        """Wait for queued texts and publish them, batched per process and in order.

        After a failure the others are sent in the next round, and the gap in the numbers ends the connection.
        """
        if not self._out:
            await self._wake.wait()
        self._wake.clear()
        for process, waiting in list(self._out.items()):
            while waiting:
                batch = [waiting.popleft()]
                size = len(batch[0])
                while waiting and (size := size + len(waiting[0])) <= MOST_TOGETHER:
                    batch.append(waiting.popleft())
                self._out_bytes[process] -= sum(map(len, batch))
                await self._bus.publish(f"process-{process}", b"[" + b",".join(batch) + b"]")
            if not waiting:
                self._out.pop(process, None)
                self._out_bytes.pop(process, None)


def _refusal(refusal: list[Any]) -> DasanError | Refused:
    code, message, clause, wording = refusal
    if wording is not None:
        message = reason(wording[0], **wording[1])
    if clause is None:
        return Refused(cast("ErrorCode", code), message)
    kinds: dict[str, type[DasanError]] = {kind.code: kind for kind in (Malformed, IllegalPlay, Ambiguous, BadRecord)}
    return kinds.get(code, Malformed)(message, clause=clause)
