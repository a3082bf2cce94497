"""Rules other than the presets: backends agree move by move, features and solver values included, or refuse."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from itertools import islice

import pytest
from tests.backends.proof import cases, check, main, positions
from tests.backends.variations import ADDED, DESCRIBING, LEFT_OUT, MORE_SHAPES, SEATS, SHAPE_VALUES, VALUES, singles

import dasan
from dasan import Rules
from dasan.ruleset.policies import Guard
from dasan.ruleset.shapes import AllJokers, Flush, Groups, Kickers, Run, Same

pytestmark = pytest.mark.full

EVERY = {"big-three": (80, 12), "big-three-4p": (80, 1), "big-two": (75, 7), "winner": (120, 1)}
"""By game: check one change in this many, beginning with this one; the other presets share these games' shapes."""
SETS, EVERY_SET = 40, 7
"""Of the first `SETS` sets of compatible changes check one in `EVERY_SET`: finding all sets takes longer than that."""
PAIRED = {"big-two": 5}
"""Where finding even these takes a minute: the sets are among one change in so many."""


def test_every_field_has_values_to_try() -> None:
    named = {name for names in VALUES for name in names.split(" and ")}
    assert {f.name for f in fields(Rules)} - DESCRIBING == {*named, "shapes"}
    for kind in (Same, Run, Flush, Groups, Kickers, AllJokers):
        assert {f.name for f in fields(kind)} - {"type"} <= SHAPE_VALUES.keys()


@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_every_field_changes_some_rules(preset: str) -> None:
    changed = {name for change, _ in singles(preset) for name in change.path[-1].split(" and ")}
    named = {name for names in VALUES for name in names.split(" and ")}
    assert named - changed <= (
        {"opening", "call", "leftover", "dragon", "double_exchange"}
        if preset.startswith("big-three")
        else {"auction", "call"}
    )
    assert {LEFT_OUT, ADDED} <= changed
    players = {rules.players for change, rules in singles(preset) if change.path == (SEATS,)}
    assert players >= (
        {2, 3, 4, 5, 6, 7, 8} if preset == "winner" else {2, 3, 4, 5, 8} if preset == "big-three" else {2, 4}
    )
    assert len(MORE_SHAPES) > 12


@pytest.mark.long
@pytest.mark.parametrize("preset", EVERY)
def test_backends_agree_or_refuse(preset: str) -> None:
    done: Counter[str] = Counter()
    step, first = EVERY[preset]
    alone = len(singles(preset))
    for number, case in enumerate(islice(cases(preset, PAIRED.get(preset, 1)), alone + SETS)):
        if (number % step == first) if number < alone else ((number - alone) % EVERY_SET == 0):
            done.update(check(case, number, hands=1))
            done["pairs"] += case.what == "pairs"
    assert done["compiled"] >= 3
    assert done["refused"] >= 1
    assert done["solved"] >= 1
    assert done["pairs"] >= 2, done


@pytest.mark.slow
@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_all_of_them(preset: str) -> None:
    main([preset])


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_worlds_where_a_bidder_is_guarded(preset: str) -> None:
    """The conclusion from a guard's play counts the bidder's cards, including the kitty."""
    assert positions(replace(dasan.rules(preset), guard=Guard.ENFORCED), 33) > 50
