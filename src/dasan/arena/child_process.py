"""Play deals in a child process. If a bot ends that process, or can be stopped only by killing it, the deal is replayed
without that bot's moves.
"""

from __future__ import annotations

import os
import signal
import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Protocol

from dasan.arena.outcome import Outcome
from dasan.processes import worker_processes

MOST_DEATHS = 3
"""After a bot has ended this number of processes it is not asked again."""
OVERDUE = 5.0
"""A bot's process is killed after this multiple of the move limit plus this number of seconds."""
SILENCE = 600.0
"""Seconds that a process may be silent while no bot is asked, as when kernels compile during its first deal."""
_MARK = struct.Struct("=bqd")
_NOBODY = -1


class PlayDeal(Protocol):
    """`contest.play_deal` with its contest filled in."""

    def __call__(
        self, seed: int, *, muted: Collection[bool] = (), asking: Callable[[bool | None], None] | None = None
    ) -> Outcome: ...


def outcomes_in_child(play: PlayDeal, seeds: Sequence[int], seconds: float) -> Iterator[Outcome]:
    """`play` of each deal. A bot that ends the process, or far exceeds `seconds` for a move so that the process is
    killed, is not asked again in that deal: each of its decisions is an "exit" fault. BrokenProcessPool: the process
    ended while no bot was asked, or was killed after `SILENCE` seconds without progress.
    """
    deaths: Counter[bool] = Counter()
    pool: ProcessPoolExecutor | None = None
    with TemporaryDirectory() as folder, ExitStack() as pools:
        mark = Path(folder) / "asked"
        for seed in seeds:
            muted = {who for who, n in deaths.items() if n >= MOST_DEATHS}
            while True:
                mark.write_bytes(_MARK.pack(_NOBODY, 0, monotonic()))
                pool = pool or pools.enter_context(worker_processes(1))
                future = pool.submit(_marked, play, seed, frozenset(muted), str(mark))
                ended = None
                while ended is None and wait([future], min(seconds, 1.0) + 1).not_done:
                    ended = _end_overdue(mark, OVERDUE * (1 + seconds))
                broken = isinstance(future.exception(), BrokenProcessPool)
                if broken or ended is not None:
                    pools.close()
                    pool = None
                if not broken:
                    break  # even if the answer came while the process was being killed
                asked = _MARK.unpack(mark.read_bytes())[0] if ended is None else ended
                if asked == _NOBODY:
                    break
                deaths[bool(asked)] += 1
                muted.add(bool(asked))
            yield future.result()


def _marked(play: PlayDeal, seed: int, muted: frozenset[bool], mark: str) -> Outcome:
    """Play one deal, writing to the file `mark` which bot is being asked."""
    file = os.open(mark, os.O_WRONLY)
    try:
        _write(file, None)
        return play(seed, muted=muted, asking=partial(_write, file))
    finally:
        os.close(file)


def _write(file: int, who: bool | None) -> None:
    os.pwrite(file, _MARK.pack(_NOBODY if who is None else who, os.getpid(), monotonic()), 0)


def _end_overdue(mark: Path, most: float) -> int | None:
    """Kill the process if the bot being asked has had more than `most` seconds, or if nobody has been asked for
    `SILENCE` seconds. Returns who was being asked, or None if the process goes on.
    """
    asked, process, since = _MARK.unpack(mark.read_bytes())
    if process == 0 or monotonic() - since <= (SILENCE if asked == _NOBODY else most):
        return None
    try:
        os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    except ProcessLookupError:
        return None  # it has just ended by itself
    who: int = asked
    return who
