"""`dasan evaluate`: rate a bot on a ladder of fixed bots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dasan.arguments import MOST_SECONDS, shown
from dasan.cli.choosing import complete_preset
from dasan.cli.files import AsJson, read_text
from dasan.cli.group import CannotRun, refused, sentence
from dasan.cli.output import print_json, say
from dasan.cli.progress import progress_bar
from dasan.cli.spreading import OnlyProcesses, failures_refused
from dasan.strict_json import NotJson, parse

if TYPE_CHECKING:
    from dasan.arena.ladder import Evaluation

DEFAULT_SECONDS = 60.0
"""The time limit for a move. Reports of version 0.1.0 do not state theirs: they are checked under this one."""


def evaluate(
    bot: Annotated[
        str, typer.Argument(help="The name of a bot, a program, or a network, as in [bold]dasan arena[/bold].")
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help="Which preset, without house rules; the default is big-three.", autocompletion=complete_preset
        ),
    ] = None,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", hidden=True)] = None,
    deals: Annotated[
        int | None, typer.Option(min=2, help="Deals against each bot of the ladder; the default is the ladder's own.")
    ] = None,
    move_seconds: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=MOST_SECONDS,
            help="The time limit for a move; the default is 60, with --check that of the report.",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Repeat the evaluation of a --json report; exit code 1 if it differs."
        ),
    ] = None,
    processes: OnlyProcesses = None,
    as_json: AsJson = False,
) -> None:
    """Rate a bot on a ladder of fixed bots: alone among copies of each in turn, over the same deals for every rated bot."""
    from dasan.arena.ladder import LadderChanged, differences, ladders
    from dasan.arena.ladder import evaluate as rate
    from dasan.processes import processors

    if option:
        raise CannotRun("ladders are for presets without house rules; dasan arena compares bots with --option")
    report, limit = None, DEFAULT_SECONDS
    if check is not None:
        if game is not None or deals is not None:
            raise CannotRun("--check repeats the game and deals of a report: it goes with neither --game nor --deals")
        report = _report(check)
        game, deals, limit = report["game"], len(report["rungs"][0]["outcomes"]), report["move_seconds"]
    game = game or "big-three"
    known = ladders()
    if game not in known:
        raise CannotRun(f"there is no ladder for {game}; there is one for each preset: {', '.join(known)}")
    ladder = known[game]
    with failures_refused(f"{bot} was evaluated"), progress_bar() as show, refused(ValueError, OSError, LadderChanged):
        result = rate(
            bot,
            ladder,
            deals=deals,
            move_seconds=limit if move_seconds is None else move_seconds,
            processes=processes or processors(),
            progress=show,
        )
    if report is not None:
        wrong = differences(report, result)
        if as_json:
            print_json({"differences": wrong})
        else:
            say("\n".join(wrong) or "the report is correct")
        if wrong:
            raise typer.Exit(1)
    elif as_json:
        print_json(result.to_json())
    else:
        _print(result)


def _report(file: Path) -> dict[str, Any]:
    """A report printed by `--json`, with every field that is compared, and a time limit."""
    from dasan.arena.ladder import require_report

    text = read_text(str(file), "a report of dasan evaluate --json")
    try:
        report = parse(text)
        require_report(report)
    except ValueError as error:
        fault = f"it {error}" if isinstance(error, NotJson) else sentence(error)
        raise CannotRun(f"{file} is not a report of dasan evaluate --json that can be checked: {fault}") from error
    limit = report.setdefault("move_seconds", DEFAULT_SECONDS)
    if limit is not None and not (type(limit) in (int, float) and 0 < limit <= MOST_SECONDS):
        raise CannotRun(f"{file} is not a report of dasan evaluate --json: its move_seconds are {shown(limit)}")
    return dict(report)


def _print(result: Evaluation) -> None:
    """Print Markdown."""
    report = result.to_json()
    rated = f"{report['points']:+d} points [{report['low']:+d}, {report['high']:+d}]"
    say(f"{result.name} {result.version}: {rated} in {report['game']}")
    say(f"(ladder {report['ladder']}; 0 is greedy), {1000 * result.seconds_per_move:.1f} ms a move")
    say("\n| among | points | deals | a hand | 95 % |\n|---|---|---|---|---|")
    for rung in report["rungs"]:
        say(
            f"| {rung['name']} {rung['version']} | {rung['points']:+.0f} | {rung['deals']} | {rung['mean']:+.3f} |"
            f" [{rung['low']:+.3f}, {rung['high']:+.3f}] |"
        )
    for role, won in report["by_role"].items():
        say(f"\n{role}: wins {won['win_rate']:.1%} of {won['hands']} hands")
    if result.faults:
        say("\nfaults: " + ", ".join(f"{kind} {count}" for kind, count in result.faults.items()))
