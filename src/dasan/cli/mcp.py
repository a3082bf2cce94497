"""`dasan mcp`."""

from __future__ import annotations

from typing import Annotated

import typer

from dasan.cli.group import CannotRun


def mcp(
    server: Annotated[str, typer.Option(help="The server to play on.")] = "http://localhost:8000",
    name: Annotated[str, typer.Option(help="The displayed name.")] = "Agent",
) -> None:
    """Let an agent play over the [bold]Model Context Protocol[/bold], on standard input and output.

    It lists tables, joins one by its link, reads its view in plain sentences, plays, and looks up clauses of the rules. Needs
    the extra [bold]mcp[/bold].
    """
    try:
        from dasan.remote.mcp_server import make_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "mcp":
            raise
        raise CannotRun("dasan mcp needs its extra: pip install 'dasan[mcp]'") from None
    make_server(server.rstrip("/"), name).run()
