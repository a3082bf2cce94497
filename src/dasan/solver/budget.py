"""Limits of a search: nodes, seconds, threads, and cancellation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from dasan.arguments import MOST_WORKERS, WrongType, amount, shown, whole


class Cancel(Protocol):
    """An object whose `is_set()` says whether to stop, such as `threading.Event`."""

    def is_set(self) -> bool: ...


class Budget:
    """The limits of one search. With `nodes` the clock is ignored, so that the search in one thread is deterministic.

    TypeError: an argument has the wrong type. ValueError: `seconds`, `nodes` or `threads` is out of range.
    """

    def __init__(
        self,
        seconds: float | None,
        nodes: int | None,
        progress: Callable[[int], object] | None = None,
        cancel: Cancel | None = None,
        threads: int = 1,
    ) -> None:
        if progress is not None and not callable(progress):
            raise WrongType(f"progress is a function of the number of positions searched, not {shown(progress)}")
        if cancel is not None and not hasattr(cancel, "is_set"):
            raise WrongType(f"cancel has a method is_set(), as threading.Event has, not {shown(cancel)}")
        seconds = None if seconds is None else amount(seconds, "seconds")
        self.nodes = None if nodes is None else whole(nodes, "nodes", 0)
        self.threads = whole(threads, "threads", 1, MOST_WORKERS)
        self.used = 0
        self._progress = progress
        self._cancel = cancel
        self._seconds = seconds if nodes is None else None
        self._deadline: float | None = None
        self.start()

    def start(self) -> None:
        """Start the clock."""
        self.started = time.monotonic()
        self._deadline = None if self._seconds is None else self.started + self._seconds

    def left(self, most: int | None = None) -> int | None:
        """Nodes left, at most `most`; None if neither limits them."""
        if self.nodes is None:
            return most
        left = self.nodes - self.used
        return left if most is None else min(left, most)

    def spend(self, nodes: int) -> None:
        self.used += nodes
        if self._progress is not None:
            self._progress(self.used)

    def over(self) -> bool:
        if self._cancel is not None and self._cancel.is_set():
            return True
        if self.nodes is not None:
            return self.used >= self.nodes
        return self._deadline is not None and time.monotonic() >= self._deadline
