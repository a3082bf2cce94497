"""`dasan play` and `dasan serve`: the browser table on this computer, or for other computers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Host: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The address to listen on; by default only this computer.", show_default=False),
]
Port: TypeAlias = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free one.")]
DataDir: TypeAlias = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="The folder of the database; by default the user's data folder."),
]


def play(
    host: Host = None,
    port: Port = 8000,
    data_dir: DataDir = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
) -> None:
    """Play in the browser: serve on this computer and open the table."""
    _serve(host, port, data_dir, open_browser)


def serve(
    host: Host = None,
    port: Port = 8000,
    data_dir: DataDir = None,
    database: Annotated[
        str | None, typer.Option(help="A PostgreSQL address; by default SQLite in the data folder.", show_default=False)
    ] = None,
    nats: Annotated[
        str | None,
        typer.Option(help="NATS addresses, separated by commas, for several processes.", show_default=False),
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False, help="A TOML file of settings; environment variables override it.", show_default=False
        ),
    ] = None,
) -> None:
    """Serve tables to other computers, without opening a browser here."""
    _serve(host, port, data_dir, open_browser=False, database=database, nats=nats, file=settings)


def _serve(
    host: str | None,
    port: int,
    data_dir: Path | None,
    open_browser: bool,
    database: str | None = None,
    nats: str | None = None,
    file: Path | None = None,
) -> None:
    from dasan.server.main import serve as run

    run(host, port, data_dir, database=database, nats=nats, file=file, open_browser=open_browser)
