"""Branches: several environments play the same deal, identically up to one decision and with different moves there.

Self-play rarely shows the outcome of moves other than the best. Branches show it for one decision per deal: their cards
are the same, so their payments differ only because of the moves and the play that follows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.arrays import Flags, Ints, Longs
from dasan.networks.scoring import Scores

NOTHING: Longs = np.zeros(0, np.int64)


class Branches:
    """Parallel environments, `size` per deal. Until a deal's branches part, the others copy the moves of the first.

    span: they part at one of the first `span` decisions; a hand that ends earlier is played once. heat: the temperature
    for sampling moves other than the best, in scores.
    """

    def __init__(self, num_envs: int, size: int, span: int, heat: float) -> None:
        self.size, self._span, self._heat = size, span, heat
        every = np.arange(num_envs)
        self.group = (every // size).astype(np.int32)
        """int32 [environments]: the number of the deal."""
        self._first = self.group.astype(np.int64) * size
        self.chooses: Flags = every == self._first
        """bool [environments]: whether each chooses its own moves."""
        self._together = np.ones(num_envs // size, np.bool_)
        self._decisions = np.zeros(num_envs // size, np.int64)
        self._parting = np.zeros(num_envs // size, np.int64)

    def begin(self, random: np.random.Generator) -> list[int]:
        """Start new deals in all environments; returns their seeds."""
        self.chooses[:] = np.arange(len(self.group)) == self._first
        self._together[:] = True
        self._decisions[:] = 0
        self._parting[:] = random.integers(0, self._span, len(self._parting))
        return np.repeat(random.integers(0, 2**40, len(self._parting)), self.size).tolist()

    def part(
        self, scores: Scores, legal: npt.NDArray[np.integer], random: np.random.Generator
    ) -> tuple[Longs, Longs, Longs]:
        """The decisions of `scores` at which environments part now, one entry for each branch: the decision's number,
        the branch's environment, and the row of its move, the best one first. These environments choose their own moves
        from now on. legal: the number of legal moves of each environment.
        """
        groups = self.group[scores.envs]
        together = self._together[groups]
        now = together & (self._decisions[groups] == self._parting[groups])
        self._decisions[groups[together]] += 1
        self._together[groups[now]] = False
        which: list[Longs] = []
        envs: list[Longs] = []
        rows: list[Longs] = []
        for k in np.flatnonzero(now):
            begin, end = scores.begin[k], scores.begin[k + 1]
            many = min(self.size, int(legal[scores.envs[k]]))
            wish = scores.rows[begin:end].astype(np.float64) / self._heat + random.gumbel(size=end - begin)
            wish[scores.rows[begin:end].argmax()] = np.inf
            first = scores.envs[k]
            which.append(np.full(many, k))
            envs.append(first + np.arange(many))
            rows.append(begin + np.argsort(-wish, kind="stable")[:many])
            self.chooses[first : first + self.size] = True
        return np.concatenate([NOTHING, *which]), np.concatenate([NOTHING, *envs]), np.concatenate([NOTHING, *rows])

    def follow(self, actions: Ints) -> None:
        """Copy the action of each deal's first environment to its branches that have not parted."""
        others = np.flatnonzero(~self.chooses)
        actions[others] = actions[self._first[others]]


def batches(groups: Ints, parts: int) -> list[Longs]:
    """Split rows 0, 1, … into at most `parts` nonempty parts of about equal size; rows of one group (numbered from 0)
    stay together. Every part has rows from everywhere: the rows of several games stand one game after another.
    """
    part = np.where(groups >= 0, groups, np.arange(len(groups))) % parts
    order = np.argsort(part, kind="stable")
    return [rows for rows in np.split(order, np.searchsorted(part[order], np.arange(1, parts))) if len(rows)]
