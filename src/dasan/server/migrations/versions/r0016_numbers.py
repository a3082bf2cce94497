"""SQLite gives the number of a deleted row to no other row, as PostgreSQL does."""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    _recreate(autoincrement=True)


def downgrade() -> None:
    """Undo the migration."""
    _recreate(autoincrement=False)


def _recreate(*, autoincrement: bool) -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    for name in ("reports", "audit", "notices", "group_lines"):
        with op.batch_alter_table(name, recreate="always", table_kwargs={"sqlite_autoincrement": autoincrement}):
            pass
