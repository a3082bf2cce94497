"""Account names as they are compared today: what looks the same is the same.

Earlier versions compared names by ``casefold`` alone, so that full-width letters and accents written in two ways made
accounts of their own. Where two accounts would now have one name, the older keeps or gets it, and the other keeps the
form that it has: both are found by the names that they were made with.
"""

from __future__ import annotations

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

LONGEST = 64
"""Characters of the column: a longer name stays as it is."""

players = sa.table(
    "players",
    sa.column("id", sa.String),
    sa.column("name", sa.String),
    sa.column("created", sa.BigInteger),
    sa.column("account", sa.String),
)


def folded(name: str) -> str:
    """As accounts are compared from this revision on."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def upgrade() -> None:
    """Do the migration."""
    connection = op.get_bind()
    query = sa.select(players.c.id, players.c.name, players.c.account).where(players.c.account.is_not(None))
    rows = connection.execute(query.order_by(players.c.created, players.c.id)).all()
    taken = {row.account for row in rows}
    for row in rows:
        wanted = folded(row.name)
        if wanted not in taken and len(wanted) <= LONGEST:
            connection.execute(sa.update(players).where(players.c.id == row.id).values(account=wanted))
            taken.add(wanted)


def downgrade() -> None:
    """Take back nothing: earlier versions find these accounts too, by the letters of their folded names."""
