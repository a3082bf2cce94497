"""The catalogue: every pattern of cards that rules allow, compiled once.

Engine, bots, kernels and environments read the catalogue; none of them reads the shapes again. A row is a pattern: a
kind, the number of cards of each rank, and the deciding suit if there is one; `pick` takes its cards out of a hand,
with the lowest suits that do not change the pattern. Where suits never matter (Big Three) or a row is an exact set of
cards (Big Two), the `scope` is "complete": every choice that could make a difference has its own row. Winner's rows
are "canonical": one choice of side suits stands for all choices of the same kind, ranks and deciding suit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb, prod
from typing import Literal, TypeAlias

from dasan.cards import Card, Order, pack
from dasan.ruleset.fields import RulesFields
from dasan.ruleset.shapes import TIER, AnyShape, Combination, Flush, Kickers, Pattern, Run, Shape, made

_LANE = 8
MOST_RECENT = 64
"""The number of hands whose playable rows a catalogue caches."""


def lanes(counts: Iterable[tuple[int, int]]) -> int:
    """(rank, number) pairs as one integer with `number` bits set in each rank's lane: sets of cards compare as sets of bits."""
    return sum([((1 << n) - 1) << (_LANE * rank) for rank, n in counts])


def _rank_mask(counts: Iterable[tuple[int, int]]) -> int:
    mask = 0
    for rank, _ in counts:
        mask |= ((1 << _LANE) - 1) << (_LANE * rank)
    return mask


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One entry of the catalogue. called: whether the play must contain the called card or must not; None where no card is
    called.

    cards: the exact cards if the catalogue lists complete sets, else None. need: the counts as `lanes`. touches: all lanes of
    the ranks it uses.
    """

    id: int
    kind: str
    size: int
    pattern: Pattern
    family: str
    power: int
    strength: int
    called: bool | None
    cards: tuple[Card, ...] | None
    need: int
    touches: int
    shape: Shape
    also: tuple[tuple[str, int], ...] = ()

    def beats(self, other: Combination) -> bool:
        if self.power != other.power:
            return self.power > other.power
        if self.family == other.family:
            return self.strength > other.strength
        return self.also != () and any(other.kind == kind and other.strength >= least for kind, least in self.also)

    def played(self, cards: tuple[Card, ...]) -> Combination:
        """The combination of these cards, which `pick` chose for this row."""
        return made(self.kind, cards, self.family, self.power, self.strength, self.also)


Fit = tuple[Row, Combination]
"""A row, and the cards of a hand picked for it."""


@dataclass(frozen=True)
class CardRules:
    """The part of rules that a catalogue depends on. Rules that differ in payments, auction or turns have equal values."""

    shapes: tuple[AnyShape, ...]
    pack: tuple[Card, ...]
    ranks: str
    suits: str
    suits_ranked: bool
    suits_matter: bool
    decks: int
    jokers: bool
    most_cards: int
    dealt_out: bool
    """Whether no card is left over after the deal."""
    called_ranks: str | None
    """The ranks of which a card may be called, or None if none is called."""

    @classmethod
    def of(cls, rules: RulesFields) -> CardRules:
        return cls(
            shapes=rules.shapes,
            pack=rules.pack,
            ranks=rules.ranks,
            suits=rules.suits,
            suits_ranked=rules.suits_ranked,
            suits_matter=rules.suits_matter,
            decks=rules.decks,
            jokers=rules.jokers,
            most_cards=rules.most_cards,
            dealt_out=rules.hand_size is None,
            called_ranks=None if rules.call is None else rules.call.ranks,
        )

    @cached_property
    def order(self) -> Order:
        return Order(self.ranks, self.suits, self.suits_ranked)

    @cached_property
    def whole_pack(self) -> bool:
        """Whether no rank and no card is left out of the pack."""
        return len(self.pack) == len(pack(self.decks, self.jokers))


@dataclass(frozen=True, eq=False)
class Catalogue:
    """All rows of one set of rules, in a fixed order: by shape as declared, then as each shape lists its patterns."""

    rules: CardRules
    rows: tuple[Row, ...]
    scope: Literal["complete", "canonical"]

    def __repr__(self) -> str:
        return f"<Catalogue {self.scope}, {len(self.rows)} rows>"

    @cached_property
    def _by_cards(self) -> dict[int, Row]:
        """If the catalogue lists complete sets, its rows by the sum of their cards' bits."""
        bit = self._bits
        return {sum(bit[c] for c in row.cards): row for row in self.rows if row.cards is not None}

    @cached_property
    def _needs(self) -> tuple[tuple[int, Row], ...]:
        return tuple((row.need, row) for row in self.rows)

    @cached_property
    def _bits(self) -> dict[Card, int]:
        return {c: 1 << i for i, c in enumerate(self.rules.pack)}

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(sorted({row.size for row in self.rows}))

    @cached_property
    def _recent(self) -> dict[tuple[tuple[Card, ...], Card | None], tuple[Fit, ...]]:
        """The playable rows of recent hands: a bot asks again for rows that the state has just computed."""
        return {}

    def _remembered(self, hand: Sequence[Card], called: Card | None, fits: tuple[Fit, ...]) -> tuple[Fit, ...]:
        recent = self._recent
        if len(recent) >= MOST_RECENT:
            recent.clear()
        recent[tuple(hand), called] = fits
        return fits

    def fits(self, hand: Sequence[Card], called: Card | None = None) -> tuple[Fit, ...]:
        """Every row that `hand` can play, with its cards, in the order of the rows."""
        fits = self._recent.get((tuple(hand), called))
        return self._remembered(hand, called, self._all_fits(hand, called)) if fits is None else fits

    def _all_fits(self, hand: Sequence[Card], called: Card | None) -> tuple[Fit, ...]:
        if self._by_cards:
            return self._complete_fits(hand)
        holding = _Holding(self.rules, hand, called)
        have, out = holding.have, []
        for row in [row for need, row in self._needs if need & have == need]:
            cards = holding.pick(row)
            if cards is not None:
                out.append((row, row.played(cards)))
        return tuple(out)

    def _complete_fits(self, hand: Sequence[Card]) -> tuple[Fit, ...]:
        bits = [self._bits[c] for c in hand]
        by_cards = self._by_cards
        rows = [by_cards[key] for n in self._sizes for key in map(sum, combinations(bits, n)) if key in by_cards]
        rows.sort(key=lambda row: row.id)
        return tuple((row, row.played(row.cards or ())) for row in rows)

    def refit(
        self, fits: tuple[Fit, ...], hand: Sequence[Card], played: Sequence[Card], called: Card | None
    ) -> tuple[Fit, ...]:
        """`fits(hand)`, computed faster from the `fits` that the hand had before it played `played`."""
        return self._remembered(hand, called, self._fewer_fits(fits, hand, played, called))

    def _fewer_fits(
        self, fits: tuple[Fit, ...], hand: Sequence[Card], played: Sequence[Card], called: Card | None
    ) -> tuple[Fit, ...]:
        if self._by_cards:
            gone = set(played)
            return tuple(fit for fit in fits if gone.isdisjoint(fit[1].cards))
        place = self.rules.order.place
        touched = _rank_mask((place[c][0], 0) for c in played)
        holding = _Holding(self.rules, hand, called)
        have = holding.have
        out = []
        for fit in fits:
            row = fit[0]
            if row.need & have != row.need:
                continue
            if row.touches & touched:
                cards = holding.pick(row)
                if cards is None:
                    continue
                out.append((row, row.played(cards)))
            else:
                out.append(fit)
        return tuple(out)

    def pick(self, hand: Sequence[Card], row: Row, called: Card | None = None) -> tuple[Card, ...] | None:
        """The cards of `hand` that play `row`, or None if it cannot."""
        if row.cards is not None:
            return row.cards if set(row.cards) <= set(hand) else None
        holding = _Holding(self.rules, hand, called)
        return holding.pick(row) if row.need & holding.have == row.need else None

    def any_beats(self, cards: Sequence[Card], target: Combination, limit: int) -> bool:
        """Whether some row of at most `limit` cards that beats `target` could be made of `cards`."""
        holding = _Holding(self.rules, cards, None)
        have = holding.have
        return any(
            row.size <= limit and row.need & have == row.need and row.beats(target) and holding.pick(row) is not None
            for row in self.rows
        )

    def census(self) -> dict[str, int]:
        """The number of rows of each kind."""
        return dict(Counter(row.kind for row in self.rows))


