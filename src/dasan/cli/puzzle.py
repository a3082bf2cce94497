"""`dasan puzzle`: positions in which one move wins."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dasan.cli.files import AsJson
from dasan.cli.group import CannotRun, refused, writing
from dasan.cli.output import print_json, say, warn
from dasan.cli.progress import progress_bar
from dasan.cli.recorded import RecordNumber, read_records
from dasan.cli.spreading import FewProcesses, Workers

if TYPE_CHECKING:
    from dasan.puzzles import Puzzle


def puzzle(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A file of puzzles written by --out; - reads stdin.")
    ] = None,
    number: RecordNumber = None,
    count: Annotated[int | None, typer.Option(min=1, help="How many; default: 1, or all of FILE.")] = None,
    game: Annotated[
        str | None,
        typer.Option(help="big-three or dou-dizhu. Default: either; new puzzles are of big-three."),
    ] = None,
    theme: Annotated[
        list[str] | None,
        typer.Option(help="tempo, feeding, control, splitting or refusing; may be repeated. Default: all in turn."),
    ] = None,
    players: Annotated[int | None, typer.Option(min=3, max=4, help="3 or 4; default: both.")] = None,
    cards: Annotated[
        str | None,
        typer.Option(metavar="MIN..MAX", help="Number of cards in all hands together, as MIN..MAX; new puzzles: 8..30."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the puzzles.")] = 0,
    hands: Annotated[int, typer.Option(min=1, help="The most hands to search.")] = 20_000,
    processes: FewProcesses = 1,
    workers: Workers = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Choose from the puzzles that come with dasan.")] = False,
    grade: Annotated[
        int | None, typer.Option(min=1, max=5, help="1 easy to 5 hard; only with --shipped or FILE.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the puzzles as climb/1, solutions included.")
    ] = None,
    solution: Annotated[bool, typer.Option("--solution", help="Print the solution too.")] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Solve each puzzle again, and check that only its move wins and that its other statements are true.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show, make or check puzzles: positions with open hands in which one move wins and every other loses.

    With FILE, puzzles from that file; with --shipped, puzzles that come with dasan; otherwise new ones.
    """
    from dasan.puzzles import GAMES, THEMES, load, of_record

    if out is not None and (as_json or check):
        raise CannotRun(f"--out writes climb/1: it does not go with {'--json' if as_json else '--check'}")
    if out is not None and not Path(out).absolute().parent.is_dir():
        raise CannotRun(f"cannot write {out}: there is no such folder")
    if file is not None and shipped:
        raise CannotRun("choose from FILE or with --shipped, not both")
    if number is not None and file is None:
        raise CannotRun("--number picks a puzzle of a file: it needs FILE")
    if grade is not None and file is None and not shipped:
        raise CannotRun("--grade chooses from known puzzles: it needs --shipped or FILE")
    if game is not None and game not in GAMES:
        raise CannotRun(f"there are no puzzles of {game}; there are of {', '.join(GAMES)}")
    unknown = set(theme or ()) - set(THEMES)
    if unknown:
        raise CannotRun(f"there is no theme {', '.join(sorted(unknown))}; there are {', '.join(THEMES)}")
    if file is None and not shipped:
        most = count or 1
        bounds = _range(cards or "8..30")
        puzzles = dict(enumerate(_made(most, game, theme, players, bounds, seed, hands, workers or processes), 1))
    else:
        known = dict(enumerate(load(), 1)) if file is None else read_records(file, number, of_record)
        most = count or (1 if file is None else len(known))
        low, high = _range(cards or "0..99")
        puzzles = {
            place: p
            for place, p in known.items()
            if p.matches(game=game, themes=theme, grade=grade, players=players) and low <= p.cards <= high
        }
        if file is None:
            puzzles = {
                place: puzzles[place] for place in random.Random(seed).sample(list(puzzles), min(most, len(puzzles)))
            }
        puzzles = dict(list(puzzles.items())[:most])
    if not puzzles:
        raise CannotRun("no such puzzle was found")
    if check:
        _check(puzzles, as_json)
    elif out is not None:
        _write(puzzles, out)
    elif as_json:
        print_json([{"start": _start(p), **p.to_json()} for p in puzzles.values()])
    else:
        numbered = file is not None and len(puzzles) > 1
        say("\n\n".join(_puzzle_text(p, place if numbered else None, solution) for place, p in puzzles.items()))
    if count is not None and len(puzzles) < count:
        warn(f"only {len(puzzles)} of {count} were found")


