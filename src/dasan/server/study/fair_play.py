"""Signs of collusion and of programs that pose as people, as statistics with known rates of false alarms.

Pairs: two people who help each other win more together than their skill explains, or one of them loses to the other. A
hand's payments, or places where nothing is paid, become normal scores within their pool: the game, the number of people at
the table, and which of the two counts. A person's skill is fitted to all hands of a pool: the expected score is one's own
skill minus the mean of the others'. A pair's residuals have mean 0 for honest people; Holm's method keeps the family-wise
error rate of the report near `ALARM`.

Programs: the share of an account's moves that agree with a strong bot, among moves where a simple bot disagrees.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dasan.arrays import Doubles, Longs

if TYPE_CHECKING:
    import dasan
    from dasan.bots.protocol import Bot

LEAST = 30
"""The minimum number of hands together, and apart for each of the two, to judge a pair."""
SWEEPS, PRIOR = 40, 5
"""Iterations of the fit of skills, and the prior's weight in hands of mean skill."""
ALARM = 0.01
"""The probability that a report on honest players names any pair."""
PROGRAM = 0.8
"""An account is named if its agreement is significantly higher than this."""
DOUBT = 0.005
"""The probability that an account with agreement `PROGRAM` is named."""
_NORMAL = NormalDist()

Pool: TypeAlias = tuple[str, int, bool]
"""A game, the number of people at the table, and whether places count because nothing was paid."""


@dataclass(frozen=True)
class HandPlayed:
    """One finished hand. pool: the hands whose earnings are comparable. earned: by people only, by player: payments, or points
    for places where nothing is paid.
    """

    pool: Pool
    earned: Mapping[str, float]


@dataclass(frozen=True)
class Pair:
    """Two people with enough hands together and apart.

    joint: their common score above what their skill explains, in standard errors. transfer: the same for what ``one``
    wins from ``other``. suspicious: whether either is significant.
    """

    one: str
    other: str
    hands: int
    joint: float
    transfer: float
    suspicious: bool


@dataclass(frozen=True)
class Agreement:
    """An account's agreement with a bot. least: the lower bound of the true share. decisions: the number of telling
    moves.
    """

    player: str
    decisions: int
    share: float
    least: float

    @property
    def suspicious(self) -> bool:
        return self.least > PROGRAM


def pairs(hands: Iterable[HandPlayed]) -> list[Pair]:
    """The pairs that can be judged, the most suspicious first."""
    listed = list(hands)
    beyond = _beyond_skill(listed)
    number = Counter(player for hand in beyond for player in hand)
    sums: dict[tuple[str, str], list[tuple[Pool, float, float]]] = defaultdict(list)
    for played, hand in zip(listed, beyond, strict=True):
        for one, other in combinations(sorted(hand), 2):
            sums[one, other].append((played.pool, hand[one] + hand[other], hand[one] - hand[other]))
    # The variance is pooled over all pairs: a pair's own is too small if its few hands were lucky.
    squares: dict[Pool, list[tuple[float, float]]] = defaultdict(list)
    for pool, joint, transfer in chain.from_iterable(sums.values()):
        squares[pool].append((joint**2, transfer**2))
    spread = {pool: (fmean(j for j, _ in values), fmean(t for _, t in values)) for pool, values in squares.items()}
    judged = []
    for (one, other), together in sums.items():
        if len(together) >= LEAST and min(number[one], number[other]) - len(together) >= LEAST:
            joints, transfers = (math.sqrt(sum(spread[pool][n] for pool, *_ in together)) or 1.0 for n in (0, 1))
            joint = sum(value for _, value, _ in together) / joints
            transfer = sum(value for *_, value in together) / transfers
            judged.append((one, other, len(together), joint, transfer))
    chances = [min(2 * _above(joint), 4 * _above(abs(transfer))) for *_, joint, transfer in judged]
    order = sorted(range(len(judged)), key=chances.__getitem__)
    named: set[int] = set()
    for rank, at in enumerate(order):
        # Holm: stop at the first non-significant pair.
        if chances[at] * (len(judged) - rank) > ALARM:
            break
        named.add(at)
    return [Pair(*judged[at], suspicious=at in named) for at in order]


