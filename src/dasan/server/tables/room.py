"""A table at one moment, without I/O: a room is a value, and a log entry makes the next one.

Only ``fold`` makes new rooms; ``decisions`` computes the entries that a command adds, ``showing`` a viewer's messages.
Entries are JSON objects with a ``type``; their index in the log is the room's ``seq`` after them. The same entries make
the same room in every process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import dasan
from dasan.cards import format_cards, spelled_out
from dasan.errors import BadRecord, DasanError
from dasan.play import fairness
from dasan.play.dealing import Deal, deal_hand
from dasan.play.events import Event, EventType
from dasan.play.moves import Move, MoveType
from dasan.play.new_hand import begin
from dasan.play.origin import Origin
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.reasons import reason
from dasan.records.beginnings import read_begun
from dasan.records.lines import Line
from dasan.records.retrace import move_of
from dasan.server.new_ids import is_stranger
from dasan.server.protocol.hand import HandResult
from dasan.server.protocol.messages import ChatLine
from dasan.server.protocol.table import OfferInfo
from dasan.server.refusals import Refused
from dasan.server.tables.chairs import OPEN, Chair, Head
from dasan.server.tables.clocks import Clock

Entry: TypeAlias = dict[str, Any]

NO_CLOCK = Clock()
MOST_CHAT = 100
MOST_RESULTS = 100
STALLED = 60_000
"""Milliseconds without a move after which no process has the table of a binding hand where a bot is to act."""


@dataclass(frozen=True)
class Room:
    """A table at one moment.

    seq: the number of log entries. at: the time of the last one. host: a player's id. number, opening, state: the
    current hand, its number from 1 and the draws before the first. moves: the texts of its moves. balances: including
    the current hand once it is over. results: of the last finished hands. votes: seats ready for the next hand, or the
    rematch. over_at: when the current hand ended. taken_back: whether a move of it was taken back. assisted: seats of
    people for whom a bot has moved in it. silenced: silent players without a seat, until the first deal.
    """

    head: Head
    chairs: tuple[Chair, ...]
    host: str | None = field(default=None, repr=False)
    seq: int = 0
    at: int = 0
    status: Literal["waiting", "playing", "ended"] = "waiting"
    locked: bool = False
    number: int = 0
    opening: tuple[Event, ...] = field(default=(), repr=False)
    state: State | None = field(default=None, repr=False)
    moves: tuple[str, ...] = field(default=(), repr=False)
    balances: tuple[int, ...] = ()
    results: tuple[HandResult, ...] = field(default=(), repr=False)
    contributions: Mapping[int, str] = field(default_factory=dict)
    votes: frozenset[int] = frozenset()
    offer: OfferInfo | None = None
    clock: Clock = NO_CLOCK
    over_at: int | None = None
    taken_back: bool = False
    assisted: frozenset[int] = frozenset()
    silenced: frozenset[str] = field(default=frozenset(), repr=False)
    rematch: str | None = None
    chat: tuple[ChatLine, ...] = field(default=(), repr=False)

    @staticmethod
    def create(
        head: Head,
        chairs: tuple[Chair, ...],
        host: str | None,
        at: int,
        contributions: Mapping[int, str] | None = None,
        silenced: frozenset[str] = frozenset(),
    ) -> Room:
        """A new table that waits for its first hand."""
        balances = (head.rules.stake_chips,) * head.rules.players
        return Room(head, chairs, host, at=at, balances=balances, contributions=contributions or {}, silenced=silenced)

    @property
    def to_act(self) -> int | None:
        """The seat to act."""
        return self.state.to_act if self.state is not None and self.status == "playing" else None

    @property
    def bot_to_act(self) -> tuple[int, str] | None:
        """(seat, bot) if a bot is to act."""
        seat = self.to_act
        bot = None if seat is None else self.chairs[seat].plays
        return None if seat is None or bot is None else (seat, bot)

    @property
    def over(self) -> bool:
        """Whether there is a finished hand at the table."""
        return self.state is not None and self.state.phase is Phase.OVER

    @property
    def in_binding_hand(self) -> bool:
        """Whether a hand is under way that has to be played to its end: a rated one, or one of an event."""
        binding = self.head.settings.counts or self.head.event is not None
        return binding and self.state is not None and not self.over

    @property
    def abandoned(self) -> bool:
        """Whether all people have left, and no hand is under way that has to be played to its end."""
        if self.status != "playing" or self.in_binding_hand:
            return False
        return all(chair.left or is_stranger(chair.player) for chair in self.chairs if chair.kind == "human")

    @property
    def humans(self) -> tuple[int, ...]:
        """Seats of people, whether or not a substitute plays for them."""
        return tuple(seat for seat, chair in enumerate(self.chairs) if chair.kind == "human")

    @property
    def open_seats(self) -> tuple[int, ...]:
        return tuple(seat for seat, chair in enumerate(self.chairs) if chair.kind == "open")

    @property
    def deadline(self) -> int | None:
        """The deadline of the person to act."""
        seat = self.to_act
        if seat is None or self.chairs[seat].plays is not None:
            return None
        return self.clock.deadline(self.head.settings.speed, seat)

    @property
    def due(self) -> int | None:
        """When the table is opened, if it is closed then: the deadline, or for a bot in a binding hand, which nobody may be
        there to see, once it has not moved for `STALLED`.
        """
        if self.in_binding_hand and self.bot_to_act is not None:
            return self.at + STALLED
        return self.deadline

    @property
    def next_at(self) -> int | None:
        """When the next hand is dealt even without everybody's vote."""
        wait = self.head.settings.next_seconds
        return self.over_at + wait * 1000 if self.over_at is not None and wait and self.status == "playing" else None

    def seat_of(self, player: str | None) -> int | None:
        """The player's seat; None if unseated."""
        if player is None:
            return None
        return next((seat for seat, chair in enumerate(self.chairs) if chair.player == player), None)

    def own_seat(self, player: str | None) -> int:
        """The player's seat. ``Refused``: they only watch."""
        seat = self.seat_of(player)
        if seat is None:
            raise Refused("forbidden", reason("watching"))
        return seat

    @property
    def players(self) -> tuple[dict[str, str], ...]:
        """The seats for the record of a hand dealt now: a bot where one plays, its own seat or instead of a person."""
        return tuple(
            {"kind": chair.shown}
            if chair.plays is None
            else {"kind": "bot", "name": chair.plays, "version": dasan.__version__}
            for chair in self.chairs
        )

    def dealt_to(self, seat: int) -> str | None:
        """The bot that played in ``seat`` when the current hand was dealt; None: a person did."""
        assert self.state is not None
        sat = self.state.origin.seats[seat]
        return sat["name"] if sat["kind"] == "bot" else None

    def bots_hand(self, seat: int) -> bool:
        """Whether a binding hand is under way that was dealt to a bot in ``seat``: the bot plays it to its end, even if the
        seat's person comes back.
        """
        return self.in_binding_hand and self.dealt_to(seat) is not None

    def sees_as(self, seat: int | None) -> int | None:
        """The seat whose view ``seat`` sees. None: the spectators' view, which a player also gets while a bot plays the hand
        that was dealt to it in their seat.
        """
        return None if seat is None or self.bots_hand(seat) else seat


