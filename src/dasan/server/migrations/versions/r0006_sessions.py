"""Sessions of guests that have ended, so that their cookies end too; and the forms in which names of accounts are compared."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "ended_sessions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "name_keys",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("key", "player"),
    )
    op.create_index(op.f("ix_name_keys_player"), "name_keys", ["player"], unique=False)


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("name_keys")
    op.drop_table("ended_sessions")
