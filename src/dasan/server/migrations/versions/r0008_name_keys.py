"""The keys of accounts' names are computed anew, as they compare more kinds of look-alikes; a server does so when it starts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration. The first databases of schema 0006, which a state of 0.1.0 wrote, lack the table."""
    op.execute("DROP TABLE IF EXISTS name_keys")
    op.create_table(
        "name_keys",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("key", "player"),
    )
    op.create_index(op.f("ix_name_keys_player"), "name_keys", ["player"])


def downgrade() -> None:
    """Undo the migration."""
    op.execute("DELETE FROM name_keys")
