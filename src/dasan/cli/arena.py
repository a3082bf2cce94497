"""`dasan arena`: bots against each other over duplicate deals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dasan.arguments import MOST_SECONDS
from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.files import AsJson
from dasan.cli.group import CannotRun, refused
from dasan.cli.output import print_json, say, warn
from dasan.cli.progress import progress_bar
from dasan.cli.spreading import Processes, RayAddress, check_place, failures_refused, on_cluster

if TYPE_CHECKING:
    from dasan.arena.contest import Contest, OutcomeFile
    from dasan.arena.outcome import Outcome
    from dasan.ruleset.rules import Rules

Results = dict[tuple[str, str], "list[Outcome]"]


def arena(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C …]",
            help="Names of bots, two or more; [bold]net:FILE[/bold] is a network that dasan train wrote.",
        ),
    ],
    game: Annotated[str, typer.Option(help="Which game.", autocompletion=complete_preset)] = "big-three",
    option: Options = None,
    deals: Annotated[int, typer.Option(min=1, help="Deals for each pair; each is played once for every seat.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The number of the first deal.")] = 0,
    both: Annotated[
        bool, typer.Option("--both", help="Also seat one player of the second bot among players of the first.")
    ] = False,
    early: Annotated[
        bool,
        typer.Option("--early", help="Stop a pair when its interval excludes 0; intervals are wider to allow for it."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Store the outcome of every deal in this file, and resume from it."),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(file_okay=False, help="Write the record of every hand into this folder.")
    ] = None,
    move_seconds: Annotated[float, typer.Option(min=0.01, max=MOST_SECONDS, help="The time limit for a move.")] = 60,
    processes: Processes = None,
    ray: RayAddress = None,
    details: Annotated[
        bool, typer.Option("--details", help="With --json: also results by role, faults and ratings.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare bots over duplicate deals: one player of a bot among players of another, in every seat, with 95 % intervals
    over deals.
    """
    from dasan.arena.contest import Contest, OutcomeFile, checked_player
    from dasan.processes import processors

    rules = chosen_rules(game, option)
    if len(bots) < 2:
        raise CannotRun("an arena takes at least two bots")
    check_place(processes, ray)
    pairs = list(dict.fromkeys(combinations(bots, 2)))
    pairs += [(b, a) for a, b in pairs if both and (b, a) not in pairs]
    results: Results = {}
    with refused(ValueError, OSError):
        for name in bots:
            checked_player(name, rules)
    with on_cluster(ray):
        with refused(ValueError, OSError):
            file = None if out is None else OutcomeFile(out)
            if records is not None:
                records.mkdir(parents=True, exist_ok=True)
        for a, b in pairs:
            contest = Contest(rules, a, b, deals, seed, move_seconds, "" if records is None else str(records))
            results[a, b] = _run(contest, file, processes or processors(), ray, early=early)
    report = {
        "game": game,
        "deals": deals,
        "pairs": [_pair(rules, a, b, outcomes, early=early) for (a, b), outcomes in results.items()],
    }
    if as_json:
        print_json({**report, **_details(results)} if details else report)
    else:
        _print(report, results)


def _run(contest: Contest, file: OutcomeFile | None, processes: int, ray: str | None, *, early: bool) -> list[Outcome]:
    from dasan.arena.contest import run

    with refused(ValueError):
        known = None if file is None else file.of(contest)
    with (
        failures_refused(f"{contest.a} played {contest.b}"),
        progress_bar() as show,
        refused(ModuleNotFoundError, OSError, ValueError),
    ):
        return run(
            contest,
            processes=min(processes, contest.deals),
            ray=ray,
            early=early,
            known=known,
            keep=None if file is None else lambda outcome: file.keep(contest, outcome),
            progress=lambda done, total: show(f"{contest.a} {contest.b}", done, total),
        )


def _pair(rules: Rules, a: str, b: str, outcomes: list[Outcome], *, early: bool) -> dict[str, Any]:
    """The JSON of a pair: the earnings of `a` a hand, alone among `b`."""
    from dasan.arena.contest import interval
    from dasan.arena.outcome import win_rate

    estimate = interval(rules, outcomes, early=early)
    moves, seconds = sum(one.moves[0] for one in outcomes), sum(one.seconds[0] for one in outcomes)
    return {
        "a": a,
        "b": b,
        "deals": len(outcomes),
        "mean": estimate.mean,
        "low": estimate.low,
        "high": estimate.high,
        "win_rate": round(win_rate(outcomes), 4),
        "seconds_per_move": round(seconds / max(1, moves), 6),
    }


def _details(results: Results) -> dict[str, Any]:
    """Deals played, roles and faults by pair, and ratings."""
    from dataclasses import asdict

    from dasan.arena.outcome import by_role
    from dasan.arena.ratings import ratings

    return {
        "by_role": [
            {"a": a, "b": b, "deals": len(outcomes), "roles": by_role(outcomes)} for (a, b), outcomes in results.items()
        ],
        "faults": _faults(results),
        "ratings": [asdict(one) for one in ratings(results)],
    }


def _faults(results: Results) -> Mapping[str, Mapping[str, int]]:
    """Faults by bot and kind."""
    total: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for names, outcomes in results.items():
        for one in outcomes:
            for name, faults in zip(names, one.faults, strict=True):
                if faults:
                    total[name].update(faults)
    return total


def _print(report: dict[str, Any], results: Results) -> None:
    """Print a Markdown table."""
    from dasan.arena.ratings import ratings

    say("| one | among | deals | a hand | 95 % | wins | ms a move |\n|---|---|---|---|---|---|---|")
    for pair, outcomes in zip(report["pairs"], results.values(), strict=True):
        say(
            f"| {_cell(pair['a'])} | {_cell(pair['b'])} | {len(outcomes)}"
            f" | {pair['mean']:+.3f} | [{pair['low']:+.3f}, {pair['high']:+.3f}] |"
            f" {pair['win_rate']:.1%} | {1000 * pair['seconds_per_move']:.1f} |"
        )
    if len({name for pair in results for name in pair}) > 2:
        say("\n| bot | rating | 95 % |\n|---|---|---|")
        for one in ratings(results):
            say(f"| {_cell(one.name)} | {one.points:+.0f} | [{one.low:+.0f}, {one.high:+.0f}] |")
    for name, faults in _faults(results).items():
        failures = ", ".join(f"{n} × {kind}" for kind, n in faults.items())
        warn(f"{name} failed: {failures}")


def _cell(name: str) -> str:
    """A bot's name as a cell of the table: a program's command may have a pipe in it."""
    return name.replace("\\", "\\\\").replace("|", "\\|")
