"""The text of the clauses, read from the rule book.

The rule book is `docs/rules/*.md`, with one subfolder for each translation; an installed package carries both as
`dasan/clauses/`. A clause begins with its number, `**B3.15** Beating a play. …`, and ends before the next number or
heading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

from dasan.ruleset.rules import Rules

LANGUAGES = ("en", "zh-Hans", "zh-Hant", "fr")
"""The languages of the rule book. English is the original: a translation states the same clauses under the same ids."""

_START = re.compile(r"^\*\*([A-Z][A-Z0-9]*\.\d\d)\*\* ", re.MULTILINE)
_END = re.compile(r"^#", re.MULTILINE)
_TITLE = re.compile(r"[.。]")


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered clause. text: Markdown, its lists, tables and examples included, without the number."""

    id: str
    text: str

    @property
    def title(self) -> str:
        """The text up to the first full stop.

        >>> load()["B3.15"].title
        'Beating a play'
        """
        return _TITLE.split(self.text, maxsplit=1)[0]

    @property
    def body(self) -> str:
        """The text after the title."""
        return _TITLE.split(self.text, maxsplit=1)[-1].lstrip()


def parse(chapter: str) -> dict[str, Clause]:
    r"""The clauses of one chapter by id, in the order written.

    >>> parse("# Rules\n\n**G.01** First. Words.\n\n**G.02** Second. More.")["G.01"].text
    'First. Words.'
    """
    starts = list(_START.finditer(chapter))
    clauses: dict[str, Clause] = {}
    for i, start in enumerate(starts):
        end = starts[i + 1].start() if i + 1 < len(starts) else len(chapter)
        text = chapter[start.end() : end]
        heading = _END.search(text)
        clauses[start[1]] = Clause(start[1], text[: heading.start() if heading else None].strip())
    return clauses


_ADDED: dict[str, Clause] = {}
"""The clauses of games that other packages bring."""


def add(chapter: Mapping[str, Clause]) -> None:
    """Add the clauses of another package's game to the rule book; they read the same in every language.

    ValueError: a clause's id is taken.
    """
    book = known()
    for id, clause in chapter.items():
        if book.get(id, clause) != clause:
            raise ValueError(f"there is a clause {id} already")
    _ADDED.update(chapter)


def known(language: str = "en") -> Mapping[str, Clause]:
    """Every clause by id, including added ones. Errors as for `load`."""
    return {**_ADDED, **load(language)}


def in_force(rules: Rules, language: str = "en") -> tuple[Clause, ...]:
    """The clauses that `rules` names, in its order, in one of `LANGUAGES`.

    >>> import dasan
    >>> [clause.id for clause in in_force(dasan.rules("big-three-4p"))][:2]
    ['B4.01', 'B4.02']
    """
    book = known(language)
    return tuple(book[id] for id in rules.clauses)


@cache
def load(language: str = "en") -> Mapping[str, Clause]:
    """Every clause of every chapter of dasan's own by id, in one of `LANGUAGES`.

    ValueError: the rule book does not exist in this language. FileNotFoundError: the installation lacks the rule book.
    """
    if language not in LANGUAGES:
        raise ValueError(f"the rule book exists in {', '.join(LANGUAGES)}, not in {language!r}")
    folder = _folder() if language == "en" else _folder() / language
    clauses: dict[str, Clause] = {}
    for chapter in sorted(folder.iterdir(), key=lambda path: path.name):
        if chapter.name.endswith(".md"):
            clauses |= parse(chapter.read_text(encoding="utf-8"))
    return MappingProxyType(clauses)


def _folder() -> Traversable:
    installed = files("dasan") / "clauses"
    if installed.is_dir():
        return installed
    repository = Path(__file__).parents[3] / "docs" / "rules"
    if repository.is_dir():
        return repository
    raise FileNotFoundError("this installation of dasan has no rule book")
