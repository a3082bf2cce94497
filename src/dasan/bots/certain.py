"""Moves that win whatever the others hold."""

from __future__ import annotations

from collections.abc import Sequence

from dasan.bots.judgement import Judgement, Temper
from dasan.bots.sides import enmity
from dasan.bots.two_hands import winning
from dasan.play.moves import Move
from dasan.play.view import View
from dasan.ruleset.policies import Guard

MOST_WAYS = 20
"""The most combinations in a hand; with more it takes too long to look for races."""


def certain(view: View, moves: Sequence[Move]) -> Sequence[Move]:
    """Of `moves`, those after which the seat surely goes out before all others; none where nothing is known.

    A move that goes out leaves no other to consider. With two players left in Winner all cards are known, and the search is
    exact; else a move is certain if it is `unstoppable`.
    """
    if view.phase != "play":
        return ()
    for move in moves:
        if len(move.cards) == len(view.hand):
            return (move,)
    return winning(view) or unstoppable(view, moves)


def unstoppable(view: View, moves: Sequence[Move]) -> Sequence[Move]:
    """Of `moves`, plays and passes, those that begin a race that cannot fail (see `races`).

    None where a player who still holds cards is no opponent: a friend could take the lead. None either where a duty to guard may
    forbid a play of the race, or where plays also beat some of other kinds.
    """
    rules = view.rules
    if rules.guard is Guard.ENFORCED or any(shape.also_beats for shape in rules.shapes):
        return ()
    stances = enmity(view)
    if any(held and stances[seat] <= 0 for seat, held in enumerate(view.hand_sizes) if seat != view.seat):
        return ()
    called = view.called if view.called in view.hand else None
    if len(rules.catalogue.fits(view.hand, called)) > MOST_WAYS:
        return ()
    judgement = Judgement(view, Temper())
    return [move for move in moves if judgement.proved(move)]
