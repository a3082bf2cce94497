"""Friends: who follows whom, blocks, and invitations to tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "follows",
        sa.Column("follower", sa.String(length=64), nullable=False),
        sa.Column("followed", sa.String(length=64), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("follower", "followed"),
    )
    op.create_index("ix_follows_followed", "follows", ["followed"])
    op.create_table(
        "blocks",
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("blocked", sa.String(length=64), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "blocked"),
    )
    op.create_index("ix_blocks_blocked", "blocks", ["blocked"])
    op.create_table(
        "invitations",
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("host", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "player"),
    )
    op.create_index("ix_invitations_player", "invitations", ["player"])


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("invitations")
    op.drop_table("blocks")
    op.drop_table("follows")
