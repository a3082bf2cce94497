"""Worker processes that end when their program stops: an interrupt does not wait until they have finished."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def worker_processes(number: int | None) -> Iterator[ProcessPoolExecutor]:
    """A pool of `number` processes, None for one a processor. If the body raises, as on Ctrl-C, they end at once.

    The pool alone waits until they have done everything that they were given, which may take hours.
    """
    pool = _Pool(number, initializer=_leave_interrupts)
    try:
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


class _Pool(ProcessPoolExecutor):
    def _spawn_process(self) -> None:
        """Begin a process, and only then answer an interrupt: one that the pool does not know yet would never be ended."""
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if sys.platform != "win32" else set()
        try:
            super()._spawn_process()  # type: ignore[misc]
        finally:
            if sys.platform != "win32":
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


__all__ = ["worker_processes"]
