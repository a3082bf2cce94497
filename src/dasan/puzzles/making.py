"""Decide whether a position is a puzzle, grade it, and verify a puzzle's claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from dasan.arguments import instance, whole
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.puzzles.position import forced
from dasan.puzzles.puzzle import Puzzle
from dasan.puzzles.sight import Sight
from dasan.puzzles.themes import THEMES, themes_of
from dasan.puzzles.tree import MOST_MOVES, Winning, ends
from dasan.puzzles.truth import Truth, Unproved

FEWEST_CHOICES = 3
"""The minimum number of legal moves in a puzzle. Moves that differ only in suits count once, except for the called card
(B4.07)."""
GUESSED = 2
"""Points subtracted from the grade of a puzzle with that few moves, because one guess in three is right."""
ABOUT_AS_GOOD = 0.5
"""A losing move is tempting only if it looks at most this many turns worse than the winning one."""
NODES = 3_000_000
"""The node budget for solving a puzzle and valuing every move."""


@dataclass(frozen=True)
class Key:
    """The only winning move, its themes, and the tempting moves that lose."""

    move: Move
    themes: tuple[str, ...]
    tempting: tuple[Move, ...]


def find_key(state: State, truth: Truth, themes: Collection[str] = tuple(THEMES)) -> Key | None:
    """The only winning move, if the position is a puzzle with one of these themes, else None. `Unproved`: it is too
    hard.

    A position is a puzzle if the side to act wins, but not obviously (none of its seats surely goes out), if exactly
    one legal move wins, and if some losing move is tempting.
    """
    moves = state.legal_moves()
    sight = Sight(state)
    likely = [move for move in moves if any(THEMES[theme](state, move, sight) for theme in themes)]
    if len(moves) < FEWEST_CHOICES or not likely or sight.sure():
        return None
    if not truth.wins(state, sight.allies):
        return None
    key = _only_winner(state, truth, sight, [*likely, *(move for move in moves if move not in likely)])
    if key not in likely:
        return None
    tempting = _tempting(state, key, sight, [move for move in moves if move != key])
    ideas = themes_of(state, key, sight, truth)
    return Key(key, ideas, tempting) if tempting and not set(themes).isdisjoint(ideas) else None


def _only_winner(state: State, truth: Truth, sight: Sight, moves: Iterable[Move]) -> Move | None:
    """The only one of `moves` that wins; None if several or none do."""
    key = None
    for move in moves:
        if truth.wins(state.play(move), sight.allies):
            if key is not None:
                return None
            key = move
    return key


def _tempting(state: State, key: Move, sight: Sight, losing: Iterable[Move]) -> tuple[Move, ...]:
    """The losing moves that look about as good as `key` and are not refuted at a glance, the best looking first."""
    looks = {move: sight.looks(move) for move in losing}
    limit = sight.looks(key) + ABOUT_AS_GOOD
    near = [move for move in sorted(looks, key=looks.__getitem__) if looks[move] <= limit]
    return tuple(move for move in near if _stays_open(forced(state.play(move)), sight.allies))


def _stays_open(state: State, side: frozenset[int]) -> bool:
    """Whether `side` does not lose at once: no opponent to act surely goes out."""
    return state.phase is not Phase.OVER and (state.to_act in side or not Sight(state).sure())


def solved(state: State, key: Key, source: str) -> Puzzle | None:
    """The puzzle with its solution, and how hard it is; None if that takes too many nodes."""
    truth = Truth(state, NODES)
    side = Sight(state).allies
    try:
        for after in (state, *map(state.play, state.legal_moves())):
            truth.wins(after, side)
        nodes = truth.nodes
        winning = Winning(truth, side)
        moves = winning.moves(state)
        tree = winning.tree(state, moves)
    except Unproved:
        return None
    return Puzzle(
        state=state,
        key=key.move,
        themes=key.themes,
        grade=grade(nodes, len(key.tempting), moves, len(state.legal_moves())),
        tempting=key.tempting,
        moves=moves,
        nodes=nodes,
        tree=tree,
        source=source,
    )


def grade(nodes: int, tempting: int, moves: int | None, different: int) -> int:
    """1 easy to 5 hard, from points for the solver's nodes, for tempting moves, and for the moves to look ahead.

    different: the number of legal moves; with the minimum, points are subtracted.
    """
    effort = sum(nodes >= limit for limit in (100, 1_000, 10_000))
    traps = sum(tempting >= limit for limit in (2, 4))
    ahead = min(MOST_MOVES if moves is None else moves - 1, 3)
    guessed = GUESSED if different <= FEWEST_CHOICES else 0
    return 1 + sum(effort + traps + ahead - guessed >= limit for limit in (2, 4, 6, 7))


def flaws(puzzle: Puzzle, *, nodes: int = NODES) -> list[str]:
    """Solve a puzzle again and list every false claim in it; empty if all are true. `Unproved`: `nodes` do not suffice.

    It checks that the key wins and all other moves lose; that themes, tempting moves, number of moves and grade are as
    stated; and that the tree begins with the key, answers every defence, and wins at every end, surely where it claims
    so.
    """
    state = instance(puzzle, Puzzle, "a puzzle is what dasan.puzzles.load gives").state
    nodes = whole(nodes, "nodes", 1)
    try:
        truth = Truth(state, nodes)
        side = Sight(state).allies
        after = {move: state.play(move) for move in state.legal_moves()}
        winning = [move for move, then in after.items() if truth.wins(then, side)]
    except ValueError as error:
        return [str(error)]
    if puzzle.key not in winning:
        return [f"{puzzle.key} loses", *(f"{move} wins" for move in winning)]
    others = [f"{move} wins too" for move in winning if move != puzzle.key]
    if others:
        return others
    key = find_key(state, truth)
    if key is None:
        return ["it has no theme, or it is too easy: the win is obvious, or no losing move is tempting"]
    faults = []
    if (key.themes, key.tempting) != (puzzle.themes, puzzle.tempting):
        faults.append("the themes or the tempting moves are wrong")
    if Winning(truth, side).moves(state) != puzzle.moves:
        faults.append("the number of moves is wrong")
    if grade(puzzle.nodes, len(puzzle.tempting), puzzle.moves, len(after)) != puzzle.grade:
        faults.append("the grade is wrong")
    if not isinstance(puzzle.tree, list) or puzzle.tree[:1] != [str(puzzle.key)]:
        faults.append("the tree does not begin with the key")
    try:
        for end, sure in ends(state, puzzle.tree):
            if not truth.wins(end, side):
                faults.append("the tree ends in a lost position")
            if sure and end.phase is not Phase.OVER and not (end.to_act in side and Sight(end).sure()):
                faults.append("the tree claims a sure win that is not sure")
    except ValueError as error:
        faults.append(f"the tree cannot be followed: {error}")
    return faults


def regraded(puzzle: Puzzle) -> Puzzle:
    """The same puzzle, solved and graded again. `Unproved`: it is too hard. ValueError: the position is not a puzzle."""
    instance(puzzle, Puzzle, "a puzzle is what dasan.puzzles.load gives")
    key = find_key(puzzle.state, Truth(puzzle.state, NODES))
    if key is None:
        raise ValueError(f"{puzzle.id} is not a puzzle")
    made = solved(puzzle.state, key, puzzle.source)
    if made is None:
        raise Unproved
    return made
