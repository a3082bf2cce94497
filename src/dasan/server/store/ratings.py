"""Ratings of people and bots by game and number of players, with openskill's Plackett–Luce model.

A rated hand is a match between sides, or between all seats, ranked by payment or, in games played for places, by place.
A rating is shown as ``500 + 40 mu``, so that it begins at 1500. Bots that the arena has measured keep their measured
rating: people are rated against them, and the ratings of different servers mean the same.

Ratings follow from the finished hands in their order, so `computed` can compute them again.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean
from typing import Any, TypeAlias

import sqlalchemy as sa
from openskill.models import PlackettLuce

from dasan.arena import measured as arena
from dasan.bots import BOTS
from dasan.games import make_rules
from dasan.server.new_ids import is_stranger
from dasan.server.operations.reporting import report
from dasan.server.store.database import Database, StorePart, reading
from dasan.server.store.hand import FinishedHand, Player, order_of, player_of
from dasan.server.store.schema import hand_seats, hands, players, rating_points, ratings

BASE, SCALE = 500, 40
BEGINNING = 1500
"""Everybody's initial rating, and the rating of the bot that has 0 points in the arena."""
SETTLED = 20
"""The number of rated hands after which a rating is no longer provisional."""
LEVELS = (1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900)
"""The ratings at which a level ends and the next begins."""
MEASURED_SIGMA = 1.0
"""The uncertainty of a measured rating, in units of mu."""
BOT = "bot:"
"""The prefix of a bot's name where the id of a player may stand."""
AT_ONCE = 500
LARGE = 10_000
"""The number of ratings from which counts of accounts are cached."""
KEPT_FOR = 60.0
"""Seconds after which a request starts a new count; that request still gets the cached one."""
STEPS = 10
"""Accounts are counted in steps of a tenth of a unit of mu: four rating points."""

_model = PlackettLuce()


@dataclass(frozen=True)
class Rated:
    """A rating in units of the model. hands: the number of rated hands. at: when the last one ended."""

    mu: float
    sigma: float
    hands: int
    at: int


Key: TypeAlias = tuple[str, str, int]
"""A player, or ``bot:`` and a bot's name; a preset; a number of players."""


def shown(mu: float) -> int:
    """The rating that players see.

    >>> shown(25.0)
    1500
    """
    return round(BASE + SCALE * mu)


def level(rating: int) -> int:
    """The level of a rating, from 1 to 9.

    >>> [level(rating) for rating in (900, 1199, 1200, 1500, 2400)]
    [1, 1, 2, 5, 9]
    """
    return 1 + bisect_right(LEVELS, rating)


def measured_ratings(preset: str, players: int) -> dict[str, float]:
    """The ratings in units of mu of the bots that the arena has measured in a game, by name: none for another number of players
    than that of the preset, with which they were measured.
    """
    points = arena.measured(preset)
    if not points or players != usual_players(preset):
        return {}
    return {name: (BEGINNING + one - BASE) / SCALE for name, one in points.items()}


@cache
def usual_players(preset: str) -> int:
    """The number of players of a preset without house rules."""
    return make_rules(preset).players


def after(hand: FinishedHand, known: Mapping[str, Rated]) -> dict[str, Rated]:
    """The players' ratings after a rated hand, by player. known: those before it. A void hand changes no rating.

    The rating of a bot that was replaced during the hand counts for the others but does not change. A bot in several
    seats gets the mean of their new ratings.
    """
    if not any(p.won for p in hand.players):  # not by the result, which a damaged row lacks
        return {}
    names = _names(hand)
    measured = measured_ratings(hand.preset, len(hand.players))
    fixed = [measured.get(p.bot) if p.bot is not None else None for p in hand.players]
    before = [_before(known.get(name or ""), mu) for name, mu in zip(names, fixed, strict=True)]
    new: dict[str, list[Any]] = {}
    for seat, rating in enumerate(_rate(*teams(hand), before)):
        if (name := names[seat]) is not None and hand.players[seat].whole:
            new.setdefault(name, []).append(before[seat] if fixed[seat] is not None else rating)
    return {
        name: Rated(
            fmean(rating.mu for rating in some),
            fmean(rating.sigma for rating in some),
            (known[name].hands if name in known else 0) + 1,
            hand.finished,
        )
        for name, some in new.items()
    }


def _before(known: Rated | None, fixed: float | None) -> Any:
    if fixed is not None:
        return _model.rating(mu=fixed, sigma=MEASURED_SIGMA)
    return _model.rating() if known is None else _model.rating(mu=known.mu, sigma=known.sigma)


