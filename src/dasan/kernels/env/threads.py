"""Worker threads for batched environments. The caller's thread posts commands; helpers spin briefly, then sleep.

`posts` has one row of words a thread; the caller's is the last. The caller writes a command into the helpers' rows; each
helper carries it out on its own range of environments and reports, all in compiled code. A helper without a command spins for
about 0.1 ms, because the next one usually comes within microseconds, and then sleeps in Python, which takes some 30 µs to wake.
"""

from __future__ import annotations

import os
import time
from _thread import start_new_thread
from collections.abc import Callable
from itertools import pairwise
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from dasan.arrays import Ints, Longs, Words
from dasan.kernels.env.buffers import NONE, Buffers, first_illegal, sample
from dasan.kernels.env.optional_outputs import OptionalOutputs
from dasan.kernels.env.past import Past
from dasan.kernels.runtime.atomics import HAS_YIELD, give_way, load, replace, store, swap
from dasan.kernels.runtime.compiled import DISABLED, lean, woven

Posts = Longs

LINE = 16
"""Words in a row: two cache lines, which some processors fetch together."""
STATE, FIRST, LAST, ILLEGAL, WAKE, BROKEN = 0, 1, 2, 3, 4, 5
"""Words of a row. FIRST, LAST: the range of environments this thread steps. ILLEGAL: the environment with an illegal action, or
NONE or LOST. WAKE: set while the helper sleeps. BROKEN (caller's row only): a helper failed, and nobody may wait for it."""
ASLEEP, IDLE, CHECKED, GO, LEAVE, SAMPLE, START, STEP, WRITE, FORCED = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Values of STATE. On STEP a helper checks its actions, reports CHECKED, and waits for GO or LEAVE. WRITE writes optional
outputs; it comes after a step, because ragged rows depend on what is legal in all environments. FORCED, after a step too, makes
the moves of seats that have no choice."""
LOST = -2
_LOOKS = 300 if HAS_YIELD else 30_000
"""The number of polls for a command before a helper sleeps."""


class Workspace(NamedTuple):
    """Working memory of n environments.

    chosen: [n], the actions of this step. choice: [n], the random states of `sample`. scratch: a row a thread. observing:
    whether observations are written. optional: the optional outputs. past: the last moves.
    """

    chosen: Ints
    choice: Words
    scratch: Words
    observing: bool
    optional: OptionalOutputs
    past: Past


@woven
def _settled(posts: Posts, most: int) -> bool:
    """Wait until no helper's state is above `most`; False if a helper failed."""
    for line in range(0, posts.shape[0] - LINE, LINE):
        while load(posts, line + STATE) > most:
            if load(posts, posts.shape[0] - LINE + BROKEN):
                return False
            give_way()
    return True


@lean
def summon(posts: Posts, order: int) -> int:
    """Post a command to the helpers and set WAKE of those that sleep; return their number."""
    asleep = 0
    for line in range(0, posts.shape[0] - LINE, LINE):
        posts[line + WAKE] = 1 if swap(posts, line + STATE, order) == ASLEEP else 0
        asleep += posts[line + WAKE]
    return asleep


@woven
def enter(me: int, posts: Posts) -> tuple[int, int]:
    """Start the work of thread `me`; return its range, FIRST and LAST."""
    posts[me * LINE + ILLEGAL] = NONE
    return posts[me * LINE + FIRST], posts[me * LINE + LAST]


@woven
def agreed(me: int, posts: Posts, chosen: Ints, buffers: Buffers) -> bool:
    """Whether the actions of all threads are legal. The caller's ILLEGAL is the first environment whose action is not.

    Each thread checks its own range, whose masks are in its own cache.
    """
    line, callers = me * LINE, posts.shape[0] - LINE
    illegal = first_illegal(posts[line + FIRST], posts[line + LAST], chosen, buffers)
    posts[line + ILLEGAL] = illegal
    if callers == 0:
        return illegal == NONE
    if line != callers:
        store(posts, line + STATE, CHECKED)
        state = CHECKED
        while state == CHECKED and not load(posts, callers + BROKEN):
            give_way()
            state = load(posts, line + STATE)
        return state == GO
    if not _settled(posts, CHECKED):
        posts[callers + ILLEGAL] = LOST
        return False
    for other in range(callers - LINE, -1, -LINE):
        if posts[other + ILLEGAL] != NONE:
            illegal = posts[other + ILLEGAL]
    posts[callers + ILLEGAL] = illegal
    for other in range(0, callers, LINE):
        store(posts, other + STATE, GO if illegal == NONE else LEAVE)
    return illegal == NONE


