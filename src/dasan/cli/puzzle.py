"""`dasan puzzle`: positions of Big Three in which one move wins."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dasan.cli.files import AsJson, print_json
from dasan.cli.group import Refused

if TYPE_CHECKING:
    from dasan.puzzles import Puzzle


def puzzle(
    count: Annotated[int, typer.Option(min=1, help="How many.")] = 1,
    theme: Annotated[
        list[str] | None,
        typer.Option(help="tempo, feeding, control, splitting or refusing; may be repeated. Default: all in turn."),
    ] = None,
    players: Annotated[int | None, typer.Option(min=3, max=4, help="3 or 4; default: both.")] = None,
    cards: Annotated[
        str, typer.Option(metavar="MIN..MAX", help="How many cards all hands together still hold.")
    ] = "8..30",
    seed: Annotated[int, typer.Option(help="The same seed, the same puzzles.")] = 0,
    hands: Annotated[int, typer.Option(min=1, help="How many hands to look through at most.")] = 20_000,
    workers: Annotated[int, typer.Option(min=1, help="Processes to work with.")] = 1,
    shipped: Annotated[bool, typer.Option("--shipped", help="Choose from those that come with dasan.")] = False,
    grade: Annotated[int | None, typer.Option(min=1, max=5, help="1 easy to 5 hard; only with --shipped.")] = None,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write them as climb/1, solutions included.")] = None,
    solution: Annotated[bool, typer.Option("--solution", help="Tell the solution too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find puzzles: positions with open hands in which one move wins and every other loses."""
    from dasan.puzzles import write

    if out is not None and as_json:
        raise Refused("--out writes climb/1: it does not go with --json")
    if out is not None and not Path(out).absolute().parent.is_dir():
        raise Refused(f"cannot write {out}: there is no such folder")
    if grade is not None and not shipped:
        raise Refused("--grade chooses from those that come with dasan: it needs --shipped")
    if shipped:
        found = _shipped(count, theme, players, _range(cards), grade, seed)
    else:
        found = _made(count, theme, players, _range(cards), seed, hands, workers)
    if not found:
        raise Refused("no such puzzle was found")
    if out is not None:
        try:
            Path(out).write_text(write(found), encoding="utf-8")
        except OSError as error:
            raise Refused(f"cannot write {out}: {error.strerror or error}") from error
        typer.echo(f"{len(found)} {'puzzle' if len(found) == 1 else 'puzzles'} written to {out}")
    elif as_json:
        print_json([{"start": _start(p), **p.to_json()} for p in found])
    else:
        typer.echo("\n\n".join(_told(p, solution) for p in found))
    if len(found) < count:
        typer.echo(f"only {len(found)} of {count} were found", err=True)


def _range(text: str) -> tuple[int, int]:
    low, dots, high = text.partition("..")
    if not dots or not (low.isascii() and low.isdigit() and high.isascii() and high.isdigit()) or len(text) > 12:
        raise Refused(f"write --cards as MIN..MAX, like 8..30, not {text!r}")
    return int(low), int(high)


def _made(
    count: int,
    themes: list[str] | None,
    players: int | None,
    cards: tuple[int, int],
    seed: int,
    hands: int,
    workers: int,
) -> list[Puzzle]:
    from rich.console import Console
    from rich.progress import Progress

    from dasan.puzzles import THEMES, generate

    with Progress(
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(), redirect_stdout=False
    ) as bar:
        task = bar.add_task("", total=hands)
        try:
            return generate(
                count,
                seed=seed,
                themes=themes or tuple(THEMES),
                players=(players,) if players else (3, 4),
                cards=cards,
                hands=hands,
                workers=workers,
                progress=lambda played, left: bar.update(task, completed=played, description=f"{left} to be found"),
            )
        except ValueError as error:
            raise Refused(str(error)) from error


def _shipped(
    count: int, themes: list[str] | None, players: int | None, cards: tuple[int, int], grade: int | None, seed: int
) -> list[Puzzle]:
    import random

    from dasan.puzzles import THEMES, load

    unknown = set(themes or ()) - set(THEMES)
    if unknown:
        raise Refused(f"there is no theme {', '.join(sorted(unknown))}; there are {', '.join(THEMES)}")
    chosen = [
        p
        for p in load(grade=grade, players=players)
        if cards[0] <= p.cards <= cards[1] and (themes is None or not set(themes).isdisjoint(p.themes))
    ]
    return random.Random(seed).sample(chosen, min(count, len(chosen)))


def _start(puzzle: Puzzle) -> object:
    from dasan.record import begun_json

    return begun_json(puzzle.state.begun, 0)


def _told(puzzle: Puzzle, solution: bool) -> str:
    """A puzzle in words."""
    state = puzzle.state
    side = "the bidder's side" if state.to_act in state.partners else "the bidder's opponents"
    lines = [f"Puzzle {puzzle.id}: {', '.join(puzzle.themes)}, grade {puzzle.grade}"]
    for seat, hand in enumerate(state.hands):
        role = "bidder" if seat == state.bidder else "partner" if seat in state.partners else ""
        lines.append(f"  seat {seat} {role:8}{hand}")
    if state.table is None:
        lines.append(f"Seat {state.to_act} leads. Which lead wins for {side}?")
    else:
        lines.append(f"Seat {state.table_seat} has played {state.table}; seat {state.to_act} is to act.")
        lines.append(f"Which play, or a pass, wins for {side}?")
    if solution:
        tempting = ", ".join(str(move) for move in puzzle.tempting)
        lines.append(f"  solution: {puzzle.key}; tempting, but they lose: {tempting}")
    return "\n".join(lines)
