"""A puzzle played against the server: whether a move wins, the best defence, or the refutation."""

from __future__ import annotations

from typing import Any

import dasan
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.puzzles import Puzzle
from dasan.puzzles.truth import Truth, Unproved
from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.solver.values import side_of

MOST_MOVES = 64


def verdict(puzzle: Puzzle, moves: list[str], nodes: int) -> dict[str, Any]:
    """The verdict (``PuzzleVerdict``) on the last of ``moves``. ``Refused``: it is not a move of the puzzle's side, or too hard
    to judge.
    """
    start = puzzle.state
    side = side_of(start, _mover(start))
    truth = Truth(start, nodes)
    state = start
    for text in moves[:-1]:
        state = state.play(text)
    if state.phase is Phase.OVER or _mover(state) not in side:
        raise Refused("illegal", reason("puzzle.turn"))
    after = state.play(moves[-1])
    try:
        right = truth.wins(after, side)
        now, reply = _answered(after, side, truth, right)
    except Unproved:
        raise Refused("unavailable", reason("puzzle.hard")) from None
    if not right:
        now, more = _played_out(now, side, truth)
        reply += more
    done = right and (now.phase is Phase.OVER or _cannot_lose(now, side, truth))
    return {
        "right": right,
        "done": done,
        "reply": reply,
        "view": now.view(now.to_act if now.to_act is not None else start.to_act).to_json(),
        "hands": [[str(card) for card in hand] for hand in now.hands],
        "solution": str(puzzle.key) if done or not right else None,
    }


def _answered(state: State, side: frozenset[int], truth: Truth, right: bool) -> tuple[State, list[str]]:
    """(the position at the side's next choice or the end, the moves that lead there)."""
    moves: list[str] = []
    while state.phase is Phase.PLAY and len(moves) < MOST_MOVES:
        legal = state.legal_moves()
        if len(legal) == 1:
            move = legal[0]
        elif _mover(state) in side:
            break
        else:
            move = _defence(state, side, truth, right)
        state = state.play(move)
        moves.append(str(move))
    return state, moves


def _played_out(state: State, side: frozenset[int], truth: Truth) -> tuple[State, list[str]]:
    """(end of the hand after a losing move, the moves that lead there), to show the loss.

    The side plays a bot's moves, all of which lose. The line ends where a proof is too hard.
    """
    moves: list[str] = []
    while state.phase is Phase.PLAY and len(moves) < MOST_MOVES:
        try:
            own = _mover(state) in side
            move = dasan.bot("greedy").choose(state.view(state.to_act)) if own else _defence(state, side, truth, False)
        except Unproved:
            break
        state = state.play(move)
        moves.append(str(move))
    return state, moves


def _defence(state: State, side: frozenset[int], truth: Truth, right: bool) -> Move:
    """The other side's move: a winning one if there is one, else the one after which the fewest moves win."""
    legal = state.legal_moves()
    if not right:
        return next((move for move in legal if not truth.wins(state.play(move), side)), legal[0])
    bot = dasan.bot("greedy").choose(state.view(state.to_act))
    hardest, fewest = bot, 2.0
    for move in legal[:24]:
        after = state.play(move)
        if after.phase is Phase.OVER or _mover(after) not in side:
            continue
        replies = after.legal_moves()
        share = sum(truth.wins(after.play(reply), side) for reply in replies) / len(replies)
        if share < fewest:
            hardest, fewest = move, share
    return hardest


def _cannot_lose(state: State, side: frozenset[int], truth: Truth) -> bool:
    """Whether every legal move of the side is proved to win."""
    try:
        return _mover(state) in side and all(truth.wins(state.play(move), side) for move in state.legal_moves())
    except Unproved:
        return False


def _mover(state: State) -> int:
    return 0 if state.to_act is None else state.to_act
