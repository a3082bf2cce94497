"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dasan.cli.output import warn


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows what is being done, how much of it is done, and of how much; the bar goes at the end."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("")

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show


def notice(text: str) -> None:
    """Say on standard error that something takes time before the work begins."""
    warn(f"{text} …")
