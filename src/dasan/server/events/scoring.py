"""Points against the field: a score minus the mean score of the others in the same seat with the same cards.

So good cards are compared with the same good cards. All functions are pure; the store provides the plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from dasan.estimates import Estimate


@dataclass(frozen=True, slots=True)
class Play:
    """A finished play of a deal. score: the payment in units, or points for the place in games without payments.

    assisted: whether a bot moved for the player.
    """

    player: str
    deal: int
    seat: int
    score: float
    assisted: bool = False


@dataclass(frozen=True, slots=True)
class EntrantStanding:
    """An entrant's standing. rank: from 1, equal ranks on equal points; None until every deal is played.

    deals: the number of deals played. points: one number per play with a field, in order of the deals. assisted: the
    number of deals in which a bot moved for the player.
    """

    player: str
    rank: int | None
    deals: int
    points: tuple[float, ...]
    assisted: int

    @property
    def total(self) -> float:
        return fsum(self.points)

    def estimate(self, bounds: tuple[float, float]) -> Estimate | None:
        """The mean points per deal, with its interval; None without points. bounds: of a score."""
        return _estimate(self.points, bounds[1] - bounds[0]) if self.points else None


@lru_cache(maxsize=1024)
def _estimate(points: tuple[float, ...], width: float) -> Estimate:
    """The mean of points between -width and width. Cached: every viewer requests the same fifty rows every ten seconds, and an
    interval of few points takes a millisecond.
    """
    return Estimate.of(points, (-width, width), digits=2)


Field = Mapping[tuple[int, int], tuple[int, float]]
"""(number of plays, sum of their scores) by deal and seat."""


def field_of(plays: Iterable[Play]) -> Field:
    """The field of every deal and seat."""
    out: dict[tuple[int, int], tuple[int, float]] = {}
    for play in plays:
        n, total = out.get((play.deal, play.seat), (0, 0.0))
        out[play.deal, play.seat] = (n + 1, total + play.score)
    return out


def others(play: Play, field: Field, counted: bool = True) -> float | None:
    """The mean score of the others in the same seat of the same deal; None if there are none yet. counted: whether the play is in
    the field.

    >>> plays = [Play("a", 0, 1, 3.0), Play("b", 0, 1, -1.0), Play("c", 0, 1, 1.0), Play("c", 0, 2, 9.0)]
    >>> [others(play, field_of(plays)) for play in plays]
    [0.0, 2.0, 1.0, None]
    """
    n, total = field.get((play.deal, play.seat), (0, 0.0))
    if counted:
        n, total = n - 1, total - play.score
    return total / n if n else None


def points(play: Play, field: Field) -> float | None:
    """A play's points against the field; None if nobody else has played the deal in that seat."""
    mean = others(play, field)
    return None if mean is None else play.score - mean


def standings(plays: Sequence[Play], deals: int) -> list[EntrantStanding]:
    """Everybody who has finished a deal: first those with all deals, by points, then the others, by points.

    >>> plays = [Play("a", 0, 0, 2.0), Play("b", 0, 0, 0.0), Play("a", 1, 1, 1.0), Play("b", 1, 1, 1.0), Play("c", 0, 0, 4.0)]
    >>> [(one.player, one.rank, one.total) for one in standings(plays, 2)]
    [('a', 1, 0.0), ('b', 2, -3.0), ('c', None, 3.0)]
    """
    field = field_of(plays)
    mine: dict[str, list[Play]] = {}
    for play in plays:
        mine.setdefault(play.player, []).append(play)
    entrants = []
    for player, played in mine.items():
        in_order = sorted(played, key=lambda play: play.deal)
        gained = tuple(gain for play in in_order if (gain := points(play, field)) is not None)
        entrants.append(EntrantStanding(player, None, len(played), gained, sum(play.assisted for play in played)))
    # Rounded, because equal sums of different numbers can differ in their last bits.
    order = sorted(entrants, key=lambda one: (one.deals < deals, -round(one.total, 6), one.player))
    out: list[EntrantStanding] = []
    for place, one in enumerate(order, start=1):
        rank = None
        if one.deals == deals:
            before = out[-1] if out else None
            tied = before is not None and round(before.total, 6) == round(one.total, 6)
            rank = before.rank if tied and before is not None else place
        out.append(EntrantStanding(one.player, rank, one.deals, one.points, one.assisted))
    return out
