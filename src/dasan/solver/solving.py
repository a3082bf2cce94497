"""Solve one state: by compiled search if a backend honours the rules, else by interpreted search."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from dasan.arguments import WrongType, amount, flag, instance, shown, word
from dasan.backends import OPEN_HANDS, Purpose, choose
from dasan.solver.budget import Budget, Cancel
from dasan.solver.solution import Solution

if TYPE_CHECKING:
    from dasan.play.moves import Move
    from dasan.play.state import State
    from dasan.ruleset.rules import Rules
    from dasan.solver.compiled import CompiledEndgame, CompiledMaxN
    from dasan.solver.endgame import Endgame
    from dasan.solver.max_n import MaxN
    from dasan.solver.open_hands import OpenHands

Scope: TypeAlias = Literal["paranoid", "max-n"]


def solve(
    state: State,
    *,
    seconds: float | None = 10,
    nodes: int | None = None,
    memory_mb: float = 512,
    threads: int = 1,
    moves: bool = True,
    scope: Scope | None = None,
    progress: Callable[[int], object] | None = None,
    cancel: Cancel | None = None,
    notice: Callable[[str], object] | None = None,
) -> Solution:
    """The result of `state` under best play with all hands open, and the value of every legal move.

    If the budget ends before the proof, the solution has `exact=False` and bounds, and leaves out unproved moves.

    - seconds: the time limit, or None. Compiling machine code, which happens once on a machine, does not count.
    - nodes: a limit of search nodes instead; the clock is then ignored, and the search in one thread is deterministic.
    - memory_mb: the most memory for the transposition table. Each further thread takes 2 to 26 megabytes more.
    - threads: how many threads search together, with one table, but not more than there are processors; max-n and rules
      without a compiled search use one. The value is the same; which positions the budget leaves unproved may differ from
      run to run.
    - moves: whether to value every move and to find a line.
    - scope: in games without sides "paranoid" (the default) or "max-n"; see `Solution`.
    - progress: called periodically with the number of search nodes so far.
    - cancel: `cancel.is_set()` stops the search.
    - notice: called with a sentence before machine code is compiled, which takes from seconds to minutes.

    Thread-safe. TypeError: an argument has the wrong type. ValueError: the hand is over, or not all of its cards are
    known; the game has no such `scope`; or the budget is out of range.

    >>> import dasan
    >>> state = dasan.start(dasan.rules("big-three"), ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)
    >>> solution = dasan.solve(state)
    >>> solution.value, {str(move): value for move, value in solution.moves.items()}
    (4, {'4H': 4, '3D': 4, '4H 4S': 4})
    """
    from dasan.play.state import State

    instance(state, State, "solve takes a state, such as one from dasan.deal")
    budget = Budget(seconds, nodes, progress, cancel, threads)
    return solve_warm(state, Warm(memory_mb, notice), budget, moves=flag(moves, "moves"), scope=scope)


MOST_MB = 1 << 20
"""The largest `memory_mb` accepted: more than any machine has."""
COMPILING = "compiling the solver: this happens once on a machine and does not count against the time limit"


class Warm:
    """Transposition tables, reused for positions of the same deal. Not thread-safe.

    memory_mb: the most memory for them. notice: as for `solve`. ValueError: memory_mb is not a number from 0 to `MOST_MB`.
    """

    def __init__(self, memory_mb: float, notice: Callable[[str], object] | None = None) -> None:
        if notice is not None and not callable(notice):
            raise WrongType(f"notice is a function of a sentence, not {shown(notice)}")
        self.memory_mb = amount(memory_mb, "memory_mb", MOST_MB)
        self._notice = notice
        self._open_hands: OpenHands | None = None
        self._side: tuple[object, ...] = ()
        self._compiled: CompiledEndgame | None = None
        self._interpreted: dict[tuple[Rules, int], Endgame] = {}
        self._max_n: dict[Rules, MaxN] = {}
        self._everybody: CompiledMaxN | None = None

    def clear(self) -> None:
        """Drop the transposition tables and free their memory."""
        self._open_hands, self._compiled, self._everybody = None, None, None
        self._interpreted.clear()
        self._max_n.clear()

    def open_hands(self, state: State, budget: Budget) -> OpenHands:
        """The search for `state`: the previous one if rules and sides are the same, else a new one."""
        from dasan.solver.open_hands import OpenHands

        side = (state.bidder, state.partner, state.rules)
        if self._open_hands is None or self._side != side:
            self._open_hands, self._side = OpenHands(state, self.memory_mb, budget), side
        self._open_hands.budget = budget
        return self._open_hands

    def endgame(self, state: State, seat: int, budget: Budget) -> Endgame:
        """The search for `seat` in games without compiled open hands. Starts the clock of `budget`."""
        from dasan.solver import compiled, interpreted

        search: Endgame
        if compiled.applies(state):
            if self._compiled is None or self._compiled.rules != state.rules:
                self._compiled = compiled.CompiledEndgame(state.rules, seat, self.memory_mb, budget)
            self.warn(self._compiled.ready())
            self._compiled.warm_up(state)
            search = copy(self._compiled)  # with the same table
            search.seat = seat
        else:
            if (state.rules, seat) not in self._interpreted:
                share = self.memory_mb / state.rules.players
                self._interpreted[state.rules, seat] = interpreted.InterpretedEndgame(seat, share, budget)
            search = self._interpreted[state.rules, seat]
        search.budget = budget
        budget.start()
        return search

    def max_n(self, state: State, budget: Budget) -> MaxN:
        """The search for all seats. Starts the clock of `budget`."""
        from dasan.solver import compiled
        from dasan.solver.max_n import InterpretedMaxN

        search: MaxN
        if compiled.applies(state):
            if self._everybody is None or self._everybody.rules != state.rules:
                self._everybody = compiled.CompiledMaxN(state.rules, self.memory_mb, budget)
            self.warn(self._everybody.ready())
            self._everybody.warm_up(state)
            search = self._everybody
        else:
            search = self._max_n.setdefault(state.rules, InterpretedMaxN(self.memory_mb, budget))
        search.budget = budget
        budget.start()
        return search

    def warn(self, ready: bool) -> None:
        """Call `notice` if machine code has to be compiled."""
        if not ready and self._notice is not None:
            self._notice(COMPILING)


def known_scope(scope: object) -> Scope | None:
    """Check `scope`: the name of a scope, or None."""
    return None if scope is None else word(scope, get_args(Scope), "scope")


def solve_warm(
    state: State,
    warm: Warm,
    budget: Budget,
    *,
    moves: bool = True,
    scope: Scope | None = None,
    line: bool = True,
    also: Move | None = None,
) -> Solution:
    """`solve` with the transposition tables of `warm`. line: with `moves`, whether to find a line. also: a legal move
    to value even if `legal_moves()` does not list it: its suits may matter.
    """
    from dasan.play.phases import Phase
    from dasan.solver import endgame, max_n, open_hands

    if state.phase is Phase.OVER:
        raise ValueError("the hand is over")
    if any(len(hand) == 0 for hand in state.hands) and not state.finished:
        raise ValueError("not all hands are known")
    scope = known_scope(scope)
    if scope is not None and state.rules.has_sides:
        raise ValueError(f"a game of two sides has one value: it needs no scope {scope}")
    if choose(state.rules, Purpose.SOLVER) is not OPEN_HANDS:
        if scope == "max-n":
            return max_n.solve_max_n(state, warm.max_n(state, budget), moves=moves, line=line, also=also)
        if state.phase is Phase.AUCTION:
            return endgame.solve_auction(state, lambda after, seat: warm.endgame(after, seat, budget), budget)
        search = warm.endgame(state, state.mover, budget)
        return endgame.solve_endgame(state, search, moves=moves, line=line, also=also)
    from dasan.kernels.ranks.solver.search import ready, warm_up

    warm.warn(ready())
    warm_up()
    budget.start()
    if state.phase in (Phase.AUCTION, Phase.CALL):
        warm.clear()  # these have tables of their own
        of_phase = open_hands.solve_auction if state.phase is Phase.AUCTION else open_hands.solve_call
        return of_phase(state, warm.memory_mb, budget)
    return open_hands.solve_play(state, warm.open_hands(state, budget), budget, moves=moves, line=line)
