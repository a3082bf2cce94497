"""Passkeys, quick match, kept reviews, notes, shared reviews, and tables taken off one's list."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "challenges",
        sa.Column("ticket", sa.String(length=64), nullable=False),
        sa.Column("challenge", sa.LargeBinary(), nullable=False),
        sa.Column("purpose", sa.String(length=8), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=True),
        sa.Column("account", sa.String(length=64), nullable=True),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ticket"),
    )
    op.create_index(op.f("ix_challenges_until"), "challenges", ["until"], unique=False)
    op.create_table(
        "seekers",
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("speed", sa.String(length=8), nullable=False),
        sa.Column("bots", sa.Boolean(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("table_id", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("player"),
    )
    op.create_index(op.f("ix_seekers_seen"), "seekers", ["seen"], unique=False)
    op.create_table(
        "decisions",
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("habit", sa.String(length=16), nullable=False),
        sa.Column("unit", sa.String(length=8), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("mistake", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hand_id", "seq"),
    )
    op.create_index(op.f("ix_decisions_player"), "decisions", ["player"], unique=False)
    op.create_table(
        "forgotten",
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "player"),
    )
    op.create_table(
        "passkeys",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("uses", sa.BigInteger(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_passkeys_player"), "passkeys", ["player"], unique=False)
    op.create_table(
        "review_notes",
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("player", "hand_id", "seq"),
    )
    op.create_table(
        "reviews",
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hand_id", "kind"),
    )
    op.create_table(
        "shared_reviews",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("leader", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("touched", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_shared_reviews_hand_id"), "shared_reviews", ["hand_id"], unique=False)
    op.create_index(op.f("ix_shared_reviews_touched"), "shared_reviews", ["touched"], unique=False)


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("shared_reviews")
    op.drop_table("review_notes")
    op.drop_table("decisions")
    op.drop_table("reviews")
    op.drop_table("seekers")
    op.drop_table("forgotten")
    op.drop_table("challenges")
    op.drop_table("passkeys")
