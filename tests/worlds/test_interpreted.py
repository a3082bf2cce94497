"""The same worlds and playouts as plain Python, without Numba's compiler and without the processor's bit instructions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.kernels.plain import compiled_and_plain

pytestmark = pytest.mark.full

PROGRAM = """
import hashlib, sys
import numpy as np
import dasan
from dasan import worlds
np.seterr(over="ignore")
rules = dasan.rules(sys.argv[1], **eval(sys.argv[2]))
state = dasan.deal(rules, seed=2)
dealt = worlds.deals(state.view(0), 20, seed=3)
seen = hashlib.sha256(dealt.one.tobytes() + dealt.two.tobytes())
positions = worlds.Positions(rules, 1)
positions.put(0, state)
for policy in ("random", "thrifty"):
    done = positions.play_out(policy=policy, seed=3)
    seen.update(done.payments.tobytes() + done.places.tobytes() + str(done.plies).encode())
print(seen.hexdigest())
"""


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("big-three-4p", {"must_dig": True}),
        ("winner", {"decks": 2, "jokers": True}),
        pytest.param("big-two", {}, marks=pytest.mark.slow),
    ],
)
def test_plain_python_does_the_same(preset: str, options: dict[str, Any]) -> None:
    compiled, plain = compiled_and_plain(PROGRAM, preset, repr(options))
    assert compiled == plain
