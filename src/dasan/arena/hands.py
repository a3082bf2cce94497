"""One hand between bots that may fail: every fault is contained and counted for its bot."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from dasan.bots import Bot
from dasan.bots.wire import Fault
from dasan.play.begin import deal
from dasan.play.moves import Move
from dasan.play.state import State
from dasan.play.view import View
from dasan.ruleset.rules import Rules
from dasan.ruleset.worth import place_points

LEAST_INTERVAL = 0.5
"""The least number of seconds between two interrupts of a bot that takes too long."""


class _Late(BaseException):
    """Not an Exception, so that a bot that catches all of those is interrupted, too."""


@dataclass
class Clock:
    """One seat's decisions, the seconds they took, and its faults by kind: "crash", "stall", "illegal", "exit" (the bot ended
    the process, or tried to), and for programs "garbage".
    """

    moves: int = 0
    seconds: float = 0.0
    faults: dict[str, int] = field(default_factory=dict)

    def fault(self, kind: str) -> None:
        self.faults[kind] = self.faults.get(kind, 0) + 1


def play_fairly(
    rules: Rules,
    bots: Sequence[Bot],
    *,
    seed: int,
    dealer: int,
    seconds: float | None = None,
    muted: Collection[int] = (),
    asking: Callable[[int | None], None] | None = None,
) -> tuple[State, list[Clock]]:
    """Play a hand from the shuffle, `bots` in seats 0, 1 …; returns its last state, and the clock of each seat.

    If a bot raises, answers with something that is not a legal move, or takes longer than `seconds`, the first legal move is
    played for it. A bot that takes too long is interrupted only in a process's main thread, where the system can do so.
    muted: seats whose bots are not asked; each of their decisions is an "exit" fault. asking: called with the seat before its
    bot is asked, and with None afterwards.
    """
    state = deal(rules, seed=seed, dealer=dealer)
    clocks = [Clock() for _ in bots]
    while state.to_act is not None:
        seat = state.to_act
        if seat in muted:
            clocks[seat].fault("exit")
            state = state.play(state.legal_moves()[0])
            continue
        if asking is not None:
            asking(seat)
        move = _ask(bots[seat], state.view(seat), clocks[seat], seconds)
        if asking is not None:
            asking(None)
        state = state.play(move)
    return state, clocks


def _ask(bot: Bot, view: View, clock: Clock, seconds: float | None) -> Move:
    legal = view.legal_moves()
    begun = perf_counter()
    said: Any = None
    try:
        with _limit(seconds):
            said = bot.choose(view)
    except _Late:
        clock.fault("stall")
    except Fault as fault:
        clock.fault(fault.kind)
    except SystemExit:
        clock.fault("exit")
    except KeyboardInterrupt:
        raise
    except BaseException:
        clock.fault("crash")
    else:
        if seconds is not None and perf_counter() - begun > seconds:
            clock.fault("stall")  # it caught the interrupt, or could not be interrupted
            said = None
        elif not isinstance(said, Move) or said not in legal:
            clock.fault("illegal")
            said = None
    finally:
        if len(legal) > 1:
            clock.moves += 1
            clock.seconds += perf_counter() - begun
    return said if isinstance(said, Move) else legal[0]


@contextmanager
def _limit(seconds: float | None) -> Iterator[None]:
    """Raise `_Late` in the block after so many seconds, and again at intervals, for a bot may catch it."""
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, max(seconds, LEAST_INTERVAL))
        yield
    finally:
        while True:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
                break
            except _Late:
                continue


def earned(state: State) -> tuple[float, ...]:
    """By seat, the outcome of a hand that is over: the payment, or where nothing is paid the place, from 1 (first) to -1 (last).

    ValueError: the hand goes on.
    """
    result = state.result
    if result is None:
        raise ValueError("the hand goes on")
    if state.rules.pays:
        return tuple(float(paid) for paid in result.payments)
    n = state.rules.players
    places = [0] * n
    for place, seat in enumerate(result.finish_order, start=1):
        places[seat] = place
    return tuple(2 * points / (n - 1) for points in place_points(places))


def role(state: State, seat: int) -> str:
    """What a seat was in a hand that is over: bidder, partner, opponent, or player in games without sides."""
    if state.bidder is None:
        return "player"
    return "bidder" if seat == state.bidder else "partner" if seat == state.partner else "opponent"
