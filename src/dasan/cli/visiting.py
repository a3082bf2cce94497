"""A program at a server's table: translates the server's messages to the bot protocol, and sends the program's moves back."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from http.client import HTTPException
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

from dasan.bots.external import wire
from dasan.bots.external.program import Program
from dasan.bots.external.wire import Fault, Message
from dasan.games import make_rules

Report = Callable[[str], None]
ANSWER = 20.0
"""The time limit for a request to the server, in seconds."""
SPARE = 1.0
"""Seconds of a clock that are reserved for the way to the server."""


class Refusal(Exception):
    """The program cannot play at this server or address; one sentence says why."""


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


class Visit:
    """A seat at a table, and the program that plays in it. faults: the program's, by kind; hands: those that are over."""

    def __init__(self, url: str, command: list[str], *, name: str | None, seat: int | None, seconds: float) -> None:
        self.server, self.table = address(url)
        self._command, self._seconds = command, seconds
        self._program = Program(command)
        self.faults: dict[str, int] = {}
        self.hands = 0
        self._cookies = CookieJar()
        joined = self._post(f"/api/tables/{self.table}/join", {"name": name or self._program.name[:24], "seat": seat})
        self.seat: int = joined["seat"]
        self._rules: Message = {}
        self._view: Message | None = None
        self._told = 0
        self._answered: int | None = None
        self._number = 0

    def _post(self, path: str, body: Message) -> Message:
        opener = build_opener(HTTPCookieProcessor(self._cookies))
        request = Request(self.server + path, json.dumps(body).encode(), {"content-type": "application/json"})
        try:
            with opener.open(request, timeout=ANSWER) as answer:
                found = json.load(answer)
        except HTTPError as error:
            try:
                said = json.load(error)
                sentence = said.get("message") or said["error"]["message"]
            except (ValueError, KeyError, TypeError, AttributeError):
                sentence = f"HTTP {error.code}"
            raise Refusal(f"the server refuses: {sentence}") from error
        except (URLError, OSError, ValueError, HTTPException, RecursionError) as error:
            raise Refusal(f"{self.server} does not answer") from error
        if not isinstance(found, dict) or not isinstance(found.get("seat"), int):
            raise Refusal(f"{self.server} is no server of dasan")
        return found

    def play(self, hands: int | None, report: Report) -> None:
        """Play until `hands` hands are over or the table has ended. `Refusal`: the connection broke."""
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        cookie = "; ".join(f"{c.name}={c.value}" for c in self._cookies)
        url = f"ws{self.server.removeprefix('http')}/ws/tables/{self.table}"
        try:
            with connect(url, additional_headers={"cookie": cookie}, max_size=1 << 22) as socket:
                for text in socket:
                    if not self._heard(socket, json.loads(text), report) or self.hands == hands:
                        break
        except (OSError, WebSocketException) as error:
            raise Refusal(f"the connection to {self.server} broke") from error
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
            raise Refusal(f"{self.server} says what this version does not know") from error
        finally:
            self._program.close()

    def _send(self, socket: Any, type_: str, **content: object) -> None:
        socket.send(json.dumps({"type": type_, "id": secrets.token_hex(8), **content}))

    def _heard(self, socket: Any, message: Message, report: Report) -> bool:
        """Act on one message; False when the table has ended."""
        match message["type"]:
            case "probe":
                socket.send(json.dumps({"type": "probe", "n": message["n"]}))
                return True
            case "snapshot":
                self._view = message["view"]
                self._rules = _rules(message["table"])
                self._begin()
                if message["table"]["status"] == "waiting":
                    self._send(socket, "ready", ready=True)
            case "update" if self._view is not None:
                self._view = {**message["view"], "events": self._view["events"] + message["events"]}
            case "error":
                report(f"the server says: {message['message']}")
        ended = message.get("table") is not None and message["table"]["status"] == "ended"
        if self._view is not None and message["type"] in ("snapshot", "update"):
            self._go_on(socket, message, report)
        return not ended

    def _begin(self) -> None:
        """Tell the program of the current hand, from its beginning."""
        view = self._view
        self._told, self._answered = 0, None
        if view is None:
            return
        moved = [e for e in view["events"] if e["seat"] == self.seat and e.get("cards")]
        played = [c for e in moved if e["type"] == "play" for c in e["cards"]]
        kitty = [c for e in moved if e["type"] == "kitty" for c in e["cards"]]
        cards = [*view["hand"], *played]
        for card in kitty:
            if card in cards:
                cards.remove(card)
        told = wire.hand_of(self.seat, view["players"], self._rules, view["dealer"], cards, None)
        self._program.tell([told])

    def _go_on(self, socket: Any, message: Message, report: Report) -> None:
        view: Any = self._view
        news = view["events"][self._told :]
        messages = [wire.events(news)] if news else []
        self._told = len(view["events"])
        if view["to_act"] == self.seat and view["legal_moves"] and self._answered != message["seq"]:
            self._answered = message["seq"]
            self._send(socket, "move", move=self._chosen(messages, view, message.get("clocks"), report))
            return
        if view["result"] is not None and self._answered != -1:
            self._answered = -1
            self.hands += 1
            self._program.tell([*messages, wire.over(view["result"])])
            report(f"hand {self.hands}: {view['result']['payments'][self.seat]:+d}")
            self._send(socket, "next")
        elif messages:
            self._program.tell(messages)

    def _chosen(self, messages: list[Message], view: Message, clocks: Message | None, report: Report) -> str:
        """The program's move, or the first legal move if it fails."""
        seconds = self._seconds
        left = None if clocks is None else clocks["left"][self.seat]
        if left is not None:
            seconds = max(0.1, min(seconds, left / 1000 - SPARE))
        self._number += 1
        try:
            answer = self._program.ask([*messages, wire.choose(self._number, seconds, view)], seconds)
            return wire.move(answer, self._number, view)
        except Fault as fault:
            self.faults[fault.kind] = self.faults.get(fault.kind, 0) + 1
            report(f"fault, {fault.kind}: {fault}; the first legal move is played")
            self._program.kill()
            self._program = Program(self._command)
            self._begin()
            self._program.tell([wire.events(view["events"])])
            self._told = len(view["events"])
            return str(view["legal_moves"][0]["move"])


def _rules(table: Message) -> Message:
    try:
        value = make_rules(table["preset"], **table["options"]).to_json()
    except ValueError as error:
        raise Refusal(f"this version does not know the rules of the table: {error}") from error
    return {"name": table["preset"], "options": table["options"], "value": value}
