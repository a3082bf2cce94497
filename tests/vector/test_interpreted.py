"""The same environments as plain Python, without Numba's compiler and without the processor's bit instructions."""

from __future__ import annotations

from typing import Literal

import pytest
from tests.kernels.plain import compiled_and_plain

import dasan
from dasan import vector, worlds

pytestmark = pytest.mark.full

PROGRAM = """
import hashlib, sys
import numpy as np
import dasan
np.seterr(over="ignore")
preset, options = sys.argv[1], eval(sys.argv[2])
env = dasan.vector.make(preset, 2, seed=4, session=True, moves="ragged", perfect=True, **options)
seen = hashlib.sha256()
for _ in range(150):
    env.step(env.sample())
    moves = env.moves[: env.move_starts[-1]]
    for buffer in (env.mask, env.obs, env.rewards, env.places, env.done, env.to_act, moves, env.perfect):
        seen.update(np.ascontiguousarray(buffer).tobytes())
print(seen.hexdigest(), int(env.done.sum()))
"""


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("big-three-4p", {}),
        ("big-two", {}),
        ("winner", {"decks": 2, "jokers": True}),
        ("dou-dizhu", {}),
        pytest.param("big-three", {}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_plain_python_does_the_same(preset: str, options: dict[str, object]) -> None:
    compiled, plain = compiled_and_plain(PROGRAM, preset, repr(options))
    assert compiled == plain


def test_environments_go_on_from_positions_whichever_code_plays() -> None:
    rules = dasan.rules("big-two")
    state = dasan.deal(rules, seed=7)
    backends: tuple[Literal["compiled"], Literal["engine"]] = ("compiled", "engine")
    shown = []
    for backend in backends:
        positions = worlds.Positions(rules, 2, backend=backend)
        positions.put(0, dasan.deal(rules, seed=8))
        positions.put(1, state.play(state.legal_moves()[0]))
        env = vector.make("big-two", 2, seed=1, backend=backend)
        env.load(positions)
        shown.append((env.to_act.tolist(), env.mask.tolist(), env.obs.tolist() if env.obs is not None else None))
        env.step(env.sample())
    assert shown[0] == shown[1]