def fold(room: Room, entry: Entry, at: int) -> Room:
    """The room after another entry, written at time ``at``. ``DasanError``: the entry is not possible here."""
    room = _but(room, seq=room.seq + 1, at=max(at, room.at))
    match entry["type"]:
        case "move":
            return _moved(room, entry["seat"], entry["move"], entry.get("lag", 0))
        case "deal":
            return _dealt(room, entry)
        case "sit":
            return _seated(room, entry)
        case "stand":
            return _with_host(_stood(room, entry["seat"]), entry.get("host"))
        case "bots":
            chairs = room.chairs
            for seat, chair in entry["chairs"].items():
                chairs = _with(chairs, int(seat), OPEN if chair is None else Chair.from_json(chair))
            if entry["start"]:
                chairs = tuple(replace(chair, ready=chair.kind == "human") for chair in chairs)
            return _but(room, chairs=chairs)
        case "lock":
            return _but(room, locked=entry["locked"])
        case "ready":
            return _chair(room, entry["seat"], ready=entry["ready"])
        case "silence":
            return _chair(room, entry["seat"], silent=entry["silent"])
        case "contribute":
            return _but(room, contributions={**room.contributions, entry["seat"]: entry["text"]})
        case "vote":
            return _but(room, votes=room.votes | {entry["seat"]})
        case "substitute":
            seat = entry["seat"]
            after = _chair(room, seat, substitute=(entry["bot"], entry["reason"]))
            if room.to_act == seat:
                timed = room.chairs[seat].plays is None
                after = _but(after, clock=room.clock.taken_over(room.at, timed=timed))
            return _with_host(after, entry.get("host"))
        case "return":
            seat = entry["seat"]
            clock = room.clock.returned(seat, to_act=room.to_act == seat)
            return replace(_chair(room, seat, substitute=None), clock=clock)
        case "resume":
            return _but(room, clock=replace(room.clock, since=room.at))
        case "offer":
            return _but(room, offer=OfferInfo(offer=entry["offer"], by=entry["seat"], accepted=[entry["seat"]]))
        case "accept":
            assert room.offer is not None
            accepted = sorted({*room.offer.accepted, entry["seat"]})
            return _but(room, offer=room.offer.model_copy(update={"accepted": accepted}))
        case "decline":
            return _but(room, offer=None)
        case "undo":
            return _undone(room, entry["moves"], taken_back=entry["taken_back"])
        case "end":
            return _but(room, status="ended", offer=None, votes=frozenset(), over_at=None)
        case "rematch":
            return _but(room, rematch=entry["table"], votes=frozenset())
        case "chat":
            line = ChatLine(seq=room.seq, at=room.at, seat=entry["seat"], name=entry["name"], text=entry["text"])
            return _but(room, chat=(*room.chat, line)[-MOST_CHAT:])
        case other:
            raise BadRecord(f"the log has an entry of an unknown type {other!r}")


