"""Tables for several people: logs of entries, hands, players, ratings.

The tables of revision 0001, which had one player and one row for every event, are not carried over.
"""

from __future__ import annotations

from alembic import op

from dasan.server.store.schema import metadata

revision = "0002"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    metadata.create_all(op.get_bind())


def downgrade() -> None:
    """Take back."""
    metadata.drop_all(op.get_bind())
