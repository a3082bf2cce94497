"""Draw moves by their chances, for policy gradients."""

from __future__ import annotations

import numpy as np

from dasan.arrays import Doubles, Floats, Ints, Longs
from dasan.kernels.runtime.compiled import compiled


@compiled
def draw(
    scores: Floats,
    begin: Longs,
    heat: float,
    least: float,
    luck: Doubles,
    num: Ints,
    moves: Longs,
    chances: Floats,
    chosen: Ints,
) -> int:
    """List the moves of each decision whose chance is at least `least`, and draw one of them; returns their total number.

    The chances are a softmax of the scores at the temperature `heat`, over the listed moves alone. At most
    len(moves) // len(num) moves are listed for each decision; only the first one, if the scores are not finite.
    scores[begin[e]:begin[e + 1]] belong to decision e. luck: uniform in [0, 1). Written: num[e], the number of its moves;
    `moves` and `chances`, decision by decision, rows of `scores` in descending order of chance; chosen[e], which of its moves
    was drawn.
    """
    most = len(moves) // max(1, len(num))
    longest = 0
    for e in range(len(num)):
        longest = max(longest, begin[e + 1] - begin[e])
    weight = np.zeros(longest, np.float64)
    total = 0
    for e in range(len(num)):
        first, last = begin[e], begin[e + 1]
        top = scores[first]
        for row in range(first, last):
            top = max(top, scores[row])
        whole = 0.0
        for row in range(first, last):
            weight[row - first] = np.exp((scores[row] - top) / heat)
            whole += weight[row - first]
        start, listed = total, 0.0
        while total - start < most:
            best = -1
            for k in range(last - first):
                if weight[k] >= least * whole and (best < 0 or weight[k] > weight[best]):
                    best = k
            if best < 0:
                if total > start:
                    break
                best, weight[0] = 0, 1.0
            moves[total] = first + best
            chances[total] = weight[best]
            listed += weight[best]
            weight[best] = -1.0
            total += 1
        num[e] = total - start
        left = luck[e] * listed
        chosen[e] = 0
        for k in range(num[e] - 1):
            left -= chances[start + k]
            if left < 0:
                break
            chosen[e] = k + 1
        for k in range(start, total):
            chances[k] /= listed
    return total


@compiled
def sums(rows: Floats, begin: Longs, out: Floats) -> None:
    """Write the sum of rows[begin[e]:begin[e + 1]] into out[e]."""
    out[:] = 0
    for e in range(len(out)):
        for row in range(begin[e], begin[e + 1]):
            for k in range(rows.shape[1]):
                out[e, k] += rows[row, k]
