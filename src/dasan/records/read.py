"""Read climb/1: from the lines of a record to its hand or session, with every move checked (G.03).

A record has a header; for a session the draw for the deal; then for every hand its deal (or start), its events, and,
once it is over, its result and perhaps the secret of the deal. The cards come from the deal, not from the seed:
replaying needs no secret, verifying does.
"""

from __future__ import annotations

from dataclasses import dataclass

from dasan.errors import BadRecord
from dasan.play.dealing import Deal
from dasan.play.origin import Origin
from dasan.play.sessions import Session
from dasan.play.state import State
from dasan.records.beginnings import check_succession
from dasan.records.header import read_header
from dasan.records.lines import BESIDE, Line, Record, only_record
from dasan.records.reader import Reader
from dasan.ruleset.rules import Rules


@dataclass(frozen=True)
class Replayed:
    """A record that has been read. game: its hands up to the first one that hides cards, None if that is hand 1.
    unread: the lines from that hand on; empty if no card is hidden.
    """

    rules: Rules
    origin: Origin
    game: State | Session | None
    unread: tuple[Line, ...] = ()

    @property
    def hands(self) -> tuple[State, ...]:
        """The hands that can be replayed."""
        if self.game is None:
            return ()
        return (*self.game.past, self.game.state) if isinstance(self.game, Session) else (self.game,)

    @property
    def note(self) -> str | None:
        """A sentence about the line at which replaying stops; None if all of the record can be replayed."""
        if not self.unread:
            return None
        return f"line {self.unread[0].number}: this copy hides cards of hand {len(self.hands) + 1}, which cannot be replayed"


def replay(record: str | Record, *, seed: int | bytes | None = None) -> State | Session:
    """The hand or session of a record, with every move checked against the rules (G.03).

    record: text, or one of its `records`. seed: lets a session deal further hands after its record ends. `BadRecord`:
    a line is wrong, or this copy hides cards; the message names the line.
    """
    replayed = replay_open(record, seed=seed)
    if replayed.game is None or replayed.note is not None:
        raise BadRecord(replayed.note or "the record is incomplete", clause="G.02")
    return replayed.game


def replay_open(record: str | Record, *, seed: int | bytes | None = None) -> Replayed:
    """As `replay`, but a record that hides cards is read up to the first hidden card."""
    lines = [line for line in only_record(record) if line.get("type") not in BESIDE]
    contents, rules, origin = read_header(lines)
    reader = Reader(rules, origin, lines[1:])
    if contents == "hand":
        if reader.hides():
            return Replayed(rules, origin, None, reader.rest)
        state = reader.hand(seq=None)
        reader.end()
        return Replayed(rules, origin, state)
    opening = reader.opening()
    states: list[State] = []
    while reader.more() and not reader.hides():
        number = reader.next_number
        states.append(reader.hand(seq=states[-1].next_seq if states else len(opening)))
        if len(states) > 1:
            check_succession(rules, states[-2], states[-1], number)
        elif not isinstance(states[0].begun, Deal) or states[0].begun.number != 1:
            raise BadRecord(f"line {number}: a session begins with the deal of hand 1")
        elif states[0].begun.dealer != opening[-1].seat:
            message = f"line {number}: the first hand is not dealt by the player who won the draw"
            raise BadRecord(message, clause="B3.04")
    if not states:
        if not reader.more():
            raise BadRecord("the record is incomplete")
        return Replayed(rules, origin, None, reader.rest)
    return Replayed(rules, origin, Session(rules, states[-1], opening, tuple(states[:-1]), seed), reader.rest)
