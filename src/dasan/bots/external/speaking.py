"""The program's side of the bot protocol: answer messages with one of dasan's bots, and build views from messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from dasan.arguments import seat as seat_of
from dasan.bots.external import wire
from dasan.bots.external.wire import Fault, Message
from dasan.bots.protocol import Bot
from dasan.cards import Card, Hand, card
from dasan.play.dealing import Deal, draws_opener
from dasan.play.events import Event, EventType
from dasan.play.moves import Move, MoveType, read_move
from dasan.play.phases import Phase
from dasan.play.view import View
from dasan.ruleset.policies import LaterLead
from dasan.ruleset.rules import Rules


def speak(player: Bot, lines: Iterable[bytes], out: IO[bytes]) -> None:
    """Answer the messages in `lines` until quit, or to their end. Messages of unknown types are skipped. Fault: a line is no
    message, or the bot fails, such as a network that was trained for another game.
    """
    hand: Message = {}
    happened: list[Event] = []
    for line in lines:
        message = wire.read(line)
        match message["type"]:
            case "hello":
                answer = {"type": "hello", "protocol": wire.PROTOCOL, "name": player.name, "version": player.version}
                out.write(wire.written(answer))
            case "hand":
                hand, happened = message, []
            case "events":
                happened += [Event.from_json(event) for event in message["events"]]
            case "choose":
                seen = view_of(hand, happened, message["view"])
                try:
                    move = player.choose(seen)
                except ValueError as error:
                    raise Fault("crash", f"the bot fails: {error}") from error
                answer = {"type": "move", "id": message["id"], "move": str(move)}
                out.write(wire.written(answer))
            case "quit":
                return
        out.flush()


def view_of(hand: Message, happened: Iterable[Event], seen: Message) -> View:
    """The view, built from a host's messages: `hand`, the events so far, and the view in `choose`."""
    rules = Rules.from_json(hand["rules"]["value"])
    n, pack = rules.players, len(rules.pack)
    seat = seat_of(hand["seat"], n, "seat")
    sizes = [rules.hand_size or len(range((s - hand["dealer"]) % n, pack, n)) for s in range(n)]
    dealt = tuple(tuple(card(c) for c in hand["cards"]) if s == seat else (None,) * size for s, size in enumerate(sizes))
    happened = tuple(happened)
    begun = _begun(rules, hand, dealt, happened)
    phase, on_table = Phase(seen["phase"]), seen["table"]
    return View(
        rules=rules,
        seat=seat,
        phase=phase,
        to_act=seen["to_act"],
        hand=Hand(card(c) for c in seen["hand"]),
        hand_sizes=tuple(seen["hand_sizes"]),
        dealer=seen["dealer"],
        opener=seen["opener"],
        leader=seen["leader"],
        bidder=seen["bidder"],
        bid=seen["bid"],
        called=None if seen["called"] is None else card(seen["called"]),
        partner=seen["partner"],
        table=None if on_table is None else rules.combination(" ".join(on_table["cards"])),
        table_seat=seen["table_seat"],
        passed=tuple(seen["passed"]),
        finished=tuple(seen["finished"]),
        has_played=tuple(dict.fromkeys(e.seat for e in happened if e.type == "play")),
        offered=_cards(seen["offered"]),
        begun=begun,
        events=happened,
        played=_cards(seen["played"]),
        hands=None,
        kitty=None,
        result=None,
        must_include=None if seen.get("must_include") is None else card(seen["must_include"]),
        guarding=seen.get("guarding"),
        doublings=seen.get("doublings", 0),
        bidder_plays=seen.get("bidder_plays", 0),
        _legal=tuple(_legal(rules, legal) for legal in seen["legal_moves"]),
    )


def _begun(rules: Rules, hand: Message, dealt: tuple[tuple[Card | None, ...], ...], happened: tuple[Event, ...]) -> Deal:
    """The deal. Messages do not number hands: an exchange, or a leader without an opening card, means that this is
    not the first hand.
    """
    leader, pair = None, None
    opened = next((e for e in happened if e.type is EventType.OPEN), None)
    if hand.get("exchange") is not None:
        pair = tuple(hand["exchange"])
        leader = {LaterLead.WINNER: pair[0], LaterLead.LOSER: pair[1]}.get(rules.later_lead)
    elif rules.auction is None and rules.later_lead is not LaterLead.OPENING and opened is not None:
        unnamed = rules.opening is not None or opened.seat != hand["dealer"]
        leader = opened.seat if unnamed and not opened.cards else None
    number = 1 if leader is None and pair is None else 2
    drawn = opened.seat if opened is not None and draws_opener(rules) else None
    return Deal(number, hand["dealer"], dealt, (None,) * rules.kitty_size, leader=leader, exchange=pair, opener=drawn)


def _cards(texts: list[str] | None) -> tuple[Any, ...] | None:
    return None if texts is None else tuple(card(c) for c in texts)


def _legal(rules: Rules, legal: Message) -> Move:
    move = read_move(legal["move"])
    cards = tuple(card(str(c)) for c in move.cards)
    if move.type is MoveType.PLAY:
        return Move(move.type, cards, None, rules.combination(cards))
    return Move(move.type, cards, move.bid)
