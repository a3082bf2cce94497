"""Runs of commands in processes of their own, for two seconds on a machine with 2 GB. An interrupt in the middle of an import
would break the process of the tests.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
import traceback
from multiprocessing import get_context
from typing import Any

from typer.testing import CliRunner

from dasan import memory
from dasan.cli import app

LONG = 2.0
"""The seconds after which a command that still works is a run, and is stopped."""


def outcome(arguments: list[str]) -> tuple[int, str, float]:
    """The exit code, standard error and megabytes of a command; 0 if it still works after `LONG` seconds."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["dasan.learn.trainer", "dasan.solver.solving", "dasan.server.app", __name__])
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_attempt, args=(arguments, theirs))
    process.start()
    theirs.close()
    with ours:
        try:
            code, error, megabytes = ours.recv()
        finally:
            process.join()
    return code, error, megabytes


def _attempt(arguments: list[str], answer: Any) -> None:
    memory.installed = lambda: 2e9  # type: ignore[assignment]
    started = _peak_mb()

    def end(code: int, error: str) -> None:
        answer.send((code, error, _peak_mb() - started))
        os._exit(0)

    alarm = threading.Timer(LONG, end, (0, ""))
    alarm.daemon = True
    alarm.start()
    try:
        done = CliRunner().invoke(app, arguments, input="quit\n", catch_exceptions=False)
    except BaseException:
        end(-1, traceback.format_exc())
    end(done.exit_code, done.stderr)


def _peak_mb() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
