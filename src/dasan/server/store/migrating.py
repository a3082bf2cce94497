"""Schema versions: which one a database has, which this version of dasan knows, and the way from one to the other.

Every revision in ``migrations/versions`` is a list of explicit operations that stays as it was released. To change the
tables, change ``schema`` and add the next revision with the operations that lead there.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from dasan.server.refusals import CannotServe, OlderSchema

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent.parent / "migrations"
LOCK = 4729113
"""The number of PostgreSQL's lock: arbitrary, and ours alone."""


def known() -> frozenset[str]:
    """Every schema version that this version of dasan can start from: the numbers of the files of revisions."""
    return frozenset(path.name[1:5] for path in (MIGRATIONS / "versions").glob("r[0-9][0-9][0-9][0-9]_*.py"))


def newest() -> str:
    """The schema version that this version of dasan works with."""
    return max(known())


def current(connection: sa.Connection) -> str | None:
    """The database's schema version; None where it is empty."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found


def check(connection: sa.Connection) -> bool:
    """Whether the database has the newest schema. ``CannotServe`` where this version of dasan does not know its own."""
    found, wanted = current(connection), newest()
    if found is not None and found not in known():
        if found > wanted:
            raise CannotServe(
                f"the database was written by a newer version of dasan (schema {found}; this version knows {wanted}): "
                "install that version, or restore a backup"
            )
        raise CannotServe(f"the database is too old (schema {found}): move it away to begin anew")
    return found == wanted


def migrate(connection: sa.Connection, revision: str = "head") -> None:
    """Bring the database to a schema version, by default the newest; ``CannotServe`` where it is not known."""
    if connection.dialect.name == "postgresql":
        # Of several processes that start at once, one migrates.
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    if not check(connection):
        # Alembic takes a sixth of a server's start to load: a database that has the newest schema does without.
        from alembic import command

        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def require(connection: sa.Connection) -> None:
    """``OlderSchema`` unless the database has the newest one."""
    if not check(connection):
        raise OlderSchema(f"the database has an older schema than {newest()}: run dasan admin migrate")


def _config() -> Config:
    from alembic.config import Config

    logging.getLogger("alembic").setLevel(logging.WARNING)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
