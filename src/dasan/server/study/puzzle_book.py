"""The puzzles of the package, by id, theme and day."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import date
from functools import lru_cache
from math import gcd

from dasan import puzzles
from dasan.puzzles import GAMES, THEMES, Puzzle
from dasan.reasons import reason
from dasan.server.refusals import Refused

PAGE = 100


_LOADING = threading.Lock()


def book() -> dict[str, Puzzle]:
    """All puzzles by id, cached. Loading them takes seconds, in which threads with the same wish wait."""
    with _LOADING:
        return _book()


def is_loaded() -> bool:
    """Whether `book` has loaded the puzzles."""
    return _book.cache_info().currsize > 0


@lru_cache(maxsize=1)
def _book() -> dict[str, Puzzle]:
    return {puzzle.id: puzzle for puzzle in puzzles.load()}


def find(puzzle_id: str) -> Puzzle:
    """The puzzle with this id. ``Refused``: there is none."""
    puzzle = book().get(puzzle_id)
    if puzzle is None:
        raise Refused("not-found", reason("puzzle.none"))
    return puzzle


def chosen(game: str | None, theme: str | None, grade: int | None, players: int | None) -> tuple[Puzzle, ...]:
    """The matching puzzles. ``Refused``: there is no such game or theme."""
    if game is not None and game not in GAMES:
        raise Refused("malformed", f"there are no puzzles of {game[:40]!r}; there are of {', '.join(GAMES)}")
    if theme is not None and theme not in THEMES:
        raise Refused("malformed", f"there is no theme {theme[:40]!r}; there are {', '.join(THEMES)}")
    book()
    return puzzles.load(game=game, theme=theme, grade=grade, players=players)


def counted() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """The number of puzzles of each game, of each theme and of each grade."""
    games = Counter(puzzle.game for puzzle in book().values())
    themes = Counter(theme for puzzle in book().values() for theme in puzzle.themes)
    grades = Counter(str(puzzle.grade) for puzzle in book().values())
    return dict(games), dict(themes), dict(sorted(grades.items()))


def of_day(day: date) -> Puzzle:
    """The puzzle of a day, the same for everybody. No puzzle repeats before all have been used."""
    every = sorted(book())
    # A step coprime to the number of puzzles visits all of them.
    step = next(n for n in range(257, 257 + len(every)) if gcd(n, len(every)) == 1)
    return book()[every[day.toordinal() * step % len(every)]]