def full_text(room: Room, before: Room) -> str:
    """The text of the last move for the log, complete even if shorthand was used."""
    assert room.state is not None
    assert before.state is not None
    event = room.state.events[len(before.state.events)]
    return format_cards(event.cards) if event.type is EventType.PLAY else str(move_of(event))


def listed(room: Room, entry: Entry) -> Entry:
    """An entry for ``fold``, with its move taken from the legal moves if its text is one of theirs.

    An open table lists legal moves anyway, and this saves the engine parsing and checking the text.
    """
    state = room.state
    if entry["type"] != "move" or state is None or state.to_act != entry["seat"]:
        return entry
    cards = spelled_out(entry["move"])
    if cards is None:
        return entry
    known = (move for move in state.legal_moves() if move.cards == cards and move.type is MoveType.PLAY)
    return {**entry, "move": next(known, entry["move"])}


def _seated(room: Room, entry: Entry) -> Room:
    """The room in which a player sits down or changes seats; their contribution to the shuffle goes with them, and a
    silent player stays silent.
    """
    seat, player = entry["seat"], entry["player"]
    old, given = room.seat_of(player), None
    if old is not None:
        given = room.contributions.get(old)
        room = _stood(room, old)
    program, account = entry.get("program", False), entry.get("account", False)
    silent = player in room.silenced
    chair = Chair("human", entry["name"], player=player, silent=silent, program=program, account=account)
    contributions = room.contributions if given is None else {**room.contributions, seat: given}
    host = room.host if room.host is not None else player
    chairs, silenced = _with(room.chairs, seat, chair), room.silenced - {player}
    return _but(room, chairs=chairs, host=host, contributions=contributions, silenced=silenced)


def _stood(room: Room, seat: int) -> Room:
    """The room with an open chair in ``seat``."""
    given = {other: text for other, text in room.contributions.items() if other != seat}
    left = room.chairs[seat]
    silenced = room.silenced | {left.player} if left.silent and left.player is not None else room.silenced
    return _but(room, chairs=_with(room.chairs, seat, OPEN), contributions=given, silenced=silenced)


def _moved(room: Room, seat: int, text: str | Move, lag: int) -> Room:
    state = room.state
    if state is None or state.to_act is None:
        raise dasan.IllegalPlay(reason("over"), clause="G.04")
    if state.to_act != seat:
        raise dasan.IllegalPlay(reason("turn"), clause="G.04")
    after = state.play(text)
    timed = room.chairs[seat].plays is None
    clock = room.clock.moved(room.head.settings.speed, seat, room.at, timed=timed, lag=lag)
    offer = None if room.offer is not None and room.offer.offer == "undo" else room.offer
    room = _but(room, state=after, moves=(*room.moves, str(text)), clock=clock, offer=offer)
    if not timed and room.chairs[seat].kind == "human":
        room = _but(room, assisted=room.assisted | {seat})
    return room if after.result is None else _finished(room)


