"""Compile kernels in advance in a low-priority process, so that no player waits for the compiler.

A server creates one `Warming`, starts it, and checks `ready(part)` before it uses a kernel; until then it takes the
interpreted path, or answers that it is not ready. The process exits with its parent, even if the parent is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from threading import Thread
from typing import Literal, get_args

from dasan import backends
from dasan.ruleset.rules import Rules
from dasan.server.operations.reporting import log

Part = Literal["solve", "big-three", "big-two", "winner", "dou-dizhu", "big-two-taiwan"]
PARTS: tuple[Part, ...] = get_args(Part)
"""`solve`: the solver of Big Three. A preset: the worlds, playouts and endgames of its
encoding, and hints by `search`, for any options and for the other presets of that encoding."""

SOLVED: dict[Part, tuple[str, list[str], dict[str, int]]] = {
    "solve": ("big-three", ["4H 4S 3D", "5H 6H", "7H 8C"], {"bidder": 0, "bid": 2}),
    "big-two": ("big-two", ["3D 4D", "5D 6D", "7D 8D", "9D TD"], {}),
    "winner": ("winner", ["3D 4D", "5D 6D", "7D 8D", "9D TD"], {}),
    "dou-dizhu": ("dou-dizhu", ["3D 4D", "5D 6D", "7D 8D"], {"bidder": 0, "bid": 2}),
}
"""A small position for each part with a solver: preset, hands, and the bidder."""

ENCODINGS: dict[str, Part] = {
    "ranks": "big-three",
    "cardsets": "big-two",
    "patterns": "winner",
    "kickers": "dou-dizhu",
    "regional": "big-two-taiwan",
}
"""The part that compiles each backend of hidden worlds."""

HINTS = 8
"""The number of plays and passes that `warm_hints` lets `search` choose, enough that some have several candidates."""


class Warming:
    """Tracks which parts have been compiled and cached; none before `start`."""

    def __init__(self) -> None:
        self._ready: set[str] = set()
        self._child: subprocess.Popen[str] | None = None
        self._stopped = False

    def start(self, parts: Sequence[Part] = PARTS, done: Callable[[Part], object] | None = None) -> None:
        """Start compiling the parts in order, in another process. If no process can be started, nothing becomes ready.

        done: called in a thread with each part when it is ready, and at the end of the process (or if there is none) with the
        parts that are not, unless `stop` ended it.
        """
        below = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, *parts],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                creationflags=below,
            )
        except OSError:
            if done is not None:
                for part in parts:
                    done(part)
            return
        Thread(target=self._listen, args=(self._child, parts, done), daemon=True, name="dasan-warming").start()

    def ready(self, part: str) -> bool:
        """Whether a first call loads cached machine code instead of compiling; False for unknown parts. Never waits."""
        return part in self._ready

    @property
    def process(self) -> int | None:
        """The process id, while the process runs."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def stop(self) -> None:
        """Kill the process."""
        self._stopped = True
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            if self._child.stdin is not None:
                self._child.stdin.close()

    def _listen(
        self, child: subprocess.Popen[str], parts: Sequence[Part], done: Callable[[Part], object] | None
    ) -> None:
        assert child.stdout is not None
        with child.stdout as lines:
            for line in lines:
                part = next((part for part in parts if part == line.strip()), None)
                if part is None:
                    log.warning("%s", line.strip())
                    continue
                self._ready.add(part)
                if done is not None and not self._stopped:
                    done(part)
        child.wait()
        for part in parts:
            if done is not None and not self._stopped and part not in self._ready:
                done(part)


def part_of(rules: Rules) -> Part:
    """The part whose kernels hints by `search` need for these rules.

    Rules that only the engine plays need none: their worlds are played out by the engine. Their part is Big Three's.

    >>> import dasan
    >>> part_of(dasan.rules("big-two-hong-kong")), part_of(dasan.rules("wa-keng"))
    ('big-two-taiwan', 'big-three')
    """
    return ENCODINGS.get(backends.choose(rules, backends.Purpose.WORLDS).name, "big-three")


def warm(part: Part) -> None:
    """Call every kernel of a part once, so that it is compiled."""
    import dasan
    from dasan import worlds

    warm_solver(part)
    if part == "solve":
        return
    rules = dasan.rules(part)
    state = dasan.deal(rules, seed=0)
    assert state.to_act is not None
    positions = worlds.Positions(rules, 2)
    positions.put_worlds(0, state, worlds.deals(state.view(state.to_act), 2))
    for policy in ("random", "thrifty"):
        positions.play_out(policy=policy)
    positions.step(0, positions.thrifty(0))
    warm_hints(part)


def warm_network(part: Part) -> None:
    """Let `net` choose a play, so that the code that scores moves is compiled."""
    import dasan

    state = dasan.deal(dasan.rules(part), seed=0)
    net, thrifty = dasan.bot("net"), dasan.bot("thrifty")
    while state.to_act is not None and state.phase != "play":
        state = state.play(thrifty.choose(state.view(state.to_act)))
    assert state.to_act is not None
    net.choose(state.view(state.to_act))


def warm_hints(part: Part) -> None:
    """Let `search` choose in a hand, so that all code for hints is compiled and loaded."""
    import dasan

    search, thrifty = dasan.bot("search"), dasan.bot("thrifty")
    state, plays = dasan.deal(dasan.rules(part), seed=0), 0
    while state.to_act is not None and plays < HINTS:
        view = state.view(state.to_act)
        plays += view.phase == "play"
        state = state.play((search if view.phase == "play" else thrifty).choose(view))


def warm_solver(part: Part) -> None:
    """Solve a small position, so that a part's solver is compiled and loaded; does nothing for parts without one."""
    import dasan

    if part in SOLVED:
        preset, hands, auction = SOLVED[part]
        dasan.solve(dasan.start(dasan.rules(preset), hands, leader=0, **auction), memory_mb=16)  # type: ignore[arg-type]


def main(parts: Sequence[str]) -> int:
    """Compile the networks, which most bots play by, then the parts in order, printing the name of each when done, or why
    nothing becomes ready. Exits when standard input closes.
    """
    Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(15)
    from dasan.kernels.runtime.code_cache import root

    try:
        root().mkdir(parents=True, exist_ok=True)
        probe = root() / f"probe-{os.getpid()}"
        probe.touch()
        probe.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or "it cannot be written"
        print(
            f"compiled code cannot be kept in {root()} ({reason}): set NUMBA_CACHE_DIR, or each process compiles it again"
        )
        return 1
    for part in PARTS:
        if part in parts and part != "solve":
            warm_network(part)
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
