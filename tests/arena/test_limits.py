"""Limits of time in contests, and bots that fail, hang or end their process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from concurrent.futures._base import DoneAndNotDoneFutures
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest
from tests.bots.alarms import RUNG, needs_alarms

import dasan
from dasan.arena.child_process import outcomes_in_child
from dasan.arena.contest import Contest, _load, _made, play_deal, run
from dasan.arena.hands import _interrupt, _limit, play_fairly
from dasan.arena.outcome import Outcome
from dasan.bots import BOTS, Bot, bot
from dasan.play.moves import MoveType

pytestmark = pytest.mark.full

RULES = dasan.rules("big-two")


class Failing:
    """Plays the first legal move, but fails in one way at every third."""

    version = "1"

    def __init__(self, how: str) -> None:
        self.name = how
        self._asked = 0

    def choose(self, view: dasan.View) -> dasan.Move:
        self._asked += 1
        if self._asked % 3:
            return view.legal_moves()[0]
        if self.name == "crash":
            raise RuntimeError("no")
        if self.name == "stall":
            time.sleep(5)
        if self.name == "catch":
            try:
                time.sleep(5)
            except Exception:
                time.sleep(5)
        if self.name == "swallow":
            try:
                time.sleep(5)
            except BaseException:
                self._asked += 0
        if self.name == "base":
            raise GeneratorExit
        return dasan.deal(RULES, seed=99).legal_moves()[0] if self.name == "illegal" else view.legal_moves()[0]


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("crash", "crash"),
        ("base", "crash"),
        ("stall", "stall"),
        ("catch", "stall"),
        ("swallow", "stall"),
        ("illegal", "illegal"),
    ],
)
def test_faults_are_contained_counted_and_named(how: str, kind: str) -> None:
    others = [bot("thrifty") for _ in range(3)]
    play_fairly(RULES, [bot("thrifty"), *others], seed=3, dealer=0)  # what is made once is made
    seconds = 0.5 if kind == "stall" else None
    state, clocks = play_fairly(RULES, [Failing(how), *others], seed=3, dealer=0, seconds=seconds)
    assert state.result is not None
    assert clocks[0].faults.get(kind, 0) >= 1
    assert set(clocks[0].faults) <= {kind}
    assert [clock.faults for clock in clocks[1:]] == [{}, {}, {}]


def test_a_move_that_is_no_move_is_a_fault() -> None:
    class Nothing:
        name = version = "1"

        def choose(self, view: dasan.View) -> dasan.Move:
            return "pass"  # type: ignore[return-value]

    _, clocks = play_fairly(RULES, [Nothing(), *(bot("thrifty") for _ in range(3))], seed=3, dealer=0)
    assert clocks[0].faults["illegal"] > 0


def test_the_first_faults_of_a_bot_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    class Unshown:
        def __repr__(self) -> str:
            raise AttributeError("no repr")

    answers: list[object] = [Unshown(), "pass", None, None]

    class Author:
        name, version = "author-of-this-test", "1"

        def choose(self, view: dasan.View) -> dasan.Move:
            if not answers:
                raise KeyError("3D")
            return answers.pop(0)  # type: ignore[return-value]

    bots: list[Bot] = [Author(), *(bot("thrifty") for _ in range(3))]
    play_fairly(RULES, bots, seed=3, dealer=0)
    name = Author.name
    assert caplog.messages == [
        f"{name}: illegal: an object of type Unshown is not one of view.legal_moves()",
        f"{name}: illegal: 'pass' is not one of view.legal_moves()",
        f"{name}: illegal: None is not one of view.legal_moves()",
        f"{name}: further faults are only counted",
    ]
    caplog.clear()
    Author.name = "another-author"
    play_fairly(RULES, bots, seed=3, dealer=0)
    assert caplog.messages[0].startswith(f"another-author: crash: KeyError: '3D' ({__file__}, line ")


def test_a_fault_names_the_line_of_the_bot_that_led_to_it(caplog: pytest.LogCaptureFixture) -> None:
    """Not a line of a package that the bot calls; and a bot without a name is named by its type."""

    class Nameless:
        version = "1"

        @property
        def name(self) -> str:
            raise RuntimeError("no name")

        def choose(self, view: dasan.View) -> dasan.Move:
            return dasan.bot("none").choose(view)

    _, clocks = play_fairly(RULES, [Nameless(), *(bot("thrifty") for _ in range(3))], seed=3, dealer=0)
    assert clocks[0].faults["crash"] > 0
    line = Nameless.choose.__code__.co_firstlineno + 1
    assert caplog.messages[0].startswith("Nameless: crash: ")
    assert caplog.messages[0].endswith(f"({__file__}, line {line})")


class Ending:
    """Ends its process at its second decision of a hand, as a bot in C may by accident, or raises SystemExit."""

    version = "1"

    def __init__(self, how: str) -> None:
        self.name = how

    def choose(self, view: dasan.View) -> dasan.Move:
        if len(view.hand) < 13:
            while self.name == "hangs":
                with suppress(BaseException):
                    time.sleep(5)
            if self.name == "exits":
                raise SystemExit(3)
            os._exit(3)
        return view.legal_moves()[0]


@pytest.mark.parametrize(("how", "processes"), [("ends", 1), ("ends", 2), ("exits", 1), ("hangs", 1)])
def test_a_bot_that_ends_its_process_is_named_and_the_contest_goes_on(
    how: str, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dasan.arena.child_process.OVERDUE", 0.7)
    seconds = 2.0 if how == "hangs" else None
    play_fairly(RULES, [bot("thrifty") for _ in range(4)], seed=3, dealer=0)  # what is made once is made
    BOTS.add(how, lambda seed: Ending(how))
    try:
        outcomes = run(Contest(RULES, how, "thrifty", 2, 1, seconds), processes=processes)
    finally:
        BOTS.remove(how)
    assert [one.seed for one in outcomes] == [1, 2]
    for one in outcomes:
        assert one.faults[0]["exit"] > 4
        assert set(one.faults[0]) == {"exit"}
        assert one.faults[1] == {}


def test_without_a_limit_a_bot_that_hangs_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.arena.child_process.OVERDUE", 1.5)
    monkeypatch.setattr("dasan.arena.contest.PATIENCE", 1.0)
    BOTS.add("hangs", lambda seed: Ending("hangs"))
    try:
        (outcome,) = run(Contest(RULES, "hangs", "thrifty", 1, 1))
    finally:
        BOTS.remove("hangs")
    assert set(outcome.faults[0]) == {"exit"}
    assert outcome.faults[1] == {}


@pytest.mark.parametrize("later", ["asked", "idle", "done"])
def test_results_of_an_overdue_process_are_ignored(later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent reads that one bot is overdue; before it ends the process, the process has continued."""
    end, asked = os.kill, threading.Event()
    awaited: list[Future[Outcome]] = []

    def waiting(futures: list[Future[Outcome]], timeout: float) -> DoneAndNotDoneFutures[Outcome]:
        awaited[:] = futures
        return wait(futures, timeout)

    def late(process: int, number: int) -> None:
        if threading.current_thread() is threading.main_thread():  # not where the pool tidies up
            (tmp_path / "overdue").touch()
            when_there(tmp_path / "further").unlink()
            if later == "done":
                wait(awaited)
            (tmp_path / "overdue").unlink()
            asked.set()
        end(process, number)

    monkeypatch.setattr("dasan.arena.child_process.os.kill", late)
    monkeypatch.setattr("dasan.arena.child_process.wait", waiting)
    monkeypatch.setattr("dasan.arena.child_process.OVERDUE", 0.2)
    played = partial(slow_then, later, tmp_path)
    outcomes = list(outcomes_in_child(played, [1, 2], 0.1))
    assert asked.is_set()
    assert [one.seed for one in outcomes] == [1, 2]
    assert all(one.faults == (({}, {}) if later == "done" else ({"exit": 1}, {})) for one in outcomes)


