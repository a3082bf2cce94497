"""Back up a whole database to one file, and restore it: from SQLite or PostgreSQL to either.

The file is gzipped JSON lines: a header, then the columns and rows of every database table, and at the end the number of
rows of each table, so that a truncated file is recognised. It contains every secret of the server but those of its settings.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from gzip import GzipFile
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from dasan import __version__
from dasan.server.compact import compact
from dasan.server.refusals import CannotServe
from dasan.server.store.migrating import any_known, current, known, migrate, newest
from dasan.server.store.schema import metadata
from dasan.whole_file import whole_file

FORMAT = "dasan-backup/1"
PASSING = frozenset({"alembic_version", "processes", "notices"})
"""Database tables of running processes' state, which no backup contains."""
FORMER = frozenset({"commands"})
"""Database tables of earlier schemas that no longer exist."""
AT_ONCE = 500
DAMAGED = (
    *(EOFError, gzip.BadGzipFile, zlib.error, ValueError, KeyError, TypeError, StopIteration),
    *(sa.exc.IntegrityError, sa.exc.DataError),
)
"""What reading a damaged backup, and storing its rows, raises."""


def dump(connection: sa.Connection, path: Path, key: bytes | None = None) -> dict[str, int]:
    """Write a consistent snapshot of the database, with any schema, to a new file that only its owner can read.

    Skips other programs' tables in the same database. Returns the number of rows by table. key: the key that signs
    cookies, if the data folder has it. ``CannotServe``: the file exists already, or cannot be written.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    any_known(connection)
    counts: dict[str, int] = {}
    try:
        if path.exists():
            raise CannotServe(f"{path} exists already")
        with whole_file(path, 0o600) as raw, TextIOWrapper(GzipFile("", "wb", fileobj=raw), "utf-8") as file:
            for line in _lines(connection, key, counts):
                file.write(compact(line) + "\n")
    except _OfDatabase as failure:
        raise failure.error from failure.error.__cause__
    except OSError as error:
        raise CannotServe(f"{path} cannot be written: {error.strerror or error}") from None
    return counts


class _OfDatabase(Exception):
    """Carries an OSError of the database past the handler for those of the file."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error


def _lines(connection: sa.Connection, key: bytes | None, counts: dict[str, int]) -> Iterator[object]:
    """The lines of a backup; counts the rows of each table. ``_OfDatabase``: the database fails with an OSError."""
    try:
        schema = sa.MetaData()
        ours = metadata.tables.keys() | FORMER
        schema.reflect(connection, only=lambda name, _: name in ours)
        yield {"format": FORMAT, "schema": current(connection), "version": __version__, "key": _json(key)}
        for table in schema.sorted_tables:
            if table.name in PASSING:
                continue
            number = _numbered(table.name)
            columns = [column for column in table.columns if column.name != number]
            yield {"table": table.name, "columns": [column.name for column in columns]}
            counts[table.name] = 0
            query = sa.select(*columns).order_by(*([] if number is None else [table.c[number]]))
            rows = connection.execution_options(yield_per=AT_ONCE).execute(query)
            for row in rows:
                yield [_json(value) for value in row]
                counts[table.name] += 1
        yield {"end": counts}
    except OSError as error:
        raise _OfDatabase(error) from error


def load(connection: sa.Connection, path: Path) -> tuple[dict[str, int], bytes | None]:
    """Fill an empty database from a file that ``dump`` wrote, and migrate it to the newest schema.

    Returns the number of rows by table, and the key. ``CannotServe``: the database is not empty, or the file is not a
    backup, is incomplete, or comes from a newer version.
    """
    _check_empty(connection)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = (json.loads(line) for line in file)
            header = next(lines)
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise CannotServe(f"{path} is not a backup of dasan")
            _begin(connection, header["schema"])
            counts = _fill(connection, lines)
            if next(lines, None) is not None:  # gzip compares the checksum at the end of the file
                raise ValueError("there is more after the end")
    except DAMAGED as error:
        raise CannotServe(f"{path} is not a backup of dasan, or is incomplete ({type(error).__name__})") from None
    migrate(connection)
    key = _value(header["key"])
    return counts, key if isinstance(key, bytes) else None


def make_empty(connection: sa.Connection) -> None:
    """Give an empty database the newest schema. ``CannotServe``: it is not empty; then its schema stays as it is, because an
    older version could not open it after a migration.
    """
    _check_empty(connection)
    migrate(connection)


def _check_empty(connection: sa.Connection) -> None:
    present = set(sa.inspect(connection).get_table_names())
    for table in metadata.sorted_tables:
        if table.name in present - PASSING:
            row = sa.select(sa.literal(1)).select_from(table).limit(1)
            if connection.execute(row).first() is not None:
                raise CannotServe("the database is not empty: restore into a new one")


def _begin(connection: sa.Connection, schema: str) -> None:
    """Create the backup's schema in an empty database."""
    if schema not in known():
        raise CannotServe(f"the backup is of another version of dasan: schema {schema}, this version knows {newest()}")
    if current(connection) is not None:
        metadata.drop_all(connection)
        connection.execute(sa.text("DELETE FROM alembic_version"))
    migrate(connection, schema)


def _fill(connection: sa.Connection, lines: Iterable[Any]) -> dict[str, int]:
    metadata = sa.MetaData()
    metadata.reflect(connection)
    counts: dict[str, int] = {}
    table: sa.Table | None = None
    columns: list[str] = []
    waiting: list[dict[str, Any]] = []

    def flush() -> None:
        if table is not None and waiting:
            connection.execute(sa.insert(table), waiting)
            counts[table.name] += len(waiting)
            waiting.clear()

    for line in lines:
        if isinstance(line, list):
            waiting.append(dict(zip(columns, map(_value, line), strict=True)))
            if len(waiting) >= AT_ONCE:
                flush()
            continue
        flush()
        if "end" in line:
            if line["end"] != counts:
                raise ValueError("rows are missing")
            return counts
        table, columns = metadata.tables[line["table"]], line["columns"]
        counts[table.name] = 0
    raise EOFError


def _numbered(table: str) -> str | None:
    """The auto-increment column, if any. Backups omit its numbers, but keep the order of the rows, as that of a group's chat."""
    known = metadata.tables.get(table)
    column = None if known is None else known.autoincrement_column
    return column.name if column is not None and column.autoincrement is True else None


def _json(value: Any) -> Any:
    """A column's value for JSON; bytes and JSON columns are wrapped, so that ``_value`` can distinguish them."""
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    return {"json": value} if isinstance(value, dict | list) else value


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return base64.b64decode(value["bytes"]) if "bytes" in value else value["json"]
    return value
