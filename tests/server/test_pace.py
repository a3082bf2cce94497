"""The time of a bot's move does not reveal whether the bot had a choice: two-sample tests over hundreds of passes.

The statistic is that of Kolmogorov and Smirnov: the largest difference between two samples' distribution functions.
"""

from __future__ import annotations

import asyncio
import math
import random
from bisect import bisect_right
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

import dasan
from dasan.server.protocol.commands import LeaveCommand
from dasan.server.protocol.table import TableSettings
from dasan.server.tables import bot_choices
from dasan.server.tables.bot_turns import Thought
from dasan.server.tables.pace import Pace
from dasan.server.tables.room import fold
from dasan.server.workers.process import JobCrashed, JobError, JobTimeout

from .conftest import only_process
from .harness import RATED


def likely(one: Sequence[float], other: Sequence[float]) -> float:
    """The probability of a difference as large as that between the samples, if both have one distribution."""
    first, second = sorted(one), sorted(other)
    n, m = len(first), len(second)
    gap = max(abs(bisect_right(first, at) / n - bisect_right(second, at) / m) for at in {*first, *second})
    root: float = math.sqrt(n * m / (n + m))
    at = (root + 0.12 + 0.11 / root) * gap
    return min(1.0, max(0.0, 2.0 * sum((-1.0) ** (k - 1) * math.exp(-2 * (k * at) ** 2) for k in range(1, 101))))


def test_the_statistic_tells_samples_apart() -> None:
    chance = random.Random(5)
    same = [likely(*([chance.random() for _ in range(200)] for _ in range(2))) for _ in range(100)]
    assert sum(p < 0.05 for p in same) <= 12
    assert likely([chance.random() for _ in range(200)], [chance.random() + 0.2 for _ in range(200)]) < 1e-4


SLOW: dict[str, Callable[[random.Random], float]] = {
    "quick": lambda chance: chance.uniform(0, 5),
    "as slow as strong": lambda chance: chance.lognormvariate(
        6.6, 0.5
    ),  # 0.73 s in the middle, 2.4 s for one in a hundred
    "two kinds of choices": lambda chance: chance.choice([20, 900]) * chance.uniform(0.8, 1.2),
    "often seconds": lambda chance: chance.expovariate(1 / 1500),
}


