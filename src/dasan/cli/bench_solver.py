"""`dasan bench solver`: the speed of the solver."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from dasan.cli.output import print_json, say
from dasan.cli.progress import progress_bar

if TYPE_CHECKING:
    from dasan.bench.solver import SolverRow


def bench_solver(cards: list[int] | None, *, count: int | None, seed: int, seconds: float | None, as_json: bool) -> None:
    """Measure seeded positions of each size and print a row for each kind."""
    from dasan.bench.solver import SIZES, measure_solver

    rows: list[SolverRow] = []
    if not as_json:
        say(
            f"{'':7}{'cards':>5}{'count':>7}{'median ms':>11}{'p90':>9}{'p99':>9}{'max':>9}{'nodes':>11}{'a second':>10}"
            "  unsolved (95 %)"
        )
    with progress_bar() as show:
        for row in measure_solver(cards or list(SIZES), count=count, seed=seed, seconds=seconds, progress=show):
            rows.append(row)
            if not as_json:
                say(_line(row))
    if as_json:
        print_json([asdict(row) for row in rows])


def _line(row: SolverRow) -> str:
    ms = "".join(f"{_ms(ms, row.seconds):>9}" for ms in (row.ms.p90, row.ms.p99, row.ms.max))
    nodes = "-" if row.nodes.median is None else f"{row.nodes.median:,.0f}"
    low, high = row.unsolved_95
    return (
        f"{row.what:7}{row.cards:>5}{row.count:>7}{_ms(row.ms.median, row.seconds):>11}{ms}{nodes:>11}"
        f"{row.per_second:>10,.4g}  {row.unsolved:.2%} ({low:.2%} to {high:.2%})"
    )


def _ms(ms: float | None, limit: float | None) -> str:
    if ms is not None:
        return f"{ms:,.2f}" if ms < 10 else f"{ms:,.0f}"
    return "-" if limit is None else f">{1000 * limit:,.0f}"
