"""Moderators, mutes, bans of networks, refused words, the audit log, and the addresses of the last weeks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.add_column("players", sa.Column("moderator", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("players", sa.Column("muted_until", sa.BigInteger(), nullable=True))
    op.create_table(
        "network_bans",
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("network"),
    )
    op.create_table(
        "refused_words",
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("word", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("language", "word"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_audit_subject"), "audit", ["subject"], unique=False)
    op.create_table(
        "addresses",
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "network"),
    )
    op.create_index(op.f("ix_addresses_network"), "addresses", ["network"], unique=False)
    op.create_index(op.f("ix_addresses_seen"), "addresses", ["seen"], unique=False)


def downgrade() -> None:
    """Undo the migration."""
    for table in ("addresses", "audit", "refused_words", "network_bans"):
        op.drop_table(table)
    op.drop_column("players", "muted_until")
    op.drop_column("players", "moderator")
