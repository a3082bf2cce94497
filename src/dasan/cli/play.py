"""`dasan play` and `dasan serve`: the browser table on this computer, or for other computers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Host: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The address to listen on; by default only this computer.", show_default=False),
]
Port: TypeAlias = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")]
DataDir: TypeAlias = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="Where games are kept; by default the user's own data folder."),
]


def play(
    host: Host = None,
    port: Port = 8000,
    data_dir: DataDir = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
) -> None:
    """Play in the browser: serve on this computer and open the table."""
    _serve(host, port, data_dir, open_browser)


def serve(host: Host = None, port: Port = 8000, data_dir: DataDir = None) -> None:
    """Serve tables to other computers, without opening a browser here."""
    _serve(host, port, data_dir, open_browser=False)


def _serve(host: str | None, port: int, data_dir: Path | None, open_browser: bool) -> None:
    from dasan.server.main import serve as run

    run(host, port, data_dir, open_browser=open_browser)