def _beyond_skill(hands: Sequence[HandPlayed]) -> list[dict[str, float]]:
    """Each person's residual score after skill, by hand."""
    residuals: list[dict[str, float]] = [{} for _ in hands]
    pools: dict[Pool, list[int]] = defaultdict(list)
    for at, hand in enumerate(hands):
        pools[hand.pool].append(at)
    for places in pools.values():
        earned = np.array([one for at in places for one in hands[at].earned.values()])
        names = [player for at in places for player in hands[at].earned]
        which = np.repeat(np.arange(len(places)), [len(hands[at].earned) for at in places])
        for place, player, rest in zip(which, names, _residuals(_normal_scores(earned), names, which), strict=True):
            residuals[places[place]][player] = float(rest)
    return residuals


def _normal_scores(earned: Doubles) -> Doubles:
    """The normal quantile of each value's rank; equal values share the mean of their ranks."""
    ordered = np.sort(earned)
    ranks = (np.searchsorted(ordered, earned, "left") + np.searchsorted(ordered, earned, "right")) / 2
    quantiles = {rank: _NORMAL.inv_cdf(rank / len(earned)) for rank in np.unique(ranks)}
    return np.array([quantiles[rank] for rank in ranks])


def _residuals(scores: Doubles, names: Sequence[str], hand: Longs) -> Doubles:
    """Scores minus the expectation from their player's fitted skill and the mean skill of the others in the hand."""
    _, player = np.unique(names, return_inverse=True)
    counts, others = np.bincount(player), np.maximum(np.bincount(hand)[hand] - 1, 1)
    skill = np.zeros(len(counts))
    for _ in range(SWEEPS):
        against = (np.bincount(hand, skill[player])[hand] - skill[player]) / others
        # Damped, so that the iteration does not oscillate, and shrunk, because a few hands say little about a skill.
        skill = (skill + np.bincount(player, scores + against) / (counts + PRIOR)) / 2
    own, against = skill[player], (np.bincount(hand, skill[player])[hand] - skill[player]) / others
    # Two weak players cannot both be last, nor two strong ones both first: fit the curvature too.
    terms = np.stack([np.ones_like(own), own, against, own**2, own * against, against**2], axis=1)
    rest: Doubles = scores - terms @ np.linalg.lstsq(terms, scores, rcond=None)[0]
    return rest


def _above(errors: float) -> float:
    """The probability of at least ``errors`` standard errors."""
    return 0.5 * math.erfc(errors / math.sqrt(2))


def decisions(hand: dasan.State, seats: Iterable[int], simple: Bot, strong: Bot) -> Iterator[tuple[int, bool]]:
    """The seat of each telling move of a finished hand, and whether the strong bot would have made it, perhaps in other suits
    that make no difference.

    A move is telling if the two bots disagree about it.
    """
    from dasan.play.action_ids import action_ids
    from dasan.records.retrace import moves_of

    ids = action_ids(hand.rules, True)
    wanted = frozenset(seats)
    for now, move in moves_of(hand):
        if now.mover in wanted and len(now.legal_moves()) > 1:
            view = now.view(now.mover)
            if simple.choose(view) != (advised := strong.choose(view)):
                yield now.mover, ids.of(move, now.called) == ids.of(advised, now.called)


def agreement(player: str, same: int, all_: int) -> Agreement:
    """An account's agreement from the numbers of equal and of all telling moves, with Wilson's lower bound.

    >>> agreement("ann", 60, 100).suspicious, agreement("bot", 99, 100).suspicious
    (False, True)
    """
    if not all_:
        return Agreement(player, 0, 0.0, 0.0)
    z, share = _NORMAL.inv_cdf(1 - DOUBT), same / all_
    middle = share + z * z / (2 * all_)
    width = z * math.sqrt(share * (1 - share) / all_ + z * z / (4 * all_ * all_))
    return Agreement(player, all_, share, (middle - width) / (1 + z * z / all_))
