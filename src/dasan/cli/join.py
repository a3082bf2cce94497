"""`dasan join`."""

from __future__ import annotations

from typing import Annotated

import typer

from dasan.cli.group import CannotRun
from dasan.cli.output import print_json, say


def join(
    url: Annotated[str, typer.Argument(help="The table's link, like [bold]http://localhost:8000/t/ID[/bold].")],
    command: Annotated[str, typer.Argument(help="The program's command, like [bold]'python bot.py'[/bold].")],
    name: Annotated[str | None, typer.Option(help="The displayed name; by default the program's.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, max=7, help="The seat; by default the first open one.")] = None,
    hands: Annotated[int | None, typer.Option(min=1, help="Leave after this many hands.")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, max=600, help="The time limit for a move.")] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON when the program leaves.")] = False,
) -> None:
    """Seat a program that speaks the [bold]bot protocol[/bold] at a server's table.

    If the program fails, the first legal move is played for it, and the fault is counted. Check it first with
    [bold]dasan bot-test[/bold].
    """
    from dasan.bots.external.program import split_command
    from dasan.bots.external.wire import Fault
    from dasan.remote.program import Visit
    from dasan.remote.site import Refusal

    try:
        words = split_command(command)
    except ValueError:
        raise CannotRun("name the program by its command, like 'python bot.py'") from None
    try:
        visit = Visit(url, words, name=name, seat=seat, seconds=seconds)
        report = (lambda text: None) if as_json else say
        report(f"seat {visit.seat}")
        visit.play(hands, report)
    except Refusal as error:
        raise CannotRun(str(error)) from None
    except Fault as fault:
        raise CannotRun(f"the program failed: {fault}") from None
    if as_json:
        print_json({"seat": visit.seat, "hands": visit.hands, "faults": visit.faults})
    elif visit.faults:
        say("faults: " + ", ".join(f"{kind} {n}" for kind, n in visit.faults.items()))
