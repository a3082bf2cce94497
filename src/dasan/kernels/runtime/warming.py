"""Compile in advance, in a process of low priority, so that no player waits for a compiler.

A server creates one `Warming`, starts it, and asks `ready(part)` before it uses a kernel; until then it takes the
interpreted path, or answers that it is not ready. The process exits when its parent does, even if the parent is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from threading import Thread
from typing import Literal, get_args

Part = Literal["solve", "big-three", "big-two", "winner"]
PARTS: tuple[Part, ...] = get_args(Part)
"""`solve`: the solver of Big Three. A game: its worlds and playouts, for any options."""


class Warming:
    """Tracks which parts have been compiled and cached. Before `start`, none."""

    def __init__(self) -> None:
        self._ready: set[str] = set()
        self._child: subprocess.Popen[str] | None = None

    def start(self, parts: Sequence[Part] = PARTS) -> None:
        """Start compiling the parts in order, in another process. If no process can be started, nothing becomes ready."""
        below = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, *parts],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                creationflags=below,
            )
        except OSError:
            return
        Thread(target=self._listen, args=(self._child,), daemon=True, name="dasan-warming").start()

    def ready(self, part: Part) -> bool:
        """Whether a first call loads cached machine code instead of compiling. Never waits."""
        return part in self._ready

    @property
    def process(self) -> int | None:
        """The process id, while the process runs."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def stop(self) -> None:
        """Kill the process."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            if self._child.stdin is not None:
                self._child.stdin.close()

    def _listen(self, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        with child.stdout as lines:
            for line in lines:
                self._ready.add(line.strip())
        child.wait()


def warm(part: Part) -> None:
    """Call every kernel of a part once, so that it is compiled."""
    import dasan
    from dasan import worlds

    if part == "solve":
        dasan.solve(dasan.start(dasan.rules("big-three"), ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0))
        return
    rules = dasan.rules(part)
    state = dasan.deal(rules, seed=0)
    assert state.to_act is not None
    positions = worlds.Positions(rules, 2)
    positions.put_worlds(0, state, worlds.deals(state.view(state.to_act), 2))
    for policy in ("random", "thrifty"):
        positions.play_out(policy=policy)
    positions.step(0, positions.thrifty(0))


def main(parts: Sequence[str]) -> int:
    """Compile the parts in order and print the name of each when it is done. Exits when standard input closes."""
    Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(15)
    from dasan.kernels.runtime.code_cache import root

    root().mkdir(parents=True, exist_ok=True)  # OSError: nothing can be cached, so nothing becomes ready
    for part in PARTS:
        if part in parts:
            warm(part)
            print(part, flush=True)
    return 0


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
