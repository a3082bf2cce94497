"""Backend for games whose plays are exact sets of at most five cards (Big Two): a hand is a set of cards in one word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
from dasan.cards import card
from dasan.errors import DasanError
from dasan.ruleset.policies import CardScoring, Ending, FixedScoring, Guard, LaterLead, NextDealer, OpeningLead
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Flush, Groups, Run, Same

CARDS = 13
"""The most cards in a hand, which sizes the arrays of legal plays."""
LARGE = 5
"""Cards of a run or a flush."""
WINDOWS = 16
"""The most straights, ignoring suits: with more, ids would not fit into int16."""
GROUPS = ((2, 2), (3, 2), (4, 1))


def written_card(value: Any, rules: Rules) -> str | None:
    """A condition: the card is written as `str` writes it, because kernels compare texts."""
    try:
        known = str(card(value)) == value
    except (DasanError, TypeError):
        known = False
    return None if known else "a card like 3D"


def sizes_of(shape: AnyShape) -> set[int]:
    """The numbers of cards that plays of the shape can have."""
    match shape:
        case Same(count=n) | Flush(size=n):
            return {n}
        case Groups(main=a, side=b):
            return {a + b}
        case Run(copies=n, shortest=least, longest=most):
            return {n * length for length in range(least, most + 1)}
        case _:
            return set()


def _form(shape: AnyShape) -> tuple[object, ...]:
    """A key that two shapes share if they can fit the same cards."""
    match shape:
        case Run(flush=flush):
            return "run", flush
        case Groups(main=a, side=b):
            return "groups", a, b
        case Same(count=n):
            return "same", n
        case Flush():
            return ("flush",)
        case _:
            return (shape.type, shape.kind)


def _one_family(rules: Rules) -> str | None:
    families = [(shape.family or shape.kind, sizes_of(shape)) for shape in rules.shapes]
    if any(a != b and x & y for a, x in families for b, y in families):
        return "shapes of one size are of two families"
    return None


def _listed(rules: Rules) -> Iterator[str]:
    forms = [_form(shape) for shape in rules.shapes]
    if len(set(forms)) < len(forms):
        yield "shapes are two of the same form"
    for i, shape in enumerate(rules.shapes):
        if isinstance(shape, Groups) and (shape.main, shape.side) not in GROUPS:
            yield f"shapes[{i}].main is {shape.main} beside {shape.side}, not one of {GROUPS}"
        if isinstance(shape, Run):
            if shape.plain == shape.flush:
                yield f"shapes[{i}].plain is {shape.plain}, not the opposite of flush"
            if len(shape.sequence) - LARGE + 1 > WINDOWS:
                yield f"shapes[{i}].sequence has {len(shape.sequence)} ranks, too many"
        if isinstance(shape, Same) and shape.count == 1 and not shape.by_suit and rules.guard is not Guard.OFF:
            yield f"guard is {rules.guard.value}, which takes single cards that compare by suit"


def _checked(rules: Rules) -> str | None:
    return next(_listed(rules), None)


def _dealt_out(rules: Rules) -> str | None:
    return f"hand_size is {rules.hand_size}, which leaves a kitty" if rules.kitty_size else None


def exact_sets(rules: Rules) -> str | None:
    """A condition: every row of the catalogue is a set of cards of its own. It compiles the catalogue, so it comes last."""
    cards = [row.cards for row in rules.catalogue.rows]
    if None in cards:
        return "shapes have more sets of cards than the catalogue lists"
    return "shapes are two that fit the same cards" if len(set(cards)) < len(cards) else None


LISTED = (_dealt_out, _checked)
"""Conditions of rules whose plays the kernels can list."""

CARDSETS = Backend(
    name="cardsets",
    purposes=(Purpose.ENVIRONMENTS, Purpose.WORLDS, Purpose.ENDGAME),
    summary="compiled: a hand is a set of cards, a play an exact set of one to five",
    compiled=True,
    honours={
        Rules: {
            **DESCRIBES,
            "players": only(4),
            "decks": only(1),
            "jokers": only(False),
            "ranks": anything,
            "suits": anything,
            "suits_ranked": only(True),
            "shapes": anything,
            "hand_size": only(CARDS),
            "next_dealer": only(NextDealer.FIRST_OUT),
            "ending": only(Ending.FIRST_OUT),
            "scoring": kind_of(FixedScoring, CardScoring),
            "reveal_kitty": anything,
            "opening": anything,
            "later_lead": only(LaterLead.OPENING, LaterLead.WINNER),
            "pass_is_final": anything,
            "guard": anything,
        },
        FixedScoring: {"type": anything, "stake": anything},
        CardScoring: {"type": anything, "tiers": anything},
        OpeningLead: {"card": written_card, "in_the_lead": only(True)},
        Same: {**SHAPE, "count": between(1, 4), "by_suit": anything},
        Groups: {
            **SHAPE,
            "main": between(1, 4),
            "side": between(1, 4),
            "by_suit": anything,
        },
        Run: {
            **SHAPE,
            "copies": only(1),
            "sequence": anything,
            "shortest": only(LARGE),
            "longest": only(LARGE),
            "tie": anything,
            "crown": anything,
            "flush": anything,
            "plain": anything,
        },
        Flush: {**SHAPE, "size": only(LARGE), "suit_first": anything},
    },
    together=(*LISTED, _one_family, exact_sets),
)
