"""Our own paths: the engine, whole random hands compiled, and the batched environments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dasan
from dasan.backends import GPU as ON_GPU
from dasan.backends import Purpose, choose
from dasan.bench.timing import Speed, cores, measure
from dasan.bench.works import WORKS, Work
from dasan.ruleset.rules import Rules

GPU = "gpu-batch"
PATHS = ("engine", "kernel", "batch-packed-mask", "batch-packed-obs", "batch-mask", "batch-obs", "batch-moves", GPU)
"""The interpreted engine; whole hands compiled; batched environments with packed masks, with packed observations too; with
masks and lists of legal actions, with observations too, and with the features of every legal move as well; batched
environments on a GPU."""
VARIANTS: dict[str, dict[str, Any]] = {
    "big-three": {},
    "big-three-4p": {},
    "big-two": {},
    "winner": {},
    "winner decks=2": {"decks": 2},
}
"""The default variants: presets with their options."""
NUM_ENVS_GPU = 1 << 18


def rules_of(variant: str) -> Rules:
    """The rules of a variant, or of any preset by its name."""
    return dasan.rules(variant.partition(" ")[0], **VARIANTS.get(variant, {}))


def measure_ours(
    variants: list[str], paths: list[str], *, seconds: float, repeats: int, every_core: bool = True
) -> Iterator[Speed]:
    """Yield a row for each variant and path on one core, and for compiled paths another one on all cores if there are several.
    The path on a GPU has rows only for rules that it plays, where there is one.
    """
    counts = [1, cores()] if every_core and cores() > 1 else [1]
    for variant in variants:
        rules = rules_of(variant)
        for path in paths:
            if path == GPU:
                if ON_GPU.unsupported(rules) is None and not why_no_gpu():
                    yield _on_gpu(variant, rules, seconds=seconds, repeats=repeats)
                continue
            for threads in counts[:1] if path == "engine" else counts:
                yield measure(
                    variant, path, _WORKS[path](rules, threads), seconds=seconds, repeats=repeats, threads=threads
                )


def why_no_gpu() -> str:
    """Why there is no GPU to measure; empty if there is one."""
    from dasan.kernels.ranks.cuda.env import why_not

    return why_not()


def _on_gpu(variant: str, rules: Rules, *, seconds: float, repeats: int) -> Speed:
    """Random actions, masks and deals on the GPU; the clock stops when the last kernel has finished."""
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


def _kernel(rules: Rules, threads: int) -> Work:
    import numpy as np

    tables, random_hands, hands = _random_hands(rules)
    seed = np.uint64(1)
    first = 0

    def share(start: int) -> int:
        paid, won = np.zeros(8, np.int64), np.zeros(8, np.int64)
        return int(random_hands(start, hands, seed, *tables, paid, won))

    pool = ThreadPoolExecutor(threads)

    def work() -> tuple[int, int]:
        nonlocal first
        starts = [first + hands * k for k in range(threads)]
        first += hands * threads
        plies = share(starts[0]) if threads == 1 else sum(pool.map(share, starts))
        return plies, hands * threads

    return work


def _random_hands(rules: Rules) -> tuple[tuple[Any, ...], Callable[..., int], int]:
    """The tables and the function that play whole random hands, and how many to play at once."""
    backend = choose(rules, Purpose.ENVIRONMENTS, "compiled").name
    if backend == "ranks":
        from dasan.kernels.ranks import auction as rank_auction
        from dasan.kernels.ranks import hands as rank_hands
        from dasan.kernels.ranks import tables as rank_tables

        return (rank_tables.rank_catalogue(rules), rank_auction.auction_policy(rules)), rank_hands.random_hands, 20_000
    if backend == "cardsets":
        from dasan.kernels.cardsets import hands as cardset_hands
        from dasan.kernels.cardsets import tables as cardset_tables

        return (
            (cardset_tables.cardset_catalogue(rules), cardset_tables.cardset_policy(rules)),
            cardset_hands.random_hands,
            4_000,
        )
    from dasan.kernels.patterns import hands as pattern_hands
    from dasan.kernels.patterns import tables as pattern_tables

    return (
        (pattern_tables.pattern_catalogue(rules), pattern_tables.pattern_policy(rules)),
        pattern_hands.random_hands,
        2_000,
    )


_WORKS: dict[str, Callable[[Rules, int], Work]] = {**WORKS, "kernel": _kernel}
