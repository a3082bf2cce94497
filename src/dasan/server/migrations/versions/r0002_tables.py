"""Tables for several people: logs of entries, hands, players, ratings.

The tables of revision 0001, which had one player and one row for every event, are not carried over.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "hands",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("finished", sa.BigInteger(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("opening", sa.JSON(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("table_id", "number", name="uq_hands_number"),
    )
    op.create_table(
        "links",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_links_until"), "links", ["until"], unique=False)
    op.create_table(
        "players",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=True),
        sa.Column("password", sa.String(length=256), nullable=True),
        sa.Column("banned", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account"),
    )
    op.create_table(
        "promises",
        sa.Column("ticket", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ticket"),
    )
    op.create_index(op.f("ix_promises_at"), "promises", ["at"], unique=False)
    op.create_table(
        "rating_points",
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=80), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hand_id", "player"),
    )
    op.create_index("ix_rating_points_player", "rating_points", ["player", "at"], unique=False)
    op.create_table(
        "ratings",
        sa.Column("player", sa.String(length=80), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("hands", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "preset", "players"),
    )
    op.create_table(
        "reports",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(length=64), nullable=False),
        sa.Column("against", sa.String(length=64), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("table_id", "seq", "by", name="uq_reports_once"),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("opened", sa.JSON(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("touched", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("checkpoint", sa.JSON(), nullable=True),
        sa.Column("owner", sa.String(length=64), nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_tables_deadline"), "tables", ["deadline"], unique=False)
    op.create_index("ix_tables_lobby", "tables", ["listed", "status", "created"], unique=False)
    op.create_index(op.f("ix_tables_touched"), "tables", ["touched"], unique=False)
    op.create_table(
        "events",
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=True),
        sa.Column("client_id", sa.String(length=64), nullable=True),
        sa.Column("digest", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "seq"),
        sa.UniqueConstraint("table_id", "player", "client_id", name="uq_events_command"),
    )
    op.create_table(
        "hand_seats",
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=True),
        sa.Column("bot", sa.String(length=64), nullable=True),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("payment", sa.Integer(), nullable=False),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("finished", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hand_id", "seat"),
    )
    op.create_index("ix_hand_seats_player", "hand_seats", ["player", "finished"], unique=False)
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "seat"),
    )
    op.create_index(op.f("ix_seats_player"), "seats", ["player"], unique=False)
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_sign_ins_player"), "sign_ins", ["player"], unique=False)


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("sign_ins")
    op.drop_table("seats")
    op.drop_table("hand_seats")
    op.drop_table("events")
    op.drop_table("tables")
    op.drop_table("reports")
    op.drop_table("ratings")
    op.drop_table("rating_points")
    op.drop_table("promises")
    op.drop_table("players")
    op.drop_table("links")
    op.drop_table("hands")