class _Holding:
    """A hand sorted by rank, from which rows are picked."""

    __slots__ = ("_at", "_called", "_cards", "_others", "_suits", "have")

    def __init__(self, rules: CardRules, hand: Sequence[Card], called: Card | None) -> None:
        place = rules.order.place
        self._at = rules.order.at
        suits: dict[int, list[int]] = {}
        cards: dict[int, list[Card]] = {}
        for c in sorted(hand, key=place.__getitem__):
            rank, suit = place[c]
            if rank in suits:
                suits[rank].append(suit)
                cards[rank].append(c)
            else:
                suits[rank], cards[rank] = [suit], [c]
        self._suits, self._cards = suits, cards
        self._called: tuple[int, int] | None = None
        self._others = self
        if called is not None and called in hand:
            self._called = place[called]
            self._others = _Holding(rules, [c for c in hand if c != called], None)
        self.have = lanes([(rank, len(held)) for rank, held in suits.items()])

    def pick(self, row: Row) -> tuple[Card, ...] | None:
        """The cards with the lowest suits that make `row`; the hand must hold `row.need`."""
        if row.called:
            return None if self._called is None else self._pick(row.pattern, self._called)
        if row.called is None or self._called is None:
            return self._pick(row.pattern)
        return self._others._pick(row.pattern) if row.need & self._others.have == row.need else None

    def _pick(self, pattern: Pattern, with_: tuple[int, int] | None = None) -> tuple[Card, ...] | None:
        """The cards with the lowest suits that make `pattern`. with_: the rank and suit of a card that must be among
        them.
        """
        if with_ is not None and all(rank != with_[0] for rank, _ in pattern.counts):
            return None
        if pattern.flush:
            suit = pattern.suit
            if any(suit not in self._suits[rank] for rank, _ in pattern.counts) or (with_ and suit != with_[1]):
                return None
            return tuple(self._at[rank, suit] for rank, _ in sorted(pattern.counts))
        if pattern.decider < 0 and not pattern.mixed and with_ is None:
            cards = self._cards
            if len(pattern.counts) == 1:
                ((rank, n),) = pattern.counts
                return tuple(cards[rank][:n])
            return tuple([c for rank, n in sorted(pattern.counts) for c in cards[rank][:n]])
        chosen: list[tuple[int, int]] = []
        for rank, n in pattern.counts:
            held = self._suits[rank]
            fixed: tuple[int, ...] = ()
            if rank == pattern.decider:
                if pattern.suit not in held:
                    return None
                held, fixed = [s for s in held if s <= pattern.suit][:-1], (pattern.suit,)
            if with_ is not None and rank == with_[0] and with_[1] not in fixed:
                if with_[1] not in held:
                    return None
                held, fixed = [s for s in held if s != with_[1]], (with_[1], *fixed)
            if not 0 <= n - len(fixed) <= len(held):
                return None
            chosen += [(rank, s) for s in (*held[: n - len(fixed)], *fixed)]
        if pattern.mixed and len({s for _, s in chosen}) == 1:
            mixed = self._unflush(pattern, chosen, with_)
            if mixed is None:
                return None
            chosen = mixed
        chosen.sort()
        return tuple(self._at[place] for place in chosen)

    def _unflush(
        self, pattern: Pattern, chosen: list[tuple[int, int]], fixed: tuple[int, int] | None
    ) -> list[tuple[int, int]] | None:
        """Replace one card of a straight in one suit, but not `fixed`, by the next higher suit, at the lowest rank where the hand
        holds one.
        """
        for i, (rank, suit) in enumerate(chosen):
            other = [s for s in self._suits[rank] if s > suit]
            if rank != pattern.decider and (rank, suit) != fixed and other:
                return [*chosen[:i], (rank, other[0]), *chosen[i + 1 :]]
        return None


