"""Scripted people: each sits at one table, plays over a socket, and records every answer."""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

Json = dict[str, Any]

ANSWERED_IN = 20.0
"""Seconds after which a person who got no answer connects again."""
RETRY = 0.3


def raise_if_busy(answer: httpx.Response) -> None:
    """``OSError``: the server asks to try again, as a slow machine's does even before the first fault."""
    if answer.status_code >= 429:
        raise OSError("not now")


@dataclass(frozen=True)
class Said:
    """One command: its player, its content, and whether the server accepted it."""

    table: str
    player: str
    seat: int
    command: Json


@dataclass
class Notebook:
    """All answers that people got, for the audit.

    sent: every command by (table, player, id). acknowledged: the length of the log that the answer named, and refused:
    the code. seen: by table, the move shown at a place of the log: seat and event type. gaps: messages whose predecessor is
    missing. longest_wait: seconds from a command to its answer, over as many connections as needed, and longest_over: over
    how many. repaired: the time from which nothing is broken any more. longest_once_repaired: the longest part of a wait
    after that time; a lost wake-up or a lease that nobody takes over would prolong this one.
    """

    sent: dict[tuple[str, str, str], Said] = field(default_factory=dict)
    acknowledged: dict[tuple[str, str, str], int] = field(default_factory=dict)
    refused: dict[tuple[str, str, str], str] = field(default_factory=dict)
    changed_answers: list[str] = field(default_factory=list)
    seen: dict[str, dict[int, tuple[int, str]]] = field(default_factory=dict)
    told_otherwise: int = 0
    gaps: int = 0
    longest_wait: float = 0.0
    longest_over: int = 0
    repaired: float = math.inf
    longest_once_repaired: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)

    def saw(self, table: str, place: int, seat: int, event: str) -> None:
        """The move at a place of the log, as a socket showed it."""
        before = self.seen.setdefault(table, {}).setdefault(place, (seat, event))
        self.told_otherwise += before != (seat, event)

    def waited(self, since: float, until: float, connections: int) -> None:
        """A command waited between these times, over so many connections."""
        if until - since > self.longest_wait:
            self.longest_wait, self.longest_over = until - since, connections
        self.longest_once_repaired = max(self.longest_once_repaired, until - max(since, self.repaired))

    def answered(self, key: tuple[str, str, str], answer: Json) -> None:
        """A final answer: an ack, or a refusal of the command itself."""
        if answer["type"] == "ack":
            before = self.acknowledged.setdefault(key, answer["seq"])
            if before != answer["seq"] or key in self.refused:
                self.changed_answers.append(f"{key[2]}: {before}, {answer['seq']}, {self.refused.get(key)}")
        else:
            self.refused[key] = answer["code"]