def _rate(sides: Sequence[Sequence[int]], places: list[float], before: Sequence[Any]) -> list[Any]:
    """The ratings by seat after a match.

    The model adds up the ratings of a side, so it would favour the side with more players, and the more so the higher
    all ratings are. With sides, ratings are therefore taken relative to the table's mean, and the mean does not change.
    """
    sided = len(sides) < len(before)
    middle = fmean(rating.mu for rating in before) if sided else 0.0
    made = [[_model.rating(mu=before[seat].mu - middle, sigma=before[seat].sigma) for seat in side] for side in sides]
    rated = list(before)
    for side, some in zip(sides, _model.rate(made, ranks=places), strict=True):
        for seat, rating in zip(side, some, strict=True):
            rated[seat] = rating
    shift = middle - fmean(rating.mu for rating in rated) if sided else 0.0
    return [_model.rating(mu=rating.mu + shift, sigma=rating.sigma) for rating in rated]


def _names(hand: FinishedHand) -> list[str | None]:
    """Whose rating each seat has; None for a deleted player, also in hands that earlier versions stored with an id."""
    people = [None if is_stranger(p.player) else p.player for p in hand.players]
    return [person if p.bot is None else f"{BOT}{p.bot}" for person, p in zip(people, hand.players, strict=True)]


def hold_ratings(connection: sa.Connection, hands: Sequence[FinishedHand]) -> None:
    """Lock the ratings of everybody who played these hands, in the order in which `rate` locks those of one hand.

    Other processes may rate the same bots at the same time: in another order two transactions could wait for each other.
    """
    for name, preset, count in sorted({(n, h.preset, len(h.players)) for h in hands for n in filter(None, _names(h))}):
        _read(connection, name, preset, count)


def rate(connection: sa.Connection, hand: FinishedHand) -> None:
    """Update the ratings of everybody who played a rated hand, in the transaction that writes the hand."""
    count = len(hand.players)
    # In sorted order, see `hold_ratings`.
    rows = {name: _read(connection, name, hand.preset, count) for name in sorted({*filter(None, _names(hand))})}
    known = {name: _rated(row) for name, row in rows.items() if row is not None}
    for name, new in sorted(after(hand, known).items()):
        which = {"player": name, "preset": hand.preset, "players": count}
        if name not in known:
            connection.execute(sa.insert(ratings), {**which, **vars(new)})
        else:
            same = sa.and_(*(ratings.c[key] == value for key, value in which.items()))
            connection.execute(sa.update(ratings).where(same).values(**vars(new)))
        point = {**which, "hand_id": hand.id, "rating": shown(new.mu), "at": hand.finished}
        connection.execute(sa.insert(rating_points), point)


def computed(connection: sa.Connection) -> Iterator[tuple[str, Key, Rated]]:
    """Replay all stored rated hands in order: yield (the hand's id, whose rating, the rating after it)."""
    known: dict[tuple[str, int], dict[str, Rated]] = {}
    place = sa.tuple_(hands.c.finished, hands.c.id)
    query = sa.select(hands.c.id, hands.c.preset, hands.c.finished, hands.c.result).where(hands.c.rated)
    query = query.order_by(hands.c.finished, hands.c.id).limit(AT_ONCE)
    last: tuple[int, str] = (-1, "")
    while rows := connection.execute(query.where(place > sa.tuple_(*map(sa.literal, last)))).all():
        last = (rows[-1].finished, rows[-1].id)
        sat: dict[str, list[Player]] = {}
        c = hand_seats.c
        of_these = sa.select(hand_seats).where(c.hand_id.in_([row.id for row in rows])).order_by(c.hand_id, c.seat)
        for one in connection.execute(of_these):
            sat.setdefault(one.hand_id, []).append(player_of(one))
        for row in rows:
            seats = tuple(sat.get(row.id, ()))
            hand = FinishedHand(row.id, "", 0, row.preset, row.finished, False, True, row.result, [], "", seats)
            mine = known.setdefault((row.preset, len(seats)), {})
            for name, rated in after(hand, mine).items():
                mine[name] = rated
                yield row.id, (name, row.preset, len(seats)), rated


@dataclass(frozen=True)
class Difference:
    """A stored rating that differs from the one computed from the stored hands: as shown, None for no rating."""

    player: str
    preset: str
    players: int
    stored: int | None
    computed: int | None