def _rows(rules: CardRules) -> Iterable[tuple[Shape, Pattern]]:
    copies = len(rules.suits) * rules.decks
    # A flush in sequence is a straight flush, and triplets with triplets as kickers are a longer run: of two shapes with the same
    # cards the later one counts.
    meant: dict[tuple[frozenset[tuple[int, int]], int], Shape] = {}
    patterns = [(shape, tuple(shape.patterns(rules.order, copies, rules.most_cards))) for shape in rules.shapes]
    if any(isinstance(shape, Flush) for shape in rules.shapes):
        for shape, listed in patterns:
            if isinstance(shape, Flush) or (isinstance(shape, Run) and shape.flush):
                for pattern in listed:
                    meant[frozenset(pattern.counts), pattern.suit] = shape
    kickers = [shape for shape in rules.shapes if isinstance(shape, Kickers)]
    if kickers:
        for shape, listed in patterns:
            if isinstance(shape, Kickers) or (isinstance(shape, Run) and shape.copies in {k.copies for k in kickers}):
                meant |= {(frozenset(pattern.counts), -1): shape for pattern in listed}
    for shape, listed in patterns:
        for pattern in listed:
            possible = rules.jokers or all(rank < len(rules.ranks) for rank, _ in pattern.counts)
            ambiguous = pattern.flush or kickers
            if ambiguous and meant.get((frozenset(pattern.counts), pattern.suit), shape) is not shape:
                continue
            if possible and _can_be_highest(pattern, rules.decks) and _in_pack(pattern, rules):
                yield shape, pattern


