"""A seat at a server's table for an agent: it waits for its turn, reads its view, and plays."""

from __future__ import annotations

import json
import secrets
from contextlib import closing, suppress
from itertools import chain
from threading import Condition, Event, Thread
from typing import Any

from dasan.remote.site import Refusal, Site, address, rules_of
from dasan.text.description import describe, messages

CONFIRM = 20.0
"""Seconds to wait until the server confirms or refuses a command."""
MOST_KEPT = 64
"""Answers to commands that are kept until somebody asks for them."""

Message = dict[str, Any]


class AgentSeat:
    """A seat at one table, over a socket that a background thread reads, and opens again if the connection breaks. Thread-safe.

    url: the table's link. seat: None takes the first open one. `Refusal`: the server refuses or does not answer.
    """

    def __init__(self, url: str, name: str, seat: int | None = None) -> None:
        server, self.table = address(url)
        self._site = Site(server)
        self.seat = self._site.join(self.table, name, seat)
        self._changed = Condition()
        self._view: Message | None = None
        self._described: Message | None = None
        self._facts: Message = {}
        self._answers: dict[str, Message] = {}
        self._pending: dict[str, Message] = {}
        self._broken: str | None = None
        self._lost = False
        self._closed = Event()
        self._sockets = self._site.sockets(self.table, self._lose, self._closed)
        self._socket = next(self._sockets)
        Thread(target=self._read, daemon=True).start()

    def close(self) -> None:
        """Close the socket; the seat stays the agent's until the table gives it to a bot. Later calls are refused."""
        self._break("this connection to the table was closed")
        self._closed.set()
        self._socket.close()

    def wait(self, seconds: float) -> None:
        """Wait until it is this seat's turn, the hand is over, or the table has ended; at most `seconds`."""
        with self._changed:
            self._changed.wait_for(self._wanted, seconds)

    def describe(self, language: str = "en") -> str:
        """What the seat may know, see `View.describe`. ValueError: no such language. `Refusal`: there is no connection."""
        with self._changed:
            self._check()
            if self._lost:
                raise Refusal(f"there is no connection to {self._site.server} at the moment: read the view again")
            words = messages(language)
            if self._view is None:
                return words["waiting"].format(seat=self.seat)
            self._described = self._view
            text = describe(self._view, rules_of(self._facts), language)
            return f"{text}\n{words['ended']}" if self._facts["status"] == "ended" else text

    def move_of(self, text: str) -> str:
        """The legal move with this number in the list of the last description; other text is returned unchanged.

        `Refusal`: the text is empty, the list has no such number, or the hand has gone on since, for example because the clock
        ran out.
        """
        text = text.strip().rstrip(".")
        if not text:
            raise Refusal("name a move, by its number or in words")
        with self._changed:
            moves, same = ([] if self._view is None else self._view["legal_moves"]), _same(self._view, self._described)
        if not (text.isascii() and text.isdigit() and len(text) < 6) or not moves:
            return text
        if not same:
            raise Refusal(
                "the hand has gone on since you read it, and the moves have other numbers: read the view again"
            )
        if not 1 <= int(text) <= len(moves):
            raise Refusal(f"there are {len(moves)} legal moves, numbered from 1; {text} is none of them")
        return str(moves[int(text) - 1]["move"])

    def play(self, move: str) -> None:
        """Send a move. `Refusal`: the rules refuse it, with the clause; or the connection broke."""
        self._command("move", move=move)

    def next_hand(self) -> None:
        """Be ready for the next hand. `Refusal`: the table does not wait for that."""
        self._command("next")

    def _command(self, type_: str, **content: object) -> None:
        from websockets.exceptions import WebSocketException

        key = secrets.token_hex(8)
        message = {"type": type_, "id": key, **content}
        self._check()
        with self._changed:
            self._pending[key] = message
        with suppress(OSError, WebSocketException):  # then the thread that reads sends it on the next connection
            self._send(message)
        with self._changed:
            self._changed.wait_for(lambda: key in self._answers or self._broken is not None, CONFIRM)
            answer = self._answers.pop(key, None)
            del self._pending[key]
        if answer is None:
            self._check()
            raise Refusal("the server did not answer in time")
        if answer["type"] == "error":
            clause = f" (clause {answer['clause']})" if answer.get("clause") else ""
            raise Refusal(f"{answer['message']}{clause}")

    def _send(self, message: Message) -> None:
        self._socket.send(json.dumps(message))

    def _check(self) -> None:
        if self._broken is not None:
            raise Refusal(self._broken)

    def _wanted(self) -> bool:
        if self._broken is not None or self._facts.get("status") == "ended":
            return True
        return (
            not self._lost
            and self._view is not None
            and (self._view["result"] is not None or self._view["to_act"] == self.seat)
        )

    def _read(self) -> None:
        """Keep the newest view and the answers to commands, until no connection follows the last one."""
        from websockets.exceptions import WebSocketException

        reason = f"the connection to {self._site.server} broke"
        try:
            with closing(self._sockets):
                for socket in chain([self._socket], self._sockets):
                    self._socket = socket
                    if self._closed.is_set():
                        return
                    with self._changed:
                        unanswered = list(self._pending.values())
                    with suppress(OSError, WebSocketException):
                        for message in unanswered:
                            self._send(message)
                        for text in socket:
                            message = json.loads(text)
                            with self._changed:
                                self._heard(message)
                                self._changed.notify_all()
        except Refusal as refusal:
            reason = str(refusal)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            reason = f"{self._site.server} says what this version does not know"
        self._break(reason)

    def _lose(self, reason: str) -> None:
        """Note that the connection broke, until the next one sends a snapshot."""
        with self._changed:
            self._lost = True

    def _break(self, reason: str) -> None:
        """Refuse everything from now on, for the first reason."""
        with self._changed:
            self._broken = self._broken or reason
            self._changed.notify_all()

    def _heard(self, message: Message) -> None:
        match message["type"]:
            case "probe":
                self._send({"type": "probe", "n": message["n"]})
            case "snapshot":
                self._view, self._lost = message["view"], False
                if message["table"]["status"] == "waiting":
                    self._send({"type": "ready", "id": secrets.token_hex(8), "ready": True})
            case "update" if self._view is not None:
                self._view = {**message["view"], "events": self._view["events"] + message["events"]}
            case "ack" | "error" if message["id"] is not None:
                self._answers[message["id"]] = message
                while len(self._answers) > MOST_KEPT:
                    del self._answers[next(iter(self._answers))]
        if message.get("table") is not None:
            self._facts = message["table"]


def _same(view: Message | None, other: Message | None) -> bool:
    """Whether two views show the same moment of a hand, so that their lists of legal moves are the same."""
    fields = ("events", "hand", "legal_moves")
    return view is not None and other is not None and all(view[name] == other[name] for name in fields)
