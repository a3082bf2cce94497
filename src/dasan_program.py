"""The program `dasan`: outside the package, so that Ctrl-C is answered while the package is still being imported."""

from __future__ import annotations

import os
import signal
import sys

STOPPED = 130
STREAMS = 3
"""Standard input, output and error have the lowest numbers."""


def main() -> None:
    """Run the command line; interrupted, even at its very start, it says so and exits with 130."""
    try:
        answer_interrupts()
        open_streams()
        # OpenBLAS reads this when NumPy is imported. Its threads wait for each other after every product: on a busy computer a
        # move of `search` took 20 times as long.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from dasan.cli import main as run

        if signal.getsignal(signal.SIGINT) is _stop:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        sys.stderr.write("dasan: stopped\n")
        sys.exit(STOPPED)


def answer_interrupts() -> None:
    """Until `main` has imported the command line, Ctrl-C ends the process at once: no import is left half done.

    A handler of the caller's, or a SIGINT that the caller ignores, stays.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def open_streams() -> None:
    """Open empty streams for standard ones that the caller has closed, so that no other file gets their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < STREAMS:
        pass
    os.close(descriptor)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def runs_as_module() -> bool:
    """Whether this is `python -m dasan`, which imports the package before it runs `dasan.__main__`."""
    return sys.argv[:1] == ["-m"] and not {"dasan", "-mdasan"}.isdisjoint(sys.orig_argv)


def _stop(_signal: int, _frame: object) -> None:
    os.write(2, b"dasan: stopped\n")
    os._exit(STOPPED)
