"""The entries that commands add to a table's log, and those that the table adds on its own.

Functions here read a room and return entries, or refuse; ``room.fold`` makes the next room from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, count
from typing import Any

import dasan
from dasan.play import fairness
from dasan.play.events import MOVES
from dasan.play.phases import Phase
from dasan.play.sessions import following, session
from dasan.reasons import reason
from dasan.records.write import begun_json
from dasan.server.people.names import clean_name, keys, one_line
from dasan.server.people.reserved_names import GUEST
from dasan.server.protocol.commands import (
    AnswerCommand,
    ChatCommand,
    ContributeCommand,
    LeaveCommand,
    LockCommand,
    MoveCommand,
    NextCommand,
    OfferCommand,
    ReadyCommand,
    RematchCommand,
    RemoveCommand,
    ReturnCommand,
    RoomCommand,
    SeatBotCommand,
    SilenceCommand,
    SitCommand,
    StartCommand,
    TakeBackCommand,
)
from dasan.server.refusals import Refused
from dasan.server.tables.chairs import bot_chairs, next_host
from dasan.server.tables.room import Entry, Room

MOST_HANDS = 100_000

ACTS = NextCommand | OfferCommand | AnswerCommand | TakeBackCommand | RematchCommand | ContributeCommand
"""Commands with which a player takes part in the game, except moves."""
IN_EVENTS = MoveCommand | LeaveCommand | ReturnCommand
"""The commands at a table of a duplicate event: everybody plays the hand once, without chat or hints."""


def entries(
    room: Room, player: str, command: RoomCommand, lag: int = 0, named: tuple[str, bool] = ("", False)
) -> list[Entry]:
    """The entries that ``player``'s command adds, preceded by the player's return if a substitute plays.

    A player who acts takes the seat back from a substitute, if not in the middle of a hand that is the bot's. A move does
    not, because the substitute may be making it.
    """
    entry = decide(room, player, command, lag, named)
    seat = room.seat_of(player)
    if isinstance(command, ACTS) and seat is not None and room.chairs[seat].substitute and not room.bots_hand(seat):
        return [{"type": "return", "seat": seat}, entry]
    return [entry]


def decide(room: Room, player: str, command: RoomCommand, lag: int = 0, named: tuple[str, bool] = ("", False)) -> Entry:
    """The entry that ``player``'s command adds. ``Refused``, ``DasanError``: the command is not allowed.

    lag: milliseconds of the connection's delay that the clock does not count. named: (the player's displayed name,
    whether it is their account's). ``fold`` checks whether a move is legal.
    """
    if isinstance(command, SitCommand):
        return _sit(room, player, command, *named)
    seat = room.own_seat(player)
    if room.head.event is not None and not isinstance(command, IN_EVENTS):
        raise Refused("forbidden", reason("event.table"))
    match command:
        case MoveCommand():
            return _move(room, seat, command.move, lag)
        case NextCommand():
            return _next(room, seat)
        case ContributeCommand():
            return _contribute(room, seat, command.text)
        case ReadyCommand():
            _check_waiting(room)
            return {"type": "ready", "seat": seat, "ready": command.ready}
        case LeaveCommand():
            return _leave(room, seat)
        case ReturnCommand():
            return _return(room, seat)
        case StartCommand() | SeatBotCommand() | RemoveCommand() | LockCommand() | SilenceCommand():
            return _host(room, player, command)
        case ChatCommand():
            return _chat(room, seat, command.text)
        case OfferCommand():
            return _offer(room, seat, command)
        case AnswerCommand():
            return _answer(room, seat, command)
        case TakeBackCommand():
            return _take_back(room, seat)
        case RematchCommand():
            if room.status != "ended":
                raise Refused("illegal", reason("rematch.early"))
            if room.rematch is not None:
                raise Refused("illegal", reason("rematch.open"))
            return {"type": "vote", "seat": seat}


def by_itself(room: Room, now: int, here: AbstractSet[int], gone: AbstractSet[int] = frozenset()) -> Entry | None:
    """The entry that follows without a command. here: seats of connected people; gone: seats of people who have
    disconnected.

    The first hand is dealt when the table waits for nobody, later ones when all connected people have asked for it or
    are out of time. A table that all people have left ends. Offers that all have accepted are carried out, and a player
    out of time is substituted. Who was absent and is here again returns; with days for a move nobody needs to be here, and
    who is absent has asked for the seat. A rematch seats only people who have asked for it and are still there.
    """
    if room.status == "waiting":
        return deal(room) if _may_start(room) else None
    if room.abandoned:
        return {"type": "end"}
    slow = room.head.settings.speed.kind == "correspondence"
    for seat in room.humans if slow else sorted(here):
        if room.chairs[seat].absent and not room.bots_hand(seat):
            return {"type": "return", "seat": seat}
    if room.head.event is not None and room.over:
        return {"type": "end"} if room.status == "playing" else None
    waiting = {seat for seat in room.humans if room.chairs[seat].substitute is None}
    if room.offer is not None and waiting <= set(room.offer.accepted):
        return _accepted(room)
    if room.status == "ended":
        votes = room.votes - gone
        if room.rematch is None and _all_voted(votes, waiting, here):
            return {"type": "rematch", "table": room.head.rematch, "seats": sorted(votes)}
        return None
    if room.over:
        due = room.next_at is not None and now >= room.next_at and bool(waiting & here)
        return deal(room) if (due or _all_voted(room.votes, waiting, here)) and room.number < MOST_HANDS else None
    deadline = room.deadline
    if deadline is not None and now >= deadline and room.to_act is not None:
        return substitute(room, room.to_act, "time")
    return None


def _all_voted(votes: AbstractSet[int], waiting: AbstractSet[int], here: AbstractSet[int]) -> bool:
    """Whether somebody who waits has voted, and everybody connected; absent players do not block."""
    return bool(votes & waiting) and (waiting <= votes or (bool(waiting & here) and waiting & here <= votes))


def substitute(room: Room, seat: int, reason: str, bot: str | None = None) -> Entry:
    """A bot takes over ``seat``: by default the one that the host has chosen to play for people. At a rated table that is
    always ``greedy``, so that nobody is rated for the play of a stronger one.
    """
    settings = room.head.settings
    bot = bot or ("greedy" if settings.counts else settings.substitute)
    entry = {"type": "substitute", "seat": seat, "bot": bot, "reason": reason}
    return {**entry, **_heir(room, seat if reason == "left" else None)}


def _heir(room: Room, leaving: int | None) -> Entry:
    """The field ``host`` of an entry with which the host leaves: the seat of the next host, unless ``fold`` would choose
    that person anyway.
    """
    seated = (chair for seat, chair in enumerate(room.chairs) if seat != leaving)
    staying = [chair for chair in seated if chair.kind == "human" and not chair.left]
    if not staying or any(chair.player == room.host for chair in staying):
        return {}
    heir = next_host(staying)
    return {} if heir is staying[0] else {"host": room.seat_of(heir.player)}


def _return(room: Room, seat: int) -> Entry:
    """The player takes the seat back, in a hand that is the bot's only once it is over: until then they count as absent."""
    chair = room.chairs[seat]
    if chair.substitute is None:
        raise Refused("illegal", reason("no-substitute"))
    if not room.bots_hand(seat):
        return {"type": "return", "seat": seat}
    if chair.absent:
        raise Refused("illegal", reason("bots-hand"))
    return substitute(room, seat, "absent", chair.plays)


