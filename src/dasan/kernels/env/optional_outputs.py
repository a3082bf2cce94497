"""Optional outputs: features of each legal action, and the cards hidden from the seat to act.

Features of actions are computed once, by id (`dasan.features.encode_moves`); each game's module writes the hidden cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arrays import Longs, U, Words
from dasan.backends.contract import MOST_IDS
from dasan.features import (
    action_features,
    cards_taken,
    layout,
    move_layout,
    move_size,
    perfect_layout,
    perfect_size,
)
from dasan.kernels.env.buffers import Buffers, finish_flags, words_for, write_bytes
from dasan.kernels.runtime.compiled import woven
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

_1, _7 = U(1), U(7)


class OptionalOutputs(NamedTuple):
    """Optional outputs of n environments with A actions; features are bytes, eight to a word.

    showing: whether hidden cards are written. hidden: [n, words]; hidden_bits: the same as bits. kitty: whether the game has one.
    listing: whether features of moves are written. rows: [rows, words]; environment i's begin at starts[i]; starts: [n + 1].
    features: [A, words], the constant features by id. taken: [A], the number of cards that an action takes from the hand.
    out, left: the places of the two features that depend on the hand.
    """

    showing: bool
    hidden: Words
    hidden_bits: Words
    kitty: bool
    listing: bool
    rows: Words
    starts: Longs
    features: Words
    taken: npt.NDArray[np.int8]
    out: int
    left: int


def new_optional_outputs(
    rules: Rules, session: bool, num_envs: int, *, perfect: bool, moves: bool, most: int
) -> OptionalOutputs:
    """Allocate optional outputs. most: rows an environment when padded; 0 for ragged rows, allocated as needed."""
    features, taken, out, left = np.zeros((1, 1), np.uint64), np.zeros(1, np.int8), 0, 0
    if moves:
        of_ids = action_features(rules, session)
        features = np.frombuffer(b"".join(of_ids), np.uint64).reshape(len(of_ids), -1).copy()
        taken = np.array(cards_taken(rules, session), np.int8)
        at = {feature.name: feature.start for feature in move_layout(rules, session)}
        out, left = at["out"], at["left"]
    return OptionalOutputs(
        showing=perfect,
        hidden=np.zeros((num_envs, perfect_size(rules) // 8) if perfect else (1, 1), np.uint64),
        hidden_bits=np.zeros((num_envs, words_for(perfect_size(rules))) if perfect else (1, 1), np.uint64),
        kitty=rules.kitty_size > 0,
        listing=moves,
        rows=np.zeros((num_envs * most, move_size(rules, session) // 8) if moves else (1, 1), np.uint64),
        starts=np.arange(num_envs + 1 if moves else 1, dtype=np.int64) * most,
        features=features,
        taken=taken,
        out=out,
        left=left,
    )


def check_layout(rules: Rules, session: bool, observed: str, hidden: str, left_out: set[str]) -> None:
    """ValueError unless features are laid out as kernels write them, and ids fit into the list of legal ones.

    observed, hidden: names in order, with ? those that some rules leave out; left_out: those that these rules leave out.
    """
    for features, written in ((layout(rules, session), observed), (perfect_layout(rules), hidden)):
        names = [name for name in written.split() if not (name.endswith("?") and name[:-1] in left_out)]
        if [feature.name for feature in features] != [name.rstrip("?") for name in names]:
            laid_out = " ".join(feature.name for feature in features)
            raise ValueError(f"features are laid out as {laid_out}, and written as {' '.join(names)}")
    if action_ids(rules, session).count > MOST_IDS:
        raise ValueError(f"there are more than {MOST_IDS} action ids")


@woven
def finish_hidden(acc: np.uint64, at: int, i: int, optional: OptionalOutputs) -> None:
    """Write the remaining flags of hidden cards, and all of them as bytes."""
    finish_flags(acc, at, optional.hidden_bits, i)
    write_bytes(optional.hidden_bits, at, optional.hidden, i)


@woven
def write_moves(i: int, held: int, buffers: Buffers, optional: OptionalOutputs) -> None:
    """Write the features of environment i's k-th legal action to row starts[i] + k. held: cards of the seat to act."""
    features, taken, rows = optional.features, optional.taken, optional.rows
    width = features.shape[1]
    out_word, out_flag = optional.out >> 3, _1 << (U(optional.out) & _7) * U(8)
    left_word, left_shift = optional.left >> 3, (U(optional.left) & _7) * U(8)
    at = optional.starts[i]
    for k in range(buffers.num_legal[i]):
        action = buffers.legal[i, k]
        row = at + k
        for j in range(width):
            rows[row, j] = features[action, j]
        left = held - taken[action]
        rows[row, left_word] |= U(left) << left_shift
        if left == 0:
            rows[row, out_word] |= out_flag
