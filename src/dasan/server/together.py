"""Reviews watched together: what the leader looks at is kept in the store, and told to all who follow, in any process.

A message between processes may be lost, and somebody may come late: the store says where the leader is, and each process
looks again every few seconds while anybody follows.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from dasan.sentences import said
from dasan.server.bus import Bus
from dasan.server.hub import Connection
from dasan.server.protocol import PlaceShown, PlaceTold
from dasan.server.refusals import Refused
from dasan.server.reporting import now, report
from dasan.server.store import Store
from dasan.server.store.reviews import Shared

LOOK_AGAIN = 4.0
"""Seconds between looks at the store."""
MOST_FOLLOWERS = 200


@dataclass
class _Followed:
    """A shared review that this process shows. told: the revision that its connections know."""

    told: int
    connections: set[Connection] = field(default_factory=set)
    end: Callable[[], Awaitable[None]] | None = None


class Together:
    """The shared reviews that connections of this process follow."""

    def __init__(self, store: Store, bus: Bus | None) -> None:
        self._store = store
        self._bus = bus
        self._followed: dict[str, _Followed] = {}
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Look again at what is followed, until cancelled."""
        while True:
            self._wake.clear()
            if not self._followed:
                await self._wake.wait()
            try:
                async with asyncio.timeout(LOOK_AGAIN):
                    await self._wake.wait()
            except TimeoutError:
                pass
            for shared_id in tuple(self._followed):
                try:
                    await self._look(shared_id)
                except Exception as error:
                    report("a shared review could not be read", error)

    async def join(self, shared_id: str, connection: Connection) -> None:
        """Show a connection where the leader is, and from then on every change. ``Refused`` where there is no such."""
        shared = await self._find(shared_id)
        followed = self._followed.get(shared_id)
        if followed is None:
            followed = self._followed[shared_id] = _Followed(shared.revision)
            if self._bus is not None:
                end = await self._bus.subscribe(f"review-{shared_id}", lambda _: self._wake.set())
                followed.end = end
        if len(followed.connections) >= MOST_FOLLOWERS:
            raise Refused("unavailable", said("review.full"))
        followed.connections.add(connection)
        connection.offer(_told(shared, connection))

    async def leave(self, shared_id: str, connection: Connection) -> None:
        """The connection is gone."""
        followed = self._followed.get(shared_id)
        if followed is None:
            return
        followed.connections.discard(connection)
        if not followed.connections:
            del self._followed[shared_id]
            if followed.end is not None:
                await followed.end()

    async def lead(self, shared_id: str, player: str | None, place: PlaceShown) -> None:
        """The leader looks elsewhere: tell everybody. ``Refused`` for followers."""
        shared = await self._find(shared_id)
        if player is None or shared.leader != player:
            raise Refused("forbidden", said("review.lead"))
        kept = {"seq": place.seq, "moves": place.moves, "shown": place.shown}
        revision = await self._store.reviews.lead(shared_id, kept, now())
        if self._bus is not None:
            await self._bus.publish(f"review-{shared_id}", json.dumps({"revision": revision}).encode())
        await self._look(shared_id)

    async def _look(self, shared_id: str) -> None:
        followed = self._followed.get(shared_id)
        shared = await self._store.reviews.shared(shared_id)
        if followed is None or shared is None or shared.revision <= followed.told:
            return
        followed.told = shared.revision
        for connection in tuple(followed.connections):
            connection.offer(_told(shared, connection))

    async def _find(self, shared_id: str) -> Shared:
        shared = await self._store.reviews.shared(shared_id)
        if shared is None:
            raise Refused("not-found", said("review.none"))
        return shared


def _told(shared: Shared, connection: Connection) -> str:
    lead = connection.player is not None and connection.player == shared.leader
    place = PlaceShown.model_validate({"type": "place", **shared.place})
    told = PlaceTold(
        type="place",
        hand=shared.hand,
        leader=shared.name,
        lead=lead,
        revision=shared.revision,
        seq=place.seq,
        moves=place.moves,
        shown=place.shown,
    )
    return told.wire()
