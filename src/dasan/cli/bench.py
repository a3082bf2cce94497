"""`dasan bench`: measure the speed of this machine, and of other simulators."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from dasan.arguments import MOST_SECONDS, MOST_WORKERS
from dasan.cli.bench_server import bench_server
from dasan.cli.bench_solver import bench_solver
from dasan.cli.choosing import complete_preset
from dasan.cli.files import AsJson
from dasan.cli.group import CannotRun, refused
from dasan.cli.output import print_json, say, warn

RUN_SECONDS = 0.3
RUNS = 5
ROUNDS = 9
PAIRS = 21
MOST_TABLES = 10_000
"""More than one process can load."""


def bench(
    preset: Annotated[
        list[str] | None,
        typer.Argument(
            help="Which games; default: every kind. [bold]solver[/bold]: the speed of the solver."
            " [bold]server[/bold]: the load that a server carries.",
            autocompletion=complete_preset,
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(help="Measure only this code path, such as whole-hands, batch-mask or batch-packed-obs."),
    ] = None,
    peers: Annotated[
        bool,
        typer.Option(
            "--peers",
            help="Compare with OpenSpiel, RLCard and DouZero's environment, on one core, in alternating runs. Default:"
            " [bold]dou-dizhu[/bold], which they play.",
        ),
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=MOST_SECONDS, help="The minimum length of a run; with solver, the limit for one position."
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Runs for each figure; the figure is their median. Default: 5; 9 with --peers; 21 with --against, at least 6.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Compare with this git revision, in alternating runs: ratio and interval."),
    ] = None,
    one_core: Annotated[bool, typer.Option("--one-core", help="Measure one core only.")] = False,
    cards: Annotated[
        list[int] | None, typer.Option(min=4, max=52, help="Solver: positions with this many cards.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Solver: positions of each size; default: fewer of the larger ones.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the solver's positions and the server's moves.")] = 1,
    tables: Annotated[
        list[int] | None,
        typer.Option(min=1, max=MOST_TABLES, help="Server: concurrent tables; may be repeated for further rows."),
    ] = None,
    think: Annotated[
        float, typer.Option(min=0.0, max=MOST_SECONDS, help="Server: mean thinking time in seconds.")
    ] = 5.0,
    processes: Annotated[int, typer.Option(min=1, max=MOST_WORKERS, help="Server: processes to start.")] = 1,
    database: Annotated[
        str, typer.Option(metavar="URL", help="Server: a PostgreSQL database; default: SQLite in a temporary folder.")
    ] = "",
    nats: Annotated[str, typer.Option(metavar="URL", help="Server: NATS address, for several processes.")] = "",
    url: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Server: measure a running server; its limits per address apply."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure plies a second of random play, the speed of the solver, or the load that a server carries."""
    if preset == ["solver"]:
        bench_solver(cards, count=count, seed=seed, seconds=seconds, as_json=as_json)
        return
    if preset and preset[0] == "server":
        bench_server(
            tables,
            preset=preset[1] if len(preset) > 1 else None,
            seconds=seconds,
            think=think,
            processes=processes,
            database=database,
            nats=nats,
            urls=url or [],
            seed=seed,
            as_json=as_json,
        )
        return
    from dasan.bench import GPU, OURS, PATHS, VARIANTS, WORKS, Speed, measure_ours, why_no_gpu
    from dasan.games import PRESETS

    for name in preset or ():
        if name not in PRESETS and name not in VARIANTS:
            raise CannotRun(f"there is no preset {name}; there are {', '.join(PRESETS)}")
    known = tuple(OURS) if peers else PATHS if against is None else tuple(WORKS)
    for name in path or ():
        if name not in known and name in WORKS and not peers:
            raise CannotRun(f"path {name} is compared with another revision: add --against REV")
        if name not in known:
            where = (
                " to compare with other simulators"
                if peers
                else ""
                if against is None
                else " to compare with other commits"
            )
            raise CannotRun(f"there is no path {name}{where}; there are {', '.join(known)}")
    if peers:
        _with_peers(preset or ["dou-dizhu"], path or list(OURS), seconds, repeats, as_json)
        return
    if against is not None:
        _compare(preset or list(VARIANTS), path or list(WORKS), against, seconds, repeats, as_json)
        return
    if path and GPU in path and (reason := why_no_gpu()):
        raise CannotRun(f"there is no GPU to measure: {reason}")
    rows: list[Speed] = []
    if not as_json:
        say(f"{'game':16}{'path':18}{'threads':>7}{'plies/s':>14}{'hands/s':>12}{'ns/ply':>10}")

    def show(row: Speed) -> None:
        rows.append(row)
        if not as_json:
            say(
                f"{row.preset:16}{row.path:18}{row.threads:>7}{row.plies_per_s:>14,.0f}"
                f"{row.games_per_s:>12,.0f}{row.ns_per_ply:>10,.1f}"
            )

    for row in measure_ours(
        preset or list(VARIANTS),
        path or list(PATHS),
        seconds=seconds or RUN_SECONDS,
        repeats=repeats or RUNS,
        every_core=not one_core,
    ):
        show(row)
    if as_json:
        print_json([asdict(row) for row in rows])


def _with_peers(presets: list[str], paths: list[str], seconds: float | None, rounds: int | None, as_json: bool) -> None:
    """Print a row for each path of each game and for each peer, and name missing packages."""
    from dasan.bench import measure_with_peers, not_installed

    for name, install in not_installed().items():
        warn(f"{name} is skipped, because its package is not installed: {install}")
    rows = [
        row
        for preset in presets
        for row in measure_with_peers(preset, paths, seconds=seconds or RUN_SECONDS, rounds=rounds or ROUNDS)
    ]
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    say(f"{'game':12}{'path':19}{'plies/s':>13}{'hands/s':>11}{'ratio':>10}  {'95 % interval':22}a ply includes")
    for row in rows:
        ratio = " " * 34
        if row.ratio is not None:
            ends = "too few rounds" if row.low is None else f"{row.low:.3g} to {row.high:.3g}"
            ratio = f"{row.ratio:>10.3g}  {ends:22}"
        say(f"{row.preset:12}{row.path:19}{row.plies_per_s:>13,.0f}{row.hands_per_s:>11,.1f}{ratio}{row.includes}")
    say("\nratio: plies a second as a multiple of OpenSpiel's C++ loop in the same round")


def _compare(
    variants: list[str], paths: list[str], revision: str, seconds: float | None, pairs: int | None, as_json: bool
) -> None:
    """Print a row for each game and path, with the speed relative to the revision's, and name paths that it lacks."""
    from dasan.bench import Compared, NotThere, compare

    rows: list[Compared] = []
    why = ""
    with refused(ValueError):
        for row in compare(variants, paths, revision, seconds=seconds or RUN_SECONDS, pairs=pairs or PAIRS):
            if isinstance(row, NotThere):
                why = row.why
                warn(f"{row.path} of {row.preset} is left out: {why}")
                continue
            if not rows and not as_json:
                say(f"{'game':16}{'path':18}{'here':>14}{'there':>14}{'ratio':>8}  95 % interval")
            rows.append(row)
            if not as_json:
                figures = f"{_rate(row.here):>14}{_rate(row.there):>14}{row.ratio:>8.3f}"
                say(f"{row.preset:16}{row.path:18}{figures}  {row.low:.3f} to {row.high:.3f}")
    if why and not rows:
        raise CannotRun(f"nothing can be compared: {why}")
    if as_json:
        print_json([asdict(row) for row in rows])


def _rate(a_second: float) -> str:
    return f"{a_second:,.0f}" if a_second >= 100 else f"{a_second:.3g}"
