"""`dasan bot-protocol`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dasan.cli.group import CannotRun, refused
from dasan.cli.output import say

DESCRIPTION = """\
dasan-bot/1: one JSON object a line. The host writes to the program's standard input and reads its standard output.

host     {"type": "hello", "protocol": "dasan-bot/1", "engine": VERSION}
program  {"type": "hello", "protocol": "dasan-bot/1", "name": NAME, "version": VERSION}
host     {"type": "hand", "seat": 0, "players": 3, "rules": {...}, "dealer": 2, "cards": ["4H", ...], "exchange": null}
host     {"type": "events", "events": [{"seq": 1, "seat": 0, "type": "open", "cards": ["4H"]}, ...]}
host     {"type": "choose", "id": 1, "seconds": 5.0, "view": {"legal_moves": [{"move": "bid 1", ...}, ...], ...}}
program  {"type": "move", "id": 1, "move": "bid 1"}
host     {"type": "over", "result": {"payments": [2, -1, -1], ...}}
host     {"type": "quit"}

The program answers only hello, within 10 seconds, and choose, within the seconds that it names. It ignores unknown
messages and fields, accepts a new hand at any time, and exits on quit and at the end of its input."""


def bot_protocol(
    bot: Annotated[str, typer.Argument(help="A bot, or [bold]net:[/bold] and a network.")] = "greedy",
    describe: Annotated[bool, typer.Option("--describe", help="Describe the protocol and exit.")] = False,
    seed: Annotated[int, typer.Option(help="The seed, for bots that use random numbers.")] = 0,
) -> None:
    """Run a bot for [bold]another program[/bold]: JSON lines on standard input and output.

    [bold]dasan bot-test CMD[/bold] checks programs that speak the same protocol.
    """
    if describe:
        say(DESCRIPTION)
        return
    from dasan.bots import bot as bot_of
    from dasan.bots.external.speaking import speak
    from dasan.bots.external.wire import Fault

    with refused(ValueError, OSError):
        player = bot_of(bot, seed=seed)
    try:
        speak(player, sys.stdin.buffer, sys.stdout.buffer)
    except Fault as fault:
        raise CannotRun(str(fault)) from None
    except KeyError as error:
        raise CannotRun(f"this is not the bot protocol: a message lacks {error}") from None
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise CannotRun(f"this is not the bot protocol: {error}") from None
