"""A puzzle and its solution in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dasan.text.moves import move_words, moves_words
from dasan.text.position import held, to_act, words_of
from dasan.text.words import bidder_word, listed

if TYPE_CHECKING:
    from dasan.play.state import State
    from dasan.puzzles import Puzzle
    from dasan.puzzles.tree import Tree


def question(puzzle: Puzzle) -> Iterator[str]:
    """Lines with the position, whose turn it is, and the question."""
    state = puzzle.state
    yield f"Puzzle {puzzle.id}: {', '.join(puzzle.themes)}, grade {puzzle.grade} of 5"
    words = words_of(state)
    yield from held(words, state)
    bidder = f"the {bidder_word(state.rules)}"
    bidder += "'s side" if state.partner is not None else ""
    whose = bidder if state.to_act in state.partners else "the others"
    asked = "lead" if state.table is None else "play, or a pass,"
    yield f"{to_act(words, state)} Of {len(state.legal_moves())} different moves, which {asked} wins for {whose}?"


def solution(puzzle: Puzzle) -> Iterator[str]:
    """Lines with the key, the tempting moves, and the answer to every defence. ValueError: the tree is not valid
    here.
    """
    from dasan.puzzles.tree import ends

    for _ in ends(puzzle.state, puzzle.tree):
        pass
    yield f"Solution: {move_words(puzzle.key)}. Tempting, but losing: {moves_words(puzzle.tempting, 'and')}."
    yield from _lines(puzzle.state, puzzle.tree)


def _winning_plays(state: State) -> list[str]:
    """A line with the plays with which the player to act surely goes out; no line if the hand is over."""
    from dasan.puzzles.sight import Sight

    if state.to_act is None:
        return []
    return [f"  {words_of(state).names[state.mover]}: {', '.join(map(move_words, Sight(state).line()))}"]


def _lines(state: State, tree: Tree) -> list[str]:
    """The lines of a tree: the winning side's moves, and indented below them each defence with its answer.

    Forced moves are left out, as in the tree.
    """
    from dasan.puzzles.position import forced
    from dasan.puzzles.tree import CUT

    names = words_of(state).names
    state = forced(state)
    by_text = {str(move): move for move in state.legal_moves()}
    sentences: list[str] = []
    while isinstance(tree, list):
        move = by_text[tree[0]]
        sentences.append(f"{names[state.mover]} {move_words(move)}")
        state, tree = forced(state.play(move)), tree[1]
        by_text = {str(move): move for move in state.legal_moves()}
    if not isinstance(tree, dict):
        if tree == CUT:
            return [", ".join([*sentences, "and so on"])]
        return [", ".join([*sentences, "won for sure"]), *_winning_plays(state)]
    answers: dict[tuple[str, ...], list[str]] = {}
    for text, after in tree.items():
        answers.setdefault(tuple(_lines(state.play(by_text[text]), after)), []).append(move_words(by_text[text]))
    lines = [", ".join(sentences)]
    for (first, *more), defences in answers.items():
        lines.append(f"  {names[state.mover]} {listed(defences, 'or')}: {first}".rstrip())
        lines += [f"  {line}" for line in more]
    return lines
