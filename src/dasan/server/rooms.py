"""The authority over one table, without I/O: a room is a value, and a command makes the next one.

A room holds a session and what the log needs beside it. ``handle`` says which lines a command adds to the log;
``restore`` folds the log into the same room again. What a player is shown comes from ``state.view`` alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import dasan
from dasan.games import PRESETS
from dasan.play import fairness
from dasan.play.dealing import Deal
from dasan.play.starting import hand_secret
from dasan.server.protocol import (
    Command,
    ContributeCommand,
    HandResult,
    MoveCommand,
    NextCommand,
    SeatInfo,
    SessionEvent,
    SessionInfo,
    Snapshot,
    TableDetail,
    TableInfo,
    Update,
    View,
    ViewState,
)
from dasan.server.refusals import Refused

MAX_LINES = 20_000
"""The longest log after which another hand may be dealt; a table beyond it would take long to open."""

CONTRIBUTION = "contribution"


@dataclass(frozen=True)
class Chair:
    """Who sits in a seat: a player by id, or a bot by name."""

    kind: Literal["human", "bot"]
    name: str
    player: str | None = field(default=None, repr=False)
    bot: str | None = None


@dataclass(frozen=True)
class Head:
    """What never changes about a table. seed: where the secrets of all its hands come from."""

    id: str
    chairs: tuple[Chair, ...]
    public: bool
    seed: bytes = field(repr=False)

    def seat_of(self, player: str | None) -> int | None:
        """The player's seat, None for somebody who only watches; ``Refused`` where the table is not public."""
        if player is not None:
            for seat, chair in enumerate(self.chairs):
                if chair.player == player:
                    return seat
        if not self.public:
            raise Refused("forbidden", "this table is not yours to see")
        return None


@dataclass(frozen=True)
class Done:
    """A command that was carried out: its text, and the length of the log after it."""

    body: str
    seq: int


@dataclass(frozen=True)
class Summary:
    """A table in a list of tables."""

    number: int
    phase: str
    to_act: int | None
    balances: tuple[int, ...]


