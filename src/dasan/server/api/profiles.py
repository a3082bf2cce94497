"""Profiles of players and bots: ratings, statistics, past hands and habits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request

from dasan import bots
from dasan.reasons import reason
from dasan.server.api.dependencies import Place, Player, Small, StoreHere
from dasan.server.api.hands import summaries
from dasan.server.api.people import account_named
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.protocol.people import History, HistoryChoices, Profile, Rating, RatingPoint, RoleStatistics
from dasan.server.protocol.rest import HandRole
from dasan.server.protocol.study import Habits
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.damage import intact
from dasan.server.store.hands import HandFilter
from dasan.server.store.ratings import BOT, SCALE, SETTLED, level, shown
from dasan.server.store.schema import hand_seats
from dasan.server.times import moment

router = strict_router("/api")

ShortText = Annotated[str, Query(min_length=1, max_length=80, pattern=r"^[^\x00]+$")]


@router.get("/me/profile")
async def my_profile(store: StoreHere, player: Player) -> Profile:
    """The player's own ratings and statistics."""
    person = None if player is None else await store.people.find(player)
    kind = "account" if person is not None and person.account is not None else "guest"
    name = "" if person is None else person.name
    return await _profile(store, player or "", name, kind, await _played(store, player or ""))


@router.get("/people/{name}")
async def profile(name: str, request: Request, store: StoreHere) -> Profile:
    """An account's ratings and statistics."""
    limit(request, "pages")
    person = await account_named(store, name)
    return await _profile(store, person.id, person.name, "account", await _played(store, person.id))


@router.get("/bots/{name}")
async def bot_profile(name: str, request: Request, store: StoreHere) -> Profile:
    """A bot's ratings and statistics."""
    limit(request, "pages")
    if name not in bots.BOTS:
        raise Refused("not-found", reason("no-bot"))
    return await _profile(store, f"{BOT}{name}", name, "bot", await store.hands.of_bot(name))


@router.get("/me/history")
async def history(
    request: Request,
    store: StoreHere,
    player: Player,
    before: Place | None = None,
    preset: ShortText | None = None,
    role: HandRole | None = None,
    bid: Small | None = None,
    result: Literal["won", "lost"] | None = None,
    opponent: ShortText | None = None,
    turning: Literal["mine", "theirs"] | None = None,
) -> History:
    """The player's own hands, newest first, fifty at a time. before: the cursor in the previous page.

    The other parameters filter the hands. bid: the winning bid. opponent: as in ``HistoryChoices``. turning: who made
    the decisive move; leaves out hands in which it is unknown.
    """
    limit(request, "records", player)
    if player is None:
        return History(hands=[], before=None)
    moment_, _, hand_id = (before or "").partition(".")
    wanted = HandFilter(
        preset=preset,
        role=role,
        bid=bid,
        won=None if result is None else result == "won",
        opponent=opponent,
        turned=None if turning is None else turning == "mine",
    )
    page, after = await store.hands.of_player(player, (int(moment_), hand_id) if before else None, wanted)
    more = None if after is None else f"{after[0]}.{after[1]}"
    return History(hands=summaries(page, player), before=more)


@router.get("/me/history/choices")
async def history_choices(request: Request, store: StoreHere, player: Player) -> HistoryChoices:
    """What the player's hands can be filtered by."""
    limit(request, "records", player)
    if player is None:
        return HistoryChoices(presets=[], roles=[], bids=[], opponents=[])
    return await store.hands.choices(player)


@router.get("/me/habits")
async def habits(store: StoreHere, player: Player) -> list[Habits]:
    """The kinds of the player's decisions that cost most, judged by the player's information, in reviewed hands."""
    return [] if player is None else await store.reviews.habits(player)


@router.get("/people/{name}/ratings/{preset}/{players}")
async def account_chart(name: str, preset: str, players: Small, request: Request, store: StoreHere) -> list[RatingPoint]:
    """The chart of an account's rating in a game with this number of players."""
    limit(request, "pages")
    person = await account_named(store, name)
    return await rating_chart(preset, players, store, person.id)


@router.get("/me/ratings/{preset}/{players}")
async def rating_chart(preset: str, players: Small, store: StoreHere, player: Player) -> list[RatingPoint]:
    """The chart of the player's own rating in a game with this number of players."""
    rows = [] if player is None else await store.ratings.points(player, preset, players)
    return [RatingPoint(at=moment(row.at), rating=row.rating) for row in rows]


async def _played(store: Store, player: str) -> list[Any]:
    return await store.hands.statistics(hand_seats.c.player, player)


async def _profile(store: Store, rated: str, name: str, kind: Any, statistics: list[Any]) -> Profile:
    ratings = await store.ratings.of(rated)
    with intact("player", rated):
        return Profile(
            name=name, kind=kind, ratings=[*map(_rating, ratings)], statistics=[*map(_statistics, statistics)]
        )


def _rating(row: Any) -> Rating:
    settled = row.hands >= SETTLED
    return Rating(
        preset=row.preset,
        players=row.players,
        rating=shown(row.mu),
        deviation=round(SCALE * row.sigma),
        hands=row.hands,
        provisional=not settled,
        level=level(shown(row.mu)) if settled else None,
    )


def _statistics(row: Any) -> RoleStatistics:
    return RoleStatistics(preset=row.preset, role=row.role, hands=row.hands, won=int(row.won), payment=int(row.payment))
