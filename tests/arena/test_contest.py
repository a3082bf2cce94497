"""Contests: fair between equals, able to detect a known edge, resumable, and safe from bots that fail."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.bots.alarms import needs_alarms

import dasan
from dasan.arena.beside import outcomes_beside
from dasan.arena.contest import Contest, OutcomeFile, _load, _made, interval, play_deal, run
from dasan.arena.hands import _limit, play_fairly
from dasan.arena.outcome import Outcome, win_rate
from dasan.arena.ratings import difference, ratings
from dasan.bots import BOTS, Maker, bot
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
    monkeypatch.setattr("dasan.arena.beside.OVERDUE", 0.7)
    seconds = 1.0 if how == "hangs" else None
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
    monkeypatch.setattr("dasan.arena.beside.OVERDUE", 1.5)
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

    def late(process: int, number: int) -> None:
        if threading.current_thread() is threading.main_thread():  # not where the pool tidies up
            (tmp_path / "overdue").touch()
            when_there(tmp_path / "further").unlink()
            time.sleep(1.0)  # the outcome, if there is one, arrives
            (tmp_path / "overdue").unlink()
            asked.set()
        end(process, number)

    monkeypatch.setattr("dasan.arena.beside.os.kill", late)
    monkeypatch.setattr("dasan.arena.beside.OVERDUE", 0.2)
    played = partial(slow_then, later, tmp_path)
    outcomes = list(outcomes_beside(played, [1, 2], 0.1))
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
    monkeypatch.setattr("dasan.arena.beside.SILENCE", 1.0)
    with pytest.raises(BrokenProcessPool):
        list(outcomes_beside(idle, [1], 60.0))


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


def test_a_program_whose_version_was_asked_plays_in_other_processes(tmp_path: Path) -> None:
    file = Path(__file__).parents[2] / "examples" / "bots" / "first.py"
    contest = Contest(RULES, f"cmd:'{sys.executable}' '{file}'", "random", 2, 1)
    outcomes = run(contest, processes=2, known=OutcomeFile(tmp_path / "outcomes.jsonl").of(contest))
    assert [one.faults for one in outcomes] == [({}, {}), ({}, {})]


def test_a_known_edge_is_found_with_the_deals_that_it_takes() -> None:
    """An edge of 0.25 with a spread of 0.9 a deal takes (3.6 x 0.9 / 0.25) ** 2, about 170 deals, for 95 in 100."""

    def drawn(rng: random.Random) -> list[Outcome]:
        means = [min(3.0, max(-1.0, rng.gauss(0.25, 0.9))) for _ in range(170)]
        return [Outcome(i, mean, 0.25, 1, 1) for i, mean in enumerate(means)]

    count = sum(interval(RULES, drawn(random.Random(number))).low > 0 for number in range(200))
    assert count >= 180


def test_a_contest_goes_on_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.jsonl"
    contest = Contest(RULES, "thrifty", "random", 6, 1)
    outcomes = OutcomeFile(file)
    first = run(Contest(RULES, "thrifty", "random", 3, 1), keep=lambda one: outcomes.keep(contest, one))
    again = OutcomeFile(file).of(contest)
    assert sorted(again) == [1, 2, 3]
    assert sorted(outcomes.of(contest)) == [1, 2, 3]
    assert [again[seed].mean for seed in (1, 2, 3)] == [one.mean for one in first]
    played: list[int] = []
    whole = run(contest, known=again, keep=lambda one: played.append(one.seed))
    assert played == [4, 5, 6]
    assert [(one.seed, one.mean) for one in whole] == [(one.seed, one.mean) for one in run(contest)]
    assert OutcomeFile(file).of(Contest(RULES, "greedy", "random", 6, 1)) == {}
    assert OutcomeFile(file).newest(Contest(RULES, "greedy", "random", 6, 1)) is None
    today = OutcomeFile(file).newest(Contest(RULES, "thrifty", "random", 2, 1))
    assert today is not None
    assert (today[0], list(today[1])) == (("1", "1"), [1, 2])
    file.write_text(file.read_text().replace("thrifty 1", "thrifty 0"))
    earlier = OutcomeFile(file).newest(contest)
    assert earlier is not None
    assert (earlier[0], list(earlier[1])) == (("0", "1"), [1, 2, 3])
    line = file.read_text().splitlines()[0]
    file.write_text(
        line.replace("thrifty 0", "thrifty 9") + "\n" + line.replace("thrifty 0", "thrifty 10") + "\n" + line[:70]
    )
    torn = OutcomeFile(file)
    newest = torn.newest(contest)
    assert newest is not None
    assert (newest[0], list(newest[1])) == (("10", "1"), [1])
    torn.keep(Contest(RULES, "thrifty", "random", 9, 40), replace(first[0], seed=44))
    assert OutcomeFile(file).newest(contest) == newest
    assert sorted(OutcomeFile(file).of(Contest(RULES, "thrifty", "random", 9, 40))) == [44]
    file.write_text("not json\n")
    with pytest.raises(ValueError, match="does not hold outcomes"):
        OutcomeFile(file)


def test_processes_change_nothing_but_the_time(tmp_path: Path) -> None:
    contest = Contest(RULES, "thrifty", "random", 6, 1, records=str(tmp_path))
    one, two = run(contest), run(contest, processes=2)
    assert [(o.seed, o.mean, o.above, o.roles) for o in one] == [(o.seed, o.mean, o.above, o.roles) for o in two]
    records = sorted(tmp_path.iterdir())
    assert len(records) == 24
    replayed = dasan.replay(records[0].read_text())
    assert isinstance(replayed, dasan.State)
    assert replayed.result is not None


def test_outcomes_of_programs_are_known_by_their_time_limit(tmp_path: Path) -> None:
    first, file = Contest(RULES, "cmd:false", "random", 1, 1, 2.0), OutcomeFile(tmp_path / "outcomes.jsonl")
    file.keep(first, Outcome(1, 0.5, 0.25, 1, 1))
    again = OutcomeFile(tmp_path / "outcomes.jsonl")
    assert list(again.of(first)) == [1]
    assert again.of(replace(first, move_seconds=3.0)) == {}


def test_known_deals_without_records_are_played_again(tmp_path: Path) -> None:
    contest = Contest(RULES, "low", "random", 3, 1)
    known = {one.seed: one for one in run(contest)}
    recorded = replace(contest, records=str(tmp_path))
    played: list[int] = []
    run(recorded, known=known, keep=lambda one: played.append(one.seed))
    assert (played, len(list(tmp_path.iterdir()))) == ([1, 2, 3], 12)
    next(tmp_path.glob("*-2-3.jsonl")).unlink()
    run(recorded, known=known, keep=lambda one: played.append(one.seed))
    run(contest, known=known, keep=lambda one: played.append(one.seed))
    assert (played, len(list(tmp_path.iterdir()))) == ([1, 2, 3, 2], 12)


@pytest.mark.parametrize("kind", ["stall", "exit", "crash"])
def test_outcomes_that_a_time_limit_changed_are_played_again(kind: str, tmp_path: Path) -> None:
    contest, file = Contest(RULES, "cmd:false", "random", 3, 1, 2.0), OutcomeFile(tmp_path / "outcomes.jsonl")
    file.keep(contest, Outcome(1, 0.5, 0.25, 1, 1))
    file.keep(contest, Outcome(2, 0.5, 0.25, 1, 1, faults=({kind: 1}, {})))
    file.keep(contest, Outcome(3, 0.5, 0.25, 1, 1, faults=({}, {kind: 1})))
    assert list(OutcomeFile(tmp_path / "outcomes.jsonl").of(contest)) == ([1, 2, 3] if kind == "crash" else [1, 2])


def test_records_of_other_games_and_programs_have_files_of_their_own(tmp_path: Path) -> None:
    long = "x" * 80
    makers: Mapping[str, Maker] = {name: lambda seed: bot("thrifty") for name in (f"a{long}", f"b{long}")}
    for rules in (RULES, dasan.rules("big-two", triples=True)):
        for name in makers:
            play_deal(Contest(rules, name, name, 1, records=str(tmp_path)), 4, makers)
    assert len(list(tmp_path.iterdir())) == 2 * 2 * 4


def test_outcomes_before_a_cluster_failure_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Ray: each part is played when it is awaited."""
    ray = SimpleNamespace(
        is_initialized=lambda: True,
        remote=lambda **limits: lambda task: SimpleNamespace(remote=lambda chunk: lambda: task(chunk)),
        wait=lambda tasks, num_returns, **limits: (tasks[:num_returns], tasks[num_returns:]),
        get=lambda task: task(),
        cancel=lambda task, force: None,
        cluster_resources=lambda: {"CPU": 2.0},
        exceptions=SimpleNamespace(RayError=OSError, RayTaskError=OSError),
    )
    monkeypatch.setattr("dasan.cluster._ray", lambda: ray)
    stored: list[int] = []

    def keep(outcome: Outcome) -> None:
        stored.append(outcome.seed)
        if len(stored) == 2:
            raise ConnectionError("the cluster is gone")

    contest = Contest(RULES, "thrifty", "random", 4, 1)
    assert [one.seed for one in run(contest, ray="auto")] == [1, 2, 3, 4]
    with pytest.raises(ConnectionError):
        run(contest, ray="auto", keep=keep)
    assert stored == [1, 2]


