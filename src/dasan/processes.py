"""Processors, and worker processes that end with their program: an interrupt does not wait for their work."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from types import FrameType

from dasan.arguments import quantity
from dasan.memory import require_memory

_MOST_IN_WINDOWS = 61
"""The most processes that Windows can wait for."""
_OF_A_PROCESS = 4 << 20
"""Bytes of memory that a worker process has for itself, at least, once it has done some work: a copy shares the rest."""
_YOUNG = 10_000
"""A worker looks for cyclic garbage when it has this many objects more than the last time. Python's own 700 cost 2 % of its
time.
"""


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def worker_processes(number: int | None, *, copies: bool = True) -> Iterator[ProcessPoolExecutor]:
    """A pool of `number` processes (None: one for each processor; at most 61 on Windows). They end at once if the
    body raises, as on Ctrl-C, or if their program is killed.

    Without this the pool would wait for all submitted work, which may take hours. copies: whether a process may begin as a
    copy of this one where the system has that; a copy cannot use a GPU that this process has opened. MemoryError: there is
    not enough for so many processes.
    """
    if number is not None and sys.platform == "win32":
        number = min(number, _MOST_IN_WINDOWS)
    if number is not None:
        require_memory(number * _OF_A_PROCESS, quantity(number, "process", "processes"))
    pool = _Pool(number, initializer=_begin, mp_context=None if copies else get_context("spawn"))
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
    """Delay interrupts until after the body: a process that the pool has not registered yet would never be ended.

    Python handles interrupts only in the main thread; in other threads this does nothing.
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


def _begin() -> None:
    """Prepare a worker process. Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_YOUNG)
    _end_with_parent()


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has ended."""
    parent = parent_process()
    if parent is None:
        raise AssertionError("a worker process has a parent")
    if sys.platform == "linux":
        import fcntl

        # The kernel sends the signal when the pipe closes: a thread could not end a process in which C code holds the GIL.
        pipe = parent.sentinel
        try:
            fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
        except OSError:
            pass  # a kernel that only resembles Linux
        else:
            if wait([pipe], 0):
                os._exit(1)  # it had ended before
            return
    threading.Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
