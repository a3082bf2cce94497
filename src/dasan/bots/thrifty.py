"""A fast player with one heuristic, for playouts by the million.

Every play scores points for the cards it sheds, minus points for the groups it breaks; the bot makes the play with the
most points. `dasan.kernels.env.playout_policies` is the same policy in compiled code, with the constants from here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from dasan.bots.protocol import bid_up_to, choices, goes_out, low_to_high
from dasan.bots.without_values import ExplainsByFacts
from dasan.play.moves import Move, MoveType
from dasan.play.view import View
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination, Run

CARD = 6
"""Points for each card of a lead."""
BREAK = 12
"""Points off for each rank in which the play breaks a group or a straight; see `breaks`."""
HEIGHT = 1
"""Points off for each rank of height, see `height`."""
POWER = 20
"""Points off for each level of power, so that bombs are kept."""
RISK = 10_000
"""Points off for a lead that an opponent's whole hand could beat."""
TOPS = (1, 2, 3)
"""The value of each card of the three highest ranks in the auction, low to high."""
BIDS = (6, 9, 12)
"""The least value of a hand for a bid of 1, 2, 3."""


def height(ranks: Mapping[int, int]) -> int:
    """Twice the mean rank of a play (0 for the lowest rank), rounded down. ranks: the number of cards of each rank."""
    return 2 * sum(rank * n for rank, n in ranks.items()) // sum(ranks.values())


@lru_cache(maxsize=64)
def windows(rules: Rules) -> tuple[frozenset[int], ...]:
    """The ranks of every shortest straight."""
    windows = {
        frozenset(rank for rank, _ in row.pattern.counts)
        for row in rules.catalogue.rows
        if isinstance(row.shape, Run) and row.shape.copies == 1 and row.size == row.shape.shortest
    }
    return tuple(sorted(windows, key=sorted))


def core(rules: Rules, held: Iterable[int]) -> frozenset[int]:
    """The ranks of a hand that are part of a straight."""
    have = frozenset(held)
    return frozenset(rank for window in windows(rules) if window <= have for rank in window)


def breaks(taken: Mapping[int, int], held: Mapping[int, int], straights: frozenset[int]) -> int:
    """The number of ranks of which a play takes too many or too few cards.

    A run, or any play of three or more ranks, should take all cards of each of its ranks. Other plays should leave
    one card for a straight and take the rest.
    """
    if len(taken) > 2:
        return sum(n != held[rank] for rank, n in taken.items())
    return sum(n != held[rank] - (rank in straights) for rank, n in taken.items())


def foes(view: View) -> tuple[int, ...]:
    """The opponents who hold cards: everybody if there is no bidder. While the partner is unknown (B4.04), everybody is
    an opponent of the bidder, and the bidder is the only opponent of the others.
    """
    me, bidder = view.seat, view.bidder
    others = [s for s, held in enumerate(view.hand_sizes) if held and s != me]
    if bidder is None:
        return tuple(others)
    side = {bidder, view.partner}
    return tuple(s for s in others if (s in side) is not (me in side))


class ThriftyBot(ExplainsByFacts):
    """Makes the play with the most points. Deterministic."""

    name = "thrifty"
    version = "1"

    def choose(self, view: View) -> Move:
        moves = choices(view)
        match moves[0].type:
            case MoveType.GIVE | MoveType.OFFER:
                return low_to_high(view, moves)[0]
            case MoveType.TAKE | MoveType.CALL:
                return low_to_high(view, moves)[-1]
        return self._bid(view) if view.phase == "auction" else self._play(view, moves)

    def _bid(self, view: View) -> Move:
        """The highest bid that the hand's value allows; otherwise a pass, or the lowest bid if it must bid."""
        ranks = view.rules.ranks
        worth = sum(
            points * sum(c.rank == rank for c in view.hand) for rank, points in zip(ranks[-3:], TOPS, strict=True)
        )
        return bid_up_to(view, sum(worth >= least for least in BIDS))

    def _play(self, view: View, moves: tuple[Move, ...]) -> Move:
        plays = [(m, m.combination) for m in moves if m.combination is not None]
        out = goes_out(view)
        if out is not None:
            return out
        against = foes(view)
        sizes = {view.hand_sizes[s] for s in against}
        on_table = view.table
        friendly = view.bidder is not None and on_table is not None and view.table_seat not in against
        passing = next((m for m in moves if m.type is MoveType.PASS), None)
        if passing is not None and (friendly or not plays):
            return passing
        place = view.rules.order.place
        held = Counter(place[c][0] for c in view.hand)
        straights = core(view.rules, held)

        def cost(play: Combination) -> int:
            taken = Counter(place[c][0] for c in play.cards)
            return BREAK * breaks(taken, held, straights) + HEIGHT * height(taken) + POWER * play.power

        def force(play: Combination) -> int:
            return POWER * play.power + height(Counter(place[c][0] for c in play.cards))

        def lead(play: Combination) -> int:
            size = len(play.cards)
            return force(play) - RISK if size in sizes else CARD * size - cost(play)

        if on_table is None:
            safe = any(len(play.cards) not in sizes for _, play in plays)
            return _most([(m, lead(play)) for m, play in plays], last=not safe)
        if len(on_table.cards) in sizes:
            return _most([(m, force(play)) for m, play in plays], last=True)
        return _most([(m, -cost(play)) for m, play in plays], last=False)


def _most(judged: list[tuple[Move, int]], *, last: bool) -> Move:
    """The move with the most points; on ties the first, or the last, in the order of the catalogue."""
    most = max(points for _, points in judged)
    best = [move for move, points in judged if points == most]
    return best[-1] if last else best[0]
