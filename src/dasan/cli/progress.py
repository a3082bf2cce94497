"""Progress on standard error: a bar in a terminal, and a line now and then in a pipe or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from dasan.cli.output import visible, warn

BETWEEN = 30.0
"""The seconds between two lines where standard error is not a terminal."""


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Yields a function of (title, done, total) that updates the bar; the bar is removed at the end. Where standard error is not
    a terminal, it prints a line if the last one, or the beginning, was `BETWEEN` seconds ago.
    """
    if not sys.stderr.isatty():
        yield _in_lines()
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=escape(visible(what)), completed=done, total=total)

        yield show


def _in_lines() -> Callable[[str, int, int], None]:
    last = monotonic()

    def show(what: str, done: int, total: int) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= BETWEEN:
            last = now
            with suppress(OSError):  # whoever read the lines may be gone, and the work goes on
                warn(f"{what}: {done:,} of {total:,}")

    return show


def notice(text: str) -> None:
    """Print a notice on standard error before slow work."""
    warn(f"{text} …")