@woven
def next_order(me: int, posts: Posts) -> int:
    """Report the command as done. For a helper, return the next command or ASLEEP; for the caller, wait for all."""
    line, callers = me * LINE, posts.shape[0] - LINE
    if callers == 0:
        return ASLEEP
    if line == callers:
        if not _settled(posts, IDLE):
            posts[callers + ILLEGAL] = LOST
        return ASLEEP
    store(posts, line + STATE, IDLE)
    for _ in range(_LOOKS):
        if load(posts, line + STATE) != IDLE or load(posts, callers + BROKEN):
            break
        give_way()
    if replace(posts, line + STATE, IDLE, ASLEEP):
        return ASLEEP
    return load(posts, line + STATE)


@woven
def illegal_in(me: int, posts: Posts) -> int:
    """The word ILLEGAL of a thread."""
    what: int = posts[me * LINE + ILLEGAL]
    return what


@lean
def sample_all(choice: Words, buffers: Buffers) -> int:
    """The command SAMPLE for environments that are not compiled."""
    sample(0, choice.shape[0], choice, buffers)
    return NONE


Attend = Callable[[int, int], int]
"""Carries out commands; called with the thread's number and the first command."""


class _Crew(NamedTuple):
    """The helpers of one process, and what they share with the caller. gone: which have ended."""

    posts: Posts
    orders: list[SimpleQueue[tuple[Attend, int] | None]]
    gone: list[bool]
    process: int

    def let_go(self) -> None:
        """Stop waiting for the helpers; each exits after its current command."""
        self.posts[BROKEN - LINE] = 1
        for orders in self.orders:
            orders.put(None)


class Team:
    """The caller and its helpers.

    After an interrupt or a failed helper, the next command starts new helpers. Without compiled code there are none.
    """

    def __init__(self, num_envs: int, threads: int) -> None:
        self.threads = 1 if DISABLED else threads
        self._bounds = [num_envs * k // self.threads for k in range(self.threads + 1)]
        self._crew = self._new_crew()
        self._whole = True

    @property
    def posts(self) -> Posts:
        return self._crew.posts

    def command(self, order: int, attend: Attend, lead: Callable[[], int]) -> int:
        """Post a command: sleeping helpers wake and run `attend`, the caller runs `lead`, whose result is returned.

        RuntimeError: a helper failed.
        """
        if self.threads == 1:
            return lead()
        posts, queues = self._begin()
        try:
            if summon(posts, order):
                for me, orders in enumerate(queues):
                    if posts[me * LINE + WAKE]:
                        orders.put((attend, order))
            first_bad = lead()
        except BaseException:
            posts[BROKEN - LINE] = 1
            raise
        if first_bad == LOST:
            raise RuntimeError("a thread of the environments was lost; reset them")
        self._whole = True
        return first_bad

    def renew(self) -> None:
        """Start new helpers at the next command, because these hold arrays that have been replaced."""
        self._whole = False

    def dismiss(self) -> None:
        self._crew.let_go()

    def _begin(self) -> tuple[Posts, list[SimpleQueue[tuple[Attend, int] | None]]]:
        """Return a complete crew, marked as broken until the command that starts now has ended."""
        crew = self._crew
        mine = crew.process == os.getpid()  # a forked process lacks its parent's threads
        if not self._whole and mine:
            crew.let_go()
            while not all(crew.gone):
                time.sleep(0.0002)
        if not self._whole or not mine:
            crew = self._crew = self._new_crew()
        self._whole = False
        return crew.posts, crew.orders

    def _new_crew(self) -> _Crew:
        posts = np.zeros(LINE * self.threads, np.int64)
        for me, (first, last) in enumerate(pairwise(self._bounds)):
            posts[me * LINE + FIRST], posts[me * LINE + LAST] = first, last
        n = self.threads - 1
        crew = _Crew(posts, [SimpleQueue() for _ in range(n)], [False] * n, os.getpid())
        try:
            for me in range(n):
                start_new_thread(_help, (me, crew))  # an interrupt in `Thread.start` can leave locks held
        except BaseException:
            crew.let_go()
            raise
        return crew


def _help(me: int, crew: _Crew) -> None:
    try:
        while (given := crew.orders[me].get()) is not None:
            attend, order = given
            attend(me, order)
            del given, attend  # they refer to the environments and would keep them alive
    finally:
        crew.posts[BROKEN - LINE] = 1
        crew.gone[me] = True
