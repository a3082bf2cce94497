"""Regional presets and their options in compiled code, against the engine: environments in hands and sessions, positions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.backends.proof import positions
from tests.vector.differential import follow

import dasan
from dasan import vector

Case = tuple[str, dict[str, Any]]
DOUBLED = {"bombs": True, "bomb_doubles": True, "spring": True}
CASES: tuple[Case, ...] = (
    ("wa-keng", {}),
    ("wa-keng-4", {}),
    ("wa-keng", {"all_pass": "redeal", "bidder_leads": True}),
    ("wa-keng", {"pack": "46", **DOUBLED}),
    ("wa-keng-4", {"all_pass": "redeal", "must_dig": True, **DOUBLED}),
    ("wa-keng", {"doubling_cap": 1, **DOUBLED}),
    ("big-three", {"auction_rounds": "once", "bidder_leads": True, "runs": "singles-and-pairs"}),
    ("big-three-4p", {"auction_ends_after": 2, "doubling_cap": 2, **DOUBLED}),
    ("big-three-4p", {"auction_ends_after": 2, "passed_bidder_may_return": False, "opener_may_pass": True}),
    ("big-two-hong-kong", {}),
    ("big-two-hong-kong", {"ending": "last-in", "opening_lead": "any", "later_lead": "three-of-diamonds"}),
    ("big-two-taiwan", {}),
    ("big-two-taiwan", {"bombs": False, "fours": True, "two_pairs": True, "guard": "enforced"}),
    ("big-two-taiwan", {"five_card_order": "ranked", "ending": "last-in", "guard": "foul", "flushes": True}),
    ("big-two-indonesia", {}),
    ("big-two-indonesia", {"pass_is_final": True, "scoring": "cards", "guard": "foul", "guard_pays": True}),
    ("dou-dizhu", {}),
    ("dou-dizhu", {"kickers": "distinct", "joker_kickers": True, "doubling_cap": 1}),
)
"""DD.01 to DD.08, H.11 to H.16, H.18 to H.26, H.28 to H.30, H.32, H.43."""


def case_id(case: Case) -> str:
    preset, options = case
    return " ".join([preset, *(f"{name}={value}" for name, value in options.items())])


every_case = pytest.mark.parametrize("case", CASES, ids=case_id)


@pytest.mark.sampled(0, 5)
@every_case
def test_environments_are_the_engines(case: Case) -> None:
    preset, options = case
    for session in (False, True):
        moves: vector.Moves = "ragged" if session else "padded"
        rules = dasan.rules(preset, **options)
        env = vector.make(rules, 3, seed=60, session=session, moves=moves, perfect=True, backend="compiled")
        assert follow(env, 60, every=10).hands >= 60


@pytest.mark.full
@pytest.mark.parametrize("final", [False, True])
def test_d2_16_a_passed_neighbour_of_the_last_guard_is_the_engines(final: bool) -> None:
    """H.32: the owner of the table is out, and the neighbour on the last card has passed."""
    rules = dasan.rules("big-two", ending="last-in", guard="enforced", pass_is_final=final)
    state = dasan.start(rules, ["TD", "4D 5D", "5S 9D 2C", "8C"], table="6C", table_seat=2, to_act=3)
    for move in ("8C", "pass", "pass"):
        state = state.play(move)
    fast, slow = (dasan.worlds.Positions(rules, 1, backend=wanted) for wanted in ("compiled", "engine"))
    fast.put(0, state)
    slow.put(0, state)
    assert fast.legal(0).tolist() == slow.legal(0).tolist()
    assert len(fast.legal(0)) == (3 if final else 1)


@pytest.mark.full
@every_case
def test_positions_are_the_engines(case: Case) -> None:
    preset, options = case
    rules = dasan.rules(preset, **options)
    assert dasan.worlds.Positions(rules, 1).backend != "engine"
    assert sum(positions(rules, seed) for seed in range(4)) > 100
