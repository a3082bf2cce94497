"""No kernel reads or writes outside an array: the same games with Numba's bounds check, which raises IndexError.

And the tests of kernels as plain Python, which NumPy checks. Slow: whole suites.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

HERE = Path(__file__).parents[1]

PROGRAM = """
import sys
import dasan
for preset, options in eval(sys.argv[1]):
    for session in (False, True):
        env = dasan.vector.make(preset, 16, seed=3, session=session, perfect=True, moves="ragged", **options)
        for _ in range(300):
            env.step(env.sample())
"""
GAMES: list[tuple[str, dict[str, object]]] = [
    ("big-three", {}),
    ("big-three-4p", {"must_dig": True}),
    ("big-two", {"triples": True, "fours": True, "two_pairs": True}),
    ("winner", {"players": 6, "decks": 2, "jokers": True, "scoring": "cards"}),
    ("dou-dizhu", {"joker_kickers": True}),
]
CHECK = {"NUMBA_BOUNDSCHECK": "1"}
PLAIN = {"NUMBA_DISABLE_JIT": "1"}


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


WORLDS = """
import dasan
state = dasan.deal(dasan.rules("big-three"), seed=3)
while state.to_act is not None:
    dasan.worlds.deals(state.view(state.to_act), 20, seed=1)
    state = state.play(state.legal_moves()[0])
"""


def test_worlds_stay_within_bounds() -> None:
    """A kernel that compiles in two seconds; those of a game take twenty, because no other test uses code with the check."""
    run(CHECK, "-c", WORLDS)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_hands_stay_within_bounds(game: tuple[str, dict[str, object]]) -> None:
    run(CHECK, "-c", PROGRAM, repr([game]))


SLIPS = """
import numba
import numpy as np
from dasan.kernels.runtime.compiled import belonging_to, lean

@lean
@belonging_to("dasan.kernels.runtime.compiled")
def kernel(words, at):
    return words[at]

@numba.njit
def other(words, at):
    return words[at]

words = np.arange(3)
for function, at in (kernel, 3), (kernel, -1), (other, 3), (other, -1):
    try:
        print(function(words, at))
    except IndexError:
        print("caught")
"""


def test_the_check_reaches_kernels_and_refuses_negative_indices(tmp_path: Path) -> None:
    assert run({**CHECK, "NUMBA_CACHE_DIR": str(tmp_path)}, "-c", SLIPS).stdout.split() == [
        "caught",
        "caught",
        "caught",
        "2",
    ]


def suite(environment: dict[str, str], *tests: str) -> None:
    quiet = ("-W", "ignore:overflow encountered:RuntimeWarning", "-p", "no:cacheprovider", "-q", "-x")
    run(environment, "-m", "pytest", *quiet, "-m", "not slow", "-o", "timeout=3600", *tests)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("tests", ["kernels", "networks", "vector", "worlds", "solver", "backends"])
def test_whole_suites_with_the_bounds_check(tests: str) -> None:
    left_out = ("test_warming", "test_caches", "test_bounds", "test_interpreted")
    suite(CHECK, str(HERE / tests), "-k", " and ".join(f"not {name}" for name in left_out))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_suites_as_plain_python() -> None:
    names = "test_bits or test_rank_hands or test_cardset_hands or test_pattern_hands or test_kicker_hands or test_every_pair"
    equal = "likely or often or shared_out or helpers"
    suite(PLAIN, str(HERE / "kernels"), str(HERE / "vector"), "-k", f"({names}) and not ({equal})")
    suite(PLAIN, str(HERE / "solver" / "test_compiled_endgames.py"), "-k", "equals_interpreted and not many")
