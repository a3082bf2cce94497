"""`dasan bot-test`."""

from __future__ import annotations

from typing import Annotated

import typer

from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.output import print_json, say
from dasan.cli.programs import Command, MoveSeconds, Seconds, words_of

GAMES = ("big-three", "big-three-4p", "big-two", "winner", "dou-dizhu")


def bot_test(
    command: Command,
    game: Annotated[
        list[str] | None,
        typer.Option("--game", help="Play only this game; may be repeated.", autocompletion=complete_preset),
    ] = None,
    options: Options = None,
    hands: Annotated[int, typer.Option(min=1, max=10_000, help="Hands of each game.")] = 6,
    move_seconds: MoveSeconds = 5.0,
    seconds: Seconds = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check that a program follows the [bold]bot protocol[/bold]: it starts, plays whole hands and exits, all in time.

    Exit code 1 if it does not. [bold]dasan bot-protocol --describe[/bold] describes the protocol.
    """
    from dasan.bots.external.conformance import check

    words_of(command)
    games = [chosen_rules(name, options) for name in game or GAMES]
    checks = []
    for one in check(command, games, hands=hands, seconds=seconds or move_seconds):
        checks.append(one)
        if not as_json:
            say(f"{'ok  ' if one.fault is None else 'FAIL'} {one.name}" + (f": {one.fault}" if one.fault else ""))
    failed = sum(one.fault is not None for one in checks)
    if as_json:
        print_json({"ok": not failed, "checks": [{"name": one.name, "fault": one.fault} for one in checks]})
    else:
        say(f"{len(checks) - failed} of {len(checks)} checks passed")
    if failed:
        raise typer.Exit(1)
