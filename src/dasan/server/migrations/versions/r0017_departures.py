"""The ids that stand in for players whose deletion is under way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_table(
        "departures",
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("stranger", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player"),
    )


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("departures")
