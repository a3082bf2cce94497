"""Reports of chat messages, for moderators."""

from __future__ import annotations

import sqlalchemy as sa

from dasan.server.store.database import StorePart, writing
from dasan.server.store.schema import events, reports
from dasan.server.store.sessions import check_not_deleted


class Reports(StorePart):
    """Writes reports; ``Overviews`` lists them."""

    @writing
    def add(self, connection: sa.Connection, row: dict[str, object]) -> None:
        """Store a report of a chat message. Repeated reports by the same player are ignored.

        The reported player is the author in the table's log, who may no longer sit there. ``Refused``: the reporting player has
        just been deleted.
        """
        place = sa.and_(events.c.table_id == row["table_id"], events.c.seq == sa.literal(row["seq"], sa.Integer) - 1)
        author = sa.select(events.c.player).where(place).scalar_subquery()
        check_not_deleted(connection, str(row["by"]))
        same = sa.and_(*(reports.c[name] == row[name] for name in ("table_id", "seq", "by")))
        if connection.execute(sa.select(reports.c.id).where(same)).first() is None:
            connection.execute(sa.insert(reports).values(**row, against=author))
