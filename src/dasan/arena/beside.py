"""Deals played in a child process: if a bot ends that process, or has to be ended with it because no interrupt stops it, the
deal is played again without asking that bot.
"""

from __future__ import annotations

import os
import signal
import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dasan.arena.contest import Outcome

MOST_DEATHS = 3
"""A bot that ended so many processes is not asked again."""
OVERDUE = 5.0
"""A bot has so many times the limit of a move, and as many seconds more, before its process is ended."""
_MARK = struct.Struct("=bqd")
_NOBODY = -1


class PlayDeal(Protocol):
    """`contest.play_deal` with its contest filled in."""

    def __call__(
        self, seed: int, *, muted: Collection[bool] = (), asking: Callable[[bool | None], None] | None = None
    ) -> Outcome: ...


def outcomes_beside(play: PlayDeal, seeds: Sequence[int], seconds: float | None = None) -> Iterator[Outcome]:
    """`play` of each deal. A bot that ends the process, or is ended with it because it takes far longer than `seconds` for a
    move, is not asked again in that deal: each of its decisions is an "exit" fault. BrokenProcessPool: the process ended while
    no bot was asked.
    """
    deaths: Counter[bool] = Counter()
    pool: ProcessPoolExecutor | None = None
    with TemporaryDirectory() as folder:
        mark = Path(folder) / "asked"
        try:
            for seed in seeds:
                muted = {who for who, n in deaths.items() if n >= MOST_DEATHS}
                while True:
                    mark.write_bytes(_MARK.pack(_NOBODY, 0, 0.0))
                    pool = pool or ProcessPoolExecutor(1)
                    try:
                        future = pool.submit(_marked, play, seed, frozenset(muted), str(mark))
                        while seconds is not None and wait([future], seconds + 1).not_done:
                            _end_overdue(mark, OVERDUE * (1 + seconds))
                        outcome = future.result()
                        break
                    except BrokenProcessPool:
                        pool.shutdown()
                        pool = None
                        asked = _MARK.unpack(mark.read_bytes())[0]
                        if asked == _NOBODY:
                            raise
                        guilty = bool(asked)
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
    os.pwrite(file, _MARK.pack(_NOBODY if who is None else who, os.getpid(), monotonic()), 0)


def _end_overdue(mark: Path, most: float) -> None:
    """End the process if the bot that is being asked has had more than `most` seconds."""
    asked, process, since = _MARK.unpack(mark.read_bytes())
    if asked != _NOBODY and monotonic() - since > most:
        os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
