"""An observation: public information and the seat's own hand.

`layout` names every number and `encode` computes them from a `View`. Seats are relative: seat 0 is the observer, seat 1 acts
next, and so on. Flags (0 or 1) come first, then numbers; each part is padded with zeros to a multiple of eight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableSequence, Sequence
from functools import lru_cache
from typing import Any

from dasan.arguments import WrongType, instance, shown
from dasan.cards import Card
from dasan.features.cards import Feature, Plane, card_flags, card_slots, eights, kinds, most_held, one_flag
from dasan.play.action_ids import action_ids
from dasan.play.dealing import draws_opener
from dasan.play.events import EventType
from dasan.play.view import View
from dasan.ruleset.cache import cached_by_rules
from dasan.ruleset.policies import Ending
from dasan.ruleset.rules import Rules

_Plane = Plane[Callable[[View], Iterable[int]]]


def _card(view: View, c: Card | None) -> list[int]:
    ids = action_ids(view.rules)
    return one_flag(len(ids.deck), None if c is None else ids.deck.index(c))


def _seats(view: View, seats: Iterable[int | None]) -> list[int]:
    n = view.rules.players
    base = view.seat or 0
    relative = {(s - base) % n for s in seats if s is not None}
    return [int(k in relative) for k in range(n)]


def _phases(rules: Rules, session: bool) -> list[str]:
    out = ["auction"] if rules.auction is not None else []
    out += ["call"] if rules.call is not None else []
    out += ["exchange"] if session and rules.exchange else []
    return [*out, "play"]


def _shown(view: View, type_: EventType) -> tuple[Card | None, ...]:
    return next((e.cards for e in view.events if e.type is type_), ())


def _played_by(view: View, seat: int | None) -> list[int]:
    plays = [e for e in view.events if e.type is EventType.PLAY and (seat is None or e.seat == seat)]
    return card_flags(view.rules, [c for e in plays for c in e.cards])


def _played_by_seat(view: View) -> list[int]:
    n = view.rules.players
    return [flag for k in range(n) for flag in _played_by(view, ((view.seat or 0) + k) % n)]


def _must_include(view: View) -> list[int]:
    if view.phase != "play" or any(e.type is EventType.PLAY for e in view.events):
        return [0]
    # Where a position names the leader no event shows the card, and only the leader knows the duty.
    return [int(view.must_include is not None or bool(_shown(view, EventType.OPEN)))]


def _opening_rank(view: View) -> list[int]:
    shown = _shown(view, EventType.OPEN)
    rank = None if not shown or shown[0] is None else view.rules.order.place[shown[0]][0]
    return one_flag(len(view.rules.ranks), rank)


def _bids(view: View) -> list[int]:
    n = view.rules.players
    out = [0] * n
    for e in view.events:
        if e.type is EventType.BID and e.bid is not None:
            out[(e.seat - (view.seat or 0)) % n] = e.bid
    return out


def _exchanging(view: View, i: int) -> list[int]:
    pair = getattr(view.begun, "exchange", None)
    return _seats(view, [] if pair is None else pair[i::2])


def _called(view: View) -> list[int]:
    cards = action_ids(view.rules).callable_cards
    return one_flag(len(cards), None if view.called is None else cards.index(view.called))


def _first(cards: Sequence[Card | None]) -> Card | None:
    return cards[0] if cards else None


def _players(rules: Rules) -> int:
    return rules.players


def _deck(rules: Rules) -> int:
    return len(action_ids(rules).deck)


def _auction(rules: Rules, session: bool) -> bool:
    return rules.auction is not None


def _call(rules: Rules, session: bool) -> bool:
    return rules.call is not None


def _to_the_end(rules: Rules, session: bool) -> bool:
    return rules.ending is Ending.LAST_IN


def _exchange(rules: Rules, session: bool) -> bool:
    return session and rules.exchange


def _one_pair(rules: Rules, session: bool) -> bool:
    return session and rules.exchange and not rules.double_exchange


def _two_pairs(rules: Rules, session: bool) -> bool:
    return session and rules.double_exchange


def _gifts(view: View) -> list[int]:
    cards = [c for e in view.events if e.type is EventType.GIVE for c in e.cards]
    return card_flags(view.rules, list(dict.fromkeys(cards)) if view.rules.decks == 1 else _at_most(view.rules, cards))


def _at_most(rules: Rules, cards: Sequence[Card | None]) -> list[Card | None]:
    """Each card at most as often as there are packs."""
    return [c for i, c in enumerate(cards) if cards[:i].count(c) < rules.decks]


def _top(rules: Rules) -> int:
    return rules.auction.top if rules.auction is not None else 0


_BEFORE: tuple[_Plane, ...] = (
    _Plane("hand", "your cards", card_slots, lambda v: card_flags(v.rules, v.hand)),
    _Plane(
        "kitty",
        "the kitty, once you know it",
        card_slots,
        lambda v: card_flags(v.rules, _shown(v, EventType.KITTY)),
        lambda r, s: r.kitty_size > 0,
    ),
    _Plane(
        "played",
        "cards played by each seat in this hand",
        lambda r: r.players * card_slots(r),
        _played_by_seat,
        lambda r, s: not _to_the_end(r, s),
    ),
    _Plane("played", "all cards played in this hand", card_slots, lambda v: _played_by(v, None), _to_the_end),
    _Plane(
        "table", "the cards on the table", card_slots, lambda v: card_flags(v.rules, v.table.cards if v.table else ())
    ),
    _Plane(
        "kind",
        "the kind of the cards on the table",
        lambda r: len(kinds(r)),
        lambda v: one_flag(len(kinds(v.rules)), kinds(v.rules).index(v.table.kind) if v.table else None),
    ),
    _Plane("table_seat", "who played them", _players, lambda v: _seats(v, [v.table_seat])),
    _Plane("passed", "seats whose pass still stands", _players, lambda v: _seats(v, v.passed)),
    _Plane("dealer", "who dealt", _players, lambda v: _seats(v, [v.dealer])),
    _Plane("opener", "who opened the auction, or led first", _players, lambda v: _seats(v, [v.opener])),
    _Plane("finished", "who has no cards left", _players, lambda v: _seats(v, v.finished), _to_the_end),
    _Plane("has_played", "who has played a card in this hand", _players, lambda v: _seats(v, v.has_played), _to_the_end),
    _Plane(
        "must_include",
        "whether the lead must include the opening card",
        lambda r: 1,
        _must_include,
        lambda r, s: r.opening is not None and r.opening.in_the_lead,
    ),
    _Plane(
        "opening_card",
        "rank of the card that opened the auction",
        lambda r: len(r.ranks),
        _opening_rank,
        lambda r, s: _auction(r, s) and not draws_opener(r),
    ),
    _Plane("bidder", "who has bid most", _players, lambda v: _seats(v, [v.bidder]), _auction),
    _Plane("bid", "the highest bid, from 1", _top, lambda v: one_flag(_top(v.rules), (v.bid or 0) - 1), _auction),
    _Plane("partner", "the bidder's partner, once you know", _players, lambda v: _seats(v, [v.partner]), _call),
    _Plane("called", "the called card, by rank then suit", lambda r: len(action_ids(r).callable_cards), _called, _call),
    _Plane("giving", "who gives a card (W.20)", _players, lambda v: _exchanging(v, 1), _exchange),
    _Plane("offering", "who receives it, and offers two", _players, lambda v: _exchanging(v, 0), _exchange),
    _Plane("given", "the card given", _deck, lambda v: _card(v, _first(_shown(v, EventType.GIVE))), _one_pair),
    _Plane(
        "offered",
        "the cards offered, to the two who know them",
        card_slots,
        lambda v: card_flags(v.rules, _shown(v, EventType.OFFER)),
        _one_pair,
    ),
    _Plane("taken", "the card taken", _deck, lambda v: _card(v, _first(_shown(v, EventType.TAKE))), _one_pair),
    _Plane("gifts", "cards given in the exchange of two pairs (H.40)", card_slots, _gifts, _two_pairs),
)
_AFTER: tuple[_Plane, ...] = (
    _Plane(
        "hand_sizes",
        "cards each seat holds",
        _players,
        lambda v: [v.hand_sizes[((v.seat or 0) + k) % v.rules.players] for k in range(v.rules.players)],
        flags=False,
        scale=most_held,
    ),
    _Plane("said", "each seat's highest bid, 0 for none", _players, _bids, _auction, flags=False, scale=_top),
    _Plane(
        "doublings",
        "how often bombs and the rocket have doubled the payment",
        lambda r: 1,
        lambda v: [v.doublings],
        lambda r, s: r.doubles,
        flags=False,
        scale=lambda r: r.most_doublings,
    ),
    _Plane(
        "bidder_plays",
        "plays of the bidder's side, 2 for several",
        lambda r: 1,
        lambda v: [min(v.bidder_plays, 2)],
        lambda r, s: r.doubles,
        flags=False,
        scale=lambda r: 2,
    ),
)


@lru_cache(maxsize=64)
def _planes(rules: Rules, session: bool) -> tuple[_Plane, ...]:
    phases = _phases(rules, session)
    phase = _Plane(
        "phase",
        " ".join(phases),
        lambda r: len(phases),
        lambda v: one_flag(len(phases), phases.index(v.phase) if v.phase in phases else None),
    )
    return (phase, *(plane for plane in (*_BEFORE, *_AFTER) if plane.when(rules, session)))


@cached_by_rules()
def layout(rules: Rules, session: bool = False) -> tuple[Feature, ...]:
    """Every feature of an observation, in order. session: whether hands follow one another, with an exchange between them
    (W.20).

    >>> import dasan
    >>> [f.name for f in layout(dasan.rules("big-three"))][:4]
    ['phase', 'hand', 'kitty', 'played']
    """
    out: list[Feature] = []
    at = 0
    for plane in _planes(rules, session):
        if not plane.flags:
            at = eights(at) if out[-1].flags else at
        size = plane.size(rules)
        out.append(Feature(plane.name, at, size, plane.flags, plane.text, plane.scale(rules)))
        at += size
    return tuple(out)


def observation_size(rules: Rules, session: bool = False) -> int:
    """The length of an observation, a multiple of eight."""
    last = layout(rules, session)[-1]
    return eights(last.start + last.size)


def encode(view: View, session: bool = False) -> list[int]:
    """The observation of `view`: `observation_size` integers from 0 to 255. ValueError: it is a spectator's view."""
    if instance(view, View, "an observation is encoded from a view, such as state.view(seat)").seat is None:
        raise ValueError("a spectator has no observation")
    rules = view.rules
    out = [0] * observation_size(rules, session)
    for feature, plane in zip(layout(rules, session), _planes(rules, session), strict=True):
        out[feature.start : feature.start + feature.size] = plane.values(view)
    return out


def encode_into(view: View, out: Any, session: bool = False) -> None:
    """Write `encode(view, session)` into `out`, for instance a row of an array. ValueError: `out` has another length."""
    values, kind = encode(view, session), str(getattr(out, "dtype", ""))
    shape = getattr(out, "shape", None)
    if shape is None and not isinstance(out, MutableSequence | memoryview):
        raise WrongType(f"an observation is written into an array or a list, not {shown(out)}")
    if tuple((len(out),) if shape is None else shape) != (len(values),):
        raise ValueError(f"an observation has {len(values)} numbers, not {len(out) if shape is None else tuple(shape)}")
    if kind.endswith("bool") or kind in ("int8", "object"):
        raise WrongType(f"an observation has numbers up to 255, too large for an array of {kind}")
    out[:] = values
