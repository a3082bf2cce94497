"""`dasan admin`: maintenance of a server's database, even while the server runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dasan.cli import fair_play, moderation
from dasan.cli.files import AsJson
from dasan.cli.group import CannotRun, writing
from dasan.cli.output import print_json, say
from dasan.cli.stores import MOST, DatabaseUrl, DataDir, Most, Who, on_store, player_id, time_text, times, with_store

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from dasan.server.settings import Settings
    from dasan.server.store import Store

admin = typer.Typer(
    name="admin",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Administer a server: tables, players, reports, backups. The server may be running.",
)
for _command in (*moderation.COMMANDS, fair_play.fairplay):
    admin.command()(_command)


@admin.command()
@on_store()
async def tables(
    store: Store,
    status: Annotated[
        Literal["waiting", "playing", "ended"] | None, typer.Option(help="Only tables with this status.")
    ] = None,
    most: Most = 50,
    as_json: AsJson = False,
) -> None:
    """List tables, the most recently used first."""
    listed = await store.overviews.tables(status, most)
    rows = [{**row, **times(row, "created", "touched")} for row in listed.rows]
    for row in rows:
        row["players"] = dict(map(_seat, await store.overviews.seated(row["id"])))
    if as_json:
        print_json({"tables": rows, "total": listed.total})
        return
    for row in rows:
        chairs = _chairs(row["summary"])
        say(f"{row['id']}  {row['status']:8}  {row['preset']:12}  {row['touched']}  {', '.join(chairs)}")
    say(f"{len(rows)} of {listed.total} tables")


@admin.command()
@on_store()
async def players(
    store: Store,
    name: Annotated[str | None, typer.Argument(help="Only players whose name or account contains this.")] = None,
    banned: Annotated[bool, typer.Option("--banned", help="Only banned players.")] = False,
    most: Most = 50,
    as_json: AsJson = False,
) -> None:
    """List players, the newest first: id, name, hands, and whether they have an account or are banned."""
    listed = await store.overviews.players(name, banned, most)
    rows = [{**row, **times(row, "created", "last")} for row in listed.rows]
    if as_json:
        print_json({"players": rows, "total": listed.total})
        return
    for row in rows:
        kind = "banned" if row["banned"] else "account" if row["account"] else "guest"
        say(f"{row['id']}  {kind:7}  {row['hands']:5} hands  {row['created']}  {row['name']}")
    say(f"{len(rows)} of {listed.total} players")


@admin.command()
@on_store()
async def ratings(
    store: Store,
    write: Annotated[bool, typer.Option("--write", help="Store the computed ratings. The server must not run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compute all ratings again from the stored hands, and compare. Exit code 1 if some differ and are not stored."""
    from dasan.server.store.ratings import differences
    from dasan.server.times import now

    if write:
        await _check_alone(store, now())
    run = store.database.write if write else store.database.read
    count, changed = await run(lambda connection: differences(connection, write=write))
    if as_json:
        print_json({"ratings": count, "stored": write, "differences": [vars(one) for one in changed]})
    else:
        for one in changed:
            say(f"{one.player}  {one.preset} for {one.players}: {one.stored or 'none'} is {one.computed or 'none'}")
        say(f"{count} ratings, of which {len(changed)} {'are' if write else 'would be'} changed")
    if changed and not write:
        raise typer.Exit(1)


@admin.command()
@on_store()
async def password(store: Store, settings: Settings, who: Who) -> None:
    """Set and print a new password for an account, for a player who forgot it. This signs out every browser."""
    import secrets

    from argon2 import PasswordHasher

    from dasan.server.times import now

    person = await store.people.find(await player_id(store, who))
    if person is None or person.account is None:
        raise CannotRun(f"{who!r} has no account: dasan admin players lists them")
    wanted = secrets.token_urlsafe(9)
    hashed = PasswordHasher(memory_cost=settings.password_memory_mb * 1024).hash(wanted)
    await store.people.set_password(person.id, hashed, now())
    say(f"the password of {person.account} is now {wanted}")


@admin.command()
@on_store()
async def export(
    store: Store,
    file: Annotated[Path, typer.Argument(dir_okay=False, help="A new file.")],
    player: Annotated[str | None, typer.Option(help="All data about this player, as JSON.")] = None,
    table: Annotated[str | None, typer.Option(help="Only the hands of this table.")] = None,
) -> None:
    """Write the records of finished hands ([bold]climb/1[/bold]), or one player's data."""
    import json

    from dasan.whole_file import whole_file

    if player is not None and table is not None:
        raise CannotRun("choose one of --player and --table")
    if file.exists():
        raise CannotRun(f"{file} exists already")
    if player is not None:
        rows = await store.people.export(await player_id(store, player))
        # Personal data: readable only by the file's owner.
        with writing(file), whole_file(file, 0o600) as out:
            out.write(json.dumps(rows, ensure_ascii=False, indent=2, default=str).encode())
        say(f"wrote {file}")
        return
    count, after = 0, (-1, "")
    with writing(file), whole_file(file) as out:
        while batch := await store.overviews.records(table, after, 200):
            for moment, hand_id, record in batch:
                out.write(record.encode())
                count, after = count + 1, (moment, hand_id)
    say(f"wrote {count} hands to {file}")


