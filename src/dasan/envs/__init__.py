"""Standard environments of the games: PettingZoo, Gymnasium, OpenSpiel, and an RLCard-style wrapper.

Each module but `rlcard` needs the package that it is named after: `pip install 'dasan[envs]'`. They are imported on first
use.

>>> import dasan
>>> env = dasan.envs.rlcard.make("big-three", seed=7)
>>> state, player = env.reset()
>>> player, len(state["legal_actions"])
(1, 3)
"""

from importlib import import_module
from typing import Any

MODULES = ("gymnasium", "openspiel", "pettingzoo", "rlcard")


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"dasan.envs.{name}")
    raise AttributeError(f"module 'dasan.envs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(MODULES)
