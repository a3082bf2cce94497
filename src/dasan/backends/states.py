"""The backends that work on the engine's own states: the interpreted engine, and the search of endgames without sides."""

from __future__ import annotations

from dasan.backends.contract import (
    DESCRIBES,
    SHAPE,
    Backend,
    Condition,
    Purpose,
    anything,
    kind_of,
    only,
)
from dasan.ruleset.policies import CardScoring, Ending, FixedScoring, NextDealer, OpeningLead
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Flush, Groups, Run, Same

ENGINE = Backend(
    name="engine",
    purposes=(Purpose.ENVIRONMENTS, Purpose.WORLDS),
    summary="the interpreted engine: every rules value there is",
    compiled=False,
)


def _placed(rules: Rules) -> str | None:
    """Where play goes on to the end the last one in has a place too."""
    if rules.ending is Ending.LAST_IN and rules.next_dealer is not NextDealer.LAST_IN:
        return f"next_dealer is {rules.next_dealer.value}, not last-in where play goes on to the end"
    return None


_SHAPE: dict[str, Condition] = {**SHAPE, "tier": anything, "power": anything}

ENDGAME = Backend(
    name="endgame",
    purposes=(Purpose.SOLVER, Purpose.ENDGAME),
    summary="interpreted search of the engine's states, everybody alone",
    compiled=False,
    honours={
        Rules: {
            **DESCRIBES,
            "players": anything,
            "decks": anything,
            "jokers": anything,
            "ranks": anything,
            "left_out": anything,
            "suits": anything,
            "suits_ranked": anything,
            "shapes": anything,
            "hand_size": anything,
            "next_dealer": anything,
            "ending": anything,
            "scoring": kind_of(FixedScoring, CardScoring),
            "auction": only(None),
            "call": only(None),
            "reveal_kitty": anything,
            "opening": anything,
            "later_lead": anything,
            "pass_is_final": anything,
            "guard": anything,
            "restart": anything,
            "exchange": anything,
        },
        FixedScoring: {"type": anything, "stake": anything},
        CardScoring: {"type": anything, "tiers": anything, "unplayed": anything},
        OpeningLead: {"card": anything, "in_the_lead": anything},
        Same: {**_SHAPE, "count": anything, "by_suit": anything},
        Groups: {**_SHAPE, "main": anything, "side": anything, "any_side": anything, "by_suit": anything},
        Run: {
            **_SHAPE,
            "copies": anything,
            "sequence": anything,
            "shortest": anything,
            "longest": anything,
            "tie": anything,
            "crown": anything,
            "flush": anything,
            "plain": anything,
        },
        Flush: {**_SHAPE, "size": anything, "suit_first": anything},
    },
    together=(_placed,),
)

__all__ = ["ENDGAME", "ENGINE"]