def deal(room: Room) -> Entry:
    """The next hand, shuffled from the committed secret and the players' strings."""
    head, given = room.head, [text for _, text in sorted(room.contributions.items())]
    opening: list[Entry] = []
    if room.state is None:
        begun = session(head.rules, seed=head.seed, contributions=given)
        opening, state = [event.to_json() for event in begun.opening], begun.state
    else:
        state = following(room.state, head.seed, given)
    line = begun_json(state.begun, state.first_seq - 1)
    return {"type": "deal", "engine": dasan.__version__, "seats": list(room.players), "opening": opening, "deal": line}


def bot_move(room: Room, seat: int, move: str) -> Entry:
    """A bot's move in ``seat``, its own or an absent player's."""
    return {"type": "move", "seat": seat, "move": move, "bot": room.chairs[seat].plays}


def _check_waiting(room: Room) -> None:
    if room.status != "waiting":
        raise Refused("illegal", reason("dealt"))


def _check_going_on(room: Room) -> None:
    if room.status == "ended":
        raise Refused("illegal", reason("ended"))
    if room.status == "waiting":
        raise Refused("illegal", reason("undealt"))


def _may_start(room: Room) -> bool:
    if room.open_seats:
        return False
    return room.head.settings.start == "full" or all(room.chairs[seat].ready for seat in room.humans)


