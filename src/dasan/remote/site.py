"""An HTTP and WebSocket client for one server, with a guest's cookies."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator
from http.client import HTTPException
from http.cookiejar import CookieJar
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

from dasan.games import make_rules
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

ANSWER = 20.0
"""The time limit for a request to the server, in seconds."""
LARGEST = 1 << 22
"""The longest answer and the longest message that is read, in bytes."""
FIRST_PAUSE, LAST_PAUSE = 0.5, 15.0
"""Seconds before a socket is opened again: doubled each time from the first to the last, with jitter."""
PATIENCE = 300.0
"""Seconds without a lasting connection after which a socket is not opened again."""
FINAL = (4400, 4401, 4403, 4404, 4410)
"""Codes with which a server closes a socket that it would refuse again: 4000 + an HTTP status."""


class Refusal(Exception):
    """The server refused or failed, or the address is wrong; the message is one sentence."""


def address(url: str) -> tuple[str, str]:
    """(server, id of the table) of a table's link, like http://localhost:8000/t/ID. `Refusal` if it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise Refusal(f"this is not an address: {error}") from error
    folder, _, table = parts.path.strip("/").rpartition("/")
    if parts.scheme not in ("http", "https") or not parts.netloc or folder not in ("t", "api/tables") or not table:
        raise Refusal("give the link of a table, like http://localhost:8000/t/ID")
    return f"{parts.scheme}://{parts.netloc}", table


class Site:
    """One guest at one server. server: its address, `http://HOST:PORT`."""

    def __init__(self, server: str) -> None:
        self.server = server.rstrip("/")
        self._cookies = CookieJar()

    def get(self, path: str) -> Any:
        """The JSON answer to GET. `Refusal`: the server refuses, does not answer, or answers something else."""
        return self._ask(Request(self.server + path))

    def post(self, path: str, body: dict[str, object]) -> Any:
        """The JSON answer to POST. Errors as for `get`."""
        return self._ask(Request(self.server + path, json.dumps(body).encode(), {"content-type": "application/json"}))

    def join(self, table: str, name: str, seat: int | None) -> int:
        """Take a seat as a program, the first open one if `seat` is None, and return its number. `Refusal` as for `get`."""
        answer = self.post(f"/api/tables/{table}/join", {"name": name, "seat": seat, "program": True})
        if not isinstance(answer, dict) or not isinstance(answer.get("seat"), int):
            raise Refusal(f"{self.server} is not a server of dasan")
        return int(answer["seat"])

    def socket(self, table: str) -> ClientConnection:
        """The socket of a table, with the guest's cookies. OSError, WebSocketException: there is no connection."""
        from websockets.sync.client import connect

        cookie = "; ".join(f"{c.name}={c.value}" for c in self._cookies)
        url = f"ws{self.server.removeprefix('http')}/ws/tables/{quote(table)}"
        return connect(url, additional_headers={"cookie": cookie}, max_size=LARGEST)

    def sockets(
        self, table: str, report: Callable[[str], None] = lambda text: None, stopped: Event | None = None
    ) -> Generator[ClientConnection, None, None]:
        """The socket of a table, and another one whenever the last has closed, as when the server restarts. The first message on
        each is a snapshot, and commands that had no answer are to be sent again.

        report: is told that a connection broke. stopped: when it is set, the iterator ends. `Refusal`: the first connection
        fails, the server refuses this player, or there has been no lasting connection for `PATIENCE` seconds.
        """
        from websockets.exceptions import WebSocketException

        stopped = stopped or Event()
        attempt, until = 0, 0.0
        while not stopped.is_set():
            opened, connected, failure = monotonic(), False, None
            try:
                with self.socket(table) as socket:
                    connected = True
                    yield socket
                    if socket.close_code in FINAL:
                        raise Refusal(f"{self.server} has closed this player's connection to the table")
            except (OSError, WebSocketException) as error:
                failure = error
            if connected and (not until or monotonic() > opened + LAST_PAUSE):
                attempt, until = 0, monotonic() + PATIENCE
            if monotonic() > until:
                raise Refusal(f"the connection to {self.server} broke") from failure
            if connected:
                report(f"the connection to {self.server} broke; connecting again")
            stopped.wait(min(FIRST_PAUSE * 2**attempt, LAST_PAUSE) * random.uniform(0.75, 1.25))
            attempt += 1

    def _ask(self, request: Request) -> Any:
        opener = build_opener(HTTPCookieProcessor(self._cookies))
        try:
            with opener.open(request, timeout=ANSWER) as answer:
                return json.loads(answer.read(LARGEST))
        except HTTPError as error:
            try:
                refusal = json.loads(error.read(LARGEST))
                sentence = refusal.get("message") or refusal["error"]["message"]
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError, HTTPException):
                sentence = f"HTTP {error.code}"
            raise Refusal(f"the server refuses: {sentence}") from error
        except (URLError, OSError, ValueError, HTTPException, RecursionError) as error:
            raise Refusal(f"{self.server} does not answer") from error


def rules_of(table: dict[str, Any]) -> Rules:
    """The rules of a table as the server describes it. `Refusal`: this version does not know them."""
    try:
        return make_rules(table["preset"], **table["options"])
    except ValueError as error:
        raise Refusal(f"this version does not know the rules of the table: {error}") from error
