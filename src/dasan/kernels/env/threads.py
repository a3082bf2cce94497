"""How threads share out batched environments: the caller's, and helpers that wait for its orders.

Every thread has a line of `posts`, the caller the last one. An order goes into the lines of the helpers; each carries it
out on its own share and says so, all in compiled code. A helper without an order looks at its line for a while, as the next
one mostly comes within microseconds, and then goes to sleep in Python, from where it takes some 30 µs to wake it.
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
import numpy.typing as npt

from dasan.kernels.env.buffers import NONE, Buffers, Words, first_illegal, sample
from dasan.kernels.env.optional_outputs import More
from dasan.kernels.runtime.atomics import HAS_YIELD, give_way, load, replace, store, swap
from dasan.kernels.runtime.compiled import DISABLED, lean, woven

Posts = npt.NDArray[np.int64]

LINE = 16
"""Words of a line: two cache lines, which some processors fetch together."""
STATE, FIRST, LAST, FOUND, WAKE, BROKEN = 0, 1, 2, 3, 4, 5
"""FIRST up to LAST: the share. FOUND: the environment with an illegal action, or NONE or LOST. BROKEN (of the caller): a
thread is lost, and nobody is to wait."""
ASLEEP, IDLE, CHECKED, GO, LEAVE, SAMPLE, START, STEP, WRITE = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""What STATE says. A helper with the order STEP looks for illegal actions, says CHECKED, and waits for GO or LEAVE. WRITE:
what goes beside observations, which needs to know what is legal in all environments."""
LOST = -2
_LOOKS = 300 if HAS_YIELD else 30_000
"""How often a helper looks for an order."""


class Own(NamedTuple):
    """What an environment has beside its game and the buffers that the caller sees.

    chosen: [n], the actions of this step. choice: [n], the random words that `sample` goes by. scratch: a row a thread.
    observing: whether there are observations. more: what goes beside them.
    """

    chosen: npt.NDArray[np.int32]
    choice: Words
    scratch: Words
    observing: bool
    more: More


@woven
def _settled(posts: Posts, most: int) -> bool:
    """Wait until no helper's state is above `most`; False if a thread is lost."""
    for line in range(0, posts.shape[0] - LINE, LINE):
        while load(posts, line + STATE) > most:
            if load(posts, posts.shape[0] - LINE + BROKEN):
                return False
            give_way()
    return True


@lean
def summon(posts: Posts, order: int) -> int:
    """Give the helpers an order; how many of them are asleep, whose WAKE is set."""
    asleep = 0
    for line in range(0, posts.shape[0] - LINE, LINE):
        posts[line + WAKE] = 1 if swap(posts, line + STATE, order) == ASLEEP else 0
        asleep += posts[line + WAKE]
    return asleep


@woven
def enter(me: int, posts: Posts) -> tuple[int, int]:
    """The environments of thread `me`, that begins its work: the first, and the one after the last."""
    posts[me * LINE + FOUND] = NONE
    return posts[me * LINE + FIRST], posts[me * LINE + LAST]


@woven
def agreed(me: int, posts: Posts, chosen: npt.NDArray[np.int32], mask: npt.NDArray[np.uint8]) -> bool:
    """Whether all actions are legal, of all threads. The caller's FOUND is the first environment where one is not.

    Each looks at its own share, which no other thread has in its cache.
    """
    line, callers = me * LINE, posts.shape[0] - LINE
    illegal = first_illegal(posts[line + FIRST], posts[line + LAST], chosen, mask)
    posts[line + FOUND] = illegal
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
        posts[callers + FOUND] = LOST
        return False
    for other in range(callers - LINE, -1, -LINE):
        if posts[other + FOUND] != NONE:
            illegal = posts[other + FOUND]
    posts[callers + FOUND] = illegal
    for other in range(0, callers, LINE):
        store(posts, other + STATE, GO if illegal == NONE else LEAVE)
    return illegal == NONE


@woven
def next_order(me: int, posts: Posts) -> int:
    """The order is carried out. Of a helper, the next one, or ASLEEP; of the caller ASLEEP, when all have done theirs."""
    line, callers = me * LINE, posts.shape[0] - LINE
    if callers == 0:
        return ASLEEP
    if line == callers:
        if not _settled(posts, IDLE):
            posts[callers + FOUND] = LOST
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
def found(me: int, posts: Posts) -> int:
    """FOUND of a thread."""
    what: int = posts[me * LINE + FOUND]
    return what


@lean
def sample_all(posts: Posts, choice: Words, buffers: Buffers) -> int:
    """The caller's part of the order SAMPLE; LOST, or something else."""
    me = posts.shape[0] // LINE - 1
    first, last = enter(me, posts)
    sample(first, last, choice, buffers)
    next_order(me, posts)
    return found(me, posts)


Attend = Callable[[int, int], int]
"""Carries out orders: the number of a thread, and the first order."""


class _Crew(NamedTuple):
    """Helpers, of one process, and what they share with the caller. gone: which have ended."""

    posts: Posts
    orders: list[SimpleQueue[tuple[Attend, int] | None]]
    gone: list[bool]
    process: int

    def let_go(self) -> None:
        """Nobody waits any more, and helpers end as soon as they have done what they are at."""
        self.posts[BROKEN - LINE] = 1
        for orders in self.orders:
            orders.put(None)


class Team:
    """The caller and its helpers.

    After an interrupt, or when a helper is lost, the next order goes to new ones. Without compiled code the caller is alone.
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
        """An order to all: helpers that are asleep `attend`, the caller does its own part with `lead`; what that returns.

        RuntimeError: a helper was lost.
        """
        if self.threads == 1:
            return lead()
        posts, queues = self._begin()
        try:
            if summon(posts, order):
                for me, orders in enumerate(queues):
                    if posts[me * LINE + WAKE]:
                        orders.put((attend, order))
            found = lead()
        except BaseException:
            posts[BROKEN - LINE] = 1
            raise
        if found == LOST:
            raise RuntimeError("a thread of the environments was lost; reset them")
        self._whole = True
        return found

    def renew(self) -> None:
        """The next order goes to new helpers, for these go on with arrays that have been replaced."""
        self._whole = False

    def dismiss(self) -> None:
        self._crew.let_go()

    def _begin(self) -> tuple[Posts, list[SimpleQueue[tuple[Attend, int] | None]]]:
        """Helpers who are all there, and who count as lost until the caller has seen the end of what it begins now."""
        crew = self._crew
        mine = crew.process == os.getpid()  # a forked process has no threads but its own
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
                start_new_thread(_help, (me, crew))  # an interrupt in `Thread.start` may leave locks behind
        except BaseException:
            crew.let_go()
            raise
        return crew


def _help(me: int, crew: _Crew) -> None:
    try:
        while (given := crew.orders[me].get()) is not None:
            attend, order = given
            attend(me, order)
            del given, attend  # they hold the environments, which end with their last other holder
    finally:
        crew.posts[BROKEN - LINE] = 1
        crew.gone[me] = True


__all__ = [
    *("ASLEEP", "SAMPLE", "START", "STEP", "WRITE", "Own", "Posts", "Team"),
    *("agreed", "enter", "found", "next_order", "sample_all"),
]