@pytest.mark.parametrize("bot", SLOW)
def test_forced_and_chosen_passes_take_times_of_one_distribution(bot: str) -> None:
    chance = random.Random(11)
    pace = Pace(600, random.Random(12))
    forced, chosen, needed = [], [], []
    for _ in range(1500):
        if chance.random() < 0.6:
            forced.append(pace.forced(bot, 0))
        else:
            needed.append(int(SLOW[bot](chance)))
            chosen.append(pace.choice(bot, needed[-1], needed[-1]))
            assert chosen[-1] >= needed[-1]
    # The very first choices are made before the bot's speed is known.
    assert likely(forced[100:], chosen[100:]) > 0.05
    short = [time for time, need in zip(chosen, needed, strict=True) if need <= sorted(needed)[len(needed) // 2]]
    long = [time for time, need in zip(chosen, needed, strict=True) if need > sorted(needed)[len(needed) // 2]]
    assert likely(short[100:], long[100:]) > 0.01, "nor does a long thought show"


def test_load_delays_forced_and_chosen_passes_alike() -> None:
    """Load in waves: for a while nothing waits, then everything waits seconds for a bot's process."""
    chance = random.Random(31)
    pace = Pace(600, random.Random(32))
    times: dict[tuple[bool, bool], list[float]] = {
        (busy, forced): [] for busy in (True, False) for forced in (True, False)
    }
    for turn in range(6000):
        busy, forced = turn // 300 % 2 == 1, chance.random() < 0.5
        waited = int(chance.uniform(1500, 3000)) if busy else 0
        thought = int(SLOW["quick"](chance))
        shown = pace.forced("strong", waited) if forced else pace.choice("strong", waited + thought, thought)
        times[busy, forced].append(shown)
    for busy in (True, False):
        assert likely(times[busy, True], times[busy, False]) > 0.01
    assert likely(times[True, True], times[False, True]) < 1e-9, "that the server is busy shows, whatever the move is"


@pytest.mark.full
@pytest.mark.parametrize("thinks", [0.0, 9.0])
async def test_a_forced_move_waits_for_a_process_like_a_choice(tmp_path: Path, thinks: float) -> None:
    """thinks: the bot's mean seconds so far. Slow bots wait for quick ones."""
    async with only_process(tmp_path, bot_delay=0.01, bot_processes=1) as tables:
        tables.choices._thinks["greedy"] = thinks
        state = dasan.deal(dasan.rules("big-three"), seed=7)
        await tables.choices.think("random", state.view(state.to_act))  # the process runs
        done: list[str] = []

        async def note(name: str, thought: Coroutine[Any, Any, Thought]) -> None:
            await thought
            done.append(name)

        view = state.view(state.to_act)
        waiting = [note("choice", tables.choices.think("greedy", view)) for _ in range(2)]
        await asyncio.gather(*waiting, note("only", tables.choices.only("greedy", "pass")))
        assert done == ["choice", "choice", "only"]


@pytest.mark.full
async def test_bots_whose_choices_are_quick_wait_for_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do their forced moves, whose time would tell them apart. A bot counts as quick before its first choice: after a
    restart the code for hints is loaded, which takes longer than a choice.
    """
    takes = {"greedy": 0.01, "strong": 2.0}
    asked: list[tuple[str, bool]] = []

    async def run(job: str, *given: Any, quick: bool, **options: Any) -> tuple[str, float]:
        await asyncio.sleep(0)
        asked.append((job, quick))
        return "pass", takes.get(given[0], 0.0) if given else 0.0

    async with only_process(tmp_path, bot_delay=0.01) as tables:
        monkeypatch.setattr(tables.bots, "run", run)
        view: Any = None
        for bot, then in (("greedy", True), ("strong", False)):
            for quick in (True, then):
                asked.clear()
                await tables.choices.only(bot, "pass")
                await tables.choices.think(bot, view)
                assert asked == [("turn", quick), ("choose", quick)]


@pytest.mark.full
async def test_until_a_bots_first_choice_ends_its_others_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many tables of strong bots would fill the place of quick ones after a restart."""
    asked: list[tuple[str, bool]] = []
    end = asyncio.Event()

    async def run(job: str, *given: Any, quick: bool, **options: Any) -> tuple[str, float]:
        asked.append((job, quick))
        await end.wait()
        return "pass", 2.0

    async with only_process(tmp_path, bot_delay=0.01) as tables:
        monkeypatch.setattr(tables.bots, "run", run)
        view: Any = None
        thoughts = [tables.choices.think("strong", view), tables.choices.think("strong", view)]
        waiting = [asyncio.create_task(one) for one in (*thoughts, tables.choices.only("strong", "pass"))]
        await asyncio.sleep(0.01)
        assert asked == [("choose", True)]
        end.set()
        await asyncio.gather(*waiting)
        assert sorted(asked[1:]) == [("choose", False), ("turn", False)]


@pytest.mark.full
@pytest.mark.parametrize("error", [JobTimeout, JobCrashed])
async def test_a_bot_that_fails_is_not_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[JobError]
) -> None:
    async def run(job: str, name: str, *given: object, **options: object) -> tuple[str, float]:
        await asyncio.sleep(0)
        if name == "strong":
            raise error
        return "pass", 0.0

    async with only_process(tmp_path, bot_seconds=0.1) as tables:
        monkeypatch.setattr(tables.bots, "run", run)
        view: Any = None
        assert (await tables.choices.think("strong", view)).failed
        assert not tables.choices.is_quick("strong")


@pytest.mark.full
async def test_compiling_does_not_count_as_thinking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the code of a new installation is compiled, a bot's stand-in plays, after one timeout for all tables. The bot is
    asked again later.
    """
    asked: list[str] = []

    async def run(job: str, name: str, *given: object, **options: object) -> tuple[str, float]:
        await asyncio.sleep(0)
        asked.append(name)
        if name == "strong" and not bids:
            raise JobTimeout
        return "pass", 0.0

    bids = False
    three, two = (dasan.deal(dasan.rules(name), seed=7) for name in ("big-three", "big-two"))
    async with only_process(tmp_path) as tables:
        monkeypatch.setattr(tables.bots, "run", run)
        tables.choices.compiling = {"big-three"}
        for names in (["strong", "greedy", "greedy"], ["greedy", "greedy"]):
            asked.clear()
            both = [tables.choices.think("strong", three.view(three.to_act)) for _ in range(2)]
            assert not any(thought.failed for thought in await asyncio.gather(*both))
            assert asked == names
        monkeypatch.setattr(bot_choices, "ASKED_AGAIN", 0.0)
        tables.choices._waiting.clear()
        for _ in range(2):
            asked.clear()
            assert not (await tables.choices.think("strong", three.view(three.to_act))).failed
            assert asked == ["strong", "greedy"]
        monkeypatch.setattr(bot_choices, "ASKED_AGAIN", 30.0)
        bids = True
        asked.clear()
        for _ in range(2):
            await tables.choices.think("strong", three.view(three.to_act))
        assert asked == ["strong", "greedy"], "a bid does not show that the code is there"
        bids = False
        assert not tables.choices.failed
        assert (await tables.choices.think("strong", two.view(two.to_act))).failed, "the code of Big Two is there"
        monkeypatch.setattr(tables, "chore", lambda work, name: work.close())
        tables.warm_up("big-three", True)
        assert (await tables.choices.think("strong", three.view(three.to_act))).failed


def test_the_former_way_is_told_apart() -> None:
    """A fixed delay, or the thinking time if longer, as in an earlier version: the test detects it."""
    chance = random.Random(11)
    chosen = [max(600.0, SLOW["as slow as strong"](chance)) for _ in range(200)]
    assert likely([600.0] * 200, chosen) < 1e-9


def test_bots_stay_as_quick_as_the_host_wants() -> None:
    pace = Pace(600, random.Random(1))
    times = [pace.choice("greedy", 4, 4) for _ in range(500)]
    assert 550 < sum(times) / len(times) < 650
    assert min(times) >= 480


@pytest.mark.full
async def test_at_tables_the_times_of_passes_are_of_one_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole hands of a bot that thinks slowly about each choice, by the times in the tables' logs."""
    chance = random.Random(3)
    async with only_process(tmp_path, bot_delay=0.04) as tables:
        tables.choices.pace = Pace(40, random.Random(4))

        async def think(name: str, view: dasan.View) -> Thought:
            seconds = chance.uniform(0, 0.05)
            await asyncio.sleep(seconds)
            legal = view.legal_moves()
            passing = [move for move in legal if str(move) == "pass"]
            return Thought(str(passing[0] if passing and chance.random() < 0.5 else chance.choice(legal)), seconds)

        monkeypatch.setattr(tables.choices, "think", think)
        rated = TableSettings.model_validate(RATED)  # bots finish a rated hand that its player has left
        seats = ["me", "greedy", "greedy", "greedy"]
        opened = [(await tables.create(f"p{n}", "big-two", {}, seats, name="Ann", settings=rated))[0] for n in range(8)]
        for n, table_id in enumerate(opened):
            await tables.command(table_id, f"p{n}", LeaveCommand(type="leave", id="leave"))
        async with asyncio.timeout(60):
            for table_id in opened:
                while not (await tables.look(table_id)).over:  # noqa: ASYNC110 - tables tell nobody that a hand is over
                    await asyncio.sleep(0.1)
        forced: list[float] = []
        chosen: list[float] = []
        for table_id in opened:
            room = await tables.store.log.as_it_was(table_id, 0)
            for entry, at in await tables.store.log.since(table_id, room.seq):
                if entry["type"] == "move" and entry["move"] == "pass" and room.state is not None:
                    (forced if len(room.state.legal_moves()) == 1 else chosen).append(float(at - room.at))
                room = fold(room, entry, at)
    assert len(forced) > 40
    assert len(chosen) > 60
    assert likely(forced, chosen) > 0.01
    assert max(forced) > 50
