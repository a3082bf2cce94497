"""Arguments of commands that run a program as a bot."""

from __future__ import annotations

from typing import Annotated

import typer

from dasan.cli.group import CannotRun

MOST = 600
Command = Annotated[str, typer.Argument(help="The program's command, like [bold]'python bot.py'[/bold].")]
MoveSeconds = Annotated[float, typer.Option(min=0.01, max=MOST, help="The time limit for a move.")]
Seconds = Annotated[float | None, typer.Option("--seconds", min=0.01, max=MOST, hidden=True)]
"""The name of `--move-seconds` in version 0.1.0, in the commands `join` and `bot-test`."""


def words_of(command: str) -> list[str]:
    """The words of a program's command. `CannotRun`: they name no program."""
    from dasan.bots.external.program import split_command

    try:
        return split_command(command)
    except ValueError:
        raise CannotRun("name the program by its command, like 'python bot.py'") from None