def when_there(file: Path) -> Path:
    """The file, once another process has made it."""
    until = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    return file


def slow_then(
    later: str,
    folder: Path,
    seed: int,
    *,
    muted: Collection[bool] = (),
    asking: Callable[[bool | None], None] | None = None,
) -> Outcome:
    """A deal in which the first bot is overdue; then the other bot is asked, or nobody, or the deal ends."""
    assert asking is not None
    assert True not in muted
    if False not in muted:
        asking(False)
        when_there(folder / "overdue")
        asking({"asked": True, "idle": None, "done": None}[later])
        (folder / "further").touch()
        time.sleep(0 if later == "done" else 60)
    return Outcome(seed, 0.0, 0.0, 0, 0, faults=({"exit": 1} if False in muted else {}, {}))


def test_a_process_that_does_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.arena.child_process.SILENCE", 1.0)
    with pytest.raises(BrokenProcessPool):
        list(outcomes_in_child(idle, [1], 60.0))


def idle(seed: int, *, muted: Collection[bool] = (), asking: Callable[[bool | None], None] | None = None) -> Outcome:
    time.sleep(60)
    raise AssertionError


@needs_alarms
def test_a_limit_interrupts_bots_alone_and_leaves_other_alarms() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    left, interval = signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        with _limit(0.05):
            time.sleep(0.2)  # nobody is asked
        assert rung == []
        _, clocks = play_fairly(
            RULES, [Failing("swallow"), *(bot("thrifty") for _ in range(3))], seed=3, dealer=0, seconds=0.2
        )
        assert set(clocks[0].faults) == {"stall"}
        time.sleep(max(0.0, signal.getitimer(signal.ITIMER_REAL)[0]) + 0.1)
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, before)


