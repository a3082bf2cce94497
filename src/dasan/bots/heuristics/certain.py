"""Moves that win whatever cards the others hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from dasan.bots.heuristics.sides import enmity
from dasan.bots.heuristics.two_hands import winning
from dasan.bots.heuristics.view_costs import ViewCosts
from dasan.bots.protocol import choices, goes_out
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.policies import Guard

MOST_WAYS = 20
"""The most combinations in a hand: with more, the search for races takes too long."""


class Certain:
    """Proofs about the legal moves of a view, computed on demand and cached."""

    def __init__(self, view: View) -> None:
        self._view = view

    @cached_property
    def costs(self) -> ViewCosts:
        """The costs of the view."""
        return ViewCosts(self._view)

    @cached_property
    def moves(self) -> Sequence[Move]:
        """The moves after which the seat surely goes out before all others; empty if none is proved.

        If a move goes out, no other is considered. With two players left in Winner all cards are known, and the
        search is exact; else a move is certain if it is `unstoppable`.
        """
        if self._view.phase != "play":
            return ()
        out = goes_out(self._view)
        return (out,) if out is not None else self.proved or self.unstoppable

    @cached_property
    def proved(self) -> Sequence[Move]:
        """The moves that win against the only other player left, see `two_hands.winning`; empty if that is unknown."""
        return winning(self._view) or ()

    @cached_property
    def unstoppable(self) -> Sequence[Move]:
        """The moves that begin a race that cannot fail (see `races`).

        Empty if a player who still holds cards is not an opponent, because a friend could take the lead; also if a
        duty to guard may forbid a play of the race.
        """
        view = self._view
        rules = view.rules
        if view.phase != "play" or rules.guard is Guard.ENFORCED:
            return ()
        stances = enmity(view)
        if any(held and stances[seat] <= 0 for seat, held in enumerate(view.hand_sizes) if seat != view.seat):
            return ()
        called = view.called if view.called in view.hand else None
        if len(rules.catalogue.fits(view.hand, called)) > MOST_WAYS:
            return ()
        return [move for move in choices(view) if self.costs.proved(move)]
