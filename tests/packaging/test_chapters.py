"""The documentation site: drawn cards, the linked clauses of the rule book, pages in four languages."""

from __future__ import annotations

import re
from pathlib import Path

from website.chapters import LANGUAGES, chapter, drawn, in_language, language_of

from dasan.ruleset.clauses import load

BOOK = Path(__file__).parents[2] / "docs"


def shown(html: str) -> list[str]:
    """The drawn groups of cards, each in words."""
    groups = re.findall(r'<span class="cards(?: long)?">(.*?)</span></span>', html)
    return [" ".join(re.sub("<.*?>", "", card) for card in group.split("</span>")) for group in groups]


def test_cards_are_drawn_and_code_is_not() -> None:
    html = drawn("<p>10♠ J♠ beats 4♥, in <code>4♥</code>; <a href='#'>2♦</a> and 4-5-6 stay.</p>")
    assert shown(html) == ["10♠ J♠", "4♥"]
    assert "<code>4♥</code>" in html
    assert "4-5-6" in html


def test_combinations_without_suits_are_drawn_in_the_rules() -> None:
    html = chapter(
        "<h1>T</h1><p>4♣-5-6 beats 3-4-5; 5-5; ranks 3 4 5 6 7; 16 cards, 2 to 10.</p>", "rules/winner.md", "en"
    )
    assert shown(html) == ["4♣ 5 6", "3 4 5", "5 5", "3 4 5 6 7"]


def test_french_signs_stay_on_the_line_of_their_word() -> None:
    page = "<h1>T</h1><p>L'as : « oui » ; <code>cut</code> : l'an. <code>a : 'b'</code></p>"
    html = chapter(page, "rules/fr/winner.md", "fr")
    said = "L\u2019as\u00a0: «\u00a0oui\u00a0»\u00a0; <code>cut</code>\u00a0: l\u2019an. <code>a : 'b'</code>"
    assert f"<p>{said}</p>" in html
    assert "<p>L'as : « oui »" in chapter(page, "rules/winner.md", "en")


def test_every_clause_has_a_place_and_every_citation_leads_to_one() -> None:
    places, citations = set(), set()
    for path in sorted(BOOK.glob("rules/**/*.md")):
        here = path.relative_to(BOOK).as_posix()
        language = language_of(here)
        assert language is not None
        text = re.sub(r"^\*\*(.*?)\*\*", r"<p><strong>\1</strong>", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        html = chapter("<h1>T</h1>\n" + text, here, language)
        folder = Path("/", here.removesuffix(".md").removesuffix("index"))
        places |= {f"{folder}#{clause}" for clause in re.findall(r'<p class="clause" id="(.*?)"', html)}
        for target, clause in re.findall(r'<a class="cites" href="(.*?)/#(.*?)"', html):
            citations.add(f"{(folder / target).resolve()}#{clause}")
        others = re.findall(r'hreflang="(.*?)" href="(.*?)/"', html)
        assert [other for other, _ in others] == list(LANGUAGES)
        for _, target in others:
            name = (folder / target).resolve().relative_to("/").as_posix()
            assert (BOOK / f"{name}.md").exists() or (BOOK / name / "index.md").exists(), target
    assert citations <= places
    assert len(places) == len(LANGUAGES) * len(load())


def test_the_players_page_leads_to_its_other_languages() -> None:
    for language in LANGUAGES:
        here = "start/player.md" if language == "en" else f"start/{language}/player.md"
        assert language_of(here) == language
        html = in_language("<h1>T</h1>", here, language)
        folder = Path("/", here.removesuffix(".md"))
        pages = {(folder / target).resolve() for target in re.findall(r'hreflang=".*?" href="(.*?)/"', html)}
        assert pages == {Path("/start", "" if other == "en" else other, "player") for other in LANGUAGES}
    assert language_of("start/host.md") is None
    assert language_of("index.md") is None