def differences(connection: sa.Connection, *, write: bool = False) -> tuple[int, list[Difference]]:
    """Recompute all ratings; return their number, and those that differ. write: store them and the charts' points."""
    stored = {(row.player, row.preset, row.players): _rated(row) for row in connection.execute(sa.select(ratings))}
    if write:
        connection.execute(sa.delete(rating_points))
    fresh: dict[Key, Rated] = {}
    points: list[dict[str, Any]] = []
    for hand_id, key, rated in computed(connection):
        fresh[key] = rated
        if write:
            points.append({**_which(key), "hand_id": hand_id, "rating": shown(rated.mu), "at": rated.at})
            if len(points) == AT_ONCE:
                connection.execute(sa.insert(rating_points), points)
                points = []
    if write:
        if points:
            connection.execute(sa.insert(rating_points), points)
        connection.execute(sa.delete(ratings))
        if fresh:
            connection.execute(sa.insert(ratings), [{**_which(key), **vars(rated)} for key, rated in fresh.items()])
    differing = []
    for key in sorted({*stored, *fresh}):
        before, now = stored.get(key), fresh.get(key)
        if before is None or now is None or (shown(before.mu), before.hands) != (shown(now.mu), now.hands):
            differing.append(Difference(*key, *(None if one is None else shown(one.mu) for one in (before, now))))
    return len(fresh), differing


def _which(key: Key) -> dict[str, Any]:
    return dict(zip(("player", "preset", "players"), key, strict=True))


def teams(hand: FinishedHand) -> tuple[list[list[int]], list[float]]:
    """The sides of a hand as lists of positions in `players`, and their places, 1 for the best."""
    if any(p.role == "bidder" for p in hand.players):
        attack = [at for at, p in enumerate(hand.players) if p.role in ("bidder", "partner")]
        defence = [at for at in range(len(hand.players)) if at not in attack]
        won = next(p.won for p in hand.players if p.role == "bidder")
        return [attack, defence], [1.0, 2.0] if won else [2.0, 1.0]
    order = order_of(hand.result, (p.seat for p in hand.players))
    alone = [[at] for at in range(len(hand.players))]
    if order is not None:
        return alone, [float(order.index(p.seat) + 1) for p in hand.players]
    return alone, [float(1 + sum(other.payment > p.payment for other in hand.players)) for p in hand.players]


@dataclass(frozen=True)
class Ranked:
    """A place on a leaderboard. rank: None while the rating is provisional. account: a person's; bot: a bot's name.

    hands: None for a measured bot.
    """

    rank: int | None
    account: str | None
    bot: str | None
    mu: float
    sigma: float
    hands: int | None
    player: str


@dataclass(frozen=True)
class Counts:
    """Accounts with a settled rating by game and number of players, and by step of mu. ratings: all ratings of accounts. at: the
    clock's time when they were counted.
    """

    settled: Mapping[tuple[str, int], Mapping[int, int]]
    ratings: int
    at: float

    def above(self, preset: str, players: int, step: int) -> int:
        """The accounts in steps above `step`."""
        return sum(count for one, count in self.settled.get((preset, players), {}).items() if one > step)