def test_roles_are_reported_in_games_with_sides() -> None:
    makers: Mapping[str, Maker] = {"x": lambda seed: bot("thrifty"), "y": lambda seed: bot("thrifty")}
    outcome = play_deal(Contest(dasan.rules("big-three"), "x", "y", 1), 4, makers)
    assert outcome.mean == 0
    assert {name: n for name, (n, _) in outcome.roles.items()} == {"bidder": 1, "opponent": 2}
    assert json.loads(json.dumps(outcome.roles))


def test_deals_with_only_void_hands_do_not_count_as_lost() -> None:
    won, void = Outcome(1, 1.0, 1.0, 3, 0, {"bidder": (1, 1)}), Outcome(2, 0.0, 0.0, 0, 0, roles={})
    assert (win_rate([won, void]), win_rate([void]), win_rate([])) == (1, 0, 0)


def test_ratings_of_few_deals_have_wide_intervals() -> None:
    """Among equals, 3 deals name a better bot in at most one contest of ten; the stated rate is one in twenty."""
    rng, wrong = random.Random(5), 0
    for _ in range(200):
        outcomes = [Outcome(i, 0.0, 0.25, above, 4 - above) for i, above in enumerate(rng.choices(range(5), k=3))]
        first = ratings({("a", "b"): outcomes})[0]
        wrong += first.low > 0 or first.high < 0
    assert wrong <= 20


