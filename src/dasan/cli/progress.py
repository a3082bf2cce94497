"""A progress bar on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dasan.cli.output import visible, warn


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Yields a function of (title, done, total) that updates the bar; the bar is removed at the end."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("")

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=escape(visible(what)), completed=done, total=total)

        yield show


def notice(text: str) -> None:
    """Print a notice on standard error before slow work."""
    warn(f"{text} …")