@dataclass(frozen=True)
class Room:
    """A table at one moment. seq: lines in the log; logged: those of them that tell the hand at the table."""

    head: Head
    session: dasan.Session = field(repr=False)
    seq: int
    logged: int
    done: Mapping[tuple[int, str], Done] = field(default_factory=dict, repr=False)
    contributions: Mapping[int, str] = field(default_factory=dict)

    @staticmethod
    def create(head: Head, rules: dasan.Rules) -> tuple[Room, tuple[str, ...]]:
        """A new table with its first hand dealt, and the first lines of its log."""
        seats = [
            {"kind": "human"} if chair.bot is None else {"kind": "bot", "name": chair.bot, "version": dasan.__version__}
            for chair in head.chairs
        ]
        session = dasan.session(rules, seed=head.seed, seats=seats)
        lines = tuple(session.record().splitlines())
        return Room(head, session, len(lines), len(_hand_lines(session.state))), lines

    @staticmethod
    def restore(head: Head, lines: Sequence[str], done: Mapping[tuple[int, str], Done]) -> Room:
        """The room that wrote ``lines``; ``BadRecord`` where they are damaged."""
        session = dasan.replay("\n".join(lines), seed=head.seed)
        if not isinstance(session, dasan.Session):
            raise dasan.BadRecord("a table's log tells a session, not a hand")
        logged = 0
        contributions: dict[int, str] = {}
        for line in map(json.loads, lines):
            match line.get("type"):
                case "deal":
                    logged, contributions = 1, {}
                case "note":
                    if line.get("note") == CONTRIBUTION:
                        contributions[line["seat"]] = line["text"]
                case _:
                    logged += 1
        return Room(head, _with_secret(session, head.seed), len(lines), logged, dict(done), contributions)

    @property
    def summary(self) -> Summary:
        state = self.session.state
        return Summary(self.session.number, state.phase.value, state.to_act, self.session.balances)

    @property
    def bot_to_act(self) -> tuple[int, str] | None:
        """The seat and name of the bot whose turn it is, if it is a bot's."""
        seat = self.session.state.to_act
        if seat is None:
            return None
        bot = self.head.chairs[seat].bot
        return None if bot is None else (seat, bot)

    def handle(self, seat: int, command: Command) -> Step:
        """Carry out a command of ``seat``; a repeated id changes nothing and gets the same answer.

        Raises ``DasanError`` or ``Refused`` for what is not allowed; the room is a value and stays as it was.
        """
        body = command.wire()
        before = self.done.get((seat, command.id))
        if before is not None:
            if before.body != body:
                raise Refused("malformed", "this command id was already used for another command")
            return Step(self, (), before.seq)
        match command:
            case MoveCommand():
                after, lines = self._move(seat, command.move)
            case NextCommand():
                after, lines = self._next()
            case ContributeCommand():
                after, lines = self._contribute(seat, command.text)
        seq = self.seq + len(lines)
        done = {**self.done, (seat, command.id): Done(body, seq)}
        return Step(replace(after, seq=seq, done=done), lines, seq)

    def _move(self, seat: int, text: str) -> tuple[Room, tuple[str, ...]]:
        state = self.session.state
        if state.to_act is None:
            raise dasan.IllegalPlay("the hand is over", clause="G.04")
        if state.to_act != seat:
            raise dasan.IllegalPlay("it is not your turn", clause="G.04")
        session = self.session.play(text)
        hand = _hand_lines(session.state)
        return replace(self, session=session, logged=len(hand)), hand[self.logged :]

    def _next(self) -> tuple[Room, tuple[str, ...]]:
        if self.seq >= MAX_LINES:
            raise Refused("unavailable", "this session has become too long to go on; open a new table")
        added = [text for _, text in sorted(self.contributions.items())]
        session = self.session.next_hand(contributions=added)
        hand = _hand_lines(session.state)
        return replace(self, session=session, logged=len(hand), contributions={}), hand

    def _contribute(self, seat: int, text: str) -> tuple[Room, tuple[str, ...]]:
        if len(text.encode()) > fairness.MAX_TEXT_BYTES:
            raise dasan.Malformed(f"a contribution has at most {fairness.MAX_TEXT_BYTES} bytes")
        if seat in self.contributions:
            raise Refused("illegal", "you have already added to the next shuffle")
        note = {"type": "note", "note": CONTRIBUTION, "seat": seat, "text": text}
        line = json.dumps(note, ensure_ascii=False, separators=(",", ":"))
        return replace(self, contributions={**self.contributions, seat: text}), (line,)

    def snapshot(self, viewer: int | None) -> Snapshot:
        """Everything ``viewer`` (None: a spectator) may know."""
        return Snapshot(type="snapshot", **_sections(self.detail(viewer)))

    def detail(self, viewer: int | None) -> TableDetail:
        """What a snapshot holds, for REST."""
        view = self.session.state.view(viewer)
        return TableDetail(
            seq=self.seq,
            table=self.table_info(viewer),
            session=self.session_info(view),
            view=View.model_validate(view.to_json()),
        )

    def since(self, before: Room, viewer: int | None) -> Update | Snapshot:
        """What to send a viewer who has seen ``before``: the new events, or everything where old ones look different.

        They do in a new hand, and when its end uncovers what was hidden.
        """
        view = self.session.state.view(viewer)
        shown = before.session.state.view(viewer).events
        if self.session.number != before.session.number or view.events[: len(shown)] != shown:
            return self.snapshot(viewer)
        data = view.to_json()
        events = data.pop("events")[len(shown) :]
        return Update.model_validate(
            {
                "type": "update",
                "seq": self.seq,
                "events": events,
                "session": self.session_info(view),
                "view": ViewState.model_validate(data),
            }
        )

    def table_info(self, viewer: int | None) -> TableInfo:
        rules = self.session.rules
        return TableInfo(
            id=self.head.id,
            preset=rules.name,
            title=PRESETS[rules.name].title,
            options=rules.options,
            players=rules.players,
            direction=rules.direction.value,
            you=viewer,
            seats=[_seat_info(seat, chair) for seat, chair in enumerate(self.head.chairs)],
        )

    def session_info(self, view: dasan.View) -> SessionInfo:
        session = self.session
        return SessionInfo(
            number=session.number,
            balances=list(session.balances),
            results=[HandResult(payments=list(r.payments), winners=list(r.winners)) for r in session.results],
            opening=[SessionEvent.model_validate(event) for event in self._opening(view)],
            next_commitment=session.commitment,
            contributions=[self.contributions.get(seat) for seat in range(session.rules.players)],
        )

    def _opening(self, view: dasan.View) -> list[dict[str, Any]]:
        """The draw for the deal in the first hand, then dealer, cut and deal; no hand is in it."""
        begun = view.begun
        if self.session.number == 1:
            events = [event.to_json() for event in self.session.opening]
        else:
            events = [{"type": "dealer", "seat": begun.dealer}]
        if isinstance(begun, Deal):
            if begun.cut is not None and begun.cutter is not None:
                events.append({"type": "cut", "seat": begun.cutter, "value": begun.cut})
            dealt = {"type": "deal", "seat": begun.dealer, "commitment": begun.commitment}
            events.append({**dealt, "contributions": list(begun.contributions)})
        return events


@dataclass(frozen=True)
class Step:
    """The room after a command, the lines it adds to the log, and the answer to whoever sent it."""

    room: Room
    lines: tuple[str, ...]
    seq: int


def _hand_lines(state: dasan.State) -> tuple[str, ...]:
    """The lines of the hand at the table, in full: its deal, its events, and once it is over its result and secret."""
    return tuple(state.record().splitlines()[1:])


def _with_secret(session: dasan.Session, seed: bytes) -> dasan.Session:
    """A replayed session whose hand at the table has the secret again that its end will reveal."""
    state = session.state
    secret = hand_secret(seed, session.number)
    if not isinstance(state.begun, Deal) or state.begun.commitment != fairness.commitment(secret):
        raise dasan.BadRecord("the table's seed is not the one its hands were dealt from")
    return replace(session, state=replace(state, origin=replace(state.origin, secret=secret)))


def _seat_info(seat: int, chair: Chair) -> SeatInfo:
    if chair.bot is None:
        return SeatInfo(seat=seat, name=chair.name, kind="human")
    return SeatInfo(seat=seat, name=chair.name, kind="bot", bot=chair.bot)


def _sections(detail: TableDetail) -> dict[str, Any]:
    return {"seq": detail.seq, "table": detail.table, "session": detail.session, "view": detail.view}
