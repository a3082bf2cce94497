"""Worker processes that end when their program stops: an interrupt does not wait until they have finished."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from types import FrameType


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
        with _interrupts_held():
            super()._spawn_process()  # type: ignore[misc]


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Answer an interrupt after the body: a process that the pool does not know yet would never be ended.

    Python answers interrupts in the main thread alone, so in others there is nothing to hold.
    """
    answer = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(answer):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
    if came:
        answer(*came[0])


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


__all__ = ["worker_processes"]