def _range(text: str) -> tuple[int, int]:
    low, dots, high = text.partition("..")
    if not dots or not (low.isascii() and low.isdigit() and high.isascii() and high.isdigit()) or len(text) > 12:
        raise CannotRun(f"write --cards as MIN..MAX, like 8..30, not {text!r}")
    if int(low) > int(high):
        raise CannotRun("--cards: the minimum is above the maximum")
    return int(low), int(high)


def _made(
    count: int,
    game: str | None,
    themes: list[str] | None,
    players: int | None,
    cards: tuple[int, int],
    seed: int,
    hands: int,
    processes: int,
) -> list[Puzzle]:
    from dasan.puzzles import THEMES, generate

    with progress_bar() as show, refused(ValueError):
        return generate(
            count,
            seed=seed,
            game=game or "big-three",
            themes=themes or tuple(THEMES),
            players=(players,) if players else None,
            cards=cards,
            hands=hands,
            processes=processes,
            progress=lambda played, left: show(f"{left} to be found", played, hands),
        )


def _check(puzzles: dict[int, Puzzle], as_json: bool) -> None:
    """Print for each puzzle whether it is correct, or its faults. `CannotRun`, at the end: some puzzle is not
    correct.
    """
    from dasan.puzzles import flaws
    from dasan.puzzles.truth import Unproved
    from dasan.text.moves import move_words

    reports: list[dict[str, object]] = []
    with progress_bar() as show:
        for i, (place, p) in enumerate(puzzles.items()):
            show("puzzles", i, len(puzzles))
            try:
                wrong: list[str] | None = flaws(p)
            except Unproved:
                wrong = None
            reports.append({"number": place, "id": p.id, "proved": wrong is not None, "flaws": wrong or []})
            if not as_json:
                right = f"true: only {move_words(p.key)} wins"
                words = (
                    "not proved: it is too hard"
                    if wrong is None
                    else f"NOT TRUE: {'; '.join(wrong)}"
                    if wrong
                    else right
                )
                say(f"{place:>4}  {p.id}  {words}")
    if as_json:
        print_json(reports)
    bad = sum(bool(one["flaws"]) or not one["proved"] for one in reports)
    if bad:
        raise CannotRun(f"{bad} of {len(reports)} puzzles {'is' if bad == 1 else 'are'} not proved correct")


def _write(puzzles: dict[int, Puzzle], out: str) -> None:
    from dasan.puzzles import write

    with writing(out):
        Path(out).write_text(write(puzzles.values()), encoding="utf-8")
    say(f"{len(puzzles)} {'puzzle' if len(puzzles) == 1 else 'puzzles'} written to {out}")


def _start(puzzle: Puzzle) -> object:
    from dasan.records.write import begun_json

    return begun_json(puzzle.state.begun, 0)


def _puzzle_text(p: Puzzle, place: int | None, with_solution: bool) -> str:
    """A puzzle in words. place: its number in a file that holds several."""
    from dasan.puzzles.words import question, solution

    lines = list(question(p))
    if with_solution:
        try:
            lines += solution(p)
        except ValueError as error:
            raise CannotRun(f"the solution of puzzle {p.id} is not valid: {error}") from error
    return "\n".join(lines) if place is None else f"Record {place}. " + "\n".join(lines)
