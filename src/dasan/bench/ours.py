"""Our own paths: the engine, whole random hands, and the batched environments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dasan
from dasan.backends import GPU as ON_GPU
from dasan.bench.timing import Speed, measure
from dasan.bench.works import WORKS
from dasan.processes import processors
from dasan.ruleset.rules import Rules

GPU = "gpu-batch"
PATHS = ("engine", "whole-hands", "batch-packed-mask", "batch-packed-obs", "batch-mask", "batch-obs", "batch-moves", GPU)
"""The interpreted engine; whole hands (`dasan.vector.playouts`); batched environments with packed masks, then also
packed observations; with masks and lists of legal actions, then also observations, then also features of every legal
move; batched environments on a GPU."""
VARIANTS: dict[str, dict[str, Any]] = {
    "big-three": {},
    "big-three-4p": {},
    "big-two": {},
    "winner": {},
    "winner decks=2": {"decks": 2},
    "dou-dizhu": {},
}
"""The default variants: presets with their options."""
NUM_ENVS_GPU = 1 << 18


def rules_of(variant: str) -> Rules:
    """The rules of a variant, or of any preset by its name."""
    return dasan.rules(variant.partition(" ")[0], **VARIANTS.get(variant, {}))


def measure_ours(
    variants: list[str], paths: list[str], *, seconds: float, repeats: int, every_core: bool = True
) -> Iterator[Speed]:
    """Yield a row for each variant and path on one core, and for compiled paths another on all cores if there are
    several. The GPU path has rows only if there is a GPU and it supports the rules.
    """
    counts = [1, processors()] if every_core and processors() > 1 else [1]
    for variant in variants:
        rules = rules_of(variant)
        for path in paths:
            if path == GPU:
                if ON_GPU.unsupported(rules) is None and not why_no_gpu():
                    yield _on_gpu(variant, rules, seconds=seconds, repeats=repeats)
                continue
            for threads in counts[:1] if path == "engine" else counts:
                yield measure(
                    variant, path, WORKS[path](rules, threads), seconds=seconds, repeats=repeats, threads=threads
                )


def why_no_gpu() -> str:
    """The reason why no GPU can be measured; empty if one can."""
    from dasan.kernels.ranks.cuda.env import why_not

    return why_not()


def _on_gpu(variant: str, rules: Rules, *, seconds: float, repeats: int) -> Speed:
    """Random actions, masks and deals on the GPU; timing includes the last kernel."""
    from dasan.kernels.ranks.cuda.env import GpuEnv, device_name, wait

    env = GpuEnv(rules, NUM_ENVS_GPU, seed=1)
    steps = 200
    env.play(2 * steps)
    hands_a_ply = env.hands_played() / (2 * steps * env.num_envs)

    def work() -> tuple[int, int]:
        env.play(steps)
        wait()
        plies = steps * env.num_envs
        return plies, round(plies * hands_a_ply)

    return measure(variant, GPU, work, seconds=seconds, repeats=repeats, gpu=device_name())
