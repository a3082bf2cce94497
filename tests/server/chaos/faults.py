"""Faults, and their injection at random."""

from __future__ import annotations

import asyncio
import math
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from .proxy import Proxy
from .servers import App, World

LEASE = 8.0
"""Seconds for which the server owns a table without renewal."""

Fault = Callable[[World, random.Random], Awaitable[bool]]
"""Injects a fault and repairs it. False if there was no target at the moment."""


async def kill_app(world: World, rng: random.Random) -> bool:
    """kill -9, and a new process some time later."""
    return await _with_app(world, rng, lambda app: _end(app, signal.SIGKILL, rng.uniform(0, 3)))


async def stop_app(world: World, rng: random.Random) -> bool:
    """SIGTERM: the process hands its tables over; then start a new one."""
    return await _with_app(world, rng, lambda app: _end(app, signal.SIGTERM, rng.uniform(0, 1)))


async def upgrade_apps(world: World, rng: random.Random) -> bool:
    """Migrate the database, then replace one process after the other, as the hosting guide says."""
    if world.postgres is None or any(app.busy for app in world.apps):
        return False
    for app in world.apps:
        app.busy = True
    try:
        await _migrate(world.database)
        for app in world.apps:
            await app.end(signal.SIGTERM)
            app.source = None
            await app.start()
            await asyncio.sleep(rng.uniform(1, 2))
    finally:
        for app in world.apps:
            app.busy = False
    return True


async def _migrate(database: str) -> None:
    command = [sys.executable, "-m", "dasan", "admin", "migrate", "--database", database]
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
    if await child.wait():
        raise RuntimeError("the database was not migrated")


async def pause_app(world: World, rng: random.Random) -> bool:
    """SIGSTOP until after the lease is over."""
    return await _with_app(world, rng, lambda app: _pause(app, LEASE + rng.uniform(1, 4)))


async def pause_app_briefly(world: World, rng: random.Random) -> bool:
    """SIGSTOP for less than the lease."""
    return await _with_app(world, rng, lambda app: _pause(app, rng.uniform(0.5, 4)))


async def kill_nats(world: World, rng: random.Random) -> bool:
    """kill -9 a node of the cluster, and start it again."""
    nats = world.nats
    if nats is None or len(nats.down) + 1 >= len(nats.ports):
        return False
    node = rng.choice([node for node in range(len(nats.ports)) if node not in nats.down])
    nats.kill(node)
    await asyncio.sleep(rng.uniform(0.5, 4))
    await asyncio.to_thread(nats.start, node)
    return True


async def cut_nats(world: World, rng: random.Random) -> bool:
    """Reset all of an app's connections to NATS, and refuse new ones for a while."""
    return await _lines(rng.choice(world.to_nats), rng, stall=False) if world.to_nats else False


async def stall_nats(world: World, rng: random.Random) -> bool:
    """Let all of an app's connections to NATS fall silent for a while."""
    return await _lines(rng.choice(world.to_nats), rng, stall=True) if world.to_nats else False


async def cut_postgres(world: World, rng: random.Random) -> bool:
    """Reset all of an app's connections to PostgreSQL, and refuse new ones for a while."""
    return await _lines([rng.choice(world.to_postgres)], rng, stall=False) if world.to_postgres else False


async def stall_postgres(world: World, rng: random.Random) -> bool:
    """Let an app's connections to PostgreSQL fall silent, now and then past its leases."""
    return await _lines([rng.choice(world.to_postgres)], rng, stall=True, most=LEASE + 4) if world.to_postgres else False


async def cut_people(world: World, rng: random.Random) -> bool:
    """Reset the sockets at one app."""
    rng.choice(world.fronts).drop()
    return True


async def stall_people(world: World, rng: random.Random) -> bool:
    """Let the sockets at one app fall silent for a while."""
    return await _lines([rng.choice(world.fronts)], rng, stall=True)


async def terminate_backends(world: World, rng: random.Random) -> bool:
    """pg_terminate_backend on some of the apps' connections; on all if the random choice is empty."""
    for share in (rng.choice([0.3, 1.0]), 1.0):
        if await _backends(world, f"pg_terminate_backend(pid) {SERVING} AND random() < {share}"):
            return True
    return False


async def kill_backend(world: World, rng: random.Random) -> bool:
    """kill -9 a PostgreSQL process that serves a connection: the server ends all of them, and recovers from its log."""
    backends = await _backends(world, f"pid {SERVING}")
    with suppress(ProcessLookupError):
        if backends:
            os.kill(rng.choice(backends), signal.SIGKILL)
    return bool(backends)


