"""A row of features for every legal action, gathered from a table of rows by id: `dasan.features.encode_moves`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.features import action_features, cards_taken, move_layout
from dasan.kernels.compiled import lean
from dasan.ruleset import Rules

U = np.uint64
Words = npt.NDArray[np.uint64]
_1 = U(1)


class MoveTable(NamedTuple):
    """rows: [A, F / 8] the features of every id, eight to a word. taken: [A] cards it takes out of the hand. out, left:
    the places of the features that depend on the hand.
    """

    rows: Words
    taken: npt.NDArray[np.int8]
    out: int
    left: int


def move_table(rules: Rules, session: bool) -> MoveTable:
    rows = action_features(rules, session)
    at = {f.name: f.start for f in move_layout(rules, session)}
    return MoveTable(
        rows=np.frombuffer(b"".join(rows), np.uint64).reshape(len(rows), -1),
        taken=np.array(cards_taken(rules, session), np.int8),
        out=at["out"],
        left=at["left"],
    )


@lean
def write_moves(
    first: int,
    last: int,
    legal: npt.NDArray[np.int16],
    num_legal: npt.NDArray[np.int32],
    held: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    m: MoveTable,
    rows: Words,
) -> None:
    """The features of environment i's k-th legal action into row starts[i] + k. held: cards of the seat to act."""
    table, taken = m.rows, m.taken
    width = table.shape[1]
    out_word, out_flag = m.out >> 3, _1 << U(8 * (m.out & 7))
    left_word, left_shift = m.left >> 3, U(8 * (m.left & 7))
    for i in range(first, last):
        at = starts[i]
        for k in range(num_legal[i]):
            action = legal[i, k]
            row = at + k
            for j in range(width):
                rows[row, j] = table[action, j]
            left = held[i] - taken[action]
            rows[row, left_word] |= U(left) << left_shift
            if left == 0:
                rows[row, out_word] |= out_flag
