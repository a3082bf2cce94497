"""Replay the lines of hands: every event must be the one that the rules produce (G.03)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dasan.cards import format_cards, parse_cards
from dasan.errors import BadRecord, DasanError, IllegalPlay
from dasan.play import fairness
from dasan.play.dealing import Deal, drawn_dealer
from dasan.play.events import MOVES, Event, EventType
from dasan.play.new_hand import begin
from dasan.play.origin import Origin
from dasan.play.phases import Phase
from dasan.play.set_up import from_position
from dasan.play.state import State
from dasan.reasons import reason
from dasan.records.beginnings import check_dealt, read_begun, seq_of
from dasan.records.lines import Line, same
from dasan.records.retrace import move_of
from dasan.ruleset.policies import Leftover
from dasan.ruleset.rules import Rules


class Reader:
    """Reads the lines after the header, hand by hand."""

    def __init__(self, rules: Rules, origin: Origin, lines: Sequence[Line]) -> None:
        self._rules = rules
        self._origin = origin
        nobody = rules.leftover is Leftover.NOBODY
        self._lines = [with_rest(rules, line) for line in lines] if nobody else lines
        self._at = 0

    @property
    def number(self) -> int:
        return self._lines[min(self._at, len(self._lines) - 1)].number if self._lines else 1

    @property
    def next_number(self) -> int:
        return self._lines[self._at].number

    @property
    def rest(self) -> tuple[Line, ...]:
        """The lines that have not been read."""
        return tuple(self._lines[self._at :])

    def more(self) -> bool:
        return self._at < len(self._lines)

    def hides(self) -> bool:
        """Whether any line of the next hand hides a card."""
        return self.more() and any(
            hides(line)
            for line in (
                self._lines[self._at],
                *itertools.takewhile(_not_a_beginning, itertools.islice(self._lines, self._at + 1, None)),
            )
        )

    def end(self) -> None:
        if self.more():
            raise BadRecord(f"line {self.number}: the hand is over, but the record goes on")

    def _next(self) -> Line:
        if not self.more():
            raise BadRecord("the record is incomplete")
        self._at += 1
        return self._lines[self._at - 1]

    def opening(self) -> tuple[Event, ...]:
        events: list[Event] = []
        while not events or events[-1].type is not EventType.DEALER:
            line = self._next()
            event = read_event(line)
            if event.type not in (EventType.DRAW, EventType.DEALER):
                raise BadRecord(f"line {line.number}: a session begins with the draw for the deal")
            require_seq(line, event, len(events))
            if event.seat >= self._rules.players:
                raise BadRecord(f"line {line.number}: there is no such seat")
            events.append(event)
        if drawn_dealer(self._rules, events) is None:
            raise BadRecord(f"line {line.number}: the draw for the deal is impossible", clause="B3.04")
        return tuple(events)

    def hand(self, *, seq: int | None) -> State:
        """The next hand, from its deal to its end or the end of the record. seq: the number of its first line; None
        for any.
        """
        line = self._next()
        number = line.number
        try:
            begun = read_begun(line)
            at = seq_of(line)
            if seq not in (None, at):
                raise BadRecord(f"seq should be {seq}")
            if isinstance(begun, Deal):
                check_dealt(self._rules, begun)
                state = begin(self._rules, begun, first_seq=at + 1, origin=self._origin)
            else:
                state = replace(from_position(self._rules, begun), origin=self._origin)
                if at != 0:
                    raise BadRecord("seq should be 0")
        except BadRecord as error:
            raise BadRecord(f"line {number}: {error.message}", clause=error.clause) from error
        except (DasanError, ValueError, TypeError, KeyError, StopIteration) as error:
            raise BadRecord(f"line {number}: this deal is impossible: {getattr(error, 'message', error)}") from error
        return self._play_on(state, at + 1)

    def _play_on(self, state: State, first: int) -> State:
        """The state after the events of this hand, each checked, and after its result and secret if it is over."""
        known = 0
        while self.more():
            line = self._lines[self._at]
            if line.get("type") in ("deal", "start", "result", "reveal"):
                break
            self._at += 1
            event = read_event(line)
            require_seq(line, event, first + known)
            if known == len(state.events):
                state = _apply(state, event, line.number)
            if known >= len(state.events) or state.events[known] != event:
                raise BadRecord(f"line {line.number}: {event.type.value} does not follow from the hand so far")
            known += 1
        if known < len(state.events):
            raise BadRecord(f"line {self.number}: the {state.events[known].type.value} that follows is missing")
        return self._ended(state)

    def _ended(self, state: State) -> State:
        """The state after the result and the secret, which follow a finished hand at most once each."""
        line = self._taken("result")
        if line is None and state.result is not None:
            raise BadRecord(f"line {self.number}: the hand is over, and its result is missing")
        if line is not None:
            if state.result is None:
                raise BadRecord(f"line {line.number}: there is a result before the hand is over")
            name = _difference(line, {"type": "result", **state.result.to_json()})
            if name is not None:
                raise BadRecord(f"line {line.number}: {name!r} is not that of the hand's result")
        line = self._taken("reveal")
        if line is not None:
            if state.phase is not Phase.OVER:
                raise BadRecord(f"line {line.number}: the secret is revealed before the hand is over")
            state = replace(state, origin=replace(state.origin, secret=read_secret(line)))
        if self.more() and self._lines[self._at].get("type") not in ("deal", "start"):
            kind = self._lines[self._at].get("type")
            again = f"a second {kind}" if kind in ("result", "reveal") else "another line"
            raise BadRecord(f"line {self.next_number}: the hand is over, and {again} follows")
        return state

    def _taken(self, kind: str) -> Line | None:
        """Consume the next line if it is of this type."""
        return self._next() if self.more() and self._lines[self._at].get("type") == kind else None


def with_rest(rules: Rules, line: Line) -> Line:
    """A deal with its hidden undealt cards (H.27) filled in, once every hand is known: they are the rest of the pack."""
    hands, kitty = line.get("hands"), line.get("kitty")
    if line.get("type") != "deal" or not isinstance(hands, list) or not isinstance(kitty, str) or "?" not in kitty:
        return line
    try:
        shown = Counter(c for cards in hands for c in parse_cards(cards))
    except DasanError:
        return line
    rest = sorted((Counter(rules.pack) - shown).elements(), key=rules.order.place.__getitem__)
    return Line({**line, "kitty": format_cards(rest)}, line.number) if kitty == " ".join("?" * len(rest)) else line


def read_secret(line: Line) -> bytes:
    text = line.get("secret")
    if set(line) != {"type", "secret"} or not isinstance(text, str) or text != text.lower():
        raise BadRecord(f"line {line.number}: the secret is not hexadecimal")
    try:
        secret = bytes.fromhex(text)
    except ValueError as error:
        raise BadRecord(f"line {line.number}: the secret is not hexadecimal") from error
    if len(secret) != fairness.SECRET_BYTES or len(text) != 2 * len(secret):
        raise BadRecord(f"line {line.number}: a secret has {fairness.SECRET_BYTES} bytes")
    return secret


def read_event(line: Line) -> Event:
    """The event of a line. `BadRecord`: the line has other fields than those of the event, or other values."""
    try:
        event = Event.from_json(line)
    except BadRecord as error:
        raise BadRecord(f"line {line.number}: {error.message}") from error
    name = _difference(line, event.to_json())
    if name is not None:
        raise BadRecord(f"line {line.number}: {event.type} has no such {name!r}")
    return event


def _difference(line: Line, right: dict[str, Any]) -> str | None:
    """The beginning of the name of a field that is not as in the `right` line; None if the lines are the same."""
    if same(line, right):
        return None
    names = {**right, **line}
    return next(n for n in names if n not in line or n not in right or not same(line[n], right[n]))[:40]


def require_seq(line: Line, event: Event, seq: int) -> None:
    if event.seq != seq:
        raise BadRecord(f"line {line.number}: seq should be {seq}")


def _not_a_beginning(line: Line) -> bool:
    return line.get("type") not in ("deal", "start")


def hides(line: Line) -> bool:
    """Whether a line hides cards that a redacted copy may hide: dealt cards, the kitty, an offer."""
    hands, cards = line.get("hands"), line.get("cards")
    if line.get("type") in (EventType.KITTY, EventType.OFFER):
        return isinstance(cards, list) and "?" in cards
    dealt = [*(hands if isinstance(hands, list) else ()), line.get("kitty")]
    return any(isinstance(text, str) and "?" in text for text in dealt)


def _apply(state: State, event: Event, number: int) -> State:
    if event.type not in MOVES:
        raise BadRecord(f"line {number}: {event.type.value} does not follow from the hand so far")
    if event.seat != state.to_act:
        raise BadRecord(f"line {number}: it is not seat {event.seat}'s turn") from IllegalPlay(reason("turn"))
    try:
        return state.play(move_of(event))
    except (DasanError, ValueError) as error:
        clause = error.clause if isinstance(error, DasanError) else "G.03"
        message = error.message if isinstance(error, DasanError) else "this move is impossible"
        raise BadRecord(f"line {number}: {message}", clause=clause) from error
