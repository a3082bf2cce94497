"""Build the ASGI application from settings."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response

from dasan import __version__
from dasan.errors import DasanError
from dasan.games import PRESETS
from dasan.server import api
from dasan.server.api.document import document
from dasan.server.api.games import listed
from dasan.server.bus import Bus
from dasan.server.bus.nats import NatsBus
from dasan.server.connections import websocket
from dasan.server.connections.compression import Compressed
from dasan.server.connections.guard import GuardMiddleware, refusal
from dasan.server.connections.networks import NetworkCounts
from dasan.server.connections.rate_limits import Buckets
from dasan.server.connections.site import ClientFiles
from dasan.server.events.running import Events
from dasan.server.notifications.letters import Letters
from dasan.server.notifications.push import Push, signing_pair
from dasan.server.notifications.sending import Sending
from dasan.server.operations.background import repeat
from dasan.server.operations.checks import Checks
from dasan.server.operations.chores import Chores
from dasan.server.operations.folders import data_dir
from dasan.server.operations.metrics import Metrics
from dasan.server.operations.once import Once
from dasan.server.operations.reporting import log, report
from dasan.server.people.guesses import Guesses
from dasan.server.people.identity import Identities, signing_key
from dasan.server.people.sightings import Sightings
from dasan.server.refusals import CannotServe, ErrorCode, Refused
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.store.migrating import migrate, require
from dasan.server.store.processes import ALIVE
from dasan.server.study import puzzle_book
from dasan.server.study.together import Together
from dasan.server.tables.commands import Commands
from dasan.server.tables.directory import Tables
from dasan.server.times import now
from dasan.server.workers.warming import PARTS, Part, Warming
from dasan.version import commit

LEAST_SECRET = 32
TALKATIVE = ("sqlalchemy", "asyncpg", "uvicorn.error")
"""Loggers whose debug output would contain hands and their secrets (G.02)."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The server as an ASGI application; settings default to the environment or its file.

    Its lifespan opens the data directory. If it cannot, it raises ``CannotServe``, also stored in
    ``app.state.failure``.
    """
    chosen = settings or Settings.read()
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.INFO, logging.getLogger(name).level))

    app = FastAPI(
        title="dasan",
        version=__version__,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.settings = chosen
    app.state.failure = None
    app.state.warming = Warming()
    app.state.sockets = NetworkCounts()
    app.state.live = websocket.Live()
    app.state.sightings = Sightings()
    app.state.metrics = Metrics(chosen)
    app.state.guesses = Guesses(chosen)
    app.state.limits = _limits(chosen)
    app.state.loading_puzzles = Once()
    for router in api.ROUTERS:
        app.include_router(router)
    app.include_router(websocket.router)
    app.mount("/", GZipMiddleware(ClientFiles(chosen.static_dir), minimum_size=1000), name="site")
    app.openapi = document(app)  # type: ignore[method-assign]
    app.add_exception_handler(DasanError, _refuse_rules)
    app.add_exception_handler(Refused, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_body)
    app.add_exception_handler(HTTPException, _refuse_http)
    app.add_middleware(Compressed)
    app.add_middleware(GuardMiddleware, settings=chosen, metrics=app.state.metrics)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Serve from the data directory of the app's settings; see ``create_app``."""
    settings: Settings = app.state.settings
    try:
        if settings.daily_preset and settings.daily_preset not in PRESETS:
            raise CannotServe(f"DASAN_DAILY_PRESET names one of {', '.join(PRESETS)}, not {settings.daily_preset!r}")
        await asyncio.to_thread(commit)  # cached now, because it may run git, which no request should wait for
        with data_dir(settings.data_dir):
            store = await Store.open(settings.data_dir, settings.database, migrate if settings.migrate else require)
            bus: Bus | None = None
            try:
                if not store.database.shared:  # `data_dir` has locked the folder, so no other server uses its database
                    await store.leases.end_all()
                await store.people.index_names()
                key = _key(settings)
                app.state.store = store
                app.state.identities = Identities(key, store.people, settings.password_memory_mb)
                bus = await _bus(settings)
                if store.database.shared and bus is None and await store.processes.alive(now()):
                    log.warning(
                        "another process serves this database (or was killed less than %d seconds ago); "
                        "several processes need DASAN_NATS",
                        ALIVE // 1000,
                    )
                async with Tables(store, settings, bus) as tables:
                    _attach(app, tables, bus, key)
                    chores = Chores(tables, app.state.identities, app.state.live, app.state.metrics, app.state.sightings)
                    async with chores.running():
                        log.info("serving", extra={"where": "a database server" if settings.database else "SQLite"})
                        yield
            finally:
                app.state.warming.stop()
                if bus is not None:
                    await bus.close()
                await store.close()
    except CannotServe as failure:
        app.state.failure = failure
        raise
    except Exception as error:
        report("starting or stopping the server failed", error)  # uvicorn is not to log it, see `configure`
        raise


