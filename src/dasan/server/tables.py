"""The open tables: each is one task that owns its room, writes the log before it answers, and lets the bots move.

Whatever wants something of a table leaves a request in its inbox, so nothing happens at a table at the same time as
something else, and a client that goes away cannot interrupt a write. A table nobody needs is closed; the next request
reads it back from the log. So is one whose task fails: what is in the log is what happened.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

import dasan
from dasan import bots
from dasan.games import PRESETS
from dasan.play import fairness
from dasan.server.hub import Connection, Hub
from dasan.server.protocol import Command, MoveCommand
from dasan.server.refusals import Refused
from dasan.server.rooms import Chair, Head, Room
from dasan.server.settings import Settings
from dasan.server.store import Listed, Store

T = TypeVar("T")

RESTART = 1012
FAILED = 1011
DEFAULT_BOT = "greedy"

log = logging.getLogger("dasan.server")


def report(what: str, error: BaseException) -> None:
    """Log where an error arose and of which type, but not its text: that could name hidden cards (G.02)."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("%s: %s\n%s", what, type(error).__qualname__, frames.rstrip())


class Tables:
    """All tables of this server. An async context manager: leaving it stops every table's task."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.workers = ThreadPoolExecutor(settings.bot_threads, thread_name_prefix="dasan-bot")
        self._group = asyncio.TaskGroup()
        self._open: dict[str, Table] = {}
        self._closing = False

    async def __aenter__(self) -> Tables:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        for table in self._open.values():
            table.stop()
        await self._group.__aexit__(kind, error, trace)
        self.workers.shutdown(wait=False, cancel_futures=True)

    def __len__(self) -> int:
        return len(self._open)

    async def create(
        self, player: str, preset: str, options: dict[str, bool | int | str], wanted_bots: Sequence[str], *, public: bool
    ) -> str:
        """A new table where ``player`` has seat 0; its id. ``Refused`` where there is no such game or bot."""
        try:
            rules = dasan.rules(preset, **options)
        except ValueError as error:
            raise Refused("malformed", str(error)) from None
        names = list(wanted_bots) or [DEFAULT_BOT] * (rules.players - 1)
        if len(names) != rules.players - 1:
            raise Refused("malformed", f"this game takes {rules.players - 1} bots, not {len(names)}")
        for name in set(names):
            _check_bot(name)
        chairs = (Chair("human", "You", player=player), *(_bot_chair(names, i) for i in range(len(names))))
        head = Head(secrets.token_urlsafe(9), chairs, public, fairness.new_secret())
        room, lines = await self._work(lambda: Room.create(head, rules))
        await self.store.create(room, lines)
        return head.id

    async def mine(self, player: str) -> tuple[Listed, ...]:
        return await self.store.mine(player)

    async def look(self, table_id: str) -> Room:
        """The table's room as it is now."""
        return await self._ask(table_id, Table.look)

    async def command(self, table_id: str, player: str | None, command: Command) -> int:
        """Carry out a player's command: the length of the log after it, once that is on disk."""

        async def carry_out(table: Table) -> int:
            seat = table.room.head.seat_of(player)
            if seat is None:
                raise Refused("forbidden", "you only watch this table")
            return await table.carry_out(seat, command)

        return await self._ask(table_id, carry_out)

    async def join(self, table_id: str, player: str | None, connection: Connection) -> None:
        """Show ``connection`` the table, from a snapshot on."""

        async def join(table: Table) -> None:
            viewer = table.room.head.seat_of(player)
            connection.offer(table.room.snapshot(viewer).wire())
            table.hub.join(connection, viewer)

        await self._ask(table_id, join)

    def leave(self, table_id: str, connection: Connection) -> None:
        table = self._open.get(table_id)
        if table is not None:
            table.hub.leave(connection)

    async def _ask(self, table_id: str, action: Callable[[Table], Awaitable[T]]) -> T:
        if self._closing:
            raise Refused("unavailable", "the server is stopping")
        table = self._open.get(table_id)
        if table is None:
            table = self._open[table_id] = Table(self, table_id)
            table.task = self._group.create_task(table.run(), name=f"table {table_id}")
        return await table.ask(action)

    def forget(self, table: Table) -> None:
        if self._open.get(table.id) is table:
            del self._open[table.id]

    def _work(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self.workers, work)

    async def load(self, table_id: str) -> Room:
        saved = await self.store.load(table_id)
        return await self._work(lambda: Room.restore(saved.head, saved.lines, saved.done))

    def think(self, name: str, view: dasan.View) -> asyncio.Future[dasan.Move]:
        """A bot's choice, on its way."""
        return self._work(lambda: bots.bot(name).choose(view))


