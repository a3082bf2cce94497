"""Run the server in this process until it is stopped."""

from __future__ import annotations

import errno
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.datastructures import Headers

from dasan.server.app import create_app
from dasan.server.connections.tcp_limits import bounded
from dasan.server.connections.uvicorn_protocol import PATIENCE, Socket
from dasan.server.operations import logs
from dasan.server.operations.garbage import collected_by_size
from dasan.server.operations.reporting import log
from dasan.server.people.identity import Identities
from dasan.server.protocol.base import MAX_MESSAGE
from dasan.server.refusals import CannotServe
from dasan.server.settings import Settings, unknown_variables

SPARE_FILES = 512
"""File descriptors for the database, worker processes and the page."""


class _Server(uvicorn.Server):
    """A uvicorn server that reports when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def main_loop(self) -> None:
        async with collected_by_size():
            await super().main_loop()


def serve(
    host: str | None = None,
    port: int = 8000,
    data_dir: Path | None = None,
    on_ready: Callable[[str], None] | None = None,
    *,
    database: str | None = None,
    nats: str | None = None,
    file: Path | None = None,
    open_browser: bool = False,
    settings: Settings | None = None,
) -> None:
    """Serve until interrupted; port 0 takes any that is free.

    on_ready: called with the address once the server answers; by default the address is printed, and with
    ``open_browser`` opened. Other settings come from the environment or from ``file`` (``Settings``). ``CannotServe``:
    the port is taken, or the data directory cannot be used.
    """
    chosen = settings or Settings.read(host=host, data_dir=data_dir, database=database, nats=nats, file=file)
    logs.configure(chosen.log_format, chosen.log_level)
    for name in unknown_variables():
        log.warning("there is no setting %s", name)
    listener = listen(chosen.host, port)
    _allow_files(chosen.most_connections)
    app = create_app(chosen)
    config = configure(app)
    ready = on_ready or (_open if open_browser else _print)
    server = _Server(config, lambda: ready(_address(listener, chosen.host)))
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    except SystemExit:
        raise (app.state.failure or CannotServe("the server could not start")) from None
    finally:
        listener.close()


def _allow_files(connections: int) -> None:
    """Raise this process's limit of open files to what its connections need, as far as the system allows."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 2 * connections + SPARE_FILES
        if soft != resource.RLIM_INFINITY and soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def configure(app: FastAPI) -> uvicorn.Config:
    """Uvicorn's configuration for the application."""
    settings: Settings = app.state.settings

    def known(headers: Headers) -> bool:
        identities: Identities | None = getattr(app.state, "identities", None)
        return identities is not None and identities.is_known(headers)

    return uvicorn.Config(
        app,
        log_config=None,
        # uvicorn would log exception messages, which may name hidden cards; we report errors ourselves.
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="on",
        http=bounded(settings, known),
        # Compressing each socket's messages would take 300 kB of memory per player.
        ws_per_message_deflate=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=[str(network) for network in settings.trusted_networks],
        ws=Socket,
        ws_max_size=MAX_MESSAGE,
        timeout_graceful_shutdown=PATIENCE,
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. ``CannotServe``: it cannot be opened."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, proto)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "this is not an address"
        raise CannotServe(f"cannot listen on {host}: {reason}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotServe(f"port {port} on {host} is taken; choose another (0: any that is free)") from None
        raise CannotServe(f"cannot listen on {host} port {port}: {error.strerror}") from None
    return listener


def _address(listener: socket.socket, host: str) -> str:
    """The address for a browser on this machine.

    A server on all interfaces is reached as localhost.
    """
    port = listener.getsockname()[1]
    name = {"0.0.0.0": "localhost", "::": "localhost", "": "localhost"}.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _print(address: str) -> None:
    print(f"dasan is at {address} (Ctrl+C stops it)", flush=True)


def _open(address: str) -> None:
    _print(address)
    threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()