def _finished(room: Room) -> Room:
    assert room.state is not None
    result = room.state.result
    assert result is not None
    balances = tuple(b + p for b, p in zip(room.balances, result.payments, strict=True))
    line = HandResult(
        payments=list(result.payments),
        winners=list(result.winners),
        finish_order=list(result.finish_order),
        hand=room.head.page(room.number),
    )
    results = (*room.results, line)[-MOST_RESULTS:]
    return _but(room, balances=balances, results=results, over_at=room.at, votes=frozenset(), offer=None)


def _dealt(room: Room, entry: Entry) -> Room:
    number = room.number + 1
    state = dealt(room.head, number, entry)
    return replace(
        room,
        status="playing",
        number=number,
        state=state,
        moves=(),
        opening=tuple(map(Event.from_json, entry["opening"])) if number == 1 else (),
        contributions={},
        votes=frozenset(),
        offer=None,
        over_at=None,
        taken_back=False,
        assisted=frozenset(),
        silenced=frozenset(),
        clock=Clock.start(room.head.settings.speed, room.head.rules.players, room.at),
    )


def dealt(head: Head, number: int, entry: Entry) -> State:
    """The first state of the hand of a ``deal`` entry. ``BadRecord``: the deal is not possible, or its cards do not follow from
    the table's seed.
    """
    try:
        begun, secret = read_begun(Line(entry["deal"], 0)), head.secret(number)
        if not isinstance(begun, Deal) or begun.commitment != fairness.commitment(secret):
            raise BadRecord("the table's seed is not the one its hands were dealt from")
        given = begun.contributions
        again = deal_hand(
            head.rules,
            fairness.deal_seed(secret, given, head.rules.digest, number),
            number=number,
            dealer=begun.dealer,
            leader=begun.leader,
            exchange=begun.exchange,
            commitment=begun.commitment,
            contributions=given,
        )
        if begun != again:
            raise BadRecord(f"the cards of hand {number} do not follow from the table's seed")
        origin = Origin(entry["engine"], tuple(entry["seats"]), secret)
        return begin(head.rules, begun, first_seq=entry["deal"]["seq"] + 1, origin=origin)
    except BadRecord:
        raise
    except (DasanError, ValueError, TypeError, KeyError, StopIteration) as error:
        raise BadRecord(f"the deal of hand {number} is not possible") from error


def _undone(room: Room, keep: int, *, taken_back: bool) -> Room:
    """The hand with only its first ``keep`` moves."""
    assert room.state is not None
    assert isinstance(room.state.begun, Deal)
    state = begin(room.head.rules, room.state.begun, first_seq=room.state.first_seq, origin=room.state.origin)
    for text in room.moves[:keep]:
        state = state.play(text)
    clock = replace(room.clock, since=room.at, used=0)
    marked = room.taken_back or taken_back
    return _but(room, state=state, moves=room.moves[:keep], offer=None, clock=clock, taken_back=marked)


def _but(room: Room, **changes: Any) -> Room:
    """The room with ``changes``, as `replace`, but several times as fast."""
    after = object.__new__(Room)
    after.__dict__.update(room.__dict__, **changes)
    return after


def _chair(room: Room, seat: int, **changes: Any) -> Room:
    return _but(room, chairs=_with(room.chairs, seat, replace(room.chairs[seat], **changes)))


def _with(chairs: tuple[Chair, ...], seat: int, chair: Chair) -> tuple[Chair, ...]:
    return (*chairs[:seat], chair, *chairs[seat + 1 :])


def _with_host(room: Room, heir: int | None) -> Room:
    """The room with a present host: if the old one has left, the person in the seat ``heir``; None: in the first."""
    staying = [c for c in room.chairs if c.kind == "human" and not c.left]
    if any(chair.player == room.host for chair in staying):
        return room
    if heir is not None:
        return _but(room, host=room.chairs[heir].player)
    return _but(room, host=staying[0].player if staying else None)
