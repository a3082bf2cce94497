"""The shapes that cards can be played in, one small dataclass each, and the recogniser.

A game lists its shapes from low to high: *the order of declaration is the ranking*, and of two shapes that fit the same cards the
later one counts (a straight in one suit is a straight flush). A shape has two methods: `strength` of a set of cards, and the
`patterns` from which the catalogue is compiled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Literal

from dasan.arguments import Typed, WrongType, shown
from dasan.cards import JOKERS, Card, Order, format_cards

TIER = 1 << 12


@dataclass(frozen=True, slots=True)
class Combination:
    """Cards that may be played together, and the strength by which combinations compare.

    Combinations of one `family` compare by `strength`; one of higher `power` beats every one of lower power. also: (kind,
    strength) of groups of one rank in other families, which this one beats from that strength on.
    """

    kind: str
    cards: tuple[Card, ...]
    family: str
    power: int
    strength: int
    also: tuple[tuple[str, int], ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        # The default pickling of a dataclass with slots takes five times as long.
        return Combination, (self.kind, self.cards, self.family, self.power, self.strength, self.also)

    def beats(self, other: Combination) -> bool:
        """Whether this may be played over `other` (B3.15, D2.12, W.06, W.13–W.15). TypeError: `other` is not a combination."""
        if type(other) is not Combination:
            raise WrongType(f"a combination beats a combination or does not, not {shown(other)}")
        if self.power != other.power:
            return self.power > other.power
        if self.family == other.family:
            return self.strength > other.strength
        return self.also != () and any(other.kind == kind and other.strength >= least for kind, least in self.also)

    def __str__(self) -> str:
        return format_cards(self.cards)


def made(
    kind: str, cards: tuple[Card, ...], family: str, power: int, strength: int, also: tuple[tuple[str, int], ...] = ()
) -> Combination:
    """A new combination, built faster than by the constructor of a frozen dataclass."""
    new = object.__new__(Combination)
    _set_kind(new, kind)
    _set_cards(new, cards)
    _set_family(new, family)
    _set_power(new, power)
    _set_strength(new, strength)
    _set_also(new, also)
    return new


_set_kind, _set_cards, _set_family, _set_power, _set_strength, _set_also = (
    Combination.__dict__[name].__set__ for name in ("kind", "cards", "family", "power", "strength", "also")
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """The cards that a shape needs: a number of each rank, and the deciding suit if there is one.

    counts: (rank, number) pairs, ranks as numbers in the game's order. `decider`: the rank whose highest chosen card
    must have suit `suit` (-1: no suit decides). `flush`: every card has suit `suit`. `mixed`: not all of one suit.
    """

    counts: tuple[tuple[int, int], ...]
    strength: int
    decider: int = -1
    suit: int = -1
    flush: bool = False
    mixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape(Typed):
    """The base of all shapes: the kind's name, the clause that defines it, and its ranking.

    `tier` orders the kinds that share a `family` (Big Two's five-card hands); a higher `power` beats lower powers.
    `also_beats`: (kind, rank) of groups of one rank that it beats, from that rank up, in addition to its own kind: a
    bomb that beats only twos has ("single", "2"). With an empty rank it beats every combination of that kind that has
    as many cards: ("straight", "").
    """

    kind: str
    clause: str
    family: str = ""
    tier: int = 0
    power: int = 0
    also_beats: tuple[tuple[str, str], ...] = ()

    def also(self, order: Order) -> tuple[tuple[str, int], ...]:
        """`also_beats` as (kind, strength); without a rank, the whole kind."""
        return tuple((kind, _score(order.ranks.index(rank)) if rank else 0) for kind, rank in self.also_beats)

    def strength(self, cards: Sequence[Card], counts: dict[int, int], order: Order) -> int | None:
        """The strength of `cards`, or None if they do not have this shape."""
        raise TypeError(f"{type(self).__name__} cannot be read")

    def patterns(self, order: Order, copies: int, limit: int) -> Iterator[Pattern]:
        """Every pattern of the shape in a pack with `copies` of a rank and hands of `limit` cards."""
        raise TypeError(f"{type(self).__name__} has no patterns")

    def by_rank(self, strength: int) -> int:
        """The part of a strength that does not depend on suits: equal for plays that only suits could rank."""
        return strength // 4


def _score(rank: int, suit: int = 0) -> int:
    return rank * 4 + suit


def _suits(order: Order, ranked: bool) -> range:
    return range(len(order.suits)) if ranked else range(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Same(Shape):
    """`count` cards of one rank. With `by_suit` the highest suit breaks ties between equal ranks."""

    type: Literal["same"] = "same"
    count: int
    by_suit: bool = False

    def strength(self, cards: Sequence[Card], counts: dict[int, int], order: Order) -> int | None:
        if len(cards) != self.count or len(counts) != 1:
            return None
        rank, suit = max(order.place[c] for c in cards)
        return _score(rank, suit if self.by_suit else 0)

    def patterns(self, order: Order, copies: int, limit: int) -> Iterator[Pattern]:
        decks = copies // len(order.suits)
        jokers = len(JOKERS) if self.count <= decks else 0
        for rank in range(len(order.ranks) + jokers):
            joker = rank >= len(order.ranks)
            for suit in _suits(order, self.by_suit and not joker):
                decider = rank if self.by_suit else -1
                yield Pattern(((rank, self.count),), _score(rank, suit), decider, suit if self.by_suit else -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Shape):
    """Consecutive ranks of `sequence`, `copies` cards of each, `shortest` to `longest` ranks long.

    A run's strength is its place in the sequence; then, as `tie` says, the suit of its first (lowest) card, the highest
    suit of its last (top) group, or nothing. `crown`: one run that ranks above all others, decided by the suit of
    its first rank (the Taiwanese 2-3-4-5-6). `flush`: all cards of one suit. `plain`: not all of one suit (such a run would be of
    another kind).
    """

    type: Literal["run"] = "run"
    copies: int
    sequence: str
    shortest: int
    longest: int
    tie: Literal["none", "first", "last"] = "none"
    crown: str = ""
    flush: bool = False
    plain: bool = False

    def strength(self, cards: Sequence[Card], counts: dict[int, int], order: Order) -> int | None:
        length = len(counts)
        if not self.shortest <= length <= self.longest or length * self.copies != len(cards):
            return None
        if any(n != self.copies for n in counts.values()):
            return None
        if self.flush or self.plain:
            one_suit = len({c.suit for c in cards}) == 1
            if one_suit != self.flush:
                return None
        ranks = {c.rank for c in cards}
        windows = [w for w in self._windows(length) if set(w[0]) == ranks]
        if not windows:
            return None
        _, place, decider = windows[-1]
        suit = max(order.place[c][1] for c in cards if c.rank == decider) if decider else 0
        return _score(place, suit)

    def _windows(self, length: int) -> Iterator[tuple[str, int, str]]:
        """(ranks, place, rank whose suit decides) of every window of `length`, low to high."""
        end = len(self.sequence) - length + 1
        for start in range(end):
            window = self.sequence[start : start + length]
            if window == self.crown:
                continue
            decider = {"none": "", "first": window[0], "last": window[-1]}[self.tie]
            yield window, start, decider
        if self.crown and len(self.crown) == length:
            yield self.crown, end, self.crown[0] if self.tie != "none" else ""

    def patterns(self, order: Order, copies: int, limit: int) -> Iterator[Pattern]:
        if self.copies > copies:
            return
        for length in range(self.shortest, min(self.longest, limit // self.copies) + 1):
            seen: dict[frozenset[str], tuple[str, int, str]] = {frozenset(w[0]): w for w in self._windows(length)}
            for window, place, decider in seen.values():
                ranks = tuple(order.ranks.index(r) for r in window)
                counts = tuple((r, self.copies) for r in ranks)
                for suit in range(len(order.suits)) if self.flush else _suits(order, decider != ""):
                    strength = _score(place, suit if decider else 0)
                    if self.flush:
                        yield Pattern(counts, strength, suit=suit, flush=True)
                    elif decider:
                        rank = order.ranks.index(decider)
                        yield Pattern(counts, strength, decider=rank, suit=suit, mixed=self.plain)
                    else:
                        yield Pattern(counts, strength, mixed=self.plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush(Shape):
    """`size` cards of one suit, compared by the highest card: rank then suit, or with `suit_first` suit then rank."""

    type: Literal["flush"] = "flush"
    size: int
    suit_first: bool = False

    def strength(self, cards: Sequence[Card], counts: dict[int, int], order: Order) -> int | None:
        if len(cards) != self.size or len(counts) != self.size or len({c.suit for c in cards}) != 1:
            return None
        return self._value(*max(order.place[c] for c in cards))

    def _value(self, rank: int, suit: int) -> int:
        return suit * 16 + rank if self.suit_first else _score(rank, suit)

    def by_rank(self, strength: int) -> int:
        return strength % 16 if self.suit_first else strength // 4

    def patterns(self, order: Order, copies: int, limit: int) -> Iterator[Pattern]:
        for ranks in combinations(range(len(order.ranks)), self.size):
            for suit in range(len(order.suits)):
                counts = tuple((r, 1) for r in ranks)
                yield Pattern(counts, self._value(ranks[-1], suit), suit=suit, flush=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups(Shape):
    """A group of `main` cards of one rank with a group of `side` cards of another; the main group's rank decides.

    `any_side`: the side card may be any card, even a joker or one of the main rank (a bomb's odd card, W.12, W.13).
    `by_suit`: the higher of two equal groups decides, then its highest suit (two pairs, H.08).
    """

    type: Literal["groups"] = "groups"
    main: int
    side: int
    any_side: bool = False
    by_suit: bool = False

    def strength(self, cards: Sequence[Card], counts: dict[int, int], order: Order) -> int | None:
        if len(cards) != self.main + self.side:
            return None
        plain = {r: n for r, n in counts.items() if r < len(order.ranks)}
        if self.any_side and self.main + self.side in plain.values():
            return _score(next(iter(plain)))
        if sorted(counts.values()) != sorted((self.main, self.side)):
            return None
        if not self.any_side and len(plain) != len(counts):
            return None
        rank = max(r for r, n in counts.items() if n == self.main)
        if rank >= len(order.ranks):
            return None
        suit = max(order.place[c][1] for c in cards if order.place[c][0] == rank) if self.by_suit else 0
        return _score(rank, suit)

    def patterns(self, order: Order, copies: int, limit: int) -> Iterator[Pattern]:
        if self.main + self.side > limit:
            return
        ranks = len(order.ranks)
        jokers = len(JOKERS) if self.any_side else 0
        for rank in range(ranks):
            for side in range(ranks + jokers):
                if side == rank:
                    if self.any_side and copies >= self.main + self.side:
                        yield Pattern(((rank, self.main + self.side),), _score(rank))
                    continue
                if self.main == self.side and side > rank:
                    continue
                counts = ((rank, self.main), (side, self.side))
                for suit in _suits(order, self.by_suit):
                    decider = rank if self.by_suit else -1
                    yield Pattern(counts, _score(rank, suit), decider, suit if self.by_suit else -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kickers(Shape):
    """Consecutive groups of `copies` cards, each with `sides` kickers: groups of `side` cards, of ranks outside the
    main groups (DD.05).

    A play has `shortest` to `longest` main groups, consecutive in `sequence`; the lowest of them decides. A joker may
    be a single-card kicker; both jokers may be in one play only with `joker_pair`. `distinct`: no two single-card
    kickers have the same rank (larger kickers never do). Among several readings, the one with the highest main groups
    counts.
    """

    type: Literal["kickers"] = "kickers"
    copies: int
    sequence: str
    shortest: int
    longest: int
    side: int
    sides: int = 1
    distinct: bool = False
    joker_pair: bool = False

    def groups(self, size: int) -> int:
        """The number of main groups of a play of so many cards."""
        return size // (self.copies + self.sides * self.side)

    def strength(self, cards: Sequence[Card], counts: dict[int, int], order: Order) -> int | None:
        place = self._place(counts, len(cards), order)
        return None if place is None else _score(place)

    def _place(self, counts: dict[int, int], size: int, order: Order) -> int | None:
        """The place of the lowest main group in the sequence; None if the cards do not have this shape."""
        length, odd = divmod(size, self.copies + self.sides * self.side)
        if odd or not self.shortest <= length <= self.longest:
            return None
        for start in range(len(self.sequence) - length, -1, -1):
            main = [order.ranks.index(r) for r in self.sequence[start : start + length]]
            if all(counts.get(rank) == self.copies for rank in main) and self._are_kickers(
                {rank: n for rank, n in counts.items() if rank not in main}, order
            ):
                return start
        return None

    def has_groups(self, counts: dict[int, int], order: Order) -> bool:
        """Whether the cards would have this shape if kickers could repeat, share a rank with a main group, or be both
        jokers.
        """
        length, odd = divmod(sum(counts.values()), self.copies + self.sides * self.side)
        if odd or not self.shortest <= length <= self.longest:
            return False
        jokers = sum(n for rank, n in counts.items() if rank >= len(order.ranks))
        for start in range(len(self.sequence) - length + 1):
            main = {order.ranks.index(r): self.copies for r in self.sequence[start : start + length]}
            rest = [n - main.get(rank, 0) for rank, n in counts.items() if rank < len(order.ranks)]
            if main.keys() <= counts.keys() and min(rest) >= 0 and not any(n % self.side for n in (*rest, jokers)):
                return True
        return False

    def _are_kickers(self, rest: dict[int, int], order: Order) -> bool:
        jokers = sum(n for rank, n in rest.items() if rank >= len(order.ranks))
        if self.side > 1:
            return jokers == 0 and all(n == self.side for n in rest.values())
        most = 1 if self.distinct else max(rest.values())
        return max(rest.values()) <= most and jokers <= (len(JOKERS) if self.joker_pair else 1)

    def patterns(self, order: Order, copies: int, limit: int) -> Iterator[Pattern]:
        if max(self.copies, self.side) > copies:
            return
        size = self.copies + self.sides * self.side
        for length in range(self.shortest, min(self.longest, limit // size) + 1):
            for start in range(len(self.sequence) - length + 1):
                main = [order.ranks.index(r) for r in self.sequence[start : start + length]]
                for kickers in self._kickers(order, copies, main):
                    counts = (*((rank, self.copies) for rank in main), *kickers)
                    alone = all(n < self.copies for _, n in kickers)
                    if alone or self._place(dict(counts), size * length, order) == start:
                        yield Pattern(counts, _score(start))

    def _kickers(self, order: Order, copies: int, main: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
        """Every choice of kickers for these main groups, as (rank, number) pairs."""
        ranks = [rank for rank in range(len(order.ranks)) if rank not in main]
        wanted = self.sides * len(main)
        if self.side > 1:
            for chosen in combinations(ranks, wanted):
                yield tuple((rank, self.side) for rank in chosen)
            return
        ranks += range(len(order.ranks), len(order.ranks) + len(JOKERS))
        for chosen in (combinations if self.distinct else combinations_with_replacement)(ranks, wanted):
            held = Counter(chosen)
            jokers = [held[rank] for rank in ranks[-len(JOKERS) :]]
            if max(held.values()) <= copies and max(jokers) <= 1 and sum(jokers) <= 1 + self.joker_pair:
                yield tuple(held.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class AllJokers(Shape):
    """All `count` jokers of the pack, together (DD.04)."""

    type: Literal["all-jokers"] = "all-jokers"
    count: int

    def strength(self, cards: Sequence[Card], counts: dict[int, int], order: Order) -> int | None:
        return 0 if len(cards) == self.count and all(c.is_joker for c in cards) else None

    def patterns(self, order: Order, copies: int, limit: int) -> Iterator[Pattern]:
        if self.count <= limit:
            first = len(order.ranks)
            yield Pattern(tuple((first + i, self.count // len(JOKERS)) for i in range(len(JOKERS))), 0)


AnyShape = Same | Run | Flush | Groups | Kickers | AllJokers


def fewest_cards(shape: AnyShape) -> int:
    """A lower bound on the number of cards in a play of this shape."""
    match shape:
        case Same(count=n) | AllJokers(count=n):
            return n
        case Run(copies=n) | Kickers(copies=n):
            return n * shape.shortest
        case _:
            return 1


def recognise(shapes: Sequence[Shape], order: Order, cards: Sequence[Card]) -> Combination | None:
    """The combination that `cards` form, or None. If several shapes fit, the last one counts."""
    counts = Counter(order.place[c][0] for c in cards)
    for shape in reversed(shapes):
        strength = shape.strength(cards, counts, order)
        if strength is not None:
            return combination(shape, order.hand(cards), strength, shape.also(order) if shape.also_beats else ())
    return None


def combination(
    shape: Shape, cards: tuple[Card, ...], strength: int, also: tuple[tuple[str, int], ...] = ()
) -> Combination:
    family = f"{shape.family or shape.kind}/{len(cards)}"
    return Combination(shape.kind, cards, family, shape.power, shape.tier * TIER + strength, also)