def test_ratings_follow_earnings() -> None:
    better = [Outcome(i, 1.0, 0.5, 3, 1) for i in range(40)]
    equal = [Outcome(i, 0.0, 0.5, 2, 2) for i in range(40)]
    rated = ratings({("a", "b"): better, ("b", "c"): equal, ("a", "c"): better})
    assert rated[0].name == "a"
    assert rated[0].points - rated[1].points == pytest.approx(difference(3, 1), abs=3)
    assert rated[0].low <= rated[0].points <= rated[0].high


@pytest.mark.parametrize("deals", [2, 100])
@pytest.mark.parametrize(("above", "below"), [(6, 0), (3, 3), (0, 0)])
def test_deals_with_the_same_result_leave_ratings_uncertain(deals: int, above: int, below: int) -> None:
    """All blocks of deals agree, so that only the likelihood shows how little is known."""
    outcomes = [Outcome(i, 0.0, 0.5, above, below) for i in range(deals)]
    first, second = ratings({("a", "b"): outcomes})
    whole = difference(above * deals + 0.5, below * deals + 0.5)
    assert first.points - second.points == pytest.approx(whole, abs=1)
    comparisons = (above + below) * deals + 1
    share = (above * deals + 0.5) / comparisons
    half = 1.96 * 400 / math.log(10) / math.sqrt(comparisons * share * (1 - share)) / 2
    for one in (first, second):
        assert one.high - one.points == pytest.approx(half, abs=1)
        assert one.points - one.low == pytest.approx(half, abs=1)


def test_ratings_are_as_far_apart_as_the_wins_say() -> None:
    """Also of bots that nearly always win, where the likelihood is flat."""
    always = [Outcome(i, 1.0, 1.0, 3, 0) for i in range(30_000)]
    often = [Outcome(i, 1.0, 1.0, 9, 1) for i in range(10_000)]
    rated = {one.name: one.points for one in ratings({("a", "b"): always, ("b", "c"): often})}
    assert rated["a"] - rated["b"] == pytest.approx(difference(90_000.5, 0.5), abs=1)
    assert rated["b"] - rated["c"] == pytest.approx(difference(9, 1), abs=1)
    assert sum(rated.values()) == pytest.approx(0, abs=2)


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
import time
time.sleep(0.8)
done = True
"""


@needs_alarms
@pytest.mark.parametrize("how", ["import", "compile"])
def test_an_interrupt_leaves_nothing_half_loaded(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    compiler: dict[str, object] = {"__name__": "numba.core"}
    others = [bot("low") for _ in range(3)]
    try:
        for limit, faults in ((0.2, {"stall": 1}), (60.0, {})):
            _, clocks = play_fairly(RULES, [Importing(), *others], seed=3, dealer=0, seconds=limit)
            assert [clock.faults for clock in clocks] == [faults, {}, {}, {}]
    finally:
        sys.modules.pop("slowly_imported", None)
