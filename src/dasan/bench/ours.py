"""Our own paths: the engine, whole random hands compiled, and the batched environments."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dasan
from dasan.bench.timing import Row, Work, cores, measure
from dasan.features import by_rank
from dasan.ruleset import Rules

PATHS = ("engine", "kernel", "batch-mask", "batch-obs", "batch-moves")
"""The interpreted engine; whole hands compiled; batched environments with legal masks, with observations too, and with the
features of every legal move as well."""
VARIANTS: dict[str, dict[str, Any]] = {
    "big-three": {},
    "big-three-4p": {},
    "big-two": {},
    "winner": {},
    "winner decks=2": {"decks": 2},
}
"""What is measured unless presets are named: a preset and its options."""
NUM_ENVS = 4096


def rules_of(variant: str) -> Rules:
    """The rules of a variant, or of any preset by its name."""
    return dasan.rules(variant.partition(" ")[0], **VARIANTS.get(variant, {}))


def measure_ours(
    variants: list[str], paths: list[str], *, seconds: float, repeats: int, every_core: bool = True
) -> Iterator[Row]:
    """Rows one by one: each path on one core, and the compiled ones on all cores too, if there are several."""
    counts = [1, cores()] if every_core and cores() > 1 else [1]
    for variant in variants:
        rules = rules_of(variant)
        for path in paths:
            for threads in counts[:1] if path == "engine" else counts:
                yield measure(
                    variant, path, _WORKS[path](rules, threads), seconds=seconds, repeats=repeats, threads=threads
                )


def _engine(rules: Rules, threads: int) -> Work:
    source = random.Random(1)

    def work() -> tuple[int, int]:
        state = dasan.deal(rules, seed=source.getrandbits(32), dealer=0)
        plies = 0
        while moves := state.legal_moves():
            state = state.play(moves[int(source.random() * len(moves))])
            plies += 1
        return plies, 1

    return work


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
    if by_rank(rules):
        from dasan.kernels import rank_auction, rank_hands, rank_table

        return (rank_table.rank_table(rules), rank_auction.auction_table(rules)), rank_hands.random_hands, 20_000
    if rules.hand_size is not None:
        from dasan.kernels import set_hands, set_table

        return (set_table.set_table(rules), set_table.set_policy(rules)), set_hands.random_hands, 4_000
    from dasan.kernels import canon_hands, canon_table

    return (canon_table.canon_table(rules), canon_table.canon_policy(rules)), canon_hands.random_hands, 2_000


def _batch(*, observations: bool, moves: bool = False) -> Callable[[Rules, int], Work]:
    def works(rules: Rules, threads: int) -> Work:
        import numpy as np

        env = dasan.vector.make(
            rules,
            NUM_ENVS * threads,
            seed=1,
            observations=observations,
            moves="ragged" if moves else False,
            threads=threads,
        )
        steps = 50
        for _ in range(2 * steps):
            env.step(env.sample())

        def work() -> tuple[int, int]:
            games = 0
            for _ in range(steps):
                env.step(env.sample())
                games += int(np.count_nonzero(env.done))
            return steps * env.num_envs, games

        return work

    return works


_WORKS: dict[str, Callable[[Rules, int], Work]] = {
    "engine": _engine,
    "kernel": _kernel,
    "batch-mask": _batch(observations=False),
    "batch-obs": _batch(observations=True),
    "batch-moves": _batch(observations=True, moves=True),
}
