"""`dasan generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dasan.arguments import quantity
from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.group import CannotRun, sentence
from dasan.cli.output import print_json, say
from dasan.cli.progress import progress_bar
from dasan.cli.spreading import Processes, RayAddress, check_place, failures_refused, on_cluster


def generate(
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder to write to, or to resume in.")],
    game: Annotated[str, typer.Option(help="Which game.", autocompletion=complete_preset)] = "big-three",
    option: Options = None,
    hands: Annotated[int, typer.Option(min=1, help="Number of hands.")] = 10_000,
    bot: Annotated[
        list[str] | None, typer.Option("--bot", help="The bots: one for all seats, or one for each; default greedy.")
    ] = None,
    first: Annotated[int, typer.Option(min=0, help="The number of the first hand, which is its seed.")] = 0,
    part: Annotated[int, typer.Option(min=1, help="Hands per file.")] = 10_000,
    solve: Annotated[
        int,
        typer.Option(min=0, help="Big Three: also solve the first lead of each hand, with this many search nodes."),
    ] = 0,
    processes: Processes = None,
    ray: RayAddress = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write hands of self-play as a data set: Parquet files with a datasheet. The same command resumes an interrupted run."""
    from dasan.learn.dataset import DatasetPlan, held_parts, make
    from dasan.processes import processors

    rules = chosen_rules(game, option)
    check_place(processes, ray)
    names = bot or ["greedy"]
    try:
        plan = DatasetPlan(rules, tuple(names * rules.players if len(names) == 1 else names), hands, first, part, solve)
        work = f"{', '.join(dict.fromkeys(plan.bots))} played"
        with on_cluster(ray), failures_refused(work), progress_bar() as show:
            written = make(
                plan,
                out,
                processes=processes or processors(),
                ray=ray,
                progress=lambda done, total: show("parts", done, total),
            )
        held = held_parts(out)
    except ModuleNotFoundError as error:
        parquet = "writing Parquet needs its extra: pip install 'dasan[data]'"
        raise CannotRun(parquet if (error.name or "").startswith("pyarrow") else str(error)) from error
    except (ValueError, OSError) as error:
        raise CannotRun(sentence(error)) from error
    if as_json:
        print_json({"out": str(out), "hands": sum(held.values()), "parts": len(held), "written": written})
    else:
        files = quantity(len(held), "file")
        say(f"{out} holds {quantity(sum(held.values()), 'hand')} in {files}; {written:,} written now")
