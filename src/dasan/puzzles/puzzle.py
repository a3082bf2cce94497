"""A puzzle, and its format: climb/1, with the solution in an analysis line."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from dasan.arguments import instance, items
from dasan.errors import BadRecord
from dasan.games import PRESETS
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.puzzles.position import canonical
from dasan.puzzles.themes import THEMES
from dasan.puzzles.tree import Tree
from dasan.puzzles.truth import judges
from dasan.records.lines import Record, only_record, records
from dasan.records.read import replay


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which one move of the seat to act wins for its side, and every other loses.

    key: the only legal move that wins. themes: see `dasan.puzzles.themes`. tempting: losing moves that look about as
    good, best first. moves: the number of decisions until the win is sure, see `docs/guide/puzzles.md`; None if above
    `tree.MOST_MOVES`, or if too many positions would have to be searched. nodes: search nodes to value every move.
    grade: 1 easy to 5 hard. source: the hand that the puzzle comes from.
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

    def __repr__(self) -> str:
        return f"<Puzzle {self.id} of {self.state.rules.name}, grade {self.grade}, {self.key} wins>"

    @property
    def id(self) -> str:
        """An identifier, equal for positions that differ only in suits or in the bidder's seat."""
        return sha256(canonical(self.state).encode()).hexdigest()[:10]

    @property
    def game(self) -> str:
        """The game: the family of the preset."""
        return PRESETS[self.state.rules.name].family

    @property
    def players(self) -> int:
        """The number of players, 3 or 4."""
        return self.state.rules.players

    @property
    def cards(self) -> int:
        """Cards left in all hands."""
        return sum(self.state.hand_sizes)

    def matches(
        self,
        *,
        game: str | None = None,
        themes: Collection[str] | None = None,
        grade: int | None = None,
        players: int | None = None,
    ) -> bool:
        """Whether it is of this game, one of these themes, this grade and this number of players; None: of any."""
        return (
            game in (None, self.game)
            and (themes is None or not set(themes).isdisjoint(self.themes))
            and grade in (None, self.grade)
            and players in (None, self.players)
        )

    def to_json(self) -> dict[str, Any]:
        """The puzzle without its position: the data of the record's analysis line."""
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
    """Puzzles as text: one record after another."""
    given = items(puzzles, "puzzles are a list of puzzles")
    return "".join(instance(one, Puzzle, "a puzzle is what dasan.puzzles.load gives").record() for one in given)


def read(text: str) -> Iterator[Puzzle]:
    """The puzzles in a text that `write` made. `BadRecord`: a record holds no puzzle."""
    return map(of_record, records(instance(text, str, "puzzles are read from text")))


def of_record(record: Record) -> Puzzle:
    """The puzzle in a record. `BadRecord`: it holds none. Use `flaws` to verify what the puzzle states."""
    state = replay(record)
    record = only_record(record)
    note: Any = next((line["puzzle"] for line in record if line.get("type") == "analysis" and "puzzle" in line), None)
    try:
        if not isinstance(state, State) or not judges(state) or state.phase is not Phase.PLAY:
            raise TypeError
        by_text = {str(move): move for move in state.legal_moves()}
        puzzle = Puzzle(
            state=state,
            key=by_text[note["key"]],
            themes=tuple(name for name in THEMES if name in note["themes"]),
            grade=note["grade"],
            tempting=tuple(by_text[text] for text in note["tempting"]),
            moves=note["moves"],
            nodes=note["nodes"],
            tree=note["tree"],
            source=note["source"],
        )
        right = (
            list(puzzle.themes) == note["themes"]
            and type(puzzle.grade) is int
            and puzzle.grade in range(1, 6)
            and _counts(puzzle.nodes)
            and (puzzle.moves is None or _counts(puzzle.moves))
            and isinstance(puzzle.source, str)
        )
        if not right:
            raise ValueError
    except (KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"line {record[0].number}: the record that begins here holds no puzzle") from error
    return puzzle


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
