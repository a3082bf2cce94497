"""Backend for games whose plays are patterns (Winner): one deck or two, jokers, play to the last card; a hand is two
words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dasan.backends.cardsets import written_card
from dasan.backends.contract import (
    DESCRIBES,
    SHAPE,
    Backend,
    Purpose,
    anything,
    between,
    kind_of,
    only,
)
from dasan.ruleset.policies import CardScoring, Ending, FixedScoring, NextDealer, OpeningLead, Restart
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Groups, Run, Same

PLAYERS = 8
COPIES = 8
SEQUENCE = 14
"""The most ranks in the sequence of runs: four bits each in a word, with the ace at both ends."""
BLOCKS = 96
"""The most words of rows: one for each length of a run, one for each rank of a group with a side."""


def _round(sequence: Any, rules: Rules) -> str | None:
    known = len(sequence) <= SEQUENCE and sequence in rules.ranks * 2
    return None if known else f"at most {SEQUENCE} ranks that follow one another round {rules.ranks}"


def _apart(rules: Rules) -> Iterator[str]:
    kinds = [shape.kind for shape in rules.shapes]
    families = [shape.family or shape.kind for shape in rules.shapes]
    if len(set(kinds)) < len(kinds):
        yield "shapes are two of the same kind"
    if len(set(families)) < len(families):
        yield "shapes are two of the same family"
    if len({shape.sequence for shape in rules.shapes if isinstance(shape, Run)}) > 1:
        yield "shapes are runs of two sequences"
    blocks = 0
    for i, shape in enumerate(rules.shapes):
        match shape:
            case Run():
                blocks += shape.longest - shape.shortest + 1
                if shape.flush and shape.plain:
                    yield f"shapes[{i}].plain is True, not False for a flush"
                if (shape.flush or shape.plain) and shape.copies > 1:
                    yield f"shapes[{i}].copies is {shape.copies}, not 1 where suits make the kind"
                if (shape.flush or shape.plain) and shape.tie == "last":
                    yield f"shapes[{i}].tie is last, not none or first where suits make the kind"
            case Groups():
                blocks += len(rules.ranks)
            case _:
                blocks += 1
    if blocks > BLOCKS:
        yield f"shapes take {blocks} words, not at most {BLOCKS}"


def _checked(rules: Rules) -> str | None:
    return next(_apart(rules), None)


_SHAPE = {**SHAPE, "power": anything}

PATTERNS = Backend(
    name="patterns",
    purposes=(Purpose.ENVIRONMENTS, Purpose.WORLDS, Purpose.ENDGAME),
    summary="compiled: a hand is the cards held once and those held twice, a play a pattern",
    compiled=True,
    honours={
        Rules: {
            **DESCRIBES,
            "players": between(2, PLAYERS),
            "decks": only(1, 2),
            "jokers": anything,
            "ranks": anything,
            "suits": anything,
            "suits_ranked": anything,
            "shapes": anything,
            "hand_size": only(None),
            "next_dealer": only(NextDealer.LAST_IN),
            "ending": only(Ending.LAST_IN),
            "scoring": kind_of(FixedScoring, CardScoring),
            "reveal_kitty": anything,
            "opening": anything,
            "later_lead": anything,
            "restart": only(Restart.OFF, Restart.WHEN_UNBEATABLE, Restart.ALWAYS),
            "exchange": anything,
        },
        FixedScoring: {"type": anything, "stake": anything},
        CardScoring: {"type": anything, "tiers": anything, "unplayed": anything},
        OpeningLead: {"card": written_card, "in_the_lead": only(False)},
        Same: {**_SHAPE, "count": between(1, COPIES), "by_suit": anything},
        Groups: {
            **_SHAPE,
            "main": between(1, COPIES),
            "side": between(1, COPIES),
            "any_side": anything,
        },
        Run: {
            **_SHAPE,
            "copies": between(1, COPIES),
            "sequence": _round,
            "shortest": anything,
            "longest": anything,
            "tie": anything,
            "flush": anything,
            "plain": anything,
        },
    },
    together=(_checked,),
)
