"""A review within a time limit for the whole hand: first the value of every position, then of other legal moves.

With open hands and two sides a position has one of two values, and a move keeps the result if the value is the same
before and after it. If the move made is proved to win, its position needs no search. Valuing the other legal moves
costs more than valuing the positions, and therefore comes second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

from dasan.arguments import amount, instance
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.records.retrace import moves_of
from dasan.review.best_play import HURRIED, Judged, contracts_of, judge_all, judged_bid, judged_by, listed_as, unjudged
from dasan.solver.budget import Budget
from dasan.solver.open_hands import applies, position, solution_of
from dasan.solver.solving import MOST_MB, Warm, solve_warm

BIDS_SHARE = 0.2
"""The share of memory for bids and calls; the plays keep their tables, because they are searched again later."""
SOON = 0.1
"""Seconds for a position's other moves before the search returns to positions without a value."""


def judge_within(
    state: State,
    total: float,
    *,
    seconds: float = 1.0,
    memory_mb: float = 256,
    threads: int = 1,
) -> Iterator[Judged]:
    """As `review.judge`, within a time limit for the whole hand. A move is yielded again when its judgement improves.

    In games of two sides the plays come from the last to the first, then some again in any order, and calls and bids after
    them. In other games each move comes once, from the last to the first.

    total: seconds for all moves together, excluding the time to compile or load the solver; each move is judged at
    least once, for at most `HURRIED` seconds after the time has run out. seconds: the first time slice of a position.
    memory_mb: for all tables together, of plays and of bids. Errors as for `judge`.
    """
    instance(state, State, "a hand is reviewed from its last state, such as one from dasan.replay")
    total = amount(total, "total")
    seconds = amount(seconds, "seconds")

    def budget(limit: float) -> Budget:
        return Budget(limit, None, threads=threads)

    budget(seconds)  # raises here, not when the first move is requested
    memory_mb = amount(memory_mb, "memory_mb", MOST_MB)
    if not applies(state):
        return judge_all(
            state,
            Warm(memory_mb),
            lambda late: budget(min(seconds, HURRIED) if late else seconds),
            None,
            total,
        )
    return _Rounds(state, total, seconds, memory_mb, budget).judgements()


class _Rounds:
    """A hand of two sides. `_won`: whether the bidder's side wins, by number of the position, where proved."""

    def __init__(
        self,
        state: State,
        total: float,
        seconds: float,
        memory_mb: float,
        budget: Callable[[float], Budget],
    ) -> None:
        self._moves = list(moves_of(state))
        self._after = [now for now, _ in self._moves[1:]] + [state]
        self._total, self._seconds, self._limited = total, seconds, budget
        bids = memory_mb * BIDS_SHARE if any(now.phase in (Phase.AUCTION, Phase.CALL) for now, _ in self._moves) else 0
        self._warm, self._warm_bids = Warm(memory_mb - bids), Warm(bids)
        self._won: dict[int, bool] = {}
        self._open: dict[int, Judged] = {}
        self._end = 0.0

    def judgements(self) -> Iterator[Judged]:
        from dasan.kernels.ranks.solver.search import warm_up

        warm_up()
        self._end = monotonic() + self._total
        phases = [now.phase for now, _ in self._moves]
        plays = [i for i, phase in enumerate(phases) if phase is Phase.PLAY][::-1]
        if plays:
            self._settle(plays[0] + 1, self._seconds)
        for i in plays:
            yield self._valued(i, self._seconds)
        yield from self._others(plays, SOON)
        yield from self._again(plays)
        yield from self._before_the_play(phases)
        yield from self._others(plays, self._seconds)

    def _again(self, plays: list[int]) -> Iterator[Judged]:
        """Search positions without a value again; yield plays whose verdict improved."""
        if plays and self._left() > 0:
            self._settle(plays[0] + 1, self._left() - self._seconds)
        for i in plays:
            before = self._open[i]
            if (i not in self._won or before.kept is None) and self._left() > 0:
                one = self._valued(i, self._left() - self._seconds)
                if one != before:
                    yield one

    def _left(self) -> float:
        return self._end - monotonic()

    def _budget(self, seconds: float) -> Budget:
        return self._limited(max(HURRIED, min(seconds, self._left())))

    def _settle(self, i: int, seconds: float) -> bool | None:
        """Whether the bidder's side wins position i; None if that is not proved within `seconds`."""
        now = self._after[i - 1] if i == len(self._moves) else self._moves[i][0]
        if i in self._won:
            return self._won[i]
        if now.phase is Phase.OVER:
            wins: bool | None = self._ours(i - 1)
        else:
            search = self._warm.open_hands(now, self._budget(seconds))
            following = self._won.get(i + 1)
            won = following is not None and (following is self._ours(i) or len(now.legal_moves()) == 1)
            wins = search.learn(position(now), following is True) if won else search.settle(position(now))
        if wins is not None:
            self._won[i] = wins
        return wins

    def _ours(self, i: int) -> bool:
        """Whether the bidder's side is to act in position i."""
        now = self._moves[i][0]
        return now.mover in now.partners

    def _valued(self, i: int, seconds: float) -> Judged:
        """Judge move i by the values of the positions before and after it."""
        now, move = self._moves[i]
        following = self._won.get(i + 1)
        value = self._settle(i, seconds)
        legal = now.legal_moves()
        proved = self._proved(i)
        if value is not None and value is not self._ours(i):
            proved = dict.fromkeys(legal, value)
        elif following is not None:
            proved[listed_as(legal, now, move, self._after[i])] = following
        proved = {one: proved[one] for one in (*legal, *proved) if one in proved}
        one = judged_by(now, move, self._after[i], solution_of(now, value, proved))
        self._open[i] = one
        return one

    def _proved(self, i: int) -> dict[Move, bool]:
        """Whether the bidder's side wins after each move of position i that an earlier search has valued."""
        one = self._open.get(i)
        if one is None or i not in self._won:
            return {}
        wins = self._won[i]
        return {**dict.fromkeys(one.keeping, wins), **dict.fromkeys(one.losing, not wins)}

    def _others(self, plays: list[int], seconds: float) -> Iterator[Judged]:
        """The values of other moves, if the winning side has moves without a value."""
        for i in plays:
            one = self._open[i]
            if self._left() <= 0:
                return
            if i in self._won and len(one.keeping) + len(one.losing) < one.choices:
                now, move = self._moves[i]
                judged = judged_by(
                    now, move, self._after[i], solve_warm(now, self._warm, self._budget(seconds), line=False)
                )
                if judged != one:
                    self._open[i] = judged
                    yield judged

    def _before_the_play(self, phases: list[Phase]) -> Iterator[Judged]:
        """Calls and bids, from the last to the first, with tables of their own."""
        warm = self._warm_bids
        last: Judged | None = None
        contracts: dict[int, int | None] = {}
        for i in reversed(range(len(phases))):
            now, move = self._moves[i]
            if phases[i] is Phase.CALL:
                last = judged_by(
                    now, move, self._after[i], solve_warm(now, warm, self._budget(self._seconds), line=False)
                )
            elif phases[i] is Phase.AUCTION:
                if not contracts:
                    contracts = contracts_of(now, warm, self._budget(self._seconds), self._after[-1], last)
                last = judged_bid(now, move, contracts[now.mover])
            elif phases[i] is Phase.EXCHANGE:
                last = unjudged(now, move)
            else:
                last = self._open[i]
                continue
            yield last
