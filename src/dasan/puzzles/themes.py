"""The themes of puzzles: exact conditions on a position and on the only move that wins it.

A theme describes the move; the values prove it. Since every other move loses, a move that gives up the lead wins
*because* keeping it loses, and a pass that spares an ally wins *because* beating the ally loses. A play "stands" if
nobody on the other side can beat it.
"""

from __future__ import annotations

from collections.abc import Callable

from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.puzzles.sight import Sight
from dasan.puzzles.truth import Truth
from dasan.ruleset.shapes import Run

Theme = Callable[[State, Move, Sight], bool]


def tempo(state: State, key: Move, sight: Sight) -> bool:
    """The mover gives up the lead: leads that stand lose; the winning lead can be beaten."""
    if state.table is not None or key.combination is None or sight.stands(key.combination):
        return False
    return any(sight.stands(m.combination) for m in state.legal_moves() if m.combination is not None)


def feeding(state: State, key: Move, sight: Sight) -> bool:
    """The lead is for an ally: if the other side passes, an ally must beat it; the ally's pass loses."""
    return state.table is None and _fed(state, key, sight) is not None


def control(state: State, key: Move, sight: Sight) -> bool:
    """The mover holds back a control: taking the opponent's trick with a set that stands loses; the winning pass or
    lower play keeps that set.
    """
    if state.table_seat is None or state.table_seat in sight.allies:
        return False
    if key.combination is not None and sight.stands(key.combination):
        return False
    return any(
        sight.stands(m.combination) and _is_set(m) and not set(m.cards) & set(key.cards)
        for m in state.legal_moves()
        if m.combination is not None
    )


def splitting(state: State, key: Move, sight: Sight) -> bool:
    """The mover breaks up a run: the winning set uses cards of a run, and the hand still takes at least as many plays
    to empty as before.
    """
    if key.combination is None or not _is_set(key):
        return False
    left = [c.rank for c in state.hands[sight.seat] if c not in key.cards]
    breaks = any(
        any(left.count(c.rank) < [r.rank for r in run.cards].count(c.rank) for c in key.cards)
        for row, run in state.fits(sight.seat)
        if isinstance(row.shape, Run)
        and len(row.pattern.counts) > 1
        and key.cards[0].rank in {c.rank for c in run.cards}
    )
    return breaks and sight.turns(key.cards) >= sight.turns()


def refusing(state: State, key: Move, sight: Sight) -> bool:
    """An ally is not beaten: the play to beat is an ally's, the mover could beat it, and only the pass wins."""
    return key.combination is None and state.table_seat in sight.allies


THEMES: dict[str, Theme] = {
    "tempo": tempo,
    "feeding": feeding,
    "control": control,
    "splitting": splitting,
    "refusing": refusing,
}
"""The test of each theme, by name; `themes_of` adds the proof."""


def themes_of(state: State, key: Move, sight: Sight, truth: Truth) -> tuple[str, ...]:
    """The themes of a position in which `key` alone wins."""
    themes = [name for name, theme in THEMES.items() if theme(state, key, sight)]
    if "feeding" in themes:
        fed = _fed(state, key, sight)
        if fed is None or truth.wins(fed.play("pass"), sight.allies):
            themes.remove("feeding")
    return tuple(themes)


def _fed(state: State, key: Move, sight: Sight) -> State | None:
    """The position in which an ally that can beat the lead `key` acts after the other side has passed; None if there is
    none.
    """
    after = state.play(key)
    while after.phase is Phase.PLAY and after.table is not None and after.to_act not in sight.allies:
        after = after.play("pass")
    if after.phase is not Phase.PLAY or after.table is None or len(after.legal_moves()) == 1:
        return None
    return after


def _is_set(move: Move) -> bool:
    return len({c.rank for c in move.cards}) == 1
