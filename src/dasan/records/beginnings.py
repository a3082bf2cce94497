"""Read and check the first line of a hand: a deal, or a position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from dasan.cards import Card, parse_cards, spelled_out
from dasan.errors import BadRecord, DasanError
from dasan.play.dealing import Deal, Position, cutter, draws_opener
from dasan.play.sessions import succession
from dasan.play.state import State
from dasan.records.lines import Line
from dasan.ruleset.policies import LaterLead
from dasan.ruleset.rules import Rules


def read_begun(line: Line) -> Deal | Position:
    """The inverse of `begun_json`. `BadRecord`: the line is neither a deal nor a position; the message names the field."""
    kind = {"deal": Deal, "start": Position}.get(str(line.get("type")))
    if kind is None:
        raise BadRecord("a deal is expected")
    unknown = set(line) - {"seq", "type", *(f.name for f in fields(kind))}
    if unknown:
        raise BadRecord(f"a {line['type']} has no {min(unknown)[:40]!r}")
    values = {
        f.name: _value(line, f.name, _FORMS.get(f.name, _whole))
        for f in fields(kind)
        if f.name in line or f.default is MISSING
    }
    made: Deal | Position = kind(**values)
    return made


def seq_of(line: Line) -> int:
    """The `seq` of the first line of a hand."""
    return int(_value(line, "seq", _whole))


def _value(line: Line, name: str, form: Callable[[object], Any]) -> Any:
    """The value of a field. `BadRecord`: it is missing, or not of this form."""
    if name not in line:
        raise BadRecord(f"{name!r} is missing")
    try:
        return form(line[name])
    except DasanError as error:
        raise BadRecord(f"{name!r} is wrong: {error.message}") from error


def _cards(value: object) -> tuple[Card, ...]:
    """Parse cards as records write them: rank then suit, separated by single spaces."""
    text = _string(value)
    cards = spelled_out(text) if text else ()
    if cards is None:
        parse_cards(text)  # raises for a word that is no card
        raise BadRecord("a record writes its cards like 'TH 4S': rank then suit, one space between two")
    return cards


def _card(value: object) -> Card:
    cards = _cards(value)
    if len(cards) != 1:
        raise BadRecord("one card is expected")
    return cards[0]


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise BadRecord("a text is expected")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise BadRecord("a whole number is expected")
    return value


def _amount(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 31:
        raise BadRecord("a whole number is expected")
    return value


def _several(form: Callable[[object], Any]) -> Callable[[object], tuple[Any, ...]]:
    """The form of a list whose elements have this form."""

    def several(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise BadRecord("a list is expected")
        return tuple(form(one) for one in value)

    return several


_FORMS: dict[str, Callable[[object], Any]] = {
    "hands": _several(_cards),
    **dict.fromkeys(("kitty", "table"), _cards),
    "called": _card,
    "commitment": _string,
    "contributions": _several(_string),
    **dict.fromkeys(("exchange", "passed", "finished", "has_played"), _several(_whole)),
    "payments": _several(_amount),
}
"""The fields of a deal or a position that are not whole numbers."""


def check_dealt(rules: Rules, dealt: Deal) -> None:
    """`BadRecord` unless this is a whole deal of the pack, to the right number of seats (G.05)."""
    cards = [c for hand in dealt.hands for c in hand] + list(dealt.kitty)
    sizes = [len(h) for h in dealt.hands]
    seats = (dealt.dealer, *(dealt.exchange or ()), *(() if dealt.leader is None else (dealt.leader,)))
    if len(sizes) != rules.players or any(not 0 <= s < rules.players for s in seats):
        raise BadRecord(f"the deal is not for {rules.players} players")
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
    for names, follows in (
        ("'cut' and 'cutter'", _cut_right),
        ("'number', 'exchange' and 'leader'", _led_right),
        ("'opener'", _opened_right),
    ):
        if not follows(rules, dealt):
            raise BadRecord(f"a hand of this game does not begin like that: see {names}")


def _cut_right(rules: Rules, dealt: Deal) -> bool:
    """Whether the right seat cut the pack, at a valid place (B3.05).

    A deal without a commitment need not come from a shuffle (in environments it does not), and then there is no cut.
    """
    if dealt.commitment is None and dealt.cut is None and dealt.cutter is None:
        return True
    if dealt.cutter != cutter(rules, dealt.dealer):
        return False
    return dealt.cut is None if dealt.cutter is None else dealt.cut is not None and 0 < dealt.cut < len(rules.pack)


def _opened_right(rules: Rules, dealt: Deal) -> bool:
    """Whether the deal names an opener of the auction exactly if one is drawn (DD.02)."""
    if not draws_opener(rules):
        return dealt.opener is None
    return dealt.opener is not None and dealt.opener < rules.players


def _led_right(rules: Rules, dealt: Deal) -> bool:
    """Whether exchange and leader are present exactly if a hand with this number begins with them (D2.18, W.20,
    W.21).
    """
    later = dealt.number > 1
    if dealt.number < 1 or (dealt.exchange is not None) is not (later and rules.exchange):
        return False
    if (dealt.leader is not None) is not (later and rules.later_lead is not LaterLead.OPENING):
        return False
    if dealt.exchange is None:
        return True
    wanted = 4 if rules.double_exchange else 2
    if len(dealt.exchange) != wanted or len(set(dealt.exchange)) < wanted:
        return False
    winner, loser = dealt.exchange[:2]
    return dealt.leader == {LaterLead.WINNER: winner, LaterLead.LOSER: loser}.get(rules.later_lead)


def check_succession(rules: Rules, before: State, after: State, number: int) -> None:
    """`BadRecord` unless the hand `after` begins as the result of the hand `before` requires (B3.20, D2.18,
    W.19–W.21).
    """
    result, begun = before.result, after.begun
    if result is None:
        raise BadRecord(f"line {number}: a hand begins before the last one is over")
    leader, expected = succession(rules, result.finish_order)
    if not isinstance(begun, Deal) or not isinstance(before.begun, Deal) or begun.number != before.begun.number + 1:
        raise BadRecord(f"line {number}: hands are not numbered consecutively")
    if (begun.dealer, begun.exchange, begun.leader) != (
        result.next_dealer,
        expected,
        leader,
    ):
        raise BadRecord(f"line {number}: the hand does not begin as the end of the last one requires")
