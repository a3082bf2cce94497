"""Deals played in a child process: if a bot ends that process, the deal is played again without asking that bot."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dasan.arena.contest import Outcome

MOST_DEATHS = 3
"""A bot that ended so many processes is not asked again."""
_NOBODY, _NAMES = b"-", {False: b"a", True: b"b"}


class PlayDeal(Protocol):
    """`contest.play_deal` with its contest filled in."""

    def __call__(
        self, seed: int, *, muted: Collection[bool] = (), asking: Callable[[bool | None], None] | None = None
    ) -> Outcome: ...


def outcomes_beside(play: PlayDeal, seeds: Sequence[int]) -> Iterator[Outcome]:
    """`play` of each deal. A bot that ends the process is not asked again in that deal: each of its decisions is an "exit"
    fault. BrokenProcessPool: the process ended while no bot was asked.
    """
    deaths: Counter[bool] = Counter()
    pool: ProcessPoolExecutor | None = None
    with TemporaryDirectory() as folder:
        mark = Path(folder) / "asked"
        try:
            for seed in seeds:
                muted = {who for who, n in deaths.items() if n >= MOST_DEATHS}
                while True:
                    mark.write_bytes(_NOBODY)
                    pool = pool or ProcessPoolExecutor(1)
                    try:
                        outcome = pool.submit(_marked, play, seed, frozenset(muted), str(mark)).result()
                        break
                    except BrokenProcessPool:
                        pool.shutdown()
                        pool = None
                        asked = mark.read_bytes()
                        guilty = next((who for who, name in _NAMES.items() if name == asked), None)
                        if guilty is None:
                            raise
                        deaths[guilty] += 1
                        muted.add(guilty)
                yield outcome
        finally:
            if pool is not None:
                pool.shutdown()


def _marked(play: PlayDeal, seed: int, muted: frozenset[bool], mark: str) -> Outcome:
    """One deal, with the bot that is being asked written to the file `mark`."""
    file = os.open(mark, os.O_WRONLY)
    try:
        return play(seed, muted=muted, asking=partial(_write, file))
    finally:
        os.close(file)


def _write(file: int, who: bool | None) -> None:
    os.pwrite(file, _NOBODY if who is None else _NAMES[who], 0)
