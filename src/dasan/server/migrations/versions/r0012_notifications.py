"""Notifications: what players want to be told, the browsers and addresses to tell it to, and what waits to be sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "notification_settings",
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("turn", sa.Boolean(), nullable=False),
        sa.Column("invitation", sa.Boolean(), nullable=False),
        sa.Column("event", sa.Boolean(), nullable=False),
        sa.Column("quiet_from", sa.Integer(), nullable=True),
        sa.Column("quiet_until", sa.Integer(), nullable=True),
        sa.Column("address", sa.String(length=254), nullable=True),
        sa.Column("token", sa.String(length=64), nullable=True),
        sa.Column("asked", sa.BigInteger(), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("player"),
        sa.UniqueConstraint("token"),
    )
    op.create_index("ix_notification_settings_address", "notification_settings", ["address"])
    op.create_table(
        "push_subscriptions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("session", sa.String(length=64), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("p256dh", sa.String(length=128), nullable=False),
        sa.Column("auth", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_push_subscriptions_player", "push_subscriptions", ["player"])
    op.create_table(
        "outbox",
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=32), nullable=False),
        sa.Column("target", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player", "kind", "subject", "target"),
    )
    op.create_index("ix_outbox_due", "outbox", ["due"])
    op.create_table(
        "event_reminders",
        sa.Column("event_id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["duplicates.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "player"),
    )
    op.create_index("ix_event_reminders_player", "event_reminders", ["player"])


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("event_reminders")
    op.drop_table("outbox")
    op.drop_table("push_subscriptions")
    op.drop_table("notification_settings")
