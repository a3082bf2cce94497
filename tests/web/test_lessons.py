"""The positions of lessons and exercises equal what the engine makes of them now."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

import dasan

pytestmark = pytest.mark.full

WEB = Path(__file__).parents[2] / "web"
LEADS = {"long", "low", "likely", "unbeatable"}
ANSWERS = {"beat", "spare", "top", "rocket", "pass", "ally"}
"""What the coach says of a lead, and of an answer."""
GAMES = ["big-three", "big-three-4p", "wa-keng", "dou-dizhu", "big-two", "winner"]


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, WEB / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_script("positions")
LESSONS = _script("lessons")
PRACTICE = _script("practice")


@pytest.mark.parametrize("preset", GAMES)
def test_lessons_are_up_to_date(preset: str) -> None:
    """`python web/scripts/lessons.py` rewrites them."""
    written = LESSONS.written(preset)
    assert (WEB / "src" / "lessons" / f"{preset}.json").read_text(encoding="utf-8") == written
    # Each contains a whole hand, in which a coach comments the learner's turns.
    assert sum(step["coach"] is not None for step in json.loads(written)["steps"]) >= 6


@pytest.mark.parametrize("preset", GAMES)
def test_exercises_are_up_to_date(preset: str) -> None:
    """`python web/scripts/practice.py` rewrites them."""
    path = WEB / "src" / "lessons" / "practice" / f"{preset}.json"
    assert path.read_text(encoding="utf-8") == PRACTICE.written(preset)


@pytest.mark.parametrize("preset", GAMES)
def test_an_exercise_needs_its_clause(preset: str) -> None:
    """The clause is in force, there is a right move, and the forbidden move is refused with that clause."""
    exercises = PRACTICE.PRACTICE[preset]()
    assert len({one.clause for one in exercises}) >= 6
    for one in exercises:
        where = f"{one.clause}: {one.state.hands[0]}"
        assert one.clause in one.state.rules.clauses, where
        assert one.accept, where
        for move in one.accept:
            one.state.play(move)
        if one.forbidden is not None:
            with pytest.raises(dasan.IllegalPlay) as refused:
                one.state.play(one.forbidden)
            assert refused.value.clause == one.clause, where


def _beaten(state: dasan.State, play: dasan.Combination) -> float:
    """The share of sampled deals of the unseen cards in which another seat could beat the play."""
    unseen = [card for hand in (*state.hands[1:], state.kitty) for card in hand]
    draw, beaten, deals = random.Random(1), 0, 50
    for _ in range(deals):
        draw.shuffle(unseen)
        cards = iter(unseen)
        hands = [state.rules.order.hand(islice(cards, size)) for size in state.hand_sizes[1:]]
        beaten += any(state.rules.catalogue.any_beats(hand, play, len(hand)) for hand in hands)
    return beaten / deals


@pytest.mark.parametrize("preset", GAMES)
def test_what_the_coach_says_of_a_move_is_so(preset: str) -> None:
    """By the learner's view, as the coach does not see the others' cards either: what beats a play, and how often somebody can
    beat it; that a play goes out; whether a lower one of its kind would do; who is an ally; whether it is a lead or an answer.
    """
    for one in LESSONS.LESSONS[preset]():
        if one.coach is None:
            continue
        state, (text,) = one.state, one.accept
        move = next(move for move in state.legal_moves() if str(move) == text)
        mine = move.combination
        others = [m for m in state.legal_moves() if m.combination is not None and mine is not None and m != move]
        lower = [m for m in others if mine.family == m.combination.family and mine.beats(m.combination)]
        match one.coach:
            case "unbeatable" | "rocket":
                hidden = state.rules.order.hand([c for hand in (*state.hands[1:], state.kitty) for c in hand])
                assert not state.rules.catalogue.any_beats(hidden, mine, max(state.hand_sizes[1:])), text
            case "low":
                assert not lower, text
                assert _beaten(state, mine) > 0.5, text
            case "likely":
                assert _beaten(state, mine) < 0.5, text
            case "out":
                assert 0 in state.play(text).finished
            case "beat":
                assert not lower, text
            case "spare":
                assert lower, text
            case "ally":
                view = state.view(0)
                assert {0, state.table_seat} == {view.bidder, view.partner}
        if one.coach in LEADS | ANSWERS:
            assert state.phase == "play", text
            assert (state.table is None) == (one.coach in LEADS), text
