"""Choices of cards: the other ways to form a listed play from the hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dasan.cards import Card, texts
from dasan.play.moves import Move, MoveType
from dasan.ruleset.catalogue import Row
from dasan.ruleset.rules import Rules


@dataclass(frozen=True, slots=True)
class Choice:
    """The play takes any `take` of these `cards` of the hand."""

    take: int
    cards: tuple[Card, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"take": self.take, "cards": texts(self.cards)}


@dataclass(frozen=True, slots=True)
class Choices:
    """All ways to form a listed play: the `fixed` cards, and some of each choice.

    other: exceptions, the sets of cards chosen this way that are of another kind (a straight in one suit).
    """

    fixed: tuple[Card, ...]
    choices: tuple[Choice, ...]
    other: tuple[tuple[Card, ...], ...] = ()


class Choosing:
    """The choices among the cards of one hand. called: the called card. must: a card that the play must include."""

    def __init__(self, rules: Rules, hand: Sequence[Card], called: Card | None, must: Card | None) -> None:
        self._place = rules.order.place
        self._called = called if called is not None and called in hand else None
        self._must = must
        self._at: dict[int, list[Card]] = {}
        for c in hand:
            self._at.setdefault(self._place[c][0], []).append(c)
        fits = rules.catalogue.fits(hand, self._called)
        self._rows = {combination.cards: row for row, combination in fits if row.cards is None}

    def of(self, move: Move) -> Choices | None:
        """The choices of a legal play; None if its cards are the only way."""
        row = self._rows.get(move.cards) if move.type is MoveType.PLAY else None
        if row is None or row.pattern.flush:
            return None
        groups = [self._group(row, rank, n) for rank, n in sorted(row.pattern.counts)]
        choices = tuple(Choice(take, tuple(pool)) for _, take, pool in groups if 0 < take < len(pool))
        if not choices:
            return None
        fixed = [c for held, take, pool in groups for c in (*held, *(pool if take == len(pool) else ()))]
        return Choices(tuple(fixed), choices, tuple(self._in_one_suit(groups)) if row.pattern.mixed else ())

    def _group(self, row: Row, rank: int, n: int) -> tuple[list[Card], int, list[Card]]:
        """(fixed cards, number of further cards, cards to choose them from) of one rank."""
        pool, fixed = list(self._at[rank]), []
        if self._called in pool and not row.called:
            pool.remove(self._called)
        if rank == row.pattern.decider:
            pool = [c for c in pool if self._place[c][1] <= row.pattern.suit]
            fixed.append(pool.pop())
        for c in (self._called if row.called else None, self._must):
            if c in pool and c not in fixed:
                pool.remove(c)
                fixed.append(c)
        return fixed, n - len(fixed), pool

    def _in_one_suit(self, groups: list[tuple[list[Card], int, list[Card]]]) -> Iterator[tuple[Card, ...]]:
        """The ways to form the play from cards of one suit. groups: `_group` of each rank."""
        suits = {c.suit for _, _, pool in groups for c in pool} | {c.suit for fixed, _, _ in groups for c in fixed}
        for suit in sorted(suits):
            taken: list[Card] = []
            for fixed, take, pool in groups:
                same = [c for c in pool if c.suit == suit]
                if len(same) < take or any(c.suit != suit for c in fixed):
                    break
                taken += [*fixed, *same[:take]]
            else:
                yield tuple(taken)
