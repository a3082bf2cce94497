"""The command line. Each command is one small module, listed in `COMMANDS`.

To add a command, write a Typer function in `dasan/cli/NAME.py` and add its line below. Import heavy modules inside the
function, so that every command starts fast. For a user's mistake raise `CannotRun` (or let a `DasanError` through); it
becomes one line on stderr with exit code 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from dasan.cli.admin import admin
from dasan.cli.arena import arena
from dasan.cli.bench import bench
from dasan.cli.bot_protocol import bot_protocol
from dasan.cli.bot_test import bot_test
from dasan.cli.deals import deals
from dasan.cli.evaluate import evaluate
from dasan.cli.generate import generate
from dasan.cli.group import Group
from dasan.cli.join import join
from dasan.cli.mcp import mcp
from dasan.cli.output import say
from dasan.cli.play import play, serve
from dasan.cli.puzzle import puzzle
from dasan.cli.replay import replay
from dasan.cli.review import review
from dasan.cli.rules import rules
from dasan.cli.solve import solve
from dasan.cli.train import train
from dasan.cli.tui import tui
from dasan.cli.verify import verify
from dasan.version import __version__, commit

COMMANDS: dict[str, Callable[..., Any]] = {
    "play": play,
    "serve": serve,
    "tui": tui,
    "rules": rules,
    "replay": replay,
    "verify": verify,
    "solve": solve,
    "review": review,
    "puzzle": puzzle,
    "deals": deals,
    "arena": arena,
    "evaluate": evaluate,
    "train": train,
    "bench": bench,
    "generate": generate,
    "join": join,
    "mcp": mcp,
    "bot-test": bot_test,
    "bot-protocol": bot_protocol,
}
"""Every command by name, in the order `dasan --help` lists them."""

app = typer.Typer(
    cls=Group,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)
app.add_typer(admin)


def _version(wanted: bool) -> None:
    if wanted:
        from dasan.server.store.migrating import newest

        say(f"dasan {__version__}\ncommit {commit()}, schema {newest()}")
        raise typer.Exit


@app.callback()
def dasan(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Big Three, Big Two, Winner and Dou Dizhu: play in the browser or here, read the rules, check records.

    Without a command: [bold]dasan play[/bold].
    """


def main() -> None:
    """The program `dasan`."""
    app()
