"""Compiled search of endgames, for rules that a compiled backend honours."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dasan.backends import CARDSETS, KICKERS, Purpose, choose
from dasan.play.action_ids import action_ids
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.ruleset.rules import Rules
from dasan.solver.budget import Budget
from dasan.solver.proving import SLICE, prove_within
from dasan.solver.values import score

if TYPE_CHECKING:
    from dasan.kernels.endgame.search import EndgameSearch


@lru_cache(maxsize=16)
def _tables(rules: Rules) -> tuple[Any, Any, Any]:
    """(the game's lookup tables, the module `env`, the module `playout`) of the backend for `rules`."""
    import numpy as np

    backend = choose(rules, Purpose.ENDGAME)
    if backend is CARDSETS:
        from dasan.kernels.cardsets import env as cardset_env
        from dasan.kernels.cardsets import playout as cardset_playout
        from dasan.kernels.endgame.cardsets import CardsetEndgame
        from dasan.kernels.env.settlement import PRICES

        tables = cardset_env.tables(rules, False)
        return (
            CardsetEndgame(tables, np.maximum.accumulate(tables.policy.settlement[PRICES:])),
            cardset_env,
            cardset_playout,
        )
    if backend is KICKERS:
        from dasan.kernels.endgame.kickers import KickerEndgame
        from dasan.kernels.kickers import env as kicker_env
        from dasan.kernels.kickers import playout as kicker_playout

        return KickerEndgame(kicker_env.tables(rules, False)), kicker_env, kicker_playout
    from dasan.kernels.endgame.patterns import PatternEndgame
    from dasan.kernels.patterns import env, playout

    return PatternEndgame(env.tables(rules, False)), env, playout


def applies(state: State) -> bool:
    """Whether this search can solve `state`."""
    return state.phase is Phase.PLAY and choose(state.rules, Purpose.ENDGAME).compiled


class CompiledEndgame:
    """Finds what `seat` can force against all others together; one transposition table for all positions and seats of a game.

    ValueError: no compiled backend honours the rules.
    """

    def __init__(self, rules: Rules, seat: int, memory_mb: float, budget: Budget) -> None:
        from dasan.kernels.endgame import search

        choose(rules, Purpose.ENDGAME, "compiled")
        self.rules = rules
        self.seat = seat
        self.budget = budget
        self._kernel = search
        self._game, env, self._playout = _tables(rules)
        self._search: EndgameSearch = search.new_search(int(memory_mb * 2**20), *_sizes(rules, env))
        self._rows = _rows_of(env, self._search)
        self._warm = False

    def ready(self) -> bool:
        """Whether the machine code is loaded or cached on disk."""
        from dasan.kernels.runtime.compiled import ready

        s, claim = self._search, self._kernel.Claim(0, 0, self._game)
        return ready(self._kernel.begin, s, claim) and ready(self._kernel.proceed, s, claim, 0)

    def warm_up(self, state: State) -> None:
        """Load or compile the machine code before the clock starts."""
        if self._warm:
            return
        from dasan.kernels.proofs.loop import NODES
        from dasan.kernels.proofs.transpositions import spread

        s, claim = self._search, self._kernel.Claim(self.seat, 0, self._game)
        self._playout.put(state, self._rows, 0)
        self._kernel.begin(s, claim)
        self._kernel.proceed(s, claim, int(s.counters[NODES]))
        spread(s.transpositions, 0)
        self._warm = True

    def prove(self, state: State, least: int, most: int | None = None) -> tuple[bool | None, Move | None]:
        """As `Endgame.prove`. ValueError: the hand is not in the play."""
        done = score(state, self.seat)
        if done is not None:
            return done >= least, None
        if state.phase is not Phase.PLAY:
            raise ValueError("the compiled search knows only the play")
        self._playout.put(state, self._rows, 0)
        kernel = self._kernel
        claim = kernel.Claim(self.seat, least, self._game)
        value = prove_within(
            self.budget,
            most,
            self._search,
            lambda search: int(kernel.begin(search, claim)),
            kernel.another,
            lambda searches, nodes: kernel.search_on(searches, claim, nodes),
        )
        if value == 0:
            return None, None
        return value > 0, self._proving(state) if value > 0 and state.to_act == self.seat else None

    def _proving(self, state: State) -> Move | None:
        """The move that proves the last search's result; None if there is none."""
        played = int(self._search.counters[self._kernel.MOVE])
        return None if played == self._kernel.NO_MOVE else _move(state, played)


class CompiledMaxN:
    """Finds what every seat gets if all play for themselves; one transposition table for all positions of a game.

    ValueError: no compiled backend honours the rules.
    """

    def __init__(self, rules: Rules, memory_mb: float, budget: Budget) -> None:
        from dasan.kernels.endgame import everybody

        choose(rules, Purpose.ENDGAME, "compiled")
        self.rules = rules
        self.budget = budget
        self._kernel = everybody
        self._game, env, self._playout = _tables(rules)
        self._search = everybody.new_everybody(int(memory_mb * 2**20), *_sizes(rules, env))
        self._rows = _rows_of(env, self._search)
        self._warm = False

    def ready(self) -> bool:
        """As `CompiledEndgame.ready`."""
        from dasan.kernels.runtime.compiled import ready

        s = self._search
        return ready(self._kernel.begin, s, self._game) and ready(self._kernel.proceed, s, 0, self._game)

    def warm_up(self, state: State) -> None:
        """As `CompiledEndgame.warm_up`."""
        if self._warm:
            return
        s = self._search
        self._playout.put(state, self._rows, 0)
        self._kernel.begin(s, self._game)
        self._kernel.proceed(s, int(s.counters[self._kernel.NODES]), self._game)
        self._kernel.payoffs(_ENDED, self.rules.players, self._game)
        self._warm = True

    def values(self, state: State, most: int | None = None) -> tuple[tuple[int, ...] | None, Move | None]:
        """As `MaxN.values`."""
        if state.result is not None:
            scores = (score(state, seat) for seat in range(self.rules.players))
            return tuple(0 if s is None else s for s in scores), None
        self._playout.put(state, self._rows, 0)
        search, kernel, budget = self._search, self._kernel, self.budget
        outcome, spent = int(kernel.begin(search, self._game)), 0
        known = outcome != 0
        while outcome == 0 and not budget.over():
            left = budget.left(None if most is None else most - spent)
            step = SLICE if left is None else min(SLICE, left)
            if step <= 0:
                break
            outcome, nodes = kernel.search_on(search, step, self._game)
            spent += nodes
            budget.spend(nodes)
        if outcome == 0:
            return None, None
        values = kernel.payoffs(outcome, self.rules.players, self._game)
        return values, self._chosen(state, values) if known else _move(state, int(search.counters[kernel.MOVE]))

    def _chosen(self, state: State, values: tuple[int, ...]) -> Move | None:
        """A move that leads to the position's values, if the transposition table holds its children."""
        moves = state.legal_moves()
        if len(moves) == 1:
            return moves[0]
        for move in moves:
            after = state.play(move)
            if after.result is not None:
                if self.values(after)[0] == values:
                    return move
                continue
            self._playout.put(after, self._rows, 0)
            outcome = int(self._kernel.begin(self._search, self._game))
            if outcome and self._kernel.payoffs(outcome, self.rules.players, self._game) == values:
                return move
        return None


_ENDED = 0x76543210
"""A sample outcome in either encoding: seats 0 to 7 in order, or seat 0 out."""


def _move(state: State, played: int) -> Move | None:
    """The legal move with the kernels' action number `played`; None if the seat can only pass: kernels skip forced
    passes.
    """
    moves = state.legal_moves()
    if len(moves) == 1:
        return moves[0]
    ids = action_ids(state.rules)
    action = ids.rows + played - 1 if played else 0
    return next((move for move in moves if ids.of(move) == action), None)


def _sizes(rules: Rules, env: Any) -> tuple[int, int, int, int, int]:
    """The sizes of a search's buffers: columns, players, cards, moves and scratch words."""
    return env.COLUMNS, rules.players, len(rules.pack), env.most_legal(rules) + 1, env.SCRATCH


def _rows_of(env: Any, search: Any) -> Any:
    """The positions of a search as `playout.put` takes them."""
    return env.PatternStates(search.rows, search.paid) if hasattr(env, "PatternStates") else search.rows
