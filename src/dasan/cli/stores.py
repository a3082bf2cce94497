"""Access of `dasan admin` to a server's database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from dasan.cli.group import CannotRun

if TYPE_CHECKING:
    from dasan.server.settings import Settings
    from dasan.server.store import Store

MOST = 2**31 - 1
"""The largest integer that every column of every database can hold."""

DataDir: TypeAlias = Annotated[
    Path | None, typer.Option(file_okay=False, help="The server's data folder; default: from its settings.")
]
DatabaseUrl: TypeAlias = Annotated[
    str | None, typer.Option("--database", help="The server's PostgreSQL address; default: from its settings.")
]
Most: TypeAlias = Annotated[int, typer.Option(min=1, max=MOST, help="The most rows to show.")]
Schema: TypeAlias = Literal["newest", "migrated", "any"]
Who: TypeAlias = Annotated[str, typer.Argument(help="An account's name, or a player's id.")]


def on_store(
    schema: Schema = "newest", *, alone: bool = False
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Turn a coroutine into a command. Its parameters `store` and `settings`, both optional, are supplied; the others become
    options, next to those that name the database. schema, alone: see `with_store`.
    """

    def command(action: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        given = signature(action, eval_str=True, locals={"Store": object, "Settings": object})
        own = {name: one for name, one in given.parameters.items() if name not in ("store", "settings")}

        @wraps(action)
        def run(data_dir: Path | None, database: str | None, **values: Any) -> None:
            async def act(store: Store, settings: Settings) -> None:
                parts = {"store": store, "settings": settings}
                wanted = {name: part for name, part in parts.items() if name in given.parameters}
                await action(**wanted, **values)

            with_store(act, data_dir, database, schema=schema, alone=alone)

        place = {
            name: Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=annotation)
            for name, annotation in (("data_dir", DataDir), ("database", DatabaseUrl))
        }
        run.__signature__ = Signature(list((own | place).values()))  # type: ignore[attr-defined]
        run.__annotations__ = {name: one.annotation for name, one in (own | place).items()}
        return run

    return command


def with_store(
    action: Callable[[Store, Settings], Awaitable[None]],
    data_dir: Path | None,
    database: str | None,
    *,
    schema: Schema = "newest",
    alone: bool = False,
) -> None:
    """Run `action` with the store and the settings.

    schema: "newest", to which the settings may migrate the database, or any that this version knows. alone: no server
    may use the data folder at the same time, and the database is new or empty.
    """
    import asyncio
    from contextlib import nullcontext

    from dasan.server import refusals
    from dasan.server.operations.folders import data_dir as folder
    from dasan.server.settings import Settings
    from dasan.server.store import Store
    from dasan.server.store.backups import make_empty
    from dasan.server.store.database import DATABASE_FILE
    from dasan.server.store.migrating import any_known, migrate, require

    settings = Settings.read(data_dir=data_dir, database=database)
    if not settings.database and not alone and not (settings.data_dir / DATABASE_FILE).is_file():
        raise CannotRun(f"there is no database in {settings.data_dir}: name the server's --data-dir or --database")

    async def run() -> None:
        prepare = make_empty if alone else {"newest": require, "migrated": migrate, "any": any_known}[schema]
        store = await Store.open(settings.data_dir, settings.database, prepare)
        try:
            await action(store, settings)
        finally:
            await store.close()

    try:
        with folder(settings.data_dir) if alone else nullcontext():
            asyncio.run(run())
    except refusals.Refused as refused:
        raise CannotRun(str(refused)) from None


async def player_id(store: Store, who: str) -> str:
    """The id of the player whose account name or id is `who`."""
    player = await store.people.identify(who)
    if player is None:
        raise CannotRun(f"there is no account and no player {who!r}: dasan admin players lists them")
    return player


def times(row: dict[str, Any], *names: str) -> dict[str, str | None]:
    """These columns of a row, in milliseconds, as text."""
    return {name: None if row[name] is None else time_text(row[name]) for name in names}


def time_text(milliseconds: int) -> str:
    """A time as ISO 8601, to the second."""
    from dasan.server.times import moment

    return moment(milliseconds, "seconds")
