"""Duplicate events: the events, who has entered, and each play of a deal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "duplicates",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("title", sa.String(length=64), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=True),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("bot", sa.String(length=64), nullable=False),
        sa.Column("fill", sa.Integer(), nullable=True),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("host", sa.String(length=64), nullable=True),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("starts", sa.BigInteger(), nullable=False),
        sa.Column("ends", sa.BigInteger(), nullable=False),
        sa.Column("revealed", sa.BigInteger(), nullable=True),
        sa.Column("bots_played", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("day"),
    )
    op.create_index("ix_duplicates_revealed", "duplicates", ["revealed"])
    op.create_index("ix_duplicates_listed", "duplicates", ["listed", "ends"])
    op.create_table(
        "duplicate_entries",
        sa.Column("event_id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("entered", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["duplicates.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "player"),
    )
    op.create_index("ix_duplicate_entries_player", "duplicate_entries", ["player", "entered"])
    op.create_table(
        "duplicate_plays",
        sa.Column("event_id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=80), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("table_id", sa.String(length=32), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("finished", sa.BigInteger(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("assisted", sa.Boolean(), nullable=False),
        sa.Column("hand_id", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["duplicates.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "player", "deal"),
    )
    op.create_index("ix_duplicate_plays_table_id", "duplicate_plays", ["table_id"])
    op.create_index("ix_duplicate_plays_deal", "duplicate_plays", ["event_id", "deal"])


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("duplicate_plays")
    op.drop_table("duplicate_entries")
    op.drop_table("duplicates")
