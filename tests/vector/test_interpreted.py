"""The same environments as plain Python, without Numba's compiler and without the processor's bit instructions."""

from __future__ import annotations

import pytest
from tests.kernels.plain import compiled_and_plain

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
        pytest.param("big-three", {}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_plain_python_does_the_same(preset: str, options: dict[str, object]) -> None:
    compiled, plain = compiled_and_plain(PROGRAM, preset, repr(options))
    assert compiled == plain
