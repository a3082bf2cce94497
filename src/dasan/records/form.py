"""Check the form of a hand that hides cards: everything that does not depend on where the hidden cards are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dasan.cards import format_cards, parse_cards
from dasan.errors import BadRecord, DasanError
from dasan.play.dealing import Deal, Position
from dasan.play.events import Event, EventType
from dasan.records.beginnings import check_dealt, read_begun, seq_of
from dasan.records.lines import Line
from dasan.records.reader import read_event, read_secret, require_seq
from dasan.ruleset.rules import Rules

SEATS = ("dealer", "leader", "bidder", "partner", "table_seat", "to_act", "watching", "opener", "foul")
SEVERAL = ("passed", "finished", "has_played", "exchange")
"""Fields of a deal or a position that name seats."""


def check_form(rules: Rules, lines: Sequence[Line]) -> None:
    """`BadRecord`: a line of the hand is malformed, or impossible under these rules."""
    begun = _begun(rules, lines[0])
    events = [line for line in lines[1:] if line.get("type") not in ("result", "reveal")]
    for seq, line in enumerate(events, start=seq_of(lines[0]) + 1):
        event = read_event(line)
        require_seq(line, event, seq)
        reason = _refused(rules, begun, event)
        if reason is not None:
            raise BadRecord(f"line {line.number}: {reason}")
    for line in lines[1:]:
        if line.get("type") == "reveal":
            read_secret(line)
        if line.get("type") == "result":
            _check_result(rules, line)


def _begun(rules: Rules, line: Line) -> Deal | Position:
    """The deal or the position, with arbitrary cards for the hidden ones: only their number matters."""
    hands, kitty, table = line.get("hands"), line.get("kitty", ""), line.get("table", "")
    n = rules.players
    if not isinstance(hands, list) or len(hands) != n or not all(isinstance(t, str) for t in (*hands, kitty, table)):
        raise BadRecord(f"line {line.number}: the hands are one text for each of {n} seats")
    try:
        shown = [c for text in (*hands, kitty, table) if "?" not in text for c in parse_cards(text)]
        rest = list((Counter(rules.pack) - Counter(shown)).elements())
        filled: dict[str, Any] = {**line, "hands": [_filled(text, rest) for text in hands]}
        if "kitty" in line:
            filled["kitty"] = _filled(kitty, rest)
        begun = read_begun(Line(filled, line.number))
        seq_of(line)
        if isinstance(begun, Deal):
            check_dealt(rules, begun)
        else:
            _check_position(rules, begun)
    except (DasanError, ValueError, TypeError, KeyError) as error:
        reason = getattr(error, "message", "") or "a value in it is of a wrong kind"
        clause = error.clause if isinstance(error, DasanError) else "G.03"
        raise BadRecord(f"line {line.number}: this deal cannot be: {reason}", clause=clause) from error
    return begun


def _filled(text: str, rest: list[Any]) -> str:
    """A text of cards, with every hidden one replaced by a card from `rest`."""
    if "?" not in text:
        return text
    hidden = text.split()
    if set(hidden) != {"?"}:
        raise BadRecord("cards are hidden together or not at all")
    if len(hidden) > len(rest):
        raise BadRecord("it has more cards than the pack", clause="G.05")
    taken = rest[: len(hidden)]
    del rest[: len(hidden)]
    return format_cards(taken)


def _check_position(rules: Rules, begun: Position) -> None:
    """Check the seats that a position names, its cards, and its bid."""
    one = [getattr(begun, name, None) for name in SEATS]
    several = [seat for name in SEVERAL for seat in getattr(begun, name, None) or ()]
    if any(seat is not None and seat >= rules.players for seat in (*one, *several)):
        raise BadRecord("there is no such seat")
    pack = set(rules.pack)
    called = () if begun.called is None else (begun.called,)
    if any(c not in pack for hand in (*begun.hands, begun.kitty, begun.table, called) for c in hand):
        raise BadRecord("a card is not in the pack", clause="G.05")
    if begun.bid is not None and (rules.auction is None or not 1 <= begun.bid <= rules.auction.top):
        raise BadRecord("no bid is so high")


def _refused(rules: Rules, begun: Deal | Position, event: Event) -> str | None:
    """Why an event is impossible wherever the hidden cards are; None if it is possible."""
    kind, top = event.type, 0 if rules.auction is None else rules.auction.top
    if event.seat >= rules.players:
        return "there is no such seat"
    if kind in (EventType.DRAW, EventType.DEALER):
        return f"{kind.value} does not follow from the hand so far"
    if kind is EventType.BID and not (event.bid is not None and 1 <= event.bid <= top):
        return f"bids go from 1 to {top}" if top else "there is no auction"
    if kind is not EventType.BID and event.bid is not None:
        return "only a bid has a number"
    if any(c is None for c in event.cards) and kind not in (EventType.KITTY, EventType.OFFER):
        return "the cards of this event are never hidden"
    if any(c is not None and c not in rules.order.place for c in event.cards):
        return "a card is not in the pack"
    sizes = {EventType.CALL: 1, EventType.GIVE: 1, EventType.TAKE: 1, EventType.OFFER: 2}
    wanted = len(begun.kitty) if kind is EventType.KITTY else sizes.get(kind, len(event.cards))
    if kind is EventType.GIVE and rules.double_exchange and len(event.cards) == 2:
        wanted = 2
    if len(event.cards) != wanted or (kind is EventType.PLAY and not event.cards):
        return f"{kind.value} has {max(wanted, 1)} card{'' if wanted < 2 else 's'}, not {len(event.cards)}"
    if kind is EventType.CALL and rules.call is None:
        return "no card is called in this game"
    if kind in (EventType.GIVE, EventType.OFFER, EventType.TAKE) and getattr(begun, "exchange", None) is None:
        return "no cards are exchanged in this hand"
    return None


def _check_result(rules: Rules, line: Line) -> None:
    """Check the numbers of a result: payments and seats."""
    paid, seats = line.get("payments"), [line.get("finish_order"), line.get("winners")]
    whole = isinstance(paid, list) and all(isinstance(n, int) and not isinstance(n, bool) for n in paid)
    if not whole or not isinstance(paid, list) or len(paid) not in (0, rules.players):
        raise BadRecord(f"line {line.number}: payments are {rules.players} whole numbers")
    for named in seats:
        if not isinstance(named, list) or not all(
            isinstance(seat, int) and not isinstance(seat, bool) and 0 <= seat < rules.players for seat in named
        ):
            raise BadRecord(f"line {line.number}: a result names seats")
