"""Shared reviews: the leader's position is stored, and sent to all followers in any process.

Messages between processes may be lost, and followers may come late. So the store has the leader's position, and each
process polls it every few seconds while it has followers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from dasan.reasons import reason
from dasan.server.bus import Bus
from dasan.server.connections.send_queues import Connection
from dasan.server.operations.background import guarded, repeat
from dasan.server.protocol.study import PlaceShown, PlaceTold
from dasan.server.refusals import STATUS, Refused
from dasan.server.store import Store
from dasan.server.store.damage import intact
from dasan.server.store.reviews import Shared
from dasan.server.times import now

LOOK_AGAIN = 4.0
"""Seconds between polls of the store."""
MOST_FOLLOWERS = 200
SUBJECT = "reviews"
"""The bus subject for ids of reviews whose leader has moved."""


@dataclass
class _Followed:
    """A shared review with connections in this process, in the state last sent to them."""

    shared: Shared
    connections: set[Connection] = field(default_factory=set)

    def show(self, shared: Shared) -> None:
        """Send the state to all connections if it is new."""
        if shared.revision > self.shared.revision:
            self.shared = shared
            texts = {lead: _message(shared, lead=lead) for lead in (False, True)}
            for connection in tuple(self.connections):
                connection.offer(texts[_leads(shared, connection)])


class Together:
    """The shared reviews followed by connections of this process."""

    def __init__(self, store: Store, bus: Bus | None) -> None:
        self._store = store
        self._bus = bus
        self._followed: dict[str, _Followed] = {}
        self._changed: set[str] = set()
        self._wake = asyncio.Event()
        self._all_at = 0.0
        """The time of the next poll, by the event loop's clock."""

    async def run(self) -> None:
        """Refresh the followed reviews until cancelled: when another process reports a change, and at intervals."""
        end = None if self._bus is None else await self._bus.subscribe(SUBJECT, self._heard)
        try:
            await repeat("refreshing shared reviews", self._look_again)
        finally:
            if end is not None:
                await end()

    async def _look_again(self) -> None:
        """Wait for a report or the next poll, and refresh."""
        clock = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(self._all_at):
                await self._wake.wait()
        except TimeoutError:
            self._changed.update(self._followed)
            self._all_at = clock.time() + LOOK_AGAIN
        self._wake.clear()
        while self._changed:
            await guarded("refreshing a shared review", self._look(self._changed.pop()))

    def _heard(self, message: bytes) -> None:
        shared_id = message.decode("ascii", "replace")
        if shared_id in self._followed:
            self._changed.add(shared_id)
            self._wake.set()

    async def join(self, shared_id: str, connection: Connection) -> None:
        """Send a connection the leader's position and every later change. ``Refused``: there is no such review."""
        shared = await self._find(shared_id)
        await self._store.hands.load(shared.hand, connection.player)
        followed = self._followed.setdefault(shared_id, _Followed(shared))
        if len(followed.connections) >= MOST_FOLLOWERS:
            raise Refused("unavailable", reason("review.full"))
        followed.show(shared)
        followed.connections.add(connection)
        connection.offer(_message(followed.shared, lead=_leads(followed.shared, connection)))

    def leave(self, shared_id: str, connection: Connection) -> None:
        """Remove a closed connection."""
        followed = self._followed.get(shared_id)
        if followed is not None:
            followed.connections.discard(connection)
            if not followed.connections:
                del self._followed[shared_id]

    async def lead(self, shared_id: str, player: str | None, place: PlaceShown) -> None:
        """Store and send the leader's new position. ``Refused``: the player is not the leader."""
        shared = await self._find(shared_id)
        if player is None or shared.leader != player:
            raise Refused("forbidden", reason("review.lead"))
        place_entry = {"seq": place.seq, "moves": place.moves, "shown": place.shown}
        await self._store.reviews.lead(shared_id, place_entry, now())
        if self._bus is not None:
            await self._bus.publish(SUBJECT, shared_id.encode())
        await self._look(shared_id)

    async def _look(self, shared_id: str) -> None:
        shared = await self._store.reviews.shared(shared_id)
        followed = self._followed.get(shared_id)
        if followed is None:
            return
        if shared is not None:
            followed.show(shared)
            return
        # Its leader was deleted.
        for connection in tuple(followed.connections):
            connection.close(4000 + STATUS["not-found"])

    async def _find(self, shared_id: str) -> Shared:
        shared = await self._store.reviews.shared(shared_id)
        if shared is None:
            raise Refused("not-found", reason("review.none"))
        return shared


def _leads(shared: Shared, connection: Connection) -> bool:
    return connection.player is not None and connection.player == shared.leader


def _message(shared: Shared, *, lead: bool) -> str:
    with intact("shared review", shared.id):
        place = {"seq": None, "moves": [], "shown": False, **shared.place}
        hand, leader, revision = shared.hand, shared.name, shared.revision
        return PlaceTold(type="place", hand=hand, leader=leader, lead=lead, revision=revision, **place).wire()
