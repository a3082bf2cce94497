"""The solution of a puzzle: the winning side's moves and every defence, until the win is sure.

A tree is JSON data:

- `["8C", TREE]`: the winning side plays this and continues with TREE;
- `{"pass": TREE, "9D": TREE}`: the other side has these defences;
- `null`: the hand is over and won, or the player to act surely goes out (`Sight.sure`);
- `"..."`: won, but cut off here.

Forced moves are left out: they are played before every tree (`position.forced`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, TypeAlias

from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.puzzles.position import canonical, forced
from dasan.puzzles.sight import Sight
from dasan.puzzles.truth import Truth
from dasan.solver.values import side_of

Tree: TypeAlias = Any
"""None, "...", [move, Tree] or {move: Tree}."""

CUT = "..."
MOST_MOVES = 5
"""The depth limit of the search for a sure win, in moves of the winning side."""
MOST_POSITIONS = 800
"""The most positions that this search visits."""
MOST_DEFENCES = 60
"""The most defences in a tree; the earliest are kept."""


class _TooLarge(Exception):
    pass


class Winning:
    """The wins of `side` from positions that it wins."""

    def __init__(self, truth: Truth, side: frozenset[int]) -> None:
        self._truth = truth
        self._side = side
        self._enough: dict[tuple[str, int], bool] = {}
        self._known_ways: dict[str, tuple[tuple[Move, State], ...]] = {}
        self._known_sure: dict[str, bool] = {}
        self._positions = 0

    def moves(self, state: State) -> int | None:
        """The number of moves, forced ones excluded, until the win is sure; None if that takes too long to compute."""
        self._positions = MOST_POSITIONS
        try:
            return next((n for n in range(MOST_MOVES + 1) if self._within(forced(state), n)), None)
        except _TooLarge:
            return None

    def tree(self, state: State, moves: int | None) -> Tree:
        """The tree of a win in `moves` moves, cut after `MOST_DEFENCES` defences."""
        whole: list[Tree] = [None]
        left = MOST_DEFENCES
        todo: deque[tuple[Any, Any, State, int | None]] = deque([(whole, 0, forced(state), moves)])
        while todo:
            parent, place, at, most = todo.popleft()
            if self._over(at):
                parent[place] = None
            elif at.to_act in self._side:
                move, after = self._way(at, most)
                parent[place] = [str(move), None]
                todo.append((parent[place], 1, forced(after), most and most - 1))
            elif len(at.legal_moves()) > left:
                parent[place] = CUT
            else:
                left -= len(at.legal_moves())
                parent[place] = {str(move): None for move in at.legal_moves()}
                todo += [(parent[place], str(move), forced(at.play(move)), most) for move in at.legal_moves()]
        return whole[0]

    def _way(self, state: State, moves: int | None) -> tuple[Move, State]:
        """(winning move, state after it), within `moves` moves if that is known to be possible."""
        ways = self._ways(state)
        if moves is None:
            return ways[0]
        self._positions = MOST_POSITIONS
        return next(way for way in ways if self._within(forced(way[1]), moves - 1))

    def _within(self, state: State, most: int) -> bool:
        """Whether the winning side needs at most `most` moves, forced ones excluded, until the win is sure."""
        if self._over(state):
            return True
        at = (canonical(state), most)
        if at not in self._enough:
            self._positions -= 1
            if self._positions < 0:
                raise _TooLarge
            if state.to_act not in self._side:
                enough = all(self._within(forced(state.play(move)), most) for move in state.legal_moves())
            else:
                enough = most > 0 and any(self._within(forced(after), most - 1) for _, after in self._ways(state))
            self._enough[at] = enough
        return self._enough[at]

    def _over(self, state: State) -> bool:
        if state.phase is Phase.OVER:
            return True
        if state.to_act not in self._side:
            return False
        at = canonical(state)
        if at not in self._known_sure:
            self._known_sure[at] = Sight(state).sure()
        return self._known_sure[at]

    def _ways(self, state: State) -> tuple[tuple[Move, State], ...]:
        """The winning moves, those that shed the most cards first."""
        at = canonical(state)
        if at not in self._known_ways:
            children = [(move, state.play(move)) for move in state.legal_moves()]
            children.sort(key=lambda way: -len(way[0].cards))
            self._known_ways[at] = tuple(way for way in children if self._truth.wins(way[1], self._side))
        return self._known_ways[at]


def defences(tree: Tree) -> int:
    """The number of the other side's moves that a tree answers."""
    if isinstance(tree, dict):
        return sum(1 + defences(after) for after in tree.values())
    return defences(tree[1]) if isinstance(tree, list) else 0


def ends(state: State, tree: Tree) -> Iterator[tuple[State, bool]]:
    """The leaves of a tree that begins at `state`, each with whether the tree claims a sure win there.

    ValueError: the hand is over, a move of the tree is not legal, or a defence is missing.
    """
    if state.to_act is None:
        raise ValueError("the hand is over")
    return _ends(state, tree, side_of(state, state.to_act))


def _ends(state: State, tree: Tree, side: frozenset[int]) -> Iterator[tuple[State, bool]]:
    state = forced(state)
    if tree is None or tree == CUT:
        yield state, tree is None
        return
    moves = {str(move): move for move in state.legal_moves()}
    if state.to_act in side:
        if not isinstance(tree, list) or len(tree) != 2 or tree[0] not in list(moves):
            raise ValueError("the tree names no move for the winning side to make")
        yield from _ends(state.play(moves[tree[0]]), tree[1], side)
    elif not isinstance(tree, dict) or set(tree) != set(moves):
        raise ValueError("the tree does not answer every defence")
    else:
        for text, after in tree.items():
            yield from _ends(state.play(moves[text]), after, side)
