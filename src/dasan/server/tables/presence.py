"""Players' presence at a table: who is away, since when, and when a bot takes over."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from dasan.server.tables.room import Room


class Attendance:
    """The people at a table, tracked by its owner. Players are present while they have a connection in any process."""

    def __init__(self, now: int) -> None:
        self._since: dict[str, int] = {}
        self._here: frozenset[str] = frozenset()
        self._began = now

    def update(self, here: AbstractSet[str], now: int) -> None:
        """Set the connected players."""
        for player in self._here - here:
            self._since[player] = now
        for player in here:
            self._since.pop(player, None)
        self._here = frozenset(here)

    def seats(self, room: Room) -> frozenset[int]:
        """Seats whose players are present."""
        return frozenset(seat for seat, chair in enumerate(room.chairs) if chair.player in self._here)

    def gone(self, room: Room) -> frozenset[int]:
        """Seats whose players were present and have left; none in correspondence games."""
        if room.head.settings.speed.kind == "correspondence":
            return frozenset()
        return frozenset(seat for seat, chair in enumerate(room.chairs) if chair.player in self._since)

    def since(self, player: str) -> int:
        """When the player was last seen, by default when the owner opened the table."""
        return self._since.get(player, self._began)

    def takeover_at(self, room: Room, seat: int) -> int | None:
        """When the substitute takes over the seat: a grace period after its player left, if somebody else is
        waiting.
        """
        chair = room.chairs[seat]
        if chair.player is None or chair.player in self._here or chair.substitute is not None:
            return None
        if room.status != "playing" or room.head.settings.speed.kind == "correspondence":
            return None
        if not any(other != seat for other in self.seats(room)):
            return None
        return self.since(chair.player) + room.head.settings.grace * 1000

    def shown(self, room: Room, watching: int) -> dict[str, Any]:
        """The fields ``presence`` and ``watching`` of a message."""
        out = []
        for seat in room.humans:
            player = room.chairs[seat].player
            here = player in self._here
            out.append(
                {
                    "seat": seat,
                    "here": here,
                    "since": None if here or player is None else self.since(player),
                    "takeover_at": self.takeover_at(room, seat),
                }
            )
        return {"presence": out, "watching": watching}
