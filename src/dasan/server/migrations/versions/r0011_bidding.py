"""The bidding trainer: the hands that players were given, and their bids."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "bid_answers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("bid", sa.String(length=8), nullable=True),
        sa.Column("best", sa.String(length=8), nullable=True),
        sa.Column("habit", sa.String(length=16), nullable=True),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("mistake", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_bid_answers_player", "bid_answers", ["player", "preset", "at"])
    open_bid = sa.text("bid IS NULL")
    op.create_index(
        "ux_bid_answers_open",
        "bid_answers",
        ["player", "preset"],
        unique=True,
        sqlite_where=open_bid,
        postgresql_where=open_bid,
    )


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("bid_answers")
