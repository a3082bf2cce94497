"""Everything that the server stores: each table's log and lease, finished hands, players. ``Store`` holds the parts."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from dasan.server.people.restrictions import Restrictions
from dasan.server.store.bids import Bids
from dasan.server.store.database import DATABASE_FILE, Database, Prepare, SqliteDatabase
from dasan.server.store.due import Due
from dasan.server.store.duplicates import Duplicates
from dasan.server.store.fair_play import FairPlay
from dasan.server.store.friends import Friends
from dasan.server.store.groups import Groups
from dasan.server.store.hands import FinishedHands
from dasan.server.store.leases import Leases
from dasan.server.store.listings import Listings
from dasan.server.store.log import Conflict, EventLog, Repeated
from dasan.server.store.matches import Matches
from dasan.server.store.migrating import migrate
from dasan.server.store.moderation import Moderation
from dasan.server.store.notifications import Notifications
from dasan.server.store.overviews import Overviews
from dasan.server.store.passkeys import Passkeys
from dasan.server.store.people import People
from dasan.server.store.processes import Processes
from dasan.server.store.promises import Promises
from dasan.server.store.ratings import Ratings
from dasan.server.store.reports import Reports
from dasan.server.store.reviews import Reviews
from dasan.server.store.server_database import ServerDatabase


class Store:
    """The database of one server. Create it with ``open``; call ``close`` at the end."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.bids = Bids(database)
        self.log = EventLog(database)
        self.due = Due(database)
        self.leases = Leases(database)
        self.duplicates = Duplicates(database)
        self.fair_play = FairPlay(database)
        self.friends = Friends(database)
        self.groups = Groups(database)
        self.hands = FinishedHands(database)
        self.listings = Listings(database)
        self.matches = Matches(database)
        self.notifications = Notifications(database)
        self.promises = Promises(database)
        self.reports = Reports(database)
        self.overviews = Overviews(database)
        self.passkeys = Passkeys(database)
        restrictions = Restrictions()
        self.people = People(database, restrictions)
        self.moderation = Moderation(database, restrictions)
        self.processes = Processes(database)
        self.ratings = Ratings(database)
        self.reviews = Reviews(database)
        self._writing = asyncio.get_running_loop().create_task(self.log.run(), name="event log")

    @staticmethod
    async def open(data_dir: Path, url: str = "", prepare: Prepare = migrate) -> Store:
        """Open the database at ``url``, or the SQLite file in ``data_dir`` if ``url`` is empty.

        prepare: ``migrate`` upgrades an older schema, ``require`` refuses it, ``any_known`` leaves it unchanged.
        ``CannotServe``: the database cannot be opened.
        """
        if url:
            return Store(await ServerDatabase.open(url, prepare))
        return Store(await SqliteDatabase.open(data_dir / DATABASE_FILE, prepare))

    async def close(self) -> None:
        self._writing.cancel()
        with suppress(asyncio.CancelledError):
            await self._writing
        await self.database.close()


__all__ = ["Conflict", "EventLog", "Repeated", "Store"]
