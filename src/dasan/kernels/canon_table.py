"""The action table of a game with canonical rows (Winner) as arrays for kernels.

A hand is two 64-bit words with bit 4 × rank + suit for every card: `one` has the cards held at least once, `two` those
held twice (two decks). How many of each rank are held is a third word, four bits a rank, at most 7. Whether a row can
be played is then a subtraction and a few masks; which cards it takes is worked out for the chosen row only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.cards import JOKERS
from dasan.combos import Run
from dasan.ruleset import CardScoring, FixedScoring, Restart, Rules
from dasan.table import Row, compile

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]


class CanonTable(NamedTuple):
    """Arrays by row, and the pack.

    need: cards of each rank, four bits a rank. exact: cards that must all be held (flushes, the deciding card). low:
    cards of the deciding rank up to the deciding suit, of which `decided` must be held (0: no suit decides). other:
    where a straight must not be of one suit, the cards that keep it from being so (0: it may); free: it must not, and
    has no deciding card, so that any two suits will do. ranks: all cards of its ranks. start: its first place in
    `sequence`, the ranks in the order of runs. jump: the next row that needs other ranks. pack: the bit of every card.
    """

    need: Words
    exact: Words
    low: Words
    decided: Numbers
    other: Words
    free: npt.NDArray[np.bool_]
    ranks: Words
    family: Numbers
    power: Numbers
    strength: Numbers
    size: Numbers
    decider: Numbers
    suit: Numbers
    flush: npt.NDArray[np.bool_]
    start: Numbers
    sequence: Numbers
    jump: Numbers
    pack: Numbers


class CanonPolicy(NamedTuple):
    """What else the rules decide, as numbers.

    restart: 0 off, 1 when unbeatable, 2 always. top: the bit of the highest two. opening: the bit of the card whose
    holder leads. by_cards: losers pay times[n] for n cards held, or n × unplayed if they have played nothing and that
    is not 0; else they pay stake.
    """

    players: int
    restart: int
    top: int
    opening: int
    by_cards: bool
    stake: int
    times: Numbers
    unplayed: int


@lru_cache(maxsize=32)
def canon_policy(rules: Rules) -> CanonPolicy:
    scoring = rules.scoring
    times = np.zeros(rules.most_cards + 2, np.int64)
    unplayed = 0
    if isinstance(scoring, CardScoring):
        times[:] = [scoring.cost(n, True) for n in range(len(times))]
        unplayed = scoring.unplayed
    opening = -1
    if rules.opening is not None:
        rank, suit = rules.order.place[next(c for c in rules.pack if str(c) == rules.opening.card)]
        opening = 4 * rank + suit
    return CanonPolicy(
        players=rules.players,
        restart=[Restart.OFF, Restart.WHEN_UNBEATABLE, Restart.ALWAYS].index(rules.restart),
        top=4 * (len(rules.ranks) - 1) + len(rules.suits) - 1,
        opening=opening,
        by_cards=isinstance(scoring, CardScoring),
        stake=scoring.stake if isinstance(scoring, FixedScoring) else 0,
        times=times,
        unplayed=unplayed,
    )


def _bits(rank: int, suits: int) -> int:
    return suits << (4 * rank)


@lru_cache(maxsize=32)
def canon_table(rules: Rules) -> CanonTable:
    rows = compile(rules).rows
    families = {name: i for i, name in enumerate(dict.fromkeys(row.family for row in rows))}

    def words(of: list[int]) -> Words:
        return np.array(of, np.uint64)

    place = rules.order.place
    runs = [shape for shape in rules.shapes if isinstance(shape, Run)]
    sequence = runs[0].sequence if runs else rules.ranks
    return CanonTable(
        need=words([sum(n << (4 * rank) for rank, n in row.pattern.counts) for row in rows]),
        exact=words([_exact(row) for row in rows]),
        low=words([_low(row) for row in rows]),
        decided=np.array([dict(row.pattern.counts).get(row.pattern.decider, 0) for row in rows], np.int64),
        other=words([_other(row) for row in rows]),
        free=np.array([row.pattern.mixed and row.pattern.decider < 0 for row in rows]),
        ranks=words([sum(_bits(rank, 15) for rank, _ in row.pattern.counts) for row in rows]),
        family=np.array([families[row.family] for row in rows], np.int64),
        power=np.array([row.power for row in rows], np.int64),
        strength=np.array([row.strength for row in rows], np.int64),
        size=np.array([row.size for row in rows], np.int64),
        decider=np.array([row.pattern.decider for row in rows], np.int64),
        suit=np.array([row.pattern.suit for row in rows], np.int64),
        flush=np.array([row.pattern.flush for row in rows]),
        start=np.array([sequence.find(_rank_text(rules, row)) for row in rows], np.int64),
        sequence=np.array([rules.ranks.index(rank) for rank in sequence], np.int64),
        jump=_jumps([row.need for row in rows]),
        pack=np.array([4 * place[c][0] + place[c][1] for c in rules.pack], np.int64),
    )


def _jumps(needs: list[int]) -> Numbers:
    out = np.full(len(needs), len(needs), np.int64)
    for i in range(len(needs) - 2, -1, -1):
        out[i] = out[i + 1] if needs[i] == needs[i + 1] else i + 1
    return out


def _rank_text(rules: Rules, row: Row) -> str:
    """The first rank of a row, as a letter."""
    return (rules.ranks + JOKERS)[row.pattern.counts[0][0]]


def _exact(row: Row) -> int:
    p = row.pattern
    if p.flush:
        return sum(_bits(rank, 1 << p.suit) for rank, _ in p.counts)
    return _bits(p.decider, 1 << p.suit) if p.decider >= 0 else 0


def _low(row: Row) -> int:
    p = row.pattern
    return _bits(p.decider, (1 << (p.suit + 1)) - 1) if p.decider >= 0 and not p.flush else 0


def _other(row: Row) -> int:
    """Cards that keep a straight from being of its deciding suit."""
    p = row.pattern
    if not p.mixed or p.decider < 0:
        return 0
    return sum(_bits(rank, 15 & ~(1 << p.suit)) for rank, _ in p.counts if rank != p.decider)
