"""Schema versions: a database's, those known to this version of dasan, and migration between them.

Every revision in ``migrations/versions`` is a list of explicit operations that never changes after its release. To change
the database tables, change ``schema`` and add the next revision with the operations that lead there.
"""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from dasan.server.refusals import CannotServe, OlderSchema

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent.parent / "migrations"
LOCK = 4729113
"""The key of PostgreSQL's advisory lock for migration: arbitrary but unique."""


@cache
def known() -> frozenset[str]:
    """Every schema version that this version of dasan can migrate from: the numbers in the names of the revision files."""
    return frozenset(path.name[1:5] for path in (MIGRATIONS / "versions").glob("r[0-9][0-9][0-9][0-9]_*.py"))


def newest() -> str:
    """The schema version that this version of dasan works with."""
    return max(known())


def current(connection: sa.Connection) -> str | None:
    """The database's schema version; None if the database is empty."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return version


def check(connection: sa.Connection) -> bool:
    """Whether the database has the newest schema. ``CannotServe``: this version of dasan does not know its schema."""
    version, wanted = current(connection), newest()
    if version is not None and version not in known():
        if version > wanted:
            raise CannotServe(
                f"the database was written by a newer version of dasan (schema {version}; this version knows {wanted}): "
                "install that version, or restore a backup"
            )
        raise CannotServe(f"the database has an unknown schema ({version}): restore a backup")
    return version == wanted


def migrate(connection: sa.Connection, revision: str = "head") -> None:
    """Migrate the database to a schema version, by default the newest. ``CannotServe``: its schema is unknown."""
    if connection.dialect.name == "postgresql":
        # If several processes start at once, one of them migrates.
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    if not check(connection):
        # Imported late: Alembic takes a sixth of a server's start, and a database with the newest schema does not need
        # it.
        from alembic import command

        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def require(connection: sa.Connection) -> None:
    """``OlderSchema``: the database does not have the newest schema."""
    if not check(connection):
        raise OlderSchema(f"the database has an older schema than {newest()}: run dasan admin migrate")


def any_known(connection: sa.Connection) -> None:
    """``CannotServe``: the database is empty, or this version of dasan does not know its schema."""
    check(connection)
    if current(connection) is None:
        raise CannotServe("the database is empty")


def _config() -> Config:
    from alembic.config import Config

    logging.getLogger("alembic").setLevel(logging.WARNING)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
