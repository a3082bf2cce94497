"""One hand between bots that may fail: every fault is contained and counted against its bot."""

from __future__ import annotations

import signal
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from types import FrameType

from dasan.arguments import shown
from dasan.bots import Bot
from dasan.bots.external.program import ProgramBot, log_fault, tell_end
from dasan.bots.external.wire import Fault
from dasan.play.moves import Move
from dasan.play.new_hand import deal
from dasan.play.state import State
from dasan.play.view import View
from dasan.ruleset.places import place_shares, places_of
from dasan.ruleset.rules import Rules

LEAST_INTERVAL = 0.5
"""The minimum number of seconds between interrupts of a bot that takes too long."""
LOADERS = ("importlib", "numba")
"""Packages that are never interrupted: half an imported module, or half of a compiler's tables, would break all later moves."""

_faults: Counter[str] = Counter()
"""The number of faults of bots in this process, by name."""


class _Late(BaseException):
    """A BaseException, so that a bot's `except Exception` does not catch it."""


@dataclass
class Tally:
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
) -> tuple[State, list[Tally]]:
    """Play a hand from the shuffle, `bots` in seats 0, 1 …; returns its last state and each seat's tally.

    If a bot raises, answers with something that is not a legal move, or takes longer than `seconds`, the first legal move is
    played for it. A bot that takes too long is interrupted only in a process's main thread, where the system can do so; a
    `ProgramBot` has its own limit instead of `seconds`.
    muted: seats whose bots are not asked; each of their decisions is an "exit" fault. asking: called with the seat before its
    bot is asked, and with None afterwards.
    """
    state = deal(rules, seed=seed, dealer=dealer)
    clocks = [Tally() for _ in bots]
    while state.to_act is not None:
        seat = state.to_act
        fault = "exit" if seat in muted else _start(bots[seat])
        if fault is not None:
            clocks[seat].fault(fault)
            state = state.play(state.legal_moves()[0])
            continue
        if asking is not None:
            asking(seat)
        move = _ask(bots[seat], state.view(seat), clocks[seat], seconds)
        if asking is not None:
            asking(None)
        state = state.play(move)
    tell_end(state, bots)
    return state, clocks


def _start(bot: Bot) -> str | None:
    """Start a program if it is not running; the fault if that fails. Its start has a limit of its own."""
    if isinstance(bot, ProgramBot):
        try:
            bot.begin(report=True)
        except Fault as fault:
            return fault.kind
    return None


def _ask(bot: Bot, view: View, clock: Tally, seconds: float | None) -> Move:
    """The bot's move if it is legal and in time, else the first legal move. A program has its own limit, whose fault it logs."""
    legal = view.legal_moves()
    if isinstance(bot, ProgramBot):
        seconds = None
    begun = perf_counter()
    fault = Fault("stall", f"no answer within {seconds or 0:g} seconds")
    try:
        with _limit(seconds):
            answer = _answer(bot, view)
        # A bot that is late here caught the interrupt, or could not be interrupted.
        if seconds is None or perf_counter() - begun <= seconds:
            if isinstance(answer, Move) and answer in legal:
                return answer
            fault = Fault("illegal", f"{_shown(answer)} is not one of view.legal_moves()")
    except _Late:
        pass
    except Fault as error:
        fault = error
    except SystemExit:
        fault = Fault("exit", "it raised SystemExit")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        fault = Fault("crash", _described(error, type(bot).__module__))
    finally:
        if len(legal) > 1:
            clock.moves += 1
            clock.seconds += perf_counter() - begun
    clock.fault(fault.kind)
    _report(bot, fault)
    return legal[0]


def _report(bot: Bot, fault: Fault) -> None:
    """Log the first faults of each name in this process. A program logs its own."""
    if isinstance(bot, ProgramBot):
        return
    try:
        name = str(bot.name)
    except Exception:
        name = type(bot).__name__
    _faults[name] += 1
    log_fault(name, fault, _faults[name])


def _shown(answer: object) -> str:
    """An answer, whose `repr` may fail, for a message."""
    try:
        return f"the move {answer}" if isinstance(answer, Move) else shown(answer)
    except Exception:
        return f"an object of type {type(answer).__name__}"


def _described(error: BaseException, module: str) -> str:
    """The error, and the last line of the bot's `module` before it; if there is none, the line that raised it."""
    lines = list(traceback.walk_tb(error.__traceback__))
    own = [(frame, line) for frame, line in lines if frame.f_globals.get("__name__") == module]
    frame, line = (own or lines)[-1]
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "…"
    return f"{type(error).__name__}: {text} ({frame.f_code.co_filename}, line {line})"


def _answer(bot: Bot, view: View) -> object:
    """The bot's answer. `_Late` is raised only while this function runs."""
    return bot.choose(view)


@contextmanager
def _limit(seconds: float | None) -> Iterator[None]:
    """Interrupt `_answer` after `seconds`, and repeatedly, because a bot may catch `_Late`. Restores an earlier alarm."""
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
    before = signal.signal(signal.SIGALRM, _interrupt)
    begun = perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, max(seconds, LEAST_INTERVAL))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (perf_counter() - begun), 0.001), interval)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise `_Late` while a bot is being asked, unless it is loading code; ignore a late alarm."""
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] not in LOADERS:
        if frame.f_code is _answer.__code__:
            raise _Late
        frame = frame.f_back


def earned(state: State) -> tuple[float, ...]:
    """Each seat's outcome of a finished hand: the payment, or in games without payments the place, from 1 (first) to -1
    (last).

    ValueError: the hand goes on.
    """
    result = state.result
    if result is None:
        raise ValueError("the hand goes on")
    if state.rules.pays:
        return tuple(float(paid) for paid in result.payments)
    return tuple(place_shares(places_of(result.finish_order, state.rules.players)))


def role(state: State, seat: int) -> str:
    """The role of a seat in a finished hand: bidder, partner or opponent, or player in games without sides."""
    if state.bidder is None:
        return "player"
    return "bidder" if seat == state.bidder else "partner" if seat == state.partner else "opponent"
