"""Worker processes end with the work they are for."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from dasan.arena.child_process import outcomes_in_child
from dasan.arena.outcome import Outcome
from dasan.processes import worker_processes

pytestmark = pytest.mark.full

PATIENCE = 60
HOURS = 36_000
needs_groups = pytest.mark.skipif(sys.platform == "win32", reason="a process group is interrupted otherwise there")


def sleep_long(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(HOURS)


def wait_until(done: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_results_come_back() -> None:
    with worker_processes(2) as pool:
        assert list(pool.map(abs, [-1, -2])) == [1, 2]


def test_windows_gets_no_more_processes_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with worker_processes(1000) as pool:  # which ProcessPoolExecutor refuses there
        assert pool._max_workers == 61  # type: ignore[attr-defined]


def test_an_error_ends_work_in_progress(tmp_path: Path) -> None:
    """The test ends, though the work takes hours."""

    def fail() -> None:
        with worker_processes(2) as pool:
            for _ in range(9):
                pool.submit(sleep_long, str(tmp_path))
            wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()


def test_an_interrupt_while_a_process_begins_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = BaseProcess.start

    def interrupted(process: BaseProcess) -> None:
        begin(process)
        signal.raise_signal(signal.SIGINT)
        time.sleep(0)  # here Python reacts to the signal, if it does so at once

    monkeypatch.setattr(BaseProcess, "start", interrupted)
    others, before = set(active_children()), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), worker_processes(2) as pool:
            pool.submit(abs, -1)
    finally:
        signal.signal(signal.SIGINT, before)
    wait_until(lambda: not set(active_children()) - others)


PROGRAM = """
import sys
{before}
from dasan.processes import worker_processes
from tests.test_processes import *
try:
    with worker_processes(2) as pool:
        for _ in range(9):
            last = pool.submit({work}, sys.argv[1])
        last.result()
except KeyboardInterrupt:
    sys.exit(77)
"""


def sleep_in_child(folder: str) -> None:
    """A process of a worker, in which a bot that is never overdue sleeps; on Linux it holds the GIL."""
    list(outcomes_in_child(partial(sleep_deaf, folder), [1], HOURS))


def sleep_deaf(
    folder: str, seed: int, *, muted: Collection[bool] = (), asking: Callable[[bool | None], None] | None = None
) -> Outcome:
    assert asking is not None
    asking(False)
    (Path(folder) / str(os.getpid())).touch()
    (ctypes.PyDLL(None).sleep if sys.platform == "linux" else time.sleep)(HOURS)
    raise AssertionError


@contextmanager
def program(work: Callable[[str], None], folder: Path, before: str = "") -> Iterator[subprocess.Popen[str]]:
    """A program with nine such pieces of work, of which two are under way, in a process group of its own. before: a statement
    that it begins with.
    """
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(work=work.__name__, before=before), str(folder)],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: len(list(folder.iterdir())) == 2)
        yield started
    finally:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.communicate()


@needs_groups
@pytest.mark.parametrize("work", [sleep_long, sleep_in_child])
def test_ctrl_c_ends_work_in_progress(work: Callable[[str], None], tmp_path: Path) -> None:
    """A terminal interrupts the whole group; nothing writes a traceback, and no process survives: each would hold the pipe."""
    with program(work, tmp_path) as started:
        os.killpg(started.pid, signal.SIGINT)
        _, errors = started.communicate(timeout=PATIENCE)
        assert (started.returncode, errors) == (77, "")


@needs_groups
@pytest.mark.parametrize(
    ("work", "before"), [(sleep_long, ""), (sleep_in_child, ""), (sleep_long, "sys.platform = 'elsewhere'")]
)
def test_workers_end_with_a_program_that_is_killed(work: Callable[[str], None], before: str, tmp_path: Path) -> None:
    with program(work, tmp_path, before) as started:
        started.kill()
        started.communicate(timeout=PATIENCE)
