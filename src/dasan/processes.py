"""Worker processes that end when their program stops: an interrupt does not wait until they have finished."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def worker_processes(number: int | None) -> Iterator[ProcessPoolExecutor]:
    """A pool of `number` processes, None for one a processor. If the body raises, as on Ctrl-C, they end at once.

    The pool alone waits until they have done everything that they were given, which may take hours.
    """
    pool = ProcessPoolExecutor(number, initializer=_leave_interrupts)
    try:
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


__all__ = ["worker_processes"]
