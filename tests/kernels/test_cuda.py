"""Big Three's environments for a GPU: equal to the processor's, in Numba's simulator; compiled for a GPU, where the CUDA
compiler is installed; run on one, where there is one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.kernels.ranks.cuda import step as cuda_step
from dasan.kernels.ranks.cuda.env import GpuEnv, why_not

pytestmark = pytest.mark.full

CASES: list[tuple[str, dict[str, Any], bool]] = [
    ("big-three", {"must_dig": True}, True),
    ("big-three", {"opener_may_pass": True, "passed_bidder_may_return": False}, False),
    ("big-three-4p", {}, True),
]
ENVS, STEPS, SEED = 3, 120, 5

SIMULATED = """
import json, sys
import dasan
from dasan.kernels.ranks.cuda.env import GpuEnv
from tests.kernels.test_cuda import ENVS, SEED, STEPS, legal_of, trace
preset, options, session = json.loads(sys.argv[1])
env = GpuEnv(dasan.rules(preset, **options), ENVS, SEED, session=session)
lines = trace(env, STEPS)
env.reset()
env.play(STEPS)
assert [env.done.copy_to_host().tolist(), env.to_act.copy_to_host().tolist()] == lines[-1][1:3]
env.reset(SEED + 1)
mask = env.mask().copy_to_host()
legal = [[i for i, flag in enumerate(row) if flag] for row in mask]
assert legal == legal_of(env)
actions = env.sample().copy_to_host()
actions[1] = env.num_actions - 1
before = env.to_act.copy_to_host()
env.step(actions)
try:
    env.step(actions[:2])
except ValueError:
    pass
else:
    raise AssertionError("two actions for three environments")
after = env.to_act.copy_to_host()
assert env.refused == 1 and before[1] == after[1] and legal_of(env)[1] == legal[1]
print(json.dumps(lines))
"""


def legal_of(env: GpuEnv) -> list[list[int]]:
    """The legal ids of every environment, low to high, from the bits."""
    out = []
    for words in env.bits.copy_to_host().tolist():
        places = [(j, k) for j, word in enumerate(words) for k in range(64) if word >> k & 1]
        out.append(sorted(int(env.bit_ids[place]) for place in places))
    return out


def trace(env: GpuEnv | vector.VectorEnv, steps: int) -> list[list[Any]]:
    """The actions and all buffers after each of `steps` random steps."""
    out = []
    for _ in range(steps):
        actions = env.sample()
        env.step(actions)
        shown: tuple[Any, ...] = (actions, env.done, env.to_act, env.rewards, env.places)
        if isinstance(env, GpuEnv):
            legal = legal_of(env)
            lists = [buffer.copy_to_host().astype(np.int64).tolist() for buffer in shown]
        else:
            legal = [np.flatnonzero(row).tolist() for row in env.mask]
            lists = [np.asarray(buffer).astype(np.int64).tolist() for buffer in shown]
        out.append([*lists, legal])
    return out


def processors(preset: str, options: dict[str, Any], session: bool, n: int, steps: int) -> list[list[Any]]:
    return trace(vector.make(preset, n, SEED, session=session, observations=False, **options), steps)


@pytest.mark.long
@pytest.mark.parametrize(
    "case", [CASES[0], *(pytest.param(case, marks=pytest.mark.slow) for case in CASES[1:])], ids=str
)
def test_the_simulated_gpu_plays_as_the_processor(case: tuple[str, dict[str, Any], bool]) -> None:
    env = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", SIMULATED, json.dumps(case)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    simulated = json.loads(done.stdout)
    expected = processors(*case, ENVS, STEPS)
    assert simulated == expected
    assert sum(sum(line[1]) for line in expected) >= 3


@pytest.mark.skipif(find_spec("numba_cuda") is None, reason="no CUDA compiler: `make gpu` installs it")
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_kernels_compile_for_a_gpu(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To assembly for compute capability 9.0, with a stand-in for the device that Numba queries."""
    from numba import cuda
    from numba.cuda import dispatcher
    from numba.cuda.typing.typeof import typeof

    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
    m = cuda_step.memory(dasan.rules(preset), 2, True, lambda array: array)
    for kernel, args in (
        (cuda_step.start, (np.uint64(1), m)),
        (cuda_step.sample, (m,)),
        (cuda_step.step, (m.actions, m)),
        (cuda_step.play, (10, m)),
        (cuda_step.spread, (m, np.zeros((2, 175), np.uint8))),
    ):
        assembly, _ = cuda.compile_ptx(kernel.py_func, tuple(typeof(value) for value in args), cc=(9, 0))
        assert ".entry" in assembly
        assert "pext" not in assembly


@pytest.mark.filterwarnings("ignore:.*[Gg]rid size")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_gpu_plays_as_the_processor(case: tuple[str, dict[str, Any], bool]) -> None:
    preset, options, session = case
    env = GpuEnv(dasan.rules(preset, **options), 1000, SEED, session=session)
    assert trace(env, 200) == processors(preset, options, session, 1000, 200)
    assert env.refused == 0
