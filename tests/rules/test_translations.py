"""Each translation of the rule book states the same clauses: ids, order, options, values, cards and references."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tests.rules.test_every_clause_has_a_test import MARKED

import dasan
from dasan.ruleset import clauses

BOOK = Path(__file__).parents[2] / "docs" / "rules"
CHAPTERS = sorted(path.name for path in BOOK.glob("*.md") if path.name != "index.md")
LANGUAGES = [language for language in clauses.LANGUAGES if language != "en"]
EXACT = {
    "code": re.compile(r"`[^`]+`"),
    "reference": MARKED,
    "card": re.compile(r"(?:10|[2-9AJQK])[♦♣♥♠]"),
    "run": re.compile(r"(?:10|[2-9AJQK])[♦♣♥♠]?(?:-(?:10|[2-9AJQK])){1,}"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_translation_has_every_clause_in_order(language: str, chapter: str) -> None:
    english = clauses.parse((BOOK / chapter).read_text(encoding="utf-8"))
    translated = clauses.parse((BOOK / language / chapter).read_text(encoding="utf-8"))
    assert list(translated) == list(english)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("what", EXACT)
def test_a_translation_keeps_what_needs_no_translation(language: str, what: str) -> None:
    english, translated = clauses.load(), clauses.load(language)
    differing = {}
    for id, clause in english.items():
        ours, theirs = (set(EXACT[what].findall(text)) for text in (clause.text, translated[id].text))
        if ours != theirs:
            differing[id] = (ours - theirs, theirs - ours)
    assert differing == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_short_titles_and_its_own_words(language: str) -> None:
    english, translated = clauses.load(), clauses.load(language)
    titles = Counter(clause.title for clause in translated.values())
    assert all(0 < len(title) < 60 for title in titles)
    assert all(clause.text != english[id].text for id, clause in translated.items())


def test_clauses_in_force_come_in_each_language() -> None:
    rules = dasan.rules("big-three")
    for language in clauses.LANGUAGES:
        assert [clause.id for clause in clauses.in_force(rules, language)] == list(rules.clauses)
    with pytest.raises(ValueError, match="not in 'de'"):
        clauses.load("de")