class Table:
    """One open table. Only its own task, ``run``, changes ``room``."""

    room: Room
    task: asyncio.Task[None]

    def __init__(self, tables: Tables, table_id: str) -> None:
        self.id = table_id
        self.hub = Hub()
        self._tables = tables
        self._inbox: deque[Callable[[], Awaitable[None]]] = deque()
        self._waiting: set[asyncio.Future[object]] = set()
        self._wake = asyncio.Event()
        self._thinking: asyncio.Future[dasan.Move] | None = None
        self._due = 0.0
        self._stopping = False

    def stop(self) -> None:
        """Finish what is being done, then close."""
        self._stopping = True
        self._wake.set()

    async def ask(self, action: Callable[[Table], Awaitable[T]]) -> T:
        """Have the table's task do ``action``, and wait for what comes of it."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def do() -> None:
            try:
                value = await action(self)
            except (dasan.DasanError, Refused) as error:
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(value)

        self._waiting.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._waiting.discard)
        self._inbox.append(do)
        self._wake.set()
        return await future

    async def look(self) -> Room:
        return self.room

    async def carry_out(self, seat: int, command: Command) -> int:
        """Let the room decide, write the log, then tell everybody. Called in the table's task alone."""
        before = self.room
        step = before.handle(seat, command)
        if step.lines:
            await self._tables.store.append(step.room, step.lines, seat, command.id)
            self.room = step.room
            self.hub.publish(lambda viewer: step.room.since(before, viewer).wire())
        return step.seq

    async def run(self) -> None:
        """The table's life; whatever ends it, nobody is left waiting."""
        end: Exception = Refused("unavailable", "the server is stopping")
        code = RESTART
        try:
            self.room = await self._tables.load(self.id)
            await self._live()
        except Refused as error:
            end, code = error, FAILED
        except dasan.DasanError as error:
            report(f"table {self.id} cannot be read", error)
            end, code = Refused("unavailable", "this table's log is damaged"), FAILED
        except Exception as error:
            report(f"table {self.id} failed", error)
            end, code = Refused("unavailable", "something went wrong on the server; try again"), FAILED
        finally:
            self._tables.forget(self)
            for future in tuple(self._waiting):
                if not future.done():
                    future.set_exception(end)
            self.hub.close(code)

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        idle_since = loop.time()
        while not self._stopping:
            self._wake.clear()
            while self._inbox:
                await self._inbox.popleft()()
                idle_since = loop.time()
            await self._bots(loop)
            if self._inbox or self._wake.is_set():
                continue
            if (
                self._thinking is None
                and not self.hub
                and loop.time() - idle_since >= self._tables.settings.idle_seconds
            ):
                return
            try:
                async with asyncio.timeout_at(self._next_time(loop)):
                    await self._wake.wait()
            except TimeoutError:
                pass

    def _next_time(self, loop: asyncio.AbstractEventLoop) -> float | None:
        """When to look again if nobody asks for anything before."""
        if self._thinking is None:
            return loop.time() + self._tables.settings.idle_seconds
        return self._due if self._thinking.done() else None

    async def _bots(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the bot whose turn it is, or make its move when it has chosen and the delay is over."""
        turn = self.room.bot_to_act
        if turn is None:
            return
        seat, name = turn
        if self._thinking is None:
            self._due = loop.time() + self._tables.settings.bot_delay
            self._thinking = self._tables.think(name, self.room.session.state.view(seat))
            self._thinking.add_done_callback(lambda _: self._wake.set())
        if not self._thinking.done() or loop.time() < self._due:
            return
        thought, self._thinking = self._thinking, None
        await self.carry_out(seat, self._command(name, thought))
        self._wake.set()

    def _command(self, name: str, thought: asyncio.Future[dasan.Move]) -> MoveCommand:
        """The bot's move; the first legal one where the bot failed, so that one bad bot cannot stop a table."""
        legal = self.room.session.state.legal_moves()
        try:
            move = thought.result()
            if move not in legal:
                self.room.session.play(move)
        except Exception as error:
            report(f"bot {name} at table {self.id} made no legal move", error)
            move = legal[0]
        return MoveCommand(type="move", id=f"bot-{self.room.seq}", move=str(move))


def _check_bot(name: str) -> None:
    try:
        bots.bot(name)
    except ValueError:
        raise Refused("malformed", f"there is no bot {name!r}") from None


def _bot_chair(names: Sequence[str], index: int) -> Chair:
    """The bot's chair, numbered where several of the same name play."""
    name = names[index]
    title = name.replace("-", " ").capitalize()
    if names.count(name) > 1:
        title = f"{title} {names[: index + 1].count(name)}"
    return Chair("bot", title, bot=name)


def title_of(preset: str) -> str:
    """The preset's title for people; its name where a newer or older version had it."""
    known = PRESETS.get(preset)
    return preset if known is None else known.title