class Person:
    """Plays at one table until told that the hand under way is the last, and that one is over."""

    def __init__(self, notebook: Notebook, fronts: list[int], rng: random.Random, think: float) -> None:
        self.table = ""
        self.player = ""
        self.cookie = ""
        self.done = False
        self._notes = notebook
        self._fronts = fronts
        self._rng = rng
        self._think = think
        self._number = 0
        self._unanswered: Json | None = None
        self._asked_first = 0.0
        self._tries = 0
        self._state: Json = {}
        self._seq: int | None = None

    async def enter(self, open_table: Callable[[httpx.AsyncClient], Any]) -> str:
        """Let ``open_table`` open or join a table with this person's cookies; its id."""
        while True:
            port = self._rng.choice(self._fronts)
            try:
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=ANSWERED_IN) as client:
                    if self.cookie:
                        client.headers["cookie"] = self.cookie
                    self.table = await open_table(client)
                    if not self.cookie:
                        value = client.cookies["dasan_session"]
                        self.cookie, self.player = f"dasan_session={value}", value.partition(".")[0].partition(":")[0]
                    return self.table
            except (httpx.HTTPError, OSError):
                await asyncio.sleep(RETRY)

    async def play(self, last: asyncio.Event) -> None:
        """Play hand after hand; return when ``last`` is set and the hand is over."""
        while not self.done:
            port = self._rng.choice(self._fronts)
            url = f"ws://127.0.0.1:{port}/ws/tables/{self.table}"
            if self._seq is not None and self._rng.random() < 0.8:
                url += f"?seq={self._seq}"
            headers = {"Cookie": self.cookie}
            try:
                async with connect(url, additional_headers=headers, max_size=None, open_timeout=10) as socket:
                    self._notes.counts["connections"] += 1
                    await self._sit(socket, last)
            except (OSError, WebSocketException, TimeoutError):
                await asyncio.sleep(RETRY * (0.5 + self._rng.random()))

    async def _sit(self, socket: ClientConnection, last: asyncio.Event) -> None:
        first = True
        asked_at = asyncio.get_running_loop().time()
        if self._unanswered is not None:
            # It may have been carried out or not: sent again, it is carried out once.
            self._notes.counts["sent again"] += 1
            self._tries += 1
            await socket.send(json.dumps(self._unanswered))
        while not self.done:
            command = self._next(last) if self._unanswered is None and not first else None
            if command is not None:
                await asyncio.sleep(self._think * (0.5 + self._rng.random()))
                key = (self.table, self.player, command["id"])
                self._notes.sent[key] = Said(self.table, self.player, self._state["table"]["you"], command)
                self._unanswered, self._tries = command, 1
                asked_at = self._asked_first = asyncio.get_running_loop().time()
                await socket.send(json.dumps(command))
            try:
                async with asyncio.timeout(1.0):
                    text = await socket.recv()
            except TimeoutError:
                if self._unanswered is not None and asyncio.get_running_loop().time() - asked_at > ANSWERED_IN:
                    self._notes.counts["unanswered"] += 1
                    return
                continue
            message: Json = json.loads(text)
            if message["type"] == "probe":
                await socket.send(json.dumps({"type": "probe", "n": message["n"]}))
            self._hear(message, first)
            first = first and message["type"] not in ("snapshot", "update", "table")

    def _hear(self, message: Json, first: bool) -> None:
        kind = message["type"]
        if kind in ("ack", "error"):
            waited = self._unanswered
            if waited is None or message["id"] != waited["id"]:
                return
            if kind == "error" and message["code"] in ("unavailable", "too-fast"):
                self._notes.counts[f"answer {message['code']}"] += 1
                raise OSError("not now")
            self._notes.answered((self.table, self.player, waited["id"]), message)
            self._unanswered = None
            self._notes.waited(self._asked_first, asyncio.get_running_loop().time(), self._tries)
            return
        if "seq" not in message or kind == "hint":
            return
        if not first and kind != "snapshot" and self._seq is not None and message["seq"] > self._seq + 1:
            self._notes.gaps += 1
        if kind == "snapshot":
            self._state = message
        elif kind == "update":
            self._state = {**self._state, **{k: v for k, v in message.items() if k != "type"}}
            moves = [event for event in message["events"] if event["type"] in MOVES]
            if not first and len(moves) == 1:
                self._notes.saw(self.table, message["seq"] - 1, moves[0]["seat"], moves[0]["type"])
        elif kind == "table":
            self._state |= {key: message[key] for key in ("table", "session", "clocks")}
        self._seq = message["seq"]

    def _next(self, last: asyncio.Event) -> Json | None:
        """The next message to send; None to wait. Notes when there is nothing left to do."""
        table, view = self._state["table"], self._state.get("view")
        if view is None:
            return None
        self._number += 1
        command_id = f"{self.player[:6]}-{self._number}"
        you = table["you"]
        if table["seats"][you].get("substitute"):
            return {"type": "return", "id": command_id}
        if view["phase"] == "over":
            if last.is_set():
                self.done = True
                return None
            voted = you in table["voted"]
            return None if voted else {"type": "next", "id": command_id}
        if view["to_act"] != you or not view["legal_moves"]:
            return None
        if self._rng.random() < 0.1:
            return {"type": "chat", "id": command_id, "text": f"this is {command_id}"}
        return {"type": "move", "id": command_id, "move": self._rng.choice(view["legal_moves"])["move"]}


MOVES = frozenset({"bid", "pass", "call", "play", "give", "offer", "take"})
