"""Move features: one row of small integers for each legal action.

Almost all of a row depends only on the action id (`action_features`); two features depend on the hand: whether the move
empties it, and how many cards remain. Flags (0 or 1) come first, then numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from dasan.arguments import instance
from dasan.cards import Card
from dasan.features.cards import (
    Feature,
    Plane,
    by_rank,
    card_flags,
    card_slots,
    copies,
    eights,
    kinds,
    most_held,
    one_flag,
    ranks,
)
from dasan.play.action_ids import PASS_ID, action_ids
from dasan.play.view import View
from dasan.ruleset.cache import cached_by_rules
from dasan.ruleset.catalogue import Row
from dasan.ruleset.rules import Rules


@dataclass(frozen=True, slots=True)
class _Action:
    """A decoded action id; `cards` are those that are called, given, offered or taken."""

    id: int
    row: Row | None = None
    bid: int | None = None
    call: int | None = None
    cards: tuple[Card, ...] = ()


_Plane = Plane[Callable[[Rules, _Action], Iterable[int]]]


@lru_cache(maxsize=64)
def _most_copies(rules: Rules) -> int:
    return max(n for row in rules.catalogue.rows for _, n in row.pattern.counts)


def exact_cards(rules: Rules) -> bool:
    """Whether each action id of a play names its exact cards: only with ranked suits, one pack and no jokers."""
    return rules.catalogue.rows[0].cards is not None


def _cards(rules: Rules, action: _Action) -> list[int]:
    row = action.row
    if exact_cards(rules):
        return card_flags(rules, (row.cards or ()) if row is not None else ())
    held = Counter(dict(row.pattern.counts)) if row is not None else Counter()
    most = copies(rules) if by_rank(rules) else _most_copies(rules)
    return [int(held[rank] > n) for n in range(most) for rank in range(ranks(rules))]


def _suit(rules: Rules, action: _Action) -> list[int]:
    if action.row is None:
        return [0] * 4
    pattern = action.row.pattern
    decided = pattern.flush or 0 <= pattern.decider < 13
    return one_flag(4, pattern.suit if decided else None)


@lru_cache(maxsize=64)
def _strengths(rules: Rules) -> dict[str, dict[int, int]]:
    """By family and strength: the fraction of the family's other strengths that are lower, in 255ths."""
    strengths: dict[str, set[int]] = {}
    for row in rules.catalogue.rows:
        strengths.setdefault(row.family, set()).add(row.strength)
    return {
        family: {s: 255 * i // max(1, len(all_) - 1) for i, s in enumerate(sorted(all_))}
        for family, all_ in strengths.items()
    }


def _strength(rules: Rules, action: _Action) -> list[int]:
    row = action.row
    return [0 if row is None else _strengths(rules)[row.family][row.strength]]


_PLANES: tuple[_Plane, ...] = (
    _Plane("pass", "whether the move is a pass", lambda r: 1, lambda r, a: [int(a.id == PASS_ID)]),
    _Plane("cards", "the cards played", card_slots, _cards, lambda r, s: by_rank(r) or exact_cards(r)),
    _Plane(
        "counts",
        "the cards played, by rank",
        lambda r: _most_copies(r) * ranks(r),
        _cards,
        lambda r, s: not (by_rank(r) or exact_cards(r)),
    ),
    _Plane(
        "kind",
        "the kind of the play",
        lambda r: len(kinds(r)),
        lambda r, a: one_flag(len(kinds(r)), None if a.row is None else kinds(r).index(a.row.kind)),
    ),
    _Plane(
        "suit",
        "the deciding suit, or the suit of a straight flush",
        lambda r: 4,
        _suit,
        lambda r, s: not (by_rank(r) or exact_cards(r)),
    ),
    _Plane(
        "bid",
        "the bid, from 1",
        lambda r: 0 if r.auction is None else r.auction.top,
        lambda r, a: one_flag(0 if r.auction is None else r.auction.top, None if a.bid is None else a.bid - 1),
        lambda r, s: r.auction is not None,
    ),
    _Plane(
        "call",
        "the card called, by rank then suit",
        lambda r: len(action_ids(r).callable_cards),
        lambda r, a: one_flag(len(action_ids(r).callable_cards), a.call),
        lambda r, s: r.call is not None,
    ),
    _Plane(
        "with_called",
        "whether the called card is played",
        lambda r: 1,
        lambda r, a: [int(a.row is not None and a.row.called is True)],
        lambda r, s: r.call is not None,
    ),
    _Plane(
        "exchanged",
        "the cards given, offered or taken",
        card_slots,
        lambda r, a: card_flags(r, a.cards),
        lambda r, s: s and r.exchange,
    ),
    _Plane("out", "whether the hand is empty after the move", lambda r: 1, lambda r, a: [0]),
    _Plane(
        "size",
        "cards played",
        lambda r: 1,
        lambda r, a: [0 if a.row is None else a.row.size],
        flags=False,
        scale=most_held,
    ),
    _Plane(
        "strength",
        "the fraction of comparable strengths that are lower, in 255ths",
        lambda r: 1,
        _strength,
        flags=False,
        scale=lambda r: 255,
    ),
    _Plane("left", "cards in the hand after the move", lambda r: 1, lambda r, a: [0], flags=False, scale=most_held),
)


def _planes(rules: Rules, session: bool) -> list[_Plane]:
    return [plane for plane in _PLANES if plane.when(rules, session)]


@cached_by_rules()
def move_layout(rules: Rules, session: bool = False) -> tuple[Feature, ...]:
    """Every feature of a move, in order. session: whether hands follow one another, with an exchange between them (W.20).

    >>> import dasan
    >>> [f.name for f in move_layout(dasan.rules("big-two"))]
    ['pass', 'cards', 'kind', 'out', 'size', 'strength', 'left']
    """
    out: list[Feature] = []
    at = 0
    for plane in _planes(rules, session):
        out.append(plane.at(at, rules))
        at += out[-1].size
    return tuple(out)


def move_size(rules: Rules, session: bool = False) -> int:
    """The length of a move's row, a multiple of eight."""
    last = move_layout(rules, session)[-1]
    return eights(last.start + last.size)


def _actions(rules: Rules, session: bool) -> Iterable[_Action]:
    """Every action id in order, decoded."""
    ids = action_ids(rules, session)
    yield _Action(PASS_ID)
    for i in range(ids.bids, ids.calls):
        yield _Action(i, bid=i - ids.bids + 1)
    for i in range(ids.calls, ids.rows):
        yield _Action(i, call=i - ids.calls)
    for row in rules.catalogue.rows:
        yield _Action(ids.rows + row.id, row=row)
    if ids.exchange:
        taken = () if rules.double_exchange else ids.deck
        for i, cards in enumerate([*((c,) for c in ids.deck), *ids.offers, *((c,) for c in taken)]):
            yield _Action(ids.gives + i, cards=cards)


@cached_by_rules(8)
def action_features(rules: Rules, session: bool = False) -> tuple[bytes, ...]:
    """One row of `move_size` bytes for each action id, in order; `out` and `left` depend on the hand and are 0 here."""
    planes = _planes(rules, session)
    size = move_size(rules, session)
    rows = (bytes(n for plane in planes for n in plane.values(rules, action)) for action in _actions(rules, session))
    return tuple(row.ljust(size, b"\0") for row in rows)


@cached_by_rules()
def cards_taken(rules: Rules, session: bool) -> tuple[int, ...]:
    """The number of cards that each action id takes from the hand; -1 for a card that it receives (W.20)."""
    ids = action_ids(rules, session)
    rows = [row.size for row in rules.catalogue.rows]
    one_each = len(ids.deck) if ids.exchange else 0
    given = [*[0] * ids.rows, *rows, *[1] * one_each]
    if rules.double_exchange:
        return (*given, *[2] * len(ids.offers))
    return (*given, *[0] * len(ids.offers), *[-1] * one_each)


def encode_moves(view: View, session: bool = False) -> dict[int, list[int]]:
    """The row of each legal action of `view`, by action id: `move_size` integers from 0 to 255. Empty if the seat is not to
    act.
    """
    rules = instance(view, View, "moves are encoded from a view, such as state.view(seat)").rules
    ids, static, taken = action_ids(rules, session), action_features(rules, session), cards_taken(rules, session)
    at = {f.name: f.start for f in move_layout(rules, session)}
    rows = {}
    for move in view.legal_moves():
        action = ids.of(move, view.called)
        row = list(static[action])
        row[at["left"]] = len(view.hand) - taken[action]
        row[at["out"]] = int(row[at["left"]] == 0)
        rows[action] = row
    return rows
