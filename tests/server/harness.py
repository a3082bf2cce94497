"""A real server on a real port, in a thread of the test's own process, and players who use it as browsers do."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest
import sqlalchemy as sa
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from dasan.server.app import create_app
from dasan.server.connections.websocket import Live
from dasan.server.main import configure, listen
from dasan.server.operations.chores import Chores
from dasan.server.operations.metrics import Metrics
from dasan.server.people.identity import Identities
from dasan.server.people.sightings import Sightings
from dasan.server.protocol.moderation import Ban, Unban
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.migrating import migrate
from dasan.server.store.moderation import HOST
from dasan.server.store.schema import metadata
from dasan.server.tables.directory import Tables
from dasan.server.times import now

Json: TypeAlias = dict[str, Any]

PARTS = ("seq", "table", "rules", "session", "view", "clocks", "presence", "watching")
"""The fields of a table that REST and snapshots share."""

ANN = {"name": "Ann-大三", "password": "correct horse"}
"""The name and the password of an account."""

RATED: Json = {"rated": True, "speed": {"kind": "move", "seconds": 60}}
"""The settings of a rated table."""

SECONDS = 60.0
"""The time limit in seconds for anything on a busy machine."""
COMPILED_IN = 8 * SECONDS
"""The time limit for a review, whose kernels may have to be compiled first while other tests compile others."""


def ok(answer: httpx.Response) -> Any:
    """The JSON of an answer that is no refusal."""
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """The status and the sentence of a refusal."""
    return answer.status_code, answer.json()["message"]


@dataclass
class Socket:
    """One tab: a socket, every message received, and the table as the client folds it."""

    raw: ClientConnection
    messages: list[Json] = field(default_factory=list)
    table: Json = field(default_factory=dict)

    @property
    def view(self) -> Json:
        view: Json = self.table["view"]
        return view

    def send(self, **message: object) -> None:
        self.raw.send(json.dumps(message))

    def receive(self, timeout: float = SECONDS) -> Json:
        message: Json = json.loads(self.raw.recv(timeout=timeout))
        self.messages.append(message)
        match message["type"]:
            case "snapshot":
                self.table = {key: message[key] for key in PARTS}
            case "update":
                events = self.view["events"] + message["events"]
                self.table["view"] = {**message["view"], "events": events}
                self.table |= {key: message[key] for key in ("seq", "clocks", "session", "table") if key in message}
            case "table":
                self.table |= {key: message[key] for key in ("seq", "clocks", "session", "table")}
            case "chat":
                self.table["seq"] = message["seq"]
            case "presence":
                self.table |= {key: message[key] for key in ("presence", "watching")}
        return message

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        """Receive until a message is wanted; that message."""
        while not wanted(message := self.receive()):
            pass
        return message

    def until_seen(self, wanted: Callable[[Json], bool]) -> None:
        """Receive until the table, as the client folds it, is as wanted."""
        while not wanted(self.table):
            self.receive()

    def receive_all(self) -> None:
        """Receive everything sent so far: all messages before the answer to a ping."""
        self.send(type="ping")
        self.until(lambda message: message["type"] == "pong")

    def answer(self, command_id: str) -> Json:
        """The ack or error that answers a command."""
        return self.until(lambda m: m["type"] in ("ack", "error") and m["id"] == command_id)

    def my_turn(self) -> bool:
        """Wait for this seat's turn: False when the hand is over instead."""
        while self.view["to_act"] != self.view["seat"]:
            if self.view["phase"] == "over":
                return False
            self.receive()
        return True


@dataclass
class Remote:
    """A server at an address."""

    address: str


