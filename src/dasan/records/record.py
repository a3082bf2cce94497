"""climb/1 read: taken apart, replayed, verified. `dasan.records.write` writes it.

A header; for a session the draw for the deal; then for every hand its deal (or start), its events, its result and, once
it is over, the secret behind the deal. Lines of type "note" and "analysis" may stand anywhere after the header and refer
to events by `seq`; they are skipped. The deal wins over the seed: replaying needs no secret, verifying does. A file can
hold several records, one after the other: `records` takes them apart.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from dasan.cards import card, parse_cards
from dasan.errors import BadRecord, DasanError
from dasan.games import make_rules
from dasan.play import fairness
from dasan.play.dealing import Deal, Position, cutter, deal_hand, draw_first_dealer, drawn_dealer
from dasan.play.events import MOVES, Event, EventType
from dasan.play.moves import Move, MoveType
from dasan.play.sessions import Session
from dasan.play.starting import begin, from_position
from dasan.play.state import Origin, Phase, State
from dasan.records.write import FORMAT, Line, begun_json, result_json
from dasan.ruleset.rules import LaterLead, Rules

MAX_CHARACTERS = 8_000_000
MAX_LINES = 50_000
_BESIDE = ("note", "analysis")
_TOO_LARGE = f"a record has at most {MAX_LINES} lines and {MAX_CHARACTERS} characters"

Record: TypeAlias = list[Line]
"""The lines of one record, with the number of each in its file under "#"."""


@dataclass(frozen=True)
class Told:
    """What a record tells. game: its hands up to the first that hides cards, None where that is the very first.

    hidden: the line with which the first hand begins that hides cards; None where every card is open.
    """

    rules: Rules
    game: State | Session | None
    hidden: int | None

    @property
    def hands(self) -> tuple[State, ...]:
        """The hands that can be replayed."""
        if self.game is None:
            return ()
        return (*self.game.past, self.game.state) if isinstance(self.game, Session) else (self.game,)

    @property
    def note(self) -> str | None:
        """From where on the record cannot be checked, as a sentence; None where all of it can."""
        if self.hidden is None:
            return None
        return f"line {self.hidden}: this copy hides cards of hand {len(self.hands) + 1}, which cannot be replayed"


@dataclass(frozen=True)
class Verified:
    """What `verify` found true. rules: those of the record. game: the replayed hand or session, as far as its cards are
    open; None where the first hand hides cards. statements: one sentence for each thing checked. unproved: what the
    record does not allow to check.
    """

    rules: Rules
    game: State | Session | None
    statements: tuple[str, ...]
    unproved: tuple[str, ...]


def replay(record: str | Record, *, seed: int | bytes | None = None) -> State | Session:
    """The hand or session that a record tells, every move checked against the rules (G.03).

    record: text, or one of its `records`. seed: lets a session go on dealing after its record ends. Raises `BadRecord`
    naming the line that is wrong, or the line from which on this copy hides cards.
    """
    found = told(record, seed=seed)
    if found.game is None or found.note is not None:
        raise BadRecord(found.note or "the record breaks off", clause="G.02")
    return found.game


def told(record: str | Record, *, seed: int | bytes | None = None) -> Told:
    """What a record tells as far as its cards are open, every move checked; else as `replay`."""
    lines = [line for line in _one(record) if line.get("type") not in _BESIDE]
    header, rules, origin = _read_header(lines)
    reader = _Reader(rules, origin, lines[1:])
    if header["contents"] == "hand":
        if reader.hides():
            return Told(rules, None, reader.next_number)
        state = reader.hand(seq=None)
        reader.end()
        return Told(rules, state, None)
    opening = reader.opening()
    states: list[State] = []
    while reader.more() and not reader.hides():
        states.append(reader.hand(seq=states[-1].next_seq if states else len(opening)))
        if len(states) > 1:
            _check_succession(rules, states[-2], states[-1], reader.number)
    hidden = reader.next_number if reader.more() else None
    if not states:
        if hidden is None:
            raise BadRecord("the record breaks off")
        return Told(rules, None, hidden)
    if not isinstance(states[0].begun, Deal) or states[0].begun.number != 1:
        raise BadRecord("a session begins with the deal of hand 1")
    if states[0].begun.dealer != opening[-1].seat:
        raise BadRecord("the first hand is not dealt by the player who drew the deal", clause="B3.04")
    return Told(rules, Session(rules, states[-1], opening, tuple(states[:-1]), seed), hidden)


def verify(record: str | Record) -> Verified:
    """Replay a record, and hold every deal against its commitment and secret. `BadRecord` where something is untrue.

    A copy that hides cards is checked up to the first hand that does.
    """
    lines = _one(record)
    found = told(lines)
    game, hands = found.game, found.hands
    said = [
        f"{len(hands)} {'hand' if len(hands) == 1 else 'hands'} replayed: every move is legal, every result is right"
    ] * bool(hands)
    unproved: list[str] = []
    for i, state in enumerate(hands, 1):
        begun, secret = state.begun, state.origin.secret
        if not isinstance(begun, Deal):
            unproved.append(f"hand {i} starts from a given position, not from a shuffle")
        elif secret is None:
            over = state.phase is Phase.OVER
            unproved.append(f"hand {i}: the secret {'is not in the record' if over else 'comes when the hand is over'}")
        else:
            _verify_deal(state, begun, secret, i)
            said.append(f"hand {i}: the secret matches its commitment, and the deal follows from it")
            if i == 1 and isinstance(game, Session):
                _verify_draw(game, begun, secret)
                said.append("the draw for the first deal follows from the secret")
    if found.note is not None:
        unproved.append(found.note)
    if any(line.get("type") == "analysis" for line in lines):
        unproved.append("what the analysis lines say is not looked at")
    return Verified(found.rules, game, tuple(said), tuple(unproved))


def _verify_deal(state: State, begun: Deal, secret: bytes, i: int) -> None:
    if begun.commitment is None or fairness.commitment(secret) != begun.commitment:
        raise BadRecord(f"hand {i}: the secret is not the one that was committed to")
    seed = _seed(secret, begun, state.rules, begun.number)
    again = deal_hand(
        state.rules,
        seed,
        number=begun.number,
        dealer=begun.dealer,
        leader=begun.leader,
        exchange=begun.exchange,
        commitment=begun.commitment,
        contributions=begun.contributions,
    )
    if begun_json(again, 0) != begun_json(begun, 0):
        raise BadRecord(f"hand {i}: the cards dealt do not follow from the secret")


def _verify_draw(session: Session, begun: Deal, secret: bytes) -> None:
    seed = _seed(secret, begun, session.rules, 0)
    if draw_first_dealer(session.rules, seed)[1] != session.opening:
        raise BadRecord("the draw for the first deal does not follow from the secret")


def _seed(secret: bytes, begun: Deal, rules: Rules, number: int) -> bytes:
    try:
        return fairness.deal_seed(secret, begun.contributions, rules.digest, number)
    except ValueError as error:
        raise BadRecord(f"no deal follows from these contributions: {error}") from error


def _check_succession(rules: Rules, before: State, after: State, number: int) -> None:
    """Whether a hand begins as the one before it says (B3.20, D2.18, W.19–W.21)."""
    result, begun = before.result, after.begun
    if result is None:
        raise BadRecord(f"line {number}: a hand begins before the last one is over")
    expected = (result.finish_order[0], result.finish_order[-1]) if rules.exchange else None
    leader = {"winner": result.finish_order[0], "loser": result.finish_order[-1]}.get(rules.later_lead.value)
    if not isinstance(begun, Deal) or not isinstance(before.begun, Deal) or begun.number != before.begun.number + 1:
        raise BadRecord(f"line {number}: hands are not numbered one after the other")
    if (begun.dealer, begun.exchange, begun.leader) != (
        result.next_dealer,
        expected,
        leader,
    ):
        raise BadRecord(f"line {number}: the hand does not begin as the last one ended")


def records(text: str) -> Iterator[Record]:
    """The records in a text, one after the other; each line with `format` begins one. `BadRecord` for damaged lines, and
    for records with more than `MAX_LINES` lines or `MAX_CHARACTERS` characters.
    """
    record: Record = []
    size = 0
    for number, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        if len(row) > MAX_CHARACTERS:
            raise BadRecord(_TOO_LARGE)
        try:
            line = json.loads(row)
        except (ValueError, RecursionError) as error:
            raise BadRecord(f"line {number} is not JSON") from error
        if not isinstance(line, dict):
            raise BadRecord(f"line {number} is not a JSON object")
        if "format" in line and "type" not in line and record:
            yield record
            record, size = [], 0
        line["#"] = number
        record.append(line)
        size += len(row) + 1
        if len(record) > MAX_LINES or size > MAX_CHARACTERS:
            raise BadRecord(_TOO_LARGE)
    if record:
        yield record


def _one(record: str | Record) -> Record:
    """The only record in a text."""
    if isinstance(record, list):
        return record
    if not isinstance(record, str):
        raise BadRecord("a record is text")
    if len(record) > MAX_CHARACTERS:
        raise BadRecord(_TOO_LARGE)
    found = records(record)
    first = next(found, [])
    second = next(found, None)
    if second is not None:
        raise BadRecord(f"line {second[0]['#']}: another record begins here; `dasan.record.records` takes them apart")
    return first


def _read_header(lines: Sequence[Line]) -> tuple[Line, Rules, Origin]:
    if not lines or lines[0].get("format") != FORMAT:
        raise BadRecord(f"this is not a {FORMAT} record")
    header = lines[0]
    described = header.get("rules")
    engine, seats = header.get("engine"), header.get("seats", [])
    if (
        not isinstance(described, dict)
        or not isinstance(engine, str)
        or header.get("contents") not in ("hand", "session")
    ):
        raise BadRecord("the header does not say which game this is")
    if not isinstance(seats, list) or len(seats) > 8 or not all(_is_names(s) for s in seats):
        raise BadRecord("the header's seats are not names")
    rules = _read_rules(described)
    if "view" in header and header["view"] != "spectator" and not _is_seat(rules, header["view"]):
        raise BadRecord("the header does not say whose copy this is")
    if rules.digest != described.get("digest"):
        raise BadRecord("the rules are not those the record was made with: their digest differs")
    return header, rules, Origin(engine, tuple(seats))


def _is_seat(rules: Rules, seat: object) -> bool:
    return isinstance(seat, int) and not isinstance(seat, bool) and 0 <= seat < rules.players


def _is_names(seat: object) -> bool:
    return isinstance(seat, dict) and all(isinstance(k, str) and isinstance(v, str) for k, v in seat.items())


def _read_rules(described: Mapping[str, Any]) -> Rules:
    try:
        if "value" in described:
            return Rules.from_json(described["value"])
        options = described.get("options")
        return make_rules(str(described.get("name")), **(options if isinstance(options, dict) else {}))
    except (ValueError, TypeError, DasanError) as error:
        raise BadRecord(f"the rules cannot be read: {error}") from error


class _Reader:
    """Walks down the lines after the header, hand by hand."""

    def __init__(self, rules: Rules, origin: Origin, lines: Sequence[Line]) -> None:
        self._rules = rules
        self._origin = origin
        self._lines = lines
        self._at = 0

    @property
    def number(self) -> int:
        return int(self._lines[min(self._at, len(self._lines) - 1)]["#"]) if self._lines else 1

    @property
    def next_number(self) -> int:
        return int(self._lines[self._at]["#"])

    def more(self) -> bool:
        return self._at < len(self._lines)

    def hides(self) -> bool:
        """Whether the next hand, up to the end of its lines, has a card that is not shown."""
        return self.more() and any(
            _hides(line)
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
            raise BadRecord("the record breaks off")
        self._at += 1
        return self._lines[self._at - 1]

    def opening(self) -> tuple[Event, ...]:
        events: list[Event] = []
        while not events or events[-1].type is not EventType.DEALER:
            event = Event.from_json(self._next())
            if event.type not in (EventType.DRAW, EventType.DEALER) or event.seq != len(events):
                raise BadRecord(f"line {self.number}: a session begins with the draw for the deal")
            if event.seat >= self._rules.players:
                raise BadRecord(f"line {self.number}: there is no such seat")
            events.append(event)
        if drawn_dealer(self._rules, events) is None:
            raise BadRecord(f"line {self.number}: the draw for the deal cannot go like that", clause="B3.04")
        return tuple(events)

    def hand(self, *, seq: int | None) -> State:
        """The next hand, from its deal to its end or the end of the record. seq: what its first line must have."""
        line = self._next()
        number = line["#"]
        try:
            begun = read_begun(self._rules, line)
            at = _whole(line.get("seq"))
            if seq not in (None, at):
                raise BadRecord(f"line {number}: seq should be {seq}")
            if isinstance(begun, Deal):
                _check_dealt(self._rules, begun)
                state = begin(self._rules, begun, first_seq=at + 1, origin=self._origin)
            else:
                state = replace(from_position(self._rules, begun), origin=self._origin)
                if at != 0:
                    raise BadRecord(f"line {number}: seq should be 0")
        except BadRecord:
            raise
        except (DasanError, ValueError, TypeError, KeyError, StopIteration) as error:
            raise BadRecord(f"line {number}: this deal cannot be: {getattr(error, 'message', error)}") from error
        return self._play_on(state)

    def _play_on(self, state: State) -> State:
        known = 0
        while self.more():
            line = self._lines[self._at]
            kind = line.get("type")
            if kind in ("deal", "start"):
                break
            self._at += 1
            number = line["#"]
            if kind == "result":
                result = state.result
                if result is None or {k: v for k, v in line.items() if k not in ("#", "type")} != result_json(result):
                    raise BadRecord(f"line {number}: the result is not the one the hand has")
                continue
            if kind == "reveal":
                state = self._reveal(state, line)
                continue
            event = Event.from_json(line)
            if known == len(state.events):
                state = _apply(state, event, number)
            if known >= len(state.events) or state.events[known] != event:
                raise BadRecord(f"line {number}: {event.type.value} does not follow from the hand so far")
            known += 1
        if known < len(state.events):
            raise BadRecord(f"line {self.number}: the {state.events[known].type.value} that follows is missing")
        return state

    def _reveal(self, state: State, line: Line) -> State:
        try:
            secret = bytes.fromhex(line["secret"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadRecord(f"line {line['#']}: the secret is not hexadecimal") from error
        if state.phase is not Phase.OVER or len(secret) != fairness.SECRET_BYTES:
            raise BadRecord(f"line {line['#']}: this is no secret of a hand that is over")
        return replace(state, origin=replace(state.origin, secret=secret))


def _not_a_beginning(line: Line) -> bool:
    return line.get("type") not in ("deal", "start")


def _hides(line: Line) -> bool:
    """Whether a line hides cards that a redacted copy may hide: those dealt, the kitty, an offer."""
    hands, cards = line.get("hands"), line.get("cards")
    if line.get("type") in (EventType.KITTY, EventType.OFFER):
        return isinstance(cards, list) and "?" in cards
    dealt = [*(hands if isinstance(hands, list) else ()), line.get("kitty")]
    return any(isinstance(text, str) and "?" in text for text in dealt)


def _apply(state: State, event: Event, number: int) -> State:
    if event.type not in MOVES:
        raise BadRecord(f"line {number}: {event.type.value} does not follow from the hand so far")
    if event.seat != state.to_act:
        raise BadRecord(f"line {number}: it is not seat {event.seat}'s turn")
    cards = tuple(c for c in event.cards if c is not None)
    try:
        return state.play(Move(MoveType(event.type.value), cards, event.bid))
    except (DasanError, ValueError) as error:
        clause = error.clause if isinstance(error, DasanError) else "G.03"
        message = error.message if isinstance(error, DasanError) else "this move cannot be"
        raise BadRecord(f"line {number}: {message}", clause=clause) from error


def read_begun(rules: Rules, line: Mapping[str, Any]) -> Deal | Position:
    """The inverse of `begun_json`."""
    kind = {"deal": Deal, "start": Position}.get(str(line.get("type")))
    if kind is None:
        raise BadRecord(f"line {line.get('#', '?')}: a deal is expected")
    values: dict[str, Any] = {}
    for f in fields(kind):
        if f.name not in line:
            continue
        value = line[f.name]
        if f.name == "hands":
            if not isinstance(value, list) or len(value) > 8:
                raise BadRecord("hands are a list")
            value = tuple(tuple(parse_cards(_string(h))) for h in value)
        elif f.name in ("kitty", "table"):
            value = parse_cards(_string(value))
        elif f.name == "called":
            value = card(_string(value))
        elif f.name == "commitment":
            value = _string(value)
        elif f.name == "contributions":
            value = tuple(_string(v) for v in value)
        elif f.name in ("exchange", "passed", "finished", "has_played"):
            value = tuple(_whole(v) for v in value)
        elif f.name == "payments":
            value = tuple(_amount(v) for v in value)
        else:
            value = _whole(value)
        values[f.name] = value
    made: Deal | Position = kind(**values)
    return made


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise BadRecord("text is expected in the deal")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise BadRecord("a whole number is expected in the deal")
    return value


def _amount(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 31:
        raise BadRecord("a payment is a whole number")
    return value


def _check_dealt(rules: Rules, dealt: Deal) -> None:
    """Whether this is a whole deal of the pack, to the right number of seats (G.05)."""
    cards = [c for hand in dealt.hands for c in hand] + list(dealt.kitty)
    sizes = [len(h) for h in dealt.hands]
    seats = (dealt.dealer, *(dealt.exchange or ()), *(() if dealt.leader is None else (dealt.leader,)))
    if len(sizes) != rules.players or any(not 0 <= s < rules.players for s in seats):
        raise BadRecord("the deal is not for these players")
    order = rules.order
    if sorted(order.place[c] for c in cards if c is not None) != sorted(order.place[c] for c in rules.pack):
        raise BadRecord("the deal is not the whole pack", clause="G.05")
    each = rules.hand_size
    right = (
        all(s == each for s in sizes)
        if each is not None
        else all(
            sizes[(dealt.dealer + i) % rules.players] == len(range(i, len(cards), rules.players))
            for i in range(rules.players)
        )
    )
    if not right:
        raise BadRecord("the cards are not dealt out evenly", clause="G.05")
    if not _cut_right(rules, dealt) or not _led_right(rules, dealt):
        raise BadRecord("a hand of this game does not begin like that")


def _cut_right(rules: Rules, dealt: Deal) -> bool:
    """Whether the pack was cut by whom and where it can be (B3.05)."""
    if dealt.cutter != cutter(rules, dealt.dealer):
        return False
    return dealt.cut is None if dealt.cutter is None else dealt.cut is not None and 0 < dealt.cut < len(rules.pack)


def _led_right(rules: Rules, dealt: Deal) -> bool:
    """Whether exactly those of number, exchange and leader are given that a hand begins with (D2.18, W.20, W.21)."""
    later = dealt.number > 1
    if dealt.number < 1 or (dealt.exchange is not None) is not (later and rules.exchange):
        return False
    if (dealt.leader is not None) is not (later and rules.later_lead is not LaterLead.OPENING):
        return False
    if dealt.exchange is None:
        return True
    if len(dealt.exchange) != 2 or dealt.exchange[0] == dealt.exchange[1]:
        return False
    winner, loser = dealt.exchange
    return dealt.leader == {LaterLead.WINNER: winner, LaterLead.LOSER: loser}.get(rules.later_lead)
