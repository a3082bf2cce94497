"""Leaderboards by game: accounts by their ratings, and bots by those that the arena has measured."""

from __future__ import annotations

from fastapi import Request

from dasan.arena.measured import measured
from dasan.games import PRESETS
from dasan.reasons import reason
from dasan.server.api.dependencies import Player, Small, StoreHere
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.protocol.people import Ladder, LadderBoard, LadderPlace
from dasan.server.refusals import Refused
from dasan.server.store.ratings import SCALE, SETTLED, Ranked, level, measured_ratings, shown, usual_players
from dasan.server.tables.chairs import called
from dasan.server.tables.facts import title_of

router = strict_router("/api/ladder")

SHOWN = 100


@router.get("")
async def boards(request: Request, store: StoreHere) -> list[LadderBoard]:
    """The games with a leaderboard: those of most accounts first."""
    limit(request, "pages")
    counts = {(name, usual_players(name)): 0 for name in PRESETS if measured(name)}
    counts |= {(preset, players): accounts for preset, players, accounts in await store.ratings.boards()}
    order = sorted(counts, key=lambda one: -counts[one])
    return [_board(preset, players, counts[preset, players]) for preset, players in order]


@router.get("/{preset}/{players}")
async def board(preset: str, players: Small, request: Request, store: StoreHere, player: Player) -> Ladder:
    """The leaderboard of a game with this number of players."""
    limit(request, "pages")
    if preset not in PRESETS:
        raise Refused("not-found", reason("no-game", name=preset[:40]))
    places, mine = await store.ratings.board(preset, players, measured_ratings(preset, players), SHOWN, player)
    counts = {(one, count): accounts for one, count, accounts in await store.ratings.boards()}
    return Ladder(
        board=_board(preset, players, counts.get((preset, players), 0)),
        places=[_place(one, player) for one in places],
        mine=None if mine is None else _place(mine, player),
        least=SETTLED,
    )


def _board(preset: str, players: int, accounts: int) -> LadderBoard:
    return LadderBoard(preset=preset, title=title_of(preset), players=players, accounts=accounts)


def _place(one: Ranked, player: str | None) -> LadderPlace:
    rating = shown(one.mu)
    return LadderPlace(
        rank=one.rank,
        name=called(one.bot) if one.bot is not None else one.account or "",
        bot=one.bot,
        rating=rating,
        deviation=round(SCALE * one.sigma),
        level=None if one.rank is None else level(rating),
        hands=one.hands,
        you=one.player == player,
    )