class Ratings(StorePart):
    """Reads ratings."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._counts: Counts | None = None
        self._counting: asyncio.Task[Counts] | None = None

    async def of(self, player: str) -> list[Any]:
        """Rows of a player's ratings, or a bot's (``bot:NAME``)."""
        query = sa.select(ratings).where(ratings.c.player == player).order_by(ratings.c.preset, ratings.c.players)
        return list(await self._rows(query))

    async def points(self, player: str, preset: str, players: int, most: int = 500) -> list[Any]:
        """Rows of the last points of a rating's chart, in order."""
        mine = sa.and_(
            rating_points.c.player == player, rating_points.c.preset == preset, rating_points.c.players == players
        )
        query = sa.select(rating_points).where(mine).order_by(rating_points.c.at.desc()).limit(most)
        return list(reversed(await self._rows(query)))

    async def boards(self) -> list[tuple[str, int, int]]:
        """The games that accounts are rated in: preset, number of players, and accounts with a settled rating."""
        counts = await self._counted()
        return [(*game, sum(steps.values())) for game, steps in sorted(counts.settled.items())]

    async def _counted(self) -> Counts:
        """The counts of accounts: new ones if there are few ratings. Counting many takes seconds: a request gets the last
        counts, and starts a new count if they are older than `KEPT_FOR`.
        """
        kept = self._counts
        large = kept is not None and kept.ratings >= LARGE
        old = kept is None or not large or time.monotonic() - kept.at >= KEPT_FOR
        if old and self._counting is None:
            self._counting = asyncio.get_running_loop().create_task(self._count(), name="ladder")
            self._counting.add_done_callback(self._have_counted)
        if kept is not None and large:
            return kept
        assert self._counting is not None
        return await asyncio.shield(self._counting)

    @reading
    def _count(self, connection: sa.Connection) -> Counts:
        step = _step(connection).label("step")
        settled = sa.func.sum(sa.case((ratings.c.hands >= SETTLED, 1), else_=0)).label("settled")
        grouped = (ratings.c.preset, ratings.c.players, step)
        rows = connection.execute(
            _of_accounts(sa.select(*grouped, settled, sa.func.count().label("ratings"))).group_by(*grouped)
        ).all()
        games: dict[tuple[str, int], dict[int, int]] = {}
        for row in rows:
            games.setdefault((row.preset, row.players), {})[int(row.step)] = int(row.settled)
        return Counts(games, sum(row.ratings for row in rows), time.monotonic())

    def _have_counted(self, task: asyncio.Task[Counts]) -> None:
        self._counting = None
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._counts = task.result()
        else:
            # The request may already have been answered with the last counts.
            report("counting the ladder failed", error)

    async def board(
        self, preset: str, count: int, bots: Mapping[str, float], most: int, player: str | None
    ) -> tuple[tuple[Ranked, ...], Ranked | None]:
        """The first ``most`` places of a game, and the player's own, wherever it is. bots: measured ratings in units of mu.

        Accounts and bots have a place; a bot that is not measured has the rating of its hands here. In a large ladder a place
        below the first ones follows from the last counts, see `_counted`.
        """
        here = sa.and_(ratings.c.preset == preset, ratings.c.players == count)
        settled = sa.and_(here, ratings.c.hands >= SETTLED)
        people = _of_accounts(sa.select(ratings, players.c.name)).where(settled)
        first = people.order_by(ratings.c.mu.desc(), ratings.c.player).limit(most)
        programs = sa.select(ratings).where(settled, ratings.c.player.in_([BOT + name for name in BOTS]))
        counts = None if player is None else await self._counted()

        def read(connection: sa.Connection) -> tuple[tuple[Ranked, ...], Ranked | None]:
            named = [_bot(BOT + name, mu, MEASURED_SIGMA, None) for name, mu in bots.items()]
            for row in connection.execute(programs):
                if row.player.removeprefix(BOT) not in bots:
                    named.append(_bot(row.player, row.mu, row.sigma, row.hands))
            listed = [*named, *(_person(row) for row in connection.execute(first))]
            listed.sort(key=lambda one: (-one.mu, one.player))
            top = tuple(replace(one, rank=place) for place, one in enumerate(listed[:most], start=1))
            mine = _of_accounts(sa.select(ratings, players.c.name)).where(here, ratings.c.player == player)
            own_row = None if player is None else connection.execute(mine).one_or_none()
            if own_row is None:
                return top, None
            own = next((one for one in top if one.player == player), None) or _person(own_row)
            if own.rank is None and own_row.hands >= SETTLED and counts is not None:
                step = int(connection.scalar(mine.with_only_columns(_step(connection))) or 0)
                near = sa.and_(ratings.c.mu > own.mu, ratings.c.mu < own.mu + 2 / STEPS, _step(connection) == step)
                beside = connection.scalar(_of_accounts(sa.select(sa.func.count())).where(settled, near)) or 0
                better = sum(one.mu > own.mu for one in named)
                above = counts.above(preset, count, step) + beside + better
                own = replace(own, rank=max(above, most) + 1)
            return top, own

        return await self._database.read(read)


def _of_accounts(query: sa.Select[Any]) -> sa.Select[Any]:
    """A query of ratings, limited to those of accounts that are not banned."""
    listed = sa.and_(players.c.account.is_not(None), sa.not_(players.c.banned))
    return query.select_from(ratings.join(players, players.c.id == ratings.c.player)).where(listed)


def _step(connection: sa.Connection) -> sa.ColumnElement[Any]:
    """The step of mu, counted from far below every rating: SQLite's cast drops the fraction, PostgreSQL's rounds."""
    steps = ratings.c.mu * STEPS + 1_000_000
    return sa.cast(steps if connection.dialect.name == "sqlite" else sa.func.floor(steps), sa.Integer)


def _bot(player: str, mu: float, sigma: float, hands: int | None) -> Ranked:
    return Ranked(None, None, player.removeprefix(BOT), mu, sigma, hands, player)


def _person(row: Any) -> Ranked:
    return Ranked(None, row.name, None, row.mu, row.sigma, row.hands, row.player)


def _read(connection: sa.Connection, player: str, preset: str, players: int) -> Any:
    mine = sa.and_(ratings.c.player == player, ratings.c.preset == preset, ratings.c.players == players)
    return connection.execute(sa.select(ratings).where(mine).with_for_update()).one_or_none()


def _rated(row: Any) -> Rated:
    return Rated(row.mu, row.sigma, row.hands, row.at)
