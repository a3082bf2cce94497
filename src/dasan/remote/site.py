"""An HTTP and WebSocket client for one server, with a guest's cookies."""

from __future__ import annotations

import json
from http.client import HTTPException
from http.cookiejar import CookieJar
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


class Refusal(Exception):
    """The server refused or failed, or the address is wrong; the message is one sentence."""


def address(url: str) -> tuple[str, str]:
    """(server, id of the table) of a table's link, like http://localhost:8000/t/ID. `Refusal` if it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise Refusal(f"this is no address: {error}") from error
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
            raise Refusal(f"{self.server} is no server of dasan")
        return int(answer["seat"])

    def socket(self, table: str) -> ClientConnection:
        """The socket of a table, with the guest's cookies. OSError, WebSocketException: there is no connection."""
        from websockets.sync.client import connect

        cookie = "; ".join(f"{c.name}={c.value}" for c in self._cookies)
        url = f"ws{self.server.removeprefix('http')}/ws/tables/{quote(table)}"
        return connect(url, additional_headers={"cookie": cookie}, max_size=LARGEST)

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