def _sit(room: Room, player: str, command: SitCommand, name: str, account: bool) -> Entry:
    now = room.seat_of(player)
    if room.status != "waiting":
        if now is not None and command.seat in (None, now):
            raise Refused("illegal", reason("seated"))
        raise Refused("illegal", reason("dealt"))
    if now is None and room.locked:
        raise Refused("forbidden", reason("locked"))
    free = room.open_seats
    seat = command.seat if command.seat is not None else now if now is not None else free[0] if free else None
    if seat is None or (seat != now and seat not in free):
        raise Refused("illegal", reason("taken") if seat is not None else reason("full"))
    name = name or clean_name(command.name or (room.chairs[now].name if now is not None else _guest(room, seat)))
    program = command.program or (now is not None and room.chairs[now].program)
    marks = {"program": program, "account": account}
    return {"type": "sit", "seat": seat, "player": player, "name": name, **{mark: True for mark in marks if marks[mark]}}


def _guest(room: Room, seat: int) -> str:
    """The name of a guest without one: the number of the seat, or the first that makes it unlike all others at the table."""
    taken = {key for chair in room.chairs for key in keys(chair.name)}
    numbers = chain((seat + 1,), count(1))
    return next(name for number in numbers if taken.isdisjoint(keys(name := f"{GUEST} {number}")))


def _move(room: Room, seat: int, text: str, lag: int) -> Entry:
    _check_going_on(room)
    if room.chairs[seat].substitute is not None:
        raise Refused("illegal", reason("substitute"))
    return {"type": "move", "seat": seat, "move": text, **({"lag": lag} if lag else {})}


def _next(room: Room, seat: int) -> Entry:
    _check_going_on(room)
    if not room.over:
        raise dasan.IllegalPlay(reason("not-over"), clause="G.04")
    if room.number >= MOST_HANDS:
        raise Refused("unavailable", reason("too-long"))
    return {"type": "vote", "seat": seat}


def _contribute(room: Room, seat: int, text: str) -> Entry:
    if room.status == "ended":
        raise Refused("illegal", reason("ended"))
    check_contribution(text)
    _check_said(room, seat, text)
    if seat in room.contributions:
        raise Refused("illegal", reason("contributed"))
    return {"type": "contribute", "seat": seat, "text": text}


