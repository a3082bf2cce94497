"""The page for players says the same in each language, and names controls and keys as the browser table does."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dasan.ruleset import clauses

ROOT = Path(__file__).parents[2]
START = ROOT / "docs" / "start"
ENGLISH = (START / "player.md", ROOT / "docs" / "guide" / "table.md")
"""The two pages that a translation joins."""
TRANSLATIONS = [language for language in clauses.LANGUAGES if language != "en"]


class Page(NamedTuple):
    """What a document holds: the kinds of its blocks, its bold words, code, keys and links."""

    blocks: list[str]
    labels: list[str]
    commands: list[str]
    keys: list[str]
    links: list[str]


def words(tokens: list[Token]) -> str:
    """The text of inline tokens, with one kind of space."""
    return " ".join("".join(token.content or " " for token in tokens).split())


def read(path: Path) -> Page:
    """A document as GitHub reads it."""
    page = Page([], [], [], [], [])
    for token in MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8")):
        if token.nesting == 1:
            page.blocks.append(token.tag)
        if token.type == "fence":
            lines = (line.partition("#")[0].strip() for line in token.content.splitlines())
            page.commands.extend(line for line in lines if line.startswith("$"))
        children = token.children or []
        for i, child in enumerate(children):
            if child.type == "strong_open":
                end = next(j for j in range(i, len(children)) if children[j].type == "strong_close")
                page.labels.append(words(children[i + 1 : end]))
            elif child.type == "code_inline":
                (page.keys if page.blocks[-1] == "td" else page.commands).append(child.content)
            elif child.type == "link_open":
                page.links.append(str(child.attrs["href"]))
    return page


@cache
def pages(language: str) -> tuple[Page, ...]:
    return tuple(map(read, ENGLISH if language == "en" else [START / language / "player.md"]))


def labels(language: str) -> set[str]:
    return set(chain.from_iterable(page.labels for page in pages(language)))


@cache
def catalogue(language: str) -> dict[str, str]:
    """The texts of the browser table without plural forms."""
    text = (ROOT / "web" / "src" / "i18n" / f"{language}.json").read_text(encoding="utf-8")
    return {key: value for key, value in json.loads(text).items() if isinstance(value, str)}


def keys_of(language: str, label: str) -> set[str]:
    return {key for key, text in catalogue(language).items() if text == label}


@pytest.mark.parametrize("language", clauses.LANGUAGES)
def test_the_controls_that_a_page_names_exist(language: str) -> None:
    assert {label for label in labels(language) if not keys_of(language, label)} == set()


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_names_the_same_controls(language: str) -> None:
    named = {key for label in labels(language) for key in keys_of(language, label)}
    english = {key for label in labels("en") for key in keys_of("en", label)}
    assert {label for label in labels("en") if not keys_of("en", label) & named} == set()
    assert {label for label in labels(language) if not keys_of(language, label) & english} == set()


@pytest.mark.parametrize("language", clauses.LANGUAGES)
def test_the_keys_are_those_of_the_settings(language: str) -> None:
    settings = (ROOT / "web" / "src" / "panel" / "Settings.svelte").read_text(encoding="utf-8")
    keys = re.findall(r"\['([^']+)', 'keys\.\w+'\]", settings)
    assert sorted(chain.from_iterable(page.keys for page in pages(language))) == sorted(keys)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_same_sections_and_commands(language: str) -> None:
    [page], [first] = pages(language), pages(TRANSLATIONS[0])
    assert page.blocks == first.blocks
    assert page.blocks.count("h2") == sum(one.blocks.count("h2") for one in pages("en"))
    assert sorted(page.commands) == sorted(chain.from_iterable(one.commands for one in pages("en")))


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_leads_to_the_rules_in_its_language(language: str) -> None:
    [page], [first] = pages(language), pages(TRANSLATIONS[0])
    assert sorted(page.links) == sorted(link.replace(f"/{TRANSLATIONS[0]}/", f"/{language}/") for link in first.links)
    rules = [link for link in page.links if "/rules/" in link]
    assert rules
    assert all(link.startswith(f"../../rules/{language}/") for link in rules)
    for link in page.links:
        assert (START / language / link.partition("#")[0]).is_file(), link


def test_the_first_pages_lead_to_every_translation() -> None:
    for path in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        targets = {(path.parent / link.partition("#")[0]).resolve() for link in read(path).links}
        assert {START / language / "player.md" for language in TRANSLATIONS} <= targets
