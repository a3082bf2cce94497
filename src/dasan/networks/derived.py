"""Derived features for networks, computed from an observation and a move: the cards that others may hold, the rest of
the hand after a move, who can answer it, and what depends on suits.

They contain no new information, but spare a network the work of computing them. They are appended to the rows of
`encode` and `encode_moves`. Except for those of suits, they count ranks. Runs go from the lowest rank to the highest: runs with
an ace or a two below the three are ignored, as are the plays that beat them. Cards given, offered or taken in an
exchange (W.20) are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dasan.features import Feature, card_slots, layout, move_layout
from dasan.features.cards import card_flags, copies, eights, flag_ranks, ranks
from dasan.features.moves import exact_cards
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Kickers

if TYPE_CHECKING:
    from dasan.arrays import Bytes, Ints, Longs
    from dasan.kernels.network.derived import DerivedTables


class Reads(NamedTuple):
    """What a network reads. session: observations for sessions, as for `layout`. derived: derived features, too. answers:
    among them who can answer a play. suits: and what depends on suits, in games whose moves name `exact_cards`.
    """

    session: bool = False
    derived: bool = False
    answers: bool = False
    suits: bool = False


@dataclass(frozen=True, eq=False)
class Derived:
    """The longer rows of a game. observation, move: all their features. observation_size, move_size: their lengths."""

    observation: tuple[Feature, ...]
    move: tuple[Feature, ...]
    observation_size: int
    move_size: int
    _tables: DerivedTables

    def rows(self, obs: Bytes, envs: Longs, num: Ints, starts: Longs, moves: Bytes, out: tuple[Bytes, Bytes]) -> Longs:
        """Write the longer rows into `out`, those of moves environment by environment; returns int64 [len(envs) + 1],
        the first row of each.

        obs: uint8 [n, observation_size of `features`]. envs: the rows of `obs` to use. num, starts: for each of the
        n, the number of legal moves and the first row in `moves`. out: uint8 [at least len(envs), observation_size]
        and [at least all those moves, move_size].
        """
        import numpy as np

        from dasan.kernels.network.derived import derive

        begin = np.empty(len(envs) + 1, np.int64)
        derive(obs, envs, num, starts, moves, self._tables, *out, begin)
        return begin

    def of(self, observation: Sequence[int], moves: Sequence[Sequence[int]]) -> tuple[Bytes, Bytes]:
        """The longer rows of one observation and its legal moves: uint8 [1, observation_size] and [moves, move_size]."""
        import numpy as np

        out = np.empty((1, self.observation_size), np.uint8), np.empty((len(moves), self.move_size), np.uint8)
        self.rows(
            np.array([observation], np.uint8),
            np.zeros(1, np.int64),
            np.array([len(moves)], np.int32),
            np.zeros(1, np.int64),
            np.array(moves, np.uint8),
            out,
        )
        return out


@lru_cache(maxsize=64)
def derived(rules: Rules, reads: Reads = Reads()) -> Derived:  # noqa: B008
    """The longer rows of a game, whatever `reads.derived` says. Suits need answers."""
    import numpy as np

    from dasan.kernels.network.derived import NUMBERS, DerivedTables

    seen, played = layout(rules, reads.session), move_layout(rules, reads.session)
    n, many, slots = ranks(rules), copies(rules), card_slots(rules)
    at = {f.name: f for f in seen}
    cards = next(f for f in played if f.name in ("cards", "counts"))
    observation = _behind(
        seen, ("unseen", n * many, "by rank: the number of cards neither played nor in your hand, as flags from 1")
    )
    move = _behind(
        played,
        (
            "kept",
            2 * n * many,
            "by rank: how many cards stay in the hand, from 1, and whether as many of a higher rank may be elsewhere",
        ),
        ("groups", NUMBERS, "ranks in the hand after the move"),
        ("in_straights", n, "ranks with a card left that are part of enough consecutive ones for a straight"),
        ("in_pair_runs", n, "ranks with two cards left that are part of enough consecutive ones for a run of pairs"),
        (
            "beatable",
            NUMBERS,
            "ranks in the hand after the move for which others may hold as many cards of a higher rank",
        ),
        ("plays", NUMBERS, "approximate number of plays that the hand needs after the move"),
        ("beatable_plays", NUMBERS, "`beatable`, less the plays that one run and kickers save"),
    )
    if reads.answers:
        observation = _behind(
            observation, ("size_flags", rules.players * NUMBERS, "by seat: the number of cards it holds")
        )
        move = _behind(
            move,
            (
                "above",
                NUMBERS,
                "higher ranks, or runs of as many ranks, of which others may hold as many cards as the largest groups of the"
                " play have; none for a pass, or if those groups are no run",
            ),
            (
                "enough",
                rules.players - 1,
                "by seat, the next first: whether it holds at least as many cards as the play",
            ),
            ("just_enough", rules.players - 1, "by seat, the next first: whether it holds exactly as many cards"),
        )
    with_suits = reads.suits and reads.answers and exact_cards(rules)
    if with_suits:
        observation = _behind(
            observation,
            ("suits_unseen", 4 * NUMBERS, "by suit: the number of cards neither played nor in your hand"),
            (
                "table_above",
                NUMBERS,
                "cards elsewhere that beat the single one on the table; for several on the table, as `above`",
            ),
        )
        move = _behind(
            move,
            ("suits_kept", 4 * NUMBERS, "by suit: the number of cards in the hand after the move"),
            (
                "flush_saves",
                NUMBERS,
                "the most cards without another of their rank in five cards of a suit in the hand after the move",
            ),
            ("controls", NUMBERS, "cards in the hand after the move that are higher than all that others may hold"),
            ("higher", NUMBERS, "cards elsewhere that beat the single one played; none for a pass or several cards"),
        )
    rank_of = np.array(flag_ranks(rules), np.int64)
    pack = np.zeros(n, np.int64)
    for c in rules.pack:
        pack[rules.order.place[c][0]] += 1
    runs = {
        kind: [row.pattern.counts for row in rules.catalogue.rows if row.kind == kind]
        for kind in ("straight", "pair-run")
    }
    used = [{rank for counts in sequences for rank, _ in counts} for sequences in runs.values()]
    sets = range(at["played"].start, at["played"].start + at["played"].size, slots)
    tables = DerivedTables(
        rank_of=rank_of,
        move_rank_of=np.arange(cards.size) % n if cards.name == "counts" else rank_of,
        seen=np.array([at["hand"].start, *sets], np.int64),
        hand=at["hand"].start,
        table=at["table"].start,
        cards=cards.start,
        pack=pack,
        deck=np.uint64(sum(flag << j for j, flag in enumerate(card_flags(rules, rules.pack))) if with_suits else 0),
        in_runs=np.array([[rank in one for rank in range(n)] for one in used], np.bool_),
        shortest=np.array([min(map(len, sequences), default=n + 1) for sequences in runs.values()], np.int64),
        copies=many,
        carries=min((shape.copies for shape in rules.shapes if isinstance(shape, Kickers)), default=many + 1),
        pairs_apart=any(row.kind == "two-pair" for row in rules.catalogue.rows),
        players=rules.players,
        obs_at=np.array([at["hand_sizes"].start, *(f.start for f in observation[len(seen) :])], np.int64),
        moves_at=np.array([f.start for f in move[len(played) :]], np.int64),
    )
    return Derived(observation, move, _size(observation), _size(move), tables)


def every_reads(session: bool) -> tuple[Reads, ...]:
    """All that a network may read, from the fewest features to the most."""
    return tuple(Reads(session, *(k < n for k in range(3))) for n in range(4))


def fitting(rules: Rules, session: bool, size: int) -> Derived:
    """The longer rows with observations of this length. ValueError: there are none."""
    for reads in every_reads(session)[1:]:
        longer = derived(rules, reads)
        if longer.observation_size == size:
            return longer
    raise ValueError("the network reads features of other rules")


def layouts(rules: Rules, reads: Reads) -> tuple[tuple[Feature, ...], tuple[Feature, ...]]:
    """The features of observations and of moves that a network reads."""
    if reads.derived:
        longer = derived(rules, reads)
        return longer.observation, longer.move
    return layout(rules, reads.session), move_layout(rules, reads.session)


def input_sizes(rules: Rules, reads: Reads) -> tuple[int, int]:
    """The lengths of the rows that a network reads: of observations, and of moves."""
    observation, move = layouts(rules, reads)
    return _size(observation), _size(move)


def _behind(features: tuple[Feature, ...], *parts: tuple[str, int, str]) -> tuple[Feature, ...]:
    """The features, padded to a multiple of eight and followed by more flags; existing features keep their places."""
    out, start = list(features), _size(features)
    for name, size, text in parts:
        out.append(Feature(name, start, size, True, text))
        start += size
    return tuple(out)


def _size(features: tuple[Feature, ...]) -> int:
    return eights(features[-1].start + features[-1].size)
