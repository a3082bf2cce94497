"""A program at a server's table: translates the server's messages to the bot protocol, and sends the program's moves back."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from typing import Any

from dasan.bots.external import wire
from dasan.bots.external.program import Program
from dasan.bots.external.wire import Fault, Message
from dasan.cards import Card, card, texts
from dasan.play.dealing import partner_in_exchange
from dasan.play.sessions import succession
from dasan.remote.site import Refusal, Site, address, rules_of
from dasan.ruleset.rules import Rules

Report = Callable[[str], None]
SPARE = 1.0
"""Seconds of each clock that are reserved for network delay."""
OVER = -1
"""What was answered last, once a hand is over; before, the number of events before the last answer."""


class Visit:
    """A seat at a table, and the program that plays it. faults: how often the program failed, by kind. hands: the
    number of finished hands.
    """

    def __init__(self, url: str, command: list[str], *, name: str | None, seat: int | None, seconds: float) -> None:
        server, self.table = address(url)
        self._site = Site(server)
        self._command, self._seconds = command, seconds
        self._program = Program(command)
        self.faults: dict[str, int] = {}
        self.hands = 0
        self.seat = self._site.join(self.table, name or self._program.name[:24], seat)
        self._view: Message | None = None
        self._beginning: Message = {}
        self._hand = 0
        self._sent = 0
        self._answered: int | None = None
        self._move = ""
        self._key = secrets.token_hex(8)
        self._number = 0

    def play(self, hands: int | None, report: Report) -> None:
        """Play until `hands` hands are over or the table has ended; connect again if the connection breaks. `Refusal`: that
        fails, or the server refuses.
        """
        from websockets.exceptions import WebSocketException

        server = self._site.server
        try:
            with closing(self._site.sockets(self.table, report)) as sockets:
                for socket in sockets:
                    with suppress(OSError, WebSocketException):
                        for text in socket:
                            if not self._heard(socket, json.loads(text), report) or self.hands == hands:
                                return
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
            raise Refusal(f"{server} says what this version does not know") from error
        finally:
            self._program.close()

    def _send(self, socket: Any, type_: str, key: str = "", **content: object) -> str:
        """Send a command; its id."""
        key = key or secrets.token_hex(8)
        socket.send(json.dumps({"type": type_, "id": key, **content}))
        return key

    def _next(self, socket: Any) -> None:
        """Ask for the next hand; the server carries this out once a hand, although it may be asked again."""
        self._send(socket, "next", f"next-{self._hand}-{self._key}")

    def _heard(self, socket: Any, message: Message, report: Report) -> bool:
        """Act on one message; False when the table has ended."""
        match message["type"]:
            case "probe":
                socket.send(json.dumps({"type": "probe", "n": message["n"]}))
                return True
            case "snapshot":
                view, number = message["view"], message["session"]["number"]
                # The server sends a hand again when its end shows hidden cards: that is no new hand.
                again = number == self._hand and view is not None and view["result"] is not None
                self._view, self._hand = view, number
                if view is not None and not again:
                    self._beginning = self._begun(message)
                    self._sent, self._answered = 0, None
                    self._program.tell([self._beginning])
                elif again and self._answered == OVER:  # the connection is new, and the request may have been lost
                    self._next(socket)
                if message["table"]["status"] == "waiting":
                    self._send(socket, "ready", ready=True)
            case "update" if self._view is not None:
                self._view = {**message["view"], "events": self._view["events"] + message["events"]}
            case "error":
                report(f"the server says: {message['message']}")
                if message["code"] in ("too-fast", "unavailable"):
                    raise ConnectionError(message["message"])  # a new connection begins with what the server knows
                if message["id"] == self._move:
                    self._answered = None  # ask again when the table changes, as when this player returns to the seat
        ended = message.get("table") is not None and message["table"]["status"] == "ended"
        if self._view is not None and message["type"] in ("snapshot", "update", "table"):
            self._go_on(socket, message, report)
        return not ended

    def _begun(self, snapshot: Message) -> Message:
        """The message that begins the hand of a snapshot for the program."""
        view, table = snapshot["view"], snapshot["table"]
        rules = rules_of(table)
        described = {"name": table["preset"], "options": table["options"], "value": rules.to_json()}
        exchange = _exchange(rules, snapshot["session"])
        dealt = texts(rules.order.hand(self._dealt(view, exchange or ())))
        pair = None if exchange is None else list(exchange)
        return wire.hand_of(self.seat, view["players"], described, view["dealer"], dealt, pair)

    def _dealt(self, view: Message, exchange: Sequence[int]) -> Iterable[Card]:
        """The cards that this seat was dealt: those it holds, with what has left its hand and without what has come."""
        seat = self.seat
        other = partner_in_exchange(exchange, seat) if seat in exchange else None
        left = {("play", seat), ("give", seat), ("take", other)}
        come = {("kitty", seat), ("give", other), ("take", seat)}
        cards: Counter[str] = Counter(view["hand"])
        for event in view["events"]:
            if (event["type"], event["seat"]) in left:
                cards.update(event["cards"])
            if (event["type"], event["seat"]) in come:
                cards.subtract(event["cards"])
        return map(card, cards.elements())

    def _go_on(self, socket: Any, message: Message, report: Report) -> None:
        view: Any = self._view
        news = view["events"][self._sent :]
        messages = [wire.events(news)] if news else []
        self._sent = len(view["events"])
        if view["to_act"] == self.seat and view["legal_moves"] and self._answered != self._sent:
            self._answered = self._sent
            move = self._chosen(messages, view, message.get("clocks"), report)
            self._move = self._send(socket, "move", move=move or str(view["legal_moves"][0]["move"]))
            if move is None:  # only now, because a start takes time and may fail
                self._program = Program(self._command)
                self._program.tell([self._beginning, wire.events(view["events"])])
            return
        if view["result"] is not None and self._answered != OVER:
            self._answered = OVER
            self.hands += 1
            self._program.tell([*messages, wire.over(view["result"])])
            report(f"hand {self.hands}: {view['result']['payments'][self.seat]:+d}")
            self._next(socket)
        elif messages:
            self._program.tell(messages)

    def _chosen(self, messages: list[Message], view: Message, clocks: Message | None, report: Report) -> str | None:
        """The program's move; None if it failed and was killed."""
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
            return None


def _exchange(rules: Rules, session: Message) -> tuple[int, ...] | None:
    """The seats that exchange cards in the current hand (see `Deal.exchange`), from the result of the hand before."""
    before = session["number"] - 1 - session["first_result"]
    return None if before < 0 else succession(rules, session["results"][before]["finish_order"])[1]