def _attach(app: FastAPI, tables: Tables, bus: Bus | None, key: bytes) -> None:
    """Start the parts of a server that need its tables, and compile in advance. key: signs cookies and push messages."""
    settings, store, warming = tables.settings, tables.store, app.state.warming
    app.state.tables = tables
    app.state.together = Together(store, bus)
    tables.chore(repeat("following shared reviews", app.state.together.run), "shared reviews")
    app.state.events = Events(tables)
    tables.chore(app.state.events.run(), "events")
    push = Push(signing_pair(key), settings.contact, private=bool(settings.push_private))
    app.state.sending = Sending(store.notifications, push, Letters(settings))
    tables.chore(app.state.sending.run(), "notifications")
    app.state.commands = Commands(tables, settings, warming)
    app.state.checks = Checks(settings, store, tables, bus)
    app.state.metrics.attach(tables, app.state.sockets)
    if settings.warm:
        tables.choices.compiling.update(PARTS)
        warming.start(done=partial(_warm_up, asyncio.get_running_loop(), tables, warming))
        threading.Thread(target=_load_pages, name="dasan-pages", daemon=True).start()


def _load_pages() -> None:
    """Load what many pages ask for at once after a restart."""
    listed()
    puzzle_book.book()


def _limits(settings: Settings) -> dict[str, Buckets]:
    """The limits by the names that ``rate_limits.limit`` takes."""
    return {
        "tables": Buckets(settings.table_rate, settings.table_burst),
        "joins": Buckets(settings.join_rate, settings.join_burst),
        "reads": Buckets(settings.read_rate, settings.read_burst),
        "commands": Buckets(settings.message_rate, settings.message_burst),
        "sign_ins": Buckets(settings.sign_in_rate, settings.sign_in_burst),
        "letters": Buckets(settings.letter_rate, settings.letter_burst),
        "quick": Buckets(settings.quick_rate, settings.quick_burst),
        "study": Buckets(settings.study_rate, settings.study_burst),
        "turning": Buckets(settings.study_rate, settings.study_burst),
        "records": Buckets(settings.record_rate, settings.record_burst),
        "pages": Buckets(settings.record_rate, settings.record_burst),
    }


def _warm_up(loop: asyncio.AbstractEventLoop, tables: Tables, warming: Warming, part: Part) -> None:
    """Forward a report of `Warming` from its thread to the event loop, unless the server has stopped."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(tables.warm_up, part, warming.ready(part))


async def _bus(settings: Settings) -> NatsBus | None:
    """The bus to other processes; None for a single process."""
    if not settings.nats:
        return None
    if not settings.database:
        raise CannotServe("processes that share tables over NATS need one database: --database")
    return await NatsBus.connect(settings.nats)


def _key(settings: Settings) -> bytes:
    """The key that signs cookies: the host's, or one stored in the data directory."""
    if settings.secret:
        if len(settings.secret) < LEAST_SECRET:
            raise CannotServe(f"DASAN_SECRET needs at least {LEAST_SECRET} characters")
        return hashlib.sha256(settings.secret.encode()).digest()
    if settings.nats:
        raise CannotServe("several processes need the same DASAN_SECRET, so that each accepts the others' cookies")
    try:
        return signing_key(settings.data_dir)
    except OSError as error:
        raise CannotServe(f"the key in {settings.data_dir} cannot be used: {error.strerror}") from None
    except ValueError as error:
        raise CannotServe(str(error)) from None


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return refusal(error.code, error.message)


async def _refuse_rules(request: Request, error: Exception) -> Response:
    assert isinstance(error, DasanError)
    codes: dict[str, ErrorCode] = {"malformed": "malformed", "illegal": "illegal", "ambiguous": "ambiguous"}
    return refusal(codes.get(error.code, "malformed"), error.message, error.clause)


async def _refuse_body(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    return refusal("malformed", f"{place or 'the request'}: {first['msg']}")


async def _refuse_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes: dict[int, ErrorCode] = {403: "forbidden", 404: "not-found", 405: "malformed"}
    response = refusal(codes.get(error.status_code, "malformed"), str(error.detail), headers=dict(error.headers or {}))
    response.status_code = error.status_code
    return response
