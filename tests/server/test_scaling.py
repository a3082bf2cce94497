"""The scaling model: its queue is within the bounds of theory, and its plans follow from the costs."""

from __future__ import annotations

import math
import random
import re
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.scaling import (
    BUSIEST,
    SIZES,
    Costs,
    People,
    busy,
    capacity,
    carried,
    fit,
    main,
    plan,
    simulate,
    transactions,
)

from dasan.bench.server import Milliseconds, ServerRow
from dasan.server.store.log import GATHERED_FOR

PAGE = Path(__file__).parents[2] / "docs/internals/scaling.md"
FREE = Costs(move_ms=10.0, transaction_ms=0.0)


def row(tables: int, moves: float, costs: Costs) -> ServerRow:
    nothing = Milliseconds.of([])
    return ServerRow(
        database="sqlite",
        processes=1,
        tables=tables,
        connected=tables,
        seconds=10.0,
        moves_per_s=moves,
        own_per_s=moves,
        seen=nothing,
        acknowledged=nothing,
        failed=0,
        entries_per_s=moves,
        transactions_per_s=transactions(moves),
        cpu_ms=1000 * busy(costs, moves) / moves,
        bots_cpu_ms=costs.bot_ms,
        memory_mb=costs.process_mb + tables * costs.table_kb / 1000,
        table_kb=None,
        load_cpu=0.0,
        load_average=0.0,
        device="",
    )


def test_a_process_gathers_moves_into_fifty_transactions_a_second_at_most() -> None:
    assert transactions(1.0) == pytest.approx(1.0, rel=0.03)
    assert 45 < transactions(1000.0) <= 50


@pytest.mark.parametrize("moves", [5.0, 30.0, 100.0])
def test_transactions_are_as_many_as_moves_at_random_times_need(moves: float) -> None:
    chance = random.Random(1)
    at, begins, count, seconds = 0.0, -math.inf, 0, 1000
    while (at := at + chance.expovariate(moves)) < seconds:
        if at > begins:
            begins, count = max(at, begins + GATHERED_FOR), count + 1
    assert transactions(moves) == pytest.approx(count / seconds, rel=0.03)


@pytest.mark.full
@pytest.mark.parametrize("share", [0.3, 0.6, 0.8])
def test_the_queue_is_bounded_by_theory_where_writing_is_free(share: float) -> None:
    """M/M/1 with 10 ms a move: the sojourn time is exponential. A transaction waits behind the moves that arrived in
    the meantime.
    """
    mean = 10.0 / (1 - share)
    p50, p99 = simulate(FREE, share * 100, seconds=2000.0)
    assert mean * math.log(2) - 1 < p50 < 2 * mean * math.log(2) + 20
    assert mean * math.log(100) * 0.85 < p99 < 2 * mean * math.log(100) + 20


def test_a_process_carries_what_its_core_and_the_goal_allow() -> None:
    assert busy(Costs(), capacity(Costs())) < BUSIEST
    assert busy(Costs(), capacity(Costs()) + 20) > BUSIEST, "the core is full before moves are late"
    slow = replace(Costs(), transaction_ms=120.0)
    assert capacity(slow) < 10, "a write that takes longer than the goal"


def test_measured_rows_give_the_costs_back() -> None:
    costs = replace(Costs(), move_ms=0.7, transaction_ms=3.0, bot_ms=0.4, table_kb=100.0)
    fitted = fit([row(20, 10.0, costs), row(60, 30.0, costs), row(200, 100.0, costs)], Costs())
    assert asdict(fitted) == pytest.approx(asdict(costs))


def test_the_costs_are_those_of_the_rows_on_the_page() -> None:
    cells = re.findall(
        r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) ms \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(cells) == 3
    rows = [
        replace(row(int(tables), float(moves), Costs()), transactions_per_s=float(writes), cpu_ms=float(cpu))
        for tables, moves, writes, cpu in cells
    ]
    fitted = fit(rows, Costs())
    assert (round(fitted.move_ms, 1), round(fitted.transaction_ms, 1)) == (Costs().move_ms, Costs().transaction_ms)


def test_noise_gives_no_cost_below_nothing() -> None:
    costs = replace(Costs(), move_ms=0.0, transaction_ms=3.0)
    noisy = replace(row(60, 30.0, costs), cpu_ms=0.9 * (row(60, 30.0, costs).cpu_ms or 0.0))
    fitted = fit([row(20, 10.0, costs), noisy], Costs())
    assert fitted.move_ms == 0
    assert 2.6 < fitted.transaction_ms < 3.0
    assert simulate(fitted, 100.0)[0] > 0


def test_ten_times_the_people_need_about_ten_times_the_cores() -> None:
    plans = [plan(number, Costs(), People()) for number in (10_000, 100_000, 1_000_000)]
    for smaller, larger in pairwise(plans):
        assert 6 < larger["cores"] / smaller["cores"] < 11
        assert larger["moves a second"] == pytest.approx(10 * smaller["moves a second"], rel=0.01)
    assert plans[0]["databases"] == 1 < plans[2]["databases"]


@pytest.mark.full
def test_things_fill_one_after_the_other() -> None:
    filled = carried(Costs(), People())
    assert list(filled) == [
        "a process by its core",
        "a process by its connections",
        "a process by its tables",
        "a database",
        "a NATS server",
    ]
    for name, most in filled.items():
        assert name not in plan(most - 1, Costs(), People())["too few"]
        assert name in plan(most + 2, Costs(), People())["too few"]
    assert plan(filled["a database"] + 2, Costs(), People())["databases"] == 2
    sleepy = carried(Costs(), replace(People(), table_seconds=1000.0))
    assert next(iter(sleepy)) == "a process by its connections", "people who hardly move only need connections"


@pytest.mark.full
def test_the_page_shows_what_the_command_prints() -> None:
    plans = [plan(number, Costs(), People()) for number in SIZES]
    shown = {
        "people at once": [f"{one['people']:,}" for one in plans],
        "tables; moves a second": [f"{one['tables']:,}; {one['moves a second']:,}" for one in plans],
        "server processes, a core each": [str(one["processes"]) for one in plans],
        "cores in all, with bots and PostgreSQL": [str(one["cores"]) for one in plans],
        "more than one needed": [", ".join(dict.fromkeys(name.split()[1] for name in one["too few"])) for one in plans],
        "memory of the processes": [f"{one['memory GB']} GB" for one in plans],
        "euros a month, without traffic and disks": [f"{one['euros a month']:,.0f}" for one in plans],
    }
    text = PAGE.read_text(encoding="utf-8")
    for name, cells in shown.items():
        assert f"| {name} | {' | '.join(cells)} |" in text, name
    shares = [one["shares"]["a database"] for one in plans]
    assert f"1, at {shares[0]:.0%} of what it carries | 1, at {shares[1]:.0%} |".replace("%", " %") in text
    filled = carried(Costs(), People())
    assert (
        f"full at {capacity(Costs()):.0f} moves a second**, {round(filled['a process by its core'], -2):,} people"
        in text
    )
    assert f"enough for\n   {round(filled['a process by its connections'], -2):,} people" in text
    assert f"full at {round(filled['a database'], -4):,} people" in text
    assert f"full at {filled['a NATS server'] / 1e6:.1f} million people" in text


def test_too_few_numbers_of_tables_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for tables in (["5"], ["5", "9"], ["5", "9", "9"], ["0", "5", "9"]):
        with pytest.raises(SystemExit) as refused:
            main(["--check", *tables])
        assert refused.value.code == 2
        assert "three numbers of tables" in capsys.readouterr().err
