"""Facts about finished hands: for lists of a player's hands, for ratings that are computed again, and pars of event deals."""

from __future__ import annotations

import json
import re

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

AT_ONCE = 500
BID = re.compile(r'"type":"bid","bid":(\d+)')

hands = sa.table("hands", sa.column("id"), sa.column("preset"), sa.column("record"))
hand_seats = sa.table(
    "hand_seats",
    *map(sa.column, ("hand_id", "preset", "bid", "turn_seq", "turn_seat")),
)
reviews = sa.table("reviews", *map(sa.column, ("hand_id", "kind", "lines")))


def upgrade() -> None:
    """Do the migration."""
    op.add_column("hand_seats", sa.Column("preset", sa.String(length=64), nullable=False, server_default=""))
    op.add_column("hand_seats", sa.Column("bid", sa.Integer(), nullable=True))
    op.add_column("hand_seats", sa.Column("turn_seq", sa.Integer(), nullable=True))
    op.add_column("hand_seats", sa.Column("turn_seat", sa.Integer(), nullable=True))
    op.add_column("hand_seats", sa.Column("whole", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.create_index("ix_ratings_board", "ratings", ["preset", "players", "mu"])
    op.create_table(
        "duplicate_pars",
        sa.Column("event_id", sa.String(length=32), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("contract", sa.String(length=16), nullable=False),
        sa.Column("payments", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["duplicates.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "deal", "contract"),
    )
    connection = op.get_bind()
    after = ""
    while rows := connection.execute(
        sa.select(hands).where(hands.c.id > after).order_by(hands.c.id).limit(AT_ONCE)
    ).all():
        after = rows[-1].id
        for row in rows:
            bids = BID.findall(row.record)
            facts = {"preset": row.preset, "bid": int(bids[-1]) if bids else None}
            connection.execute(sa.update(hand_seats).where(hand_seats.c.hand_id == row.id).values(**facts))
    decided = sa.select(reviews.c.hand_id, reviews.c.lines).where(reviews.c.kind == "turning")
    for row in connection.execute(decided).all():
        move = json.loads(row.lines)["move"]
        if move is not None:
            turn = {"turn_seq": move["seq"], "turn_seat": move["seat"]}
            connection.execute(sa.update(hand_seats).where(hand_seats.c.hand_id == row.hand_id).values(**turn))


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("duplicate_pars")
    op.drop_index("ix_ratings_board", "ratings")
    for name in ("whole", "turn_seat", "turn_seq", "bid", "preset"):
        op.drop_column("hand_seats", name)