def check_contribution(text: str) -> None:
    """``Malformed``: the string cannot be added to a shuffle."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise dasan.Malformed("a contribution is text that UTF-8 can encode") from None
    if size > fairness.MAX_TEXT_BYTES:
        raise dasan.Malformed(reason("contribution", n=fairness.MAX_TEXT_BYTES))


def _leave(room: Room, seat: int) -> Entry:
    if room.status == "waiting":
        return {"type": "stand", "seat": seat, **_heir(room, seat)}
    if room.status == "ended" or room.chairs[seat].left:
        raise Refused("illegal", reason("left"))
    return substitute(room, seat, "left")


def _host(
    room: Room, player: str, command: StartCommand | SeatBotCommand | RemoveCommand | LockCommand | SilenceCommand
) -> Entry:
    if room.host != player:
        raise Refused("forbidden", reason("host"))
    players = room.head.rules.players
    if not isinstance(command, StartCommand | LockCommand) and command.seat >= players:
        raise Refused("malformed", f"a seat is 0 to {players - 1}")
    if isinstance(command, SilenceCommand):
        if room.chairs[command.seat].kind != "human":
            raise Refused("illegal", reason("nobody.chat"))
        return {"type": "silence", "seat": command.seat, "silent": command.silent}
    _check_waiting(room)
    match command:
        case LockCommand():
            return {"type": "lock", "locked": command.locked}
        case RemoveCommand():
            chair = room.chairs[command.seat]
            if chair.kind != "human" or chair.player == player:
                raise Refused("illegal", reason("nobody"))
            return {"type": "stand", "seat": command.seat}
        case SeatBotCommand():
            if room.chairs[command.seat].kind == "human":
                raise Refused("illegal", reason("somebody"))
            return _bots(room, (command.seat,), command.bot, start=False)
        case StartCommand():
            late = [seat for seat in room.humans if not room.chairs[seat].ready and room.chairs[seat].player != player]
            if room.head.settings.start == "ready" and late:
                raise Refused("illegal", reason("not-ready", name=room.chairs[late[0]].name))
            return _bots(room, room.open_seats, room.head.settings.substitute, start=True)


def _bots(room: Room, wanted: Sequence[int], bot: str | None, *, start: bool) -> Entry:
    """``bot`` takes the wanted seats; None: they are open. start: the first hand begins."""
    names = [bot if seat in wanted else chair.bot for seat, chair in enumerate(room.chairs)]
    seated = bot_chairs(names, room.head.id)
    changed: dict[str, Any] = {
        str(seat): chair.to_json() for seat, chair in enumerate(seated) if chair not in (None, room.chairs[seat])
    }
    if bot is None:
        changed |= {str(seat): None for seat in wanted}
    return {"type": "bots", "chairs": changed, "start": start}


def _chat(room: Room, seat: int, text: str) -> Entry:
    if not room.head.settings.chat:
        raise Refused("forbidden", reason("chat.none"))
    line = clean_line(text)
    _check_said(room, seat, line)
    return {"type": "chat", "seat": seat, "name": room.chairs[seat].name, "text": line}


def _check_said(room: Room, seat: int, text: str) -> None:
    """``Refused``: the host has silenced the player, or the text, which everybody sees, has one of the host's words."""
    if room.chairs[seat].silent:
        raise Refused("forbidden", reason("chat.silenced"))
    folded = text.casefold()
    if any(word.casefold() in folded for word in room.head.settings.words):
        raise Refused("forbidden", reason("chat.word"))


def clean_line(text: str) -> str:
    """A chat message as it is shown: one line of visible characters. ``Refused`` if nothing is left."""
    line = one_line(text)
    if not line:
        raise Refused("malformed", reason("chat.empty"))
    return line


def _offer(room: Room, seat: int, command: OfferCommand) -> Entry:
    _check_going_on(room)
    if room.offer is not None:
        raise Refused("illegal", reason("offer.open"))
    if command.offer == "undo":
        _check_casual(room)
        _moves_before(room, seat)
    elif room.in_binding_hand:
        raise Refused("illegal", reason("end.rated"))
    return {"type": "offer", "offer": command.offer, "seat": seat}


def _answer(room: Room, seat: int, command: AnswerCommand) -> Entry:
    if room.offer is None:
        raise Refused("illegal", reason("offer.none"))
    if command.accept and seat in room.offer.accepted:
        raise Refused("illegal", reason("offer.accepted"))
    return {"type": "accept" if command.accept else "decline", "seat": seat}


def _accepted(room: Room) -> Entry:
    """The entry that carries out the accepted offer."""
    assert room.offer is not None
    if room.offer.offer == "end":
        return {"type": "decline", "seat": room.offer.by} if room.in_binding_hand else {"type": "end"}
    try:
        return {"type": "undo", "moves": _moves_before(room, room.offer.by), "taken_back": False}
    except Refused:
        return {"type": "decline", "seat": room.offer.by}


def _check_casual(room: Room) -> None:
    if room.head.settings.counts:
        raise Refused("illegal", reason("undo.rated"))


def _take_back(room: Room, seat: int) -> Entry:
    _check_going_on(room)
    _check_casual(room)
    if len(room.humans) > 1:
        raise Refused("illegal", reason("undo.others"))
    return {"type": "undo", "moves": _moves_before(room, seat), "taken_back": True}


def _moves_before(room: Room, seat: int) -> int:
    """The number of moves before ``seat``'s last one."""
    if room.state is None or room.state.phase is Phase.OVER:
        raise Refused("illegal", reason("over"))
    movers = [event.seat for event in room.state.events if event.type in MOVES]
    mine = [i for i, by in enumerate(movers) if by == seat]
    if not mine:
        raise Refused("illegal", reason("undo.none"))
    return mine[-1]
