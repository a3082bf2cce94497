"""`dasan tui`: play in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.group import CannotRun, refused, writing

if TYPE_CHECKING:
    from dasan.tui.game import TableGame


def tui(
    preset: Annotated[str, typer.Argument(help="Which game.", autocompletion=complete_preset)] = "big-three",
    option: Options = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Line by line, for a pipe or a screen reader; reads moves from stdin."),
    ] = False,
    bot: Annotated[str, typer.Option(help="The bots in the other seats.")] = "greedy",
    seed: Annotated[int | None, typer.Option(help="The seed of the deals.")] = None,
    record: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the session's record into this file at the end.")
    ] = None,
) -> None:
    """Play whole sessions against bots in the terminal."""
    game = _game(preset, option, bot, seed)
    if record is not None:
        _write(record, game)
    try:
        if plain:
            from dasan.tui.plain import run

            run(game, sys.stdin, sys.stdout, prompt=sys.stdin.isatty())
        elif not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise CannotRun("this is not a terminal: use --plain to play through a pipe")
        else:
            from dasan.tui.app import TableApp

            TableApp(game).run()
    finally:
        if record is not None:
            _write(record, game)


def _game(preset: str, option: list[str] | None, bot: str, seed: int | None) -> TableGame:
    from dasan.bots import bot as make_bot
    from dasan.tui.game import TableGame

    rules = chosen_rules(preset, option)
    with refused(ValueError, OSError):
        bots = [make_bot(bot, seed=i, rules=rules) for i in range(rules.players - 1)]
    return TableGame(rules, bots, seed=seed)


def _write(path: Path, game: TableGame) -> None:
    """Write the record of the session so far. Also called before the first move, to refuse a bad path early."""
    with writing(path):
        path.write_text(game.session.record(), encoding="utf-8")