SERVING = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"


async def _backends(world: World, what: str) -> list[int]:
    if world.postgres is None:
        return []
    engine = create_async_engine(world.postgres.url)
    try:
        async with engine.begin() as connection:
            return list(await connection.scalars(sa.text(f"SELECT {what}")))
    except (sa.exc.SQLAlchemyError, OSError):
        return []
    finally:
        await engine.dispose()


async def restart_postgres(world: World, rng: random.Random) -> bool:
    """End PostgreSQL immediately, like a loss of power, and start it again."""
    postgres = world.postgres
    if postgres is None or postgres.busy:
        return False
    postgres.busy = True
    try:
        await asyncio.to_thread(postgres.crash)
        await asyncio.sleep(rng.uniform(0, 2))
        await asyncio.to_thread(postgres.start)
    finally:
        postgres.busy = False
    return True


FAULTS: dict[str, tuple[int, Fault]] = {
    "kill-app": (4, kill_app),
    "stop-app": (1, stop_app),
    "upgrade-apps": (1, upgrade_apps),
    "pause-app": (2, pause_app),
    "pause-app-briefly": (1, pause_app_briefly),
    "kill-nats": (3, kill_nats),
    "cut-nats": (2, cut_nats),
    "stall-nats": (2, stall_nats),
    "cut-postgres": (2, cut_postgres),
    "stall-postgres": (2, stall_postgres),
    "terminate-backends": (4, terminate_backends),
    "kill-backend": (2, kill_backend),
    "restart-postgres": (1, restart_postgres),
    "cut-people": (3, cut_people),
    "stall-people": (2, stall_people),
}
"""Every fault by name, with how often it is chosen."""
ALONE = ["kill-app", "stop-app", "pause-app-briefly", "cut-people", "stall-people"]
"""Those that a process alone on SQLite can have."""


async def inject(
    world: World,
    rng: random.Random,
    *,
    seconds: float,
    every: float,
    most_together: int,
    only: list[str] | None = None,
    orderly: bool = False,
) -> Counter[str]:
    """Inject faults for this long; returns their numbers by kind, with everything repaired. orderly: each kind once,
    in the order of ``only``, however long that takes; otherwise at random.
    """
    names = only or (list(FAULTS) if world.postgres is not None else ALONE)
    weights = [FAULTS[name][0] for name in names]
    chosen = iter(names) if orderly else iter(lambda: rng.choices(names, weights)[0], "")
    done: Counter[str] = Counter()
    slots = asyncio.Semaphore(most_together)
    loop = asyncio.get_running_loop()
    ends = math.inf if orderly else loop.time() + seconds

    async def one(name: str) -> None:
        # A fault without a target, as while the only process starts, gives way to another kind.
        others = [] if orderly else rng.sample(names, len(names))
        try:
            for kind in (name, *others):
                if await FAULTS[kind][1](world, rng):
                    done[kind] += 1
                    break
        finally:
            slots.release()

    async with asyncio.TaskGroup() as group:
        for name in chosen:
            await asyncio.sleep(min(rng.expovariate(1 / every), max(0.0, ends - loop.time())))
            await slots.acquire()
            if loop.time() >= ends:
                break
            group.create_task(one(name))
    return +done


async def _with_app(world: World, rng: random.Random, harm: Callable[[App], Awaitable[None]]) -> bool:
    free = [app for app in world.apps if not app.busy]
    if not free:
        return False
    app = rng.choice(free)
    app.busy = True
    try:
        await harm(app)
    finally:
        app.busy = False
    return True


async def _end(app: App, number: int, pause: float) -> None:
    await app.end(number)
    await asyncio.sleep(pause)
    while True:
        try:
            await app.start()
        except RuntimeError:
            # Its database or NATS is down at the moment: a supervisor would restart it.
            await app.end()
            await asyncio.sleep(0.5)
        else:
            return


async def _pause(app: App, seconds: float) -> None:
    app.is_out()
    app.send(signal.SIGSTOP)
    try:
        await asyncio.sleep(seconds)
    finally:
        app.send(signal.SIGCONT)
        app.is_back()


async def _lines(lines: list[Proxy], rng: random.Random, *, stall: bool, most: float = 6.0) -> bool:
    for line in lines:
        if stall:
            line.stall()
        else:
            line.cut()
    try:
        await asyncio.sleep(rng.uniform(0.5, most))
    finally:
        for line in lines:
            line.heal()
    return True