@needs_alarms
def test_a_move_that_comes_as_the_time_ends_is_in_time_or_a_stall() -> None:
    """The alarm rings at about the moment at which the bot gives an illegal answer: that answer is never played."""

    class Punctual:
        name = version = "1"
        asked = 0

        def choose(self, view: dasan.View) -> dasan.Move:
            self.asked += 1
            until = time.perf_counter() + 0.001 + (self.asked % 16 - 12) * 1e-5
            while time.perf_counter() < until:
                pass
            return dasan.Move(MoveType.PLAY, view.rules.pack[:1] * 2)

    punctual, faults = Punctual(), Counter[str]()
    asked: list[int | None] = []
    for seed in range(10):
        _, clocks = play_fairly(RULES, [punctual] * 4, seed=seed, dealer=0, seconds=0.001, asking=asked.append)
        for clock in clocks:
            faults.update(clock.faults)
    assert set(faults) == {"stall", "illegal"}
    assert faults.total() == len(asked) - asked.count(None)


class Loading:
    """Plays the first legal move, but takes two seconds for the first time, as to import and compile."""

    name, version = "low", "1"
    loaded = False

    def choose(self, view: dasan.View) -> dasan.Move:
        if not Loading.loaded:
            time.sleep(2)
            Loading.loaded = True
        return view.legal_moves()[0]


def test_what_a_bot_of_dasan_loads_does_not_count_against_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dasan.bots._OWN, "low", lambda seed: Loading())
    _made.cache_clear()
    _load.cache_clear()
    try:
        outcome = play_deal(Contest(RULES, "low", "random", 1, 0, 1.0), 0)
    finally:
        _made.cache_clear()
    assert outcome.faults == ({}, {})
    assert max(outcome.seconds) < 1


LOADS = """
from time import sleep
from tests.bots.alarms import RUNG
before = len(RUNG)
while len(RUNG) == before:
    sleep(0.01)
done = True
"""
"""A module whose import ends after the next alarm."""


@needs_alarms
@pytest.mark.parametrize("how", ["import", "compile"])
def test_an_interrupt_leaves_nothing_half_loaded(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        RUNG.append(number)
        _interrupt(number, frame)

    class Importing:
        name = version = "1"

        def choose(self, view: dasan.View) -> dasan.Move:
            if how == "import":
                assert import_module("slowly_imported").done
            elif "done" not in compiler:
                assert len(compiler) == 1
                exec(LOADS, compiler)
            return view.legal_moves()[0]

    (tmp_path / "slowly_imported.py").write_text(LOADS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("dasan.arena.hands._interrupt", interrupt)
    compiler: dict[str, object] = {"__name__": "numba.core"}
    others = [bot("low") for _ in range(3)]
    try:
        for limit, faults in ((1.0, {"stall": 1}), (60.0, {})):
            _, clocks = play_fairly(RULES, [Importing(), *others], seed=3, dealer=0, seconds=limit)
            assert [clock.faults for clock in clocks] == [faults, {}, {}, {}]
    finally:
        sys.modules.pop("slowly_imported", None)
