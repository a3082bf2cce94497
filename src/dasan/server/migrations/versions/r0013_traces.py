"""Indexes for the players against whom reports are, and for the leaders of shared reviews."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.create_index("ix_reports_against", "reports", ["against"])
    op.create_index("ix_shared_reviews_leader", "shared_reviews", ["leader"])


def downgrade() -> None:
    """Undo the migration."""
    op.drop_index("ix_shared_reviews_leader", "shared_reviews")
    op.drop_index("ix_reports_against", "reports")
