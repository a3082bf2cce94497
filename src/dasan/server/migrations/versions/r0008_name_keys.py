"""The keys of accounts' names are computed anew, as they compare more kinds of look-alikes; a server does so when it starts."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    op.execute("DELETE FROM name_keys")


def downgrade() -> None:
    """Undo the migration."""
    op.execute("DELETE FROM name_keys")
