"""Worker processes end with the work that needs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from dasan.processes import worker_processes

PATIENCE = 60
HOURS = 36_000


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
        time.sleep(0)  # Python answers here, if it answers at once

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
from dasan.processes import worker_processes
from tests.test_processes import sleep_long
try:
    with worker_processes(2) as pool:
        for _ in range(9):
            last = pool.submit(sleep_long, sys.argv[1])
        last.result()
except KeyboardInterrupt:
    sys.exit(77)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process group is interrupted otherwise there")
def test_ctrl_c_ends_work_in_progress(tmp_path: Path) -> None:
    """A terminal interrupts the whole group; nobody writes a traceback, and no process stays."""
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        os.killpg(program.pid, signal.SIGINT)
        _, said = program.communicate(timeout=PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.communicate()
    assert (program.returncode, said) == (77, "")
    for worker in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(worker.name), 0)