@dataclass
class Player:
    """A browser with its cookies."""

    server: Remote
    http: httpx.Client

    def open_table(self, preset: str, bots: list[str] | None = None, *, public: bool = False, **wanted: object) -> str:
        """A table of this player and bots, or with ``seats`` of anybody."""
        seats = [] if bots is None else ["me", *bots]
        body = {"preset": preset, "seats": seats, "settings": {"spectators": public}, **wanted}
        table_id: str = ok(self.http.post("/api/tables", json=body))["id"]
        return table_id

    def open_event(self, *, after: int = 0, **wanted: object) -> str:
        """A day's event of this player, which begins after so many milliseconds."""
        body = {"title": "Wednesday", "preset": "big-two", "deals": 2, "starts": now() + after, "bot": "low"}
        event_id: str = ok(self.http.post("/api/events", json=body | wanted))["id"]
        return event_id

    @contextmanager
    def connect(
        self, table_id: str, *, seq: int | None = None, what: str = "tables", **options: Any
    ) -> Iterator[Socket]:
        """Open a socket. what: ``tables``, or ``reviews`` for the id of a shared review."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        headers = {"Cookie": cookie} if cookie else {}
        url = f"{self.server.address.replace('http', 'ws')}/ws/{what}/{table_id}"
        url += "" if seq is None else f"?seq={seq}"
        options.setdefault("origin", self.server.address)
        options.setdefault("open_timeout", SECONDS)
        with connect(url, additional_headers=headers, max_size=None, **options) as raw:
            yield Socket(raw)

    @contextmanager
    def sit(self, table_id: str) -> Iterator[Socket]:
        """Connect and read the first snapshot."""
        with self.connect(table_id) as socket:
            assert socket.receive()["type"] == "snapshot"
            yield socket


@dataclass
class Served(Remote):
    """A server in this process."""

    settings: Settings
    players: list[Player] = field(default_factory=list)
    tables: Tables = field(init=False)
    identities: Identities = field(init=False)

    def player(self) -> Player:
        # Without TLS: loading this machine's certificates would take longer than most requests.
        player = Player(self, httpx.Client(base_url=self.address, timeout=COMPILED_IN, verify=False))
        self.players.append(player)
        return player


Serve: TypeAlias = Callable[..., AbstractContextManager[Served]]


@contextmanager
def served(settings: Settings, *, send_buffer: int = 0) -> Iterator[Served]:
    """Run a server. send_buffer: how many bytes the system keeps for a client that does not read; 0: as it likes."""
    if not settings.database and not settings.data_dir.exists():
        settings.data_dir.mkdir(mode=0o700, parents=True)
        (settings.data_dir / DATABASE_FILE).touch(mode=0o600)
        (settings.data_dir / DATABASE_FILE).write_bytes(empty_database())
    app = create_app(settings)
    listener = listen("127.0.0.1", 0)
    if send_buffer:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    config = configure(app)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    running = Served(f"http://127.0.0.1:{listener.getsockname()[1]}", settings)
    try:
        while not server.started:
            assert thread.is_alive(), app.state.failure
            thread.join(0.01)
        running.tables, running.identities = app.state.tables, app.state.identities
        yield running
    finally:
        for player in running.players:
            player.http.close()
        server.should_exit = True
        thread.join(SECONDS)
        listener.close()
    assert not thread.is_alive(), "the server did not stop"
    if not settings.database:
        check_widths(settings.data_dir / DATABASE_FILE)


def check_widths(path: Path) -> None:
    """No text is wider than its column: PostgreSQL refuses one that SQLite stores. Some tests remove the file."""
    if not path.exists():
        return
    with closing(sqlite3.connect(path)) as connection:
        for table in metadata.sorted_tables:
            for column in table.columns:
                if (width := getattr(column.type, "length", None)) is not None:
                    query = f'SELECT 1 FROM "{table.name}" WHERE length("{column.name}") > {width} LIMIT 1'
                    assert connection.execute(query).fetchone() is None, column


@cache
def empty_database() -> bytes:
    """An empty database of the newest schema: migrating one for each server would take longer than starting the server."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / DATABASE_FILE
        engine = sa.create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        return path.read_bytes()


def chores_of(tables: Tables) -> Chores:
    """A process's chores, none of which runs by itself."""
    identities = Identities(b"k" * 32, tables.store.people, 1)
    return Chores(tables, identities, Live(), Metrics(tables.settings), Sightings())


def fast(tmp_path: Path, **changes: Any) -> Settings:
    """Settings for tests: bots move at once, and rates are not limited."""
    settings = Settings(
        data_dir=tmp_path / "data",
        bot_delay=0,
        warm=0,
        password_memory_mb=1,
        message_rate=1e6,
        message_burst=1_000_000,
        table_rate=1e6,
        table_burst=1_000_000,
        join_burst=1_000_000,
        read_burst=1_000_000,
        record_burst=1_000_000,
        chat_burst=1_000_000,
        hint_burst=1_000_000,
        sign_in_burst=1_000_000,
        guess_burst=1_000_000,
        study_burst=1_000_000,
        study_seconds=COMPILED_IN,
    )
    return replace(settings, **changes)


def closed_with(socket: Socket) -> int | None:
    """The code with which the socket is closed."""
    with pytest.raises(ConnectionClosed) as closed:
        socket.until(lambda m: False)
    return closed.value.rcvd.code if closed.value.rcvd else None


def from_outside(server: Served, change: Any) -> Any:
    """Another program's action on the server's database while it runs."""

    async def do() -> Any:
        store = await Store.open(server.settings.data_dir)
        try:
            return await change(store)
        finally:
            await store.close()

    return asyncio.run(do())


async def ban(store: Store, player: str, now: int = 1 << 50, *, lift: bool = False) -> None:
    """Ban a player, or lift the ban."""
    action = Unban(type="unban", player=player) if lift else Ban(type="ban", player=player)
    await store.moderation.carry_out(action, HOST, now)


def my_id(player: Player) -> str:
    return str(ok(player.http.get("/api/me"))["id"])


def play_hand(socket: Socket, rng: random.Random) -> int:
    """Random legal moves until the hand is over; returns the number of this seat's own."""
    made = 0
    while socket.my_turn():
        made += 1
        move = rng.choice(socket.view["legal_moves"])["move"]
        command_id = f"{socket.table['session']['number']}-{made}"
        socket.send(type="move", id=command_id, move=move)
        answer = socket.answer(command_id)
        assert answer["type"] == "ack", answer
        assert answer["seq"] <= socket.table["seq"]
    return made


def step(socket: Socket, rng: random.Random) -> bool:
    """A random legal move; False when the hand is over instead."""
    if not socket.my_turn():
        return False
    command_id = f"m{socket.table['seq']}"
    socket.send(type="move", id=command_id, move=rng.choice(socket.view["legal_moves"])["move"])
    assert socket.answer(command_id)["type"] == "ack"
    return True


def played(player: Player, preset: str = "big-three", bots: Sequence[str] = ("random",) * 2, **settings: object) -> Json:
    """A finished hand of the player; its line in the history."""
    table_id = player.open_table(preset, list(bots), name="Guest Ann", settings=settings)
    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(1))
    (hand,) = ok(player.http.get("/api/me/history"))["hands"]
    return dict(hand)


def account(server: Served, name: str) -> Player:
    """A player with an account."""
    player = server.player()
    ok(player.http.post("/api/account", json={"name": name, "password": "correct horse"}))
    return player


def towards(player: Player, what: str, name: str) -> Any:
    """Follow, unfollow or block a player: the friends after that."""
    return ok(player.http.post(f"/api/friends/{name}/{what}", json={}))