def _in_pack(pattern: Pattern, rules: CardRules) -> bool:
    """Whether the pack contains the cards, if it lacks some ranks and suits."""
    if rules.whole_pack:
        return True
    for rank, n in pattern.counts:
        if rank < len(rules.ranks):
            decides = rank == pattern.decider or pattern.flush
            suits = [rules.order.place[c][1] for c in rules.pack if c.rank == rules.ranks[rank]]
            if n > len([suit for suit in suits if not decides or suit <= pattern.suit]):
                return False
            if decides and pattern.suit not in suits:
                return False
    return True


def _can_be_highest(pattern: Pattern, decks: int) -> bool:
    """Whether there are enough cards of the deciding suit and below: in one pack no pair has ♦ as its higher suit."""
    needed = dict(pattern.counts).get(pattern.decider, 0)
    return needed <= (pattern.suit + 1) * decks


MOST_SETS = 60_000


Listed: TypeAlias = Sequence[tuple[Shape, Pattern]]


def _lists_exact_sets(rules: CardRules, listed: Listed) -> bool:
    """Whether a row is an exact set of cards: suits count, no two cards are equal, and there are few enough sets in
    the pack to list, and in a hand to look up in `fits`. If the whole pack is dealt, this is done only for games with
    flushes, because splitting the rest of a hand into flushes requires the suits of all its cards.
    """
    whole = rules.dealt_out and not any(isinstance(shape, Flush) for shape, _ in listed)
    if not rules.suits_ranked or whole or rules.decks > 1 or rules.jokers:
        return False
    suits = len(rules.suits)
    sets, sizes = 0, set()
    for _, pattern in listed:
        sizes.add(sum(n for _, n in pattern.counts))
        sets += 1 if pattern.flush else prod(comb(suits, n) for _, n in pattern.counts)
    return max(sets, sum(comb(rules.most_cards, size) for size in sizes)) <= MOST_SETS


def compile(rules: RulesFields) -> Catalogue:
    """The catalogue of `rules`; the same object for rules with equal `CardRules`.

    >>> import dasan
    >>> compile(dasan.rules("big-three")).census()["straight"]
    36
    """
    return _compile(CardRules.of(rules))


@lru_cache(maxsize=32)
def _compile(rules: CardRules) -> Catalogue:
    listed = tuple(_rows(rules))
    if _lists_exact_sets(rules, listed):
        return Catalogue(rules, tuple(_complete_rows(rules, listed)), "complete")
    rows: list[Row] = []
    for shape, pattern in listed:
        flags: tuple[bool | None, ...] = (None,)
        if rules.called_ranks is not None:
            ranks = {rules.ranks[rank] for rank, _ in pattern.counts if rank < len(rules.ranks)}
            flags = (False,) if ranks.isdisjoint(rules.called_ranks) else (False, True)
        for called in flags:
            rows.append(_row(rules, len(rows), shape, pattern, called, None))
    return Catalogue(rules, tuple(rows), "canonical" if rules.suits_matter else "complete")


def _row(
    rules: CardRules,
    number: int,
    shape: Shape,
    pattern: Pattern,
    called: bool | None,
    cards: tuple[Card, ...] | None,
) -> Row:
    size, family, need, touches = _derived(shape.family or shape.kind, pattern.counts)
    return Row(
        id=number,
        kind=shape.kind,
        size=size,
        pattern=pattern,
        family=family,
        power=shape.power,
        strength=shape.tier * TIER + pattern.strength,
        called=called,
        cards=cards,
        need=need,
        touches=touches,
        shape=shape,
        also=shape.also(rules.order) if shape.also_beats else (),
    )


@lru_cache(maxsize=4096)
def _derived(family: str, counts: tuple[tuple[int, int], ...]) -> tuple[int, str, int, int]:
    """(size, family, need, touches) of a row."""
    size = sum(n for _, n in counts)
    return size, f"{family}/{size}", lanes(counts), _rank_mask(counts)


def _complete_rows(rules: CardRules, listed: Listed) -> Iterable[Row]:
    """For every pattern, every set of cards that has exactly its kind and strength."""
    at = rules.order.at
    suits = range(len(rules.suits))
    there = set(rules.pack)
    number = 0
    for shape, pattern in listed:
        partial: list[tuple[Card, ...]] = [()]
        for rank, n in pattern.counts:
            groups: list[tuple[Card, ...]]
            if pattern.flush:
                groups = [(at[rank, pattern.suit],)]
            else:
                groups = [
                    tuple(at[rank, s] for s in chosen)
                    for chosen in combinations(suits, n)
                    if rank != pattern.decider or chosen[-1] == pattern.suit
                ]
            partial = [held + group for held in partial for group in groups]
        for cards in partial:
            if pattern.mixed and len({c.suit for c in cards}) == 1:
                continue
            if not (rules.whole_pack or set(cards) <= there):
                continue
            yield _row(rules, number, shape, pattern, None, rules.order.hand(cards))
            number += 1
