"""Quick match: a rated game with people of similar rating."""

from __future__ import annotations

import secrets
from typing import Any

from fastapi import Request, Response

from dasan import bots
from dasan.play import fairness
from dasan.server.api.dependencies import IdentitiesHere, Player, TablesHere
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.new_ids import new_id
from dasan.server.people.chosen_names import chosen_name
from dasan.server.people.identity import new_player
from dasan.server.people.reserved_names import GUEST
from dasan.server.protocol.rest import QuickMatch, QuickMatched
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store.matches import Seeker, Sought
from dasan.server.store.ratings import BEGINNING
from dasan.server.tables.bot_choices import DEFAULT_BOT
from dasan.server.tables.chairs import Chair, Head, bot_chairs
from dasan.server.tables.directory import Tables
from dasan.server.tables.room import Room
from dasan.server.tables.shared_rules import chosen_rules
from dasan.server.times import now

router = strict_router("/api/quick")

SPEEDS: dict[str, dict[str, Any]] = {
    "move-20": {"kind": "move", "seconds": 20},
    "move-60": {"kind": "move", "seconds": 60},
    "clock-300": {"kind": "clock", "seconds": 300, "increment": 5},
}
USUAL_LEVEL, LEVEL_STEP = 5, 80
"""The graded bot for players with the initial rating, and the rating difference between neighbouring bots."""


@router.post("")
async def quick_match(
    wanted: QuickMatch, request: Request, response: Response, tables: TablesHere, ids: IdentitiesHere, player: Player
) -> QuickMatched:
    """Seek a game, or poll whether one has been found. Repeat the request every other second."""
    limit(request, "quick", player)
    rules = await chosen_rules(wanted.preset, {})
    seeker = player or new_player()
    name, _ = await chosen_name(tables.store.people, seeker, wanted.name, GUEST)
    settings = TableSettings.model_validate(
        {"speed": SPEEDS[wanted.speed], "rated": True, "spectators": True, "next_seconds": 30}
    )
    fill_after = int(tables.settings.quick_bots_after * 1000)

    def make(together: tuple[Seeker, ...]) -> Room:
        head = Head(new_id(), rules, settings, fairness.new_secret())
        people = [Chair("human", one.name, player=one.player, account=one.account) for one in together]
        bot = bot_for(sum(one.rating for one in together) // len(together))
        names: list[str | None] = [None] * len(people) + [bot] * (rules.players - len(people))
        chairs = [*people, *[chair for chair in bot_chairs(names, head.id) if chair is not None]]
        secrets.SystemRandom().shuffle(chairs)
        return Room.create(head, tuple(chairs), together[0].player, now())

    async def seek(forget: str | None) -> Sought:
        return await tables.store.matches.seek(
            seeker,
            name,
            (wanted.preset, wanted.speed),
            rules.players,
            now(),
            bots=wanted.bots,
            fill_after=fill_after,
            make=make,
            forget=forget,
        )

    match = await seek(None)
    while match.table is not None and await _is_done_with(tables, match.table, seeker):
        match = await seek(match.table)
    await ids.remember(request, response, seeker)
    return QuickMatched(
        table=match.table,
        waited=max(0, now() - match.since),
        seeking=match.seeking,
        bots_after=fill_after if wanted.bots else None,
    )


@router.post("/leave")
async def leave(request: Request, tables: TablesHere, player: Player) -> QuickMatched:
    """Stop seeking. ``table``: the table found in the meantime, if any, at which its players wait."""
    limit(request, "quick", player)
    table = None if player is None else await tables.store.matches.leave(player)
    if player is not None and table is not None and await _is_done_with(tables, table, player):
        table = None
    return QuickMatched(table=table, waited=0, seeking=0, bots_after=None)


async def _is_done_with(tables: Tables, table_id: str, player: str) -> bool:
    """Whether the player of a match has left it, or its first hand is over. Opens the table, which deals that hand."""
    try:
        room = await tables.look(table_id)
    except Refused as refusal:
        # A table that cannot be opened now is still the player's: the page tries again.
        return refusal.code == "not-found"
    seat = room.seat_of(player)
    return seat is None or room.chairs[seat].left or room.status == "ended" or bool(room.results)


def bot_for(rating: int) -> str:
    """The graded bot for people with this rating.

    >>> bot_for(BEGINNING), bot_for(2500), bot_for(0)
    ('level-5', 'level-8', 'level-1')
    """
    level = min(8, max(1, USUAL_LEVEL + round((rating - BEGINNING) / LEVEL_STEP)))
    name = f"level-{level}"
    return name if name in bots.BOTS else DEFAULT_BOT