@admin.command()
@on_store(schema="any")
async def backup(
    store: Store,
    settings: Settings,
    file: Annotated[Path, typer.Argument(dir_okay=False, help="A new file.")],
) -> None:
    """Write a consistent snapshot of the whole database, with any schema, to one file. It contains every secret of the
    server except those in its settings.
    """
    from dasan.server.people.identity import KEY_FILE
    from dasan.server.store.backups import dump

    key_file = settings.data_dir / KEY_FILE
    key = key_file.read_bytes() if key_file.is_file() else None
    counts = await store.database.read(lambda connection: dump(connection, file, key))
    say(f"wrote {sum(counts.values())} rows to {file}: {_counted(counts)}")
    if settings.secret:
        say("the key that signs cookies is not in the backup: keep DASAN_SECRET too")
    elif key is None:
        say(
            f"the key that signs cookies is not in the backup: there is no {key_file}; if the server has a DASAN_SECRET, "
            "keep that too"
        )


@admin.command()
@on_store(alone=True)
async def restore(
    store: Store,
    settings: Settings,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file of `dasan admin backup`.")],
) -> None:
    """Fill an empty database, SQLite or PostgreSQL, from a backup. The server must not be running."""
    from dasan.server.people.identity import KEY_FILE, write_key
    from dasan.server.store.backups import load
    from dasan.server.times import now

    key_file = settings.data_dir / KEY_FILE

    def fill(connection: Connection) -> tuple[dict[str, int], bytes | None]:
        counts, key = load(connection, file)
        if key is not None and not settings.secret and key_file.exists() and key_file.read_bytes() != key:
            raise CannotRun(
                f"nothing was restored: with {key_file}, which is another key than the backup's, everybody would be signed "
                "out; move it away first"
            )
        if key is not None:
            write_key(key_file, key)
        return counts, key

    await _check_alone(store, now())
    counts, key = await store.database.write(fill)
    say(f"restored {sum(counts.values())} rows: {_counted(counts)}")
    if key is None:
        say("the backup has no key that signs cookies: without the DASAN_SECRET of its server everybody is signed out")
    elif settings.secret:
        say("the server signs cookies with DASAN_SECRET, not with the backup's key")


@admin.command()
def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only check: exit code 1 if a migration is needed.")] = False,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
) -> None:
    """Migrate the database to this version's schema. By default the server does so at its start."""
    from dasan.server.refusals import OlderSchema
    from dasan.server.store.migrating import current

    async def look(store: Store, _: Settings) -> None:
        say(f"the schema is {await store.database.read(current)}, the newest")

    try:
        with_store(look, data_dir, database)
    except OlderSchema as older:
        if check:
            say(str(older))
            raise typer.Exit(1) from None
        with_store(look, data_dir, database, schema="migrated")


@admin.command()
@on_store()
async def prune(
    store: Store,
    settings: Settings,
    tables: Annotated[int | None, typer.Option(min=0, max=MOST, help="Days to keep tables; 0: forever.")] = None,
    hands: Annotated[int | None, typer.Option(min=0, max=MOST, help="Days to keep unrated hands.")] = None,
    guests: Annotated[int | None, typer.Option(min=0, max=MOST, help="Days to keep guests.")] = None,
    chat: Annotated[int | None, typer.Option(min=0, max=MOST, help="Days to keep chat.")] = None,
    dry: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove data past its retention period. Periods default to the server's settings."""
    from dataclasses import replace

    from dasan.server.store.retention import Keep
    from dasan.server.store.retention import prune as remove
    from dasan.server.times import now

    given = {"tables": tables, "hands": hands, "guests": guests, "chat": chat}
    keep = replace(Keep.of(settings), **{name: days for name, days in given.items() if days is not None})
    removed = await remove(store.database, store.people, keep, now(), dry=dry)
    if as_json:
        print_json({"dry": dry, **removed})
    elif keep == Keep():
        say("no retention period is set: name one, such as --chat 90")
    else:
        say(f"{'would remove' if dry else 'removed'} {_counted(removed)}")


async def _check_alone(store: Store, now: int) -> None:
    """`CannotRun`: a server is running on this database, or was killed a moment ago."""
    from dasan.server.store.processes import ALIVE

    if running := await store.processes.alive(now):
        seen, wait = time_text(running[0].seen), ALIVE // 1000
        raise CannotRun(
            f"a server is running on this database (seen {seen}): stop it first, or wait {wait} seconds if it was killed"
        )


def _seat(row: dict[str, Any]) -> tuple[str, str]:
    return str(row["seat"]), row["player"]


def _chairs(summary: object) -> list[str]:
    """The names at a table, from a summary that may be damaged."""
    chairs = summary.get("chairs") if isinstance(summary, dict) else None
    return [str(chair[1] or "open") for chair in chairs] if isinstance(chairs, list) else ["(damaged)"]


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "nothing"
