"""A puzzle, and how it is written: climb/1, with the solution beside the position."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from dasan.errors import BadRecord
from dasan.moves import Move
from dasan.puzzles.position import canonical
from dasan.puzzles.tree import Tree
from dasan.record import FORMAT, replay
from dasan.state import State


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which one move of the seat to act wins for its side, and every other loses.

    key: the move; others that differ from it only in suits win too. themes: see `dasan.puzzles.themes`. tempting: losing
    moves that look about as good, best first. moves: how many moves with a choice the side makes, the key included, until
    nothing can go wrong; None if they are more than `tree.MOST_MOVES`, or too many to tell. nodes: positions that the
    solver looked at to value every move. grade: 1 easy to 5 hard. source: the hand that it comes from.
    """

    state: State
    key: Move
    themes: tuple[str, ...]
    grade: int
    tempting: tuple[Move, ...]
    moves: int | None
    nodes: int
    tree: Tree
    source: str

    @property
    def id(self) -> str:
        """The same for positions that differ only in suits, or in who sits where around the bidder."""
        return sha256(canonical(self.state).encode()).hexdigest()[:10]

    @property
    def players(self) -> int:
        return self.state.rules.players

    @property
    def cards(self) -> int:
        """Cards left in all hands."""
        return sum(self.state.hand_sizes)

    def to_json(self) -> dict[str, Any]:
        """What stands beside the position in a record."""
        return {
            "id": self.id,
            "themes": list(self.themes),
            "grade": self.grade,
            "key": str(self.key),
            "tempting": [str(move) for move in self.tempting],
            "moves": self.moves,
            "nodes": self.nodes,
            "source": self.source,
            "tree": self.tree,
        }

    def record(self) -> str:
        """A climb/1 record of the position, with the solution in an analysis line."""
        beside = {"type": "analysis", "seq": 0, "puzzle": self.to_json()}
        return self.state.record() + json.dumps(beside, separators=(",", ":")) + "\n"


def write(puzzles: Iterable[Puzzle]) -> str:
    """Puzzles as text: one record after the other."""
    return "".join(puzzle.record() for puzzle in puzzles)


def read(text: str) -> Iterator[Puzzle]:
    """The puzzles in a text that `write` made; `BadRecord` where it is none."""
    record: list[str] = []
    for line in text.splitlines():
        if line.startswith('{"format"') and record:
            yield _read(record)
            record = []
        if line.strip():
            record.append(line)
    if record:
        yield _read(record)


def _read(lines: list[str]) -> Puzzle:
    state = replay("\n".join(lines))
    try:
        told = json.loads(lines[-1])["puzzle"]
        if not isinstance(state, State):
            raise TypeError
        by_text = {str(move): move for move in state.legal_moves()}
        return Puzzle(
            state=state,
            key=by_text[told["key"]],
            themes=tuple(told["themes"]),
            grade=told["grade"],
            tempting=tuple(by_text[text] for text in told["tempting"]),
            moves=told["moves"],
            nodes=told["nodes"],
            tree=told["tree"],
            source=told["source"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"a {FORMAT} record without a puzzle") from error


__all__ = ["Puzzle", "read", "write"]
