"""`dasan join`."""

from __future__ import annotations

from typing import Annotated

import typer

from dasan.cli.group import CannotRun
from dasan.cli.output import print_json, say, warn
from dasan.cli.programs import Command, MoveSeconds, Seconds, words_of


def join(
    url: Annotated[str, typer.Argument(help="The table's link, like [bold]http://localhost:8000/t/ID[/bold].")],
    command: Command,
    name: Annotated[str | None, typer.Option(help="The displayed name; by default the program's.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, max=7, help="The seat; by default the first open one.")] = None,
    hands: Annotated[int | None, typer.Option(min=1, help="Leave after this many hands.")] = None,
    move_seconds: MoveSeconds = 5.0,
    seconds: Seconds = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON when the program leaves.")] = False,
) -> None:
    """Seat a program that speaks the [bold]bot protocol[/bold] at a server's table.

    If the program fails, the first legal move is played for it, and the fault is counted. Check it first with
    [bold]dasan bot-test[/bold].
    """
    from dasan.bots.external.wire import Fault
    from dasan.remote.program import Visit
    from dasan.remote.site import Refusal

    words = words_of(command)
    try:
        visit = Visit(url, words, name=name, seat=seat, seconds=seconds or move_seconds)
        report = warn if as_json else say
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
