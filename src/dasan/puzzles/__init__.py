"""Puzzles of Big Three and Dou Dizhu: positions with open hands in which one move wins and every other loses.

`load` returns the puzzles in the package, `generate` makes new ones, `read` and `write` convert them from and to
climb/1, `flaws` verifies a puzzle, and `regraded` grades it again. Importing this package loads no compiled code.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from dasan.arguments import instance, whole
from dasan.puzzles.generate import GAMES, generate
from dasan.puzzles.making import flaws, regraded
from dasan.puzzles.puzzle import Puzzle, of_record, read, write
from dasan.puzzles.themes import THEMES

SHELVES = ("puzzles.jsonl", "dou-dizhu.jsonl")
"""The files of puzzles in the package."""


def load(
    *, game: str | None = None, theme: str | None = None, grade: int | None = None, players: int | None = None
) -> tuple[Puzzle, ...]:
    """The puzzles that come with the package: all, or those of a game (see `GAMES`), a theme, a grade or a number of players.

    >>> puzzle = load(theme="refusing", players=3)[0]
    >>> str(puzzle.key), len(load()) >= 500
    ('pass', True)
    """
    game = None if game is None else instance(game, str, "a game is text")
    theme = None if theme is None else instance(theme, str, "a theme is text")
    grade = None if grade is None else whole(grade, "grade")
    players = None if players is None else whole(players, "players")
    themes = None if theme is None else (theme,)
    return tuple(
        puzzle for puzzle in _shipped() if puzzle.matches(game=game, themes=themes, grade=grade, players=players)
    )


@lru_cache(maxsize=1)
def _shipped() -> tuple[Puzzle, ...]:
    return tuple(
        puzzle for name in SHELVES for puzzle in read(files(__name__).joinpath(name).read_text(encoding="utf-8"))
    )


__all__ = ["GAMES", "THEMES", "Puzzle", "flaws", "generate", "load", "of_record", "read", "regraded", "write"]
