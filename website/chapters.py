"""Cards that are drawn in the pages of the site, the clauses and citations of the rules, and pages in several languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import relpath

LANGUAGES = {"en": "English", "fr": "Français", "zh-Hans": "简体中文", "zh-Hant": "繁體中文"}
"""The languages of the rules and of the player's page; English lies in their folder, the others in folders of their own."""

CHAPTERS = {
    "B3": "big-three",
    "B4": "big-three-four",
    "D2": "big-two",
    "DD": "dou-dizhu",
    "W": "winner",
    "G": "every-game",
    "H": "house-rules",
}
"""The page that holds a clause, by the beginning of its number."""


MOST_IN_A_LINE = 9
"""A combination stays on one line; a longer order of ranks may be broken."""

SUITED = re.compile(r"(?<![\w-])(?:10|[2-9JQKA])[♦♣♥♠](?:[ -](?:10|[2-9JQKA])[♦♣♥♠])*(?![\w-])")
"""One card, or several that are named together: `4♥`, `10♠ J♠ Q♠`."""

_RANK = r"(?:10|[2-9JQKA])"
_CARD = rf"{_RANK}[♦♣♥♠]?"
CARDS = re.compile(
    rf"(?<![\w♦♣♥♠-])(?:{_CARD}(?:-{_CARD})+|{_RANK}[♦♣♥♠](?: {_RANK}[♦♣♥♠])*|{_RANK}(?: {_RANK}){{4,}})(?![\w♦♣♥♠-])",
    re.ASCII,
)
"""The same; and without suits, as in the chapters of the rules, combinations and orders of ranks: `9-10-J`, `3 4 5 6 7`."""

CLAUSE_BEGINS = re.compile(rf"<p><strong>((?:{'|'.join(CHAPTERS)})\.\d\d)</strong>")
CLAUSE = re.compile(rf"\b({'|'.join(CHAPTERS)})\.\d\d\b", re.ASCII)
SUITS = {"♦": "diamond", "♣": "club", "♥": "heart", "♠": "spade"}
TAG = re.compile(r"(<[^>]*>)")
VERBATIM = re.compile(r"</?(code|pre|a|h1|script|style)\b")


def drawn(html: str) -> str:
    """A page with its cards drawn."""
    return _in_text(html, lambda text: SUITED.sub(_drawn, text))


def chapter(html: str, here: str, language: str) -> str:
    """A chapter of the rules, at the path ``here`` of `docs/`: cards drawn, clauses linked, the other languages offered."""
    html = CLAUSE_BEGINS.sub(r'<p class="clause" id="\1"><a href="#\1">\1</a>', html)
    html = _in_text(
        html, lambda text: CLAUSE.sub(lambda found: _link(found[0], here, language), CARDS.sub(_drawn, text))
    )
    return in_language(html, here, language)


def in_language(html: str, here: str, language: str) -> str:
    """A page in one of the languages, at the path ``here`` of `docs/`, that offers the others below its title."""
    if language == "fr":
        html = _in_text(html, _french)
    html = html.replace("</h1>", "</h1>\n" + _switch(here, language), 1)
    return html if language == "en" else f'<div lang="{language}">\n{html}\n</div>'


def language_of(path: str) -> str | None:
    """The language of a page that exists in all of them; None for any other page."""
    match path.split("/"):
        case ["rules", _] | ["start", "player.md"]:
            return "en"
        case ["rules", language, _] | ["start", language, "player.md"]:
            return language
    return None


def _french(text: str) -> str:
    """French text with typographic apostrophes, and with no-break spaces where a line must not end."""
    return re.sub(" (?=[:;!?»%])", "\u00a0", text).replace("« ", "«\u00a0").replace("'", "\u2019")


def _in_text(html: str, change: Callable[[str], str]) -> str:
    """HTML with ``change`` made in its text, but not in code, links and titles."""
    return "".join(part if verbatim else change(part) for part, verbatim in _parts(html))


def _parts(html: str) -> Iterator[tuple[str, bool]]:
    """The tags and texts of ``html`` in order, each with whether it is to stay as it is."""
    depth = 0
    for part in TAG.split(html):
        if part.startswith("<"):
            if VERBATIM.match(part):
                depth += -1 if part.startswith("</") else 1
            yield part, True
        else:
            yield part, depth > 0


def _drawn(found: re.Match[str]) -> str:
    """Cards as spans that the stylesheet draws, and that a screen reader and a search read as before."""
    text = found[0]
    cards = re.split(r"[ -]", text)
    spans = []
    for card in cards:
        rank, suit = (card[:-1], card[-1]) if card[-1] in SUITS else (card, "")
        pip = f"<i>{suit}</i>" if suit else ""
        spans.append(f'<span class="card {SUITS.get(suit, "plain")}">{rank}{pip}</span>')
    if len(cards) <= MOST_IN_A_LINE:
        return f'<span class="cards">{"".join(spans)}</span>'
    return f'<span class="cards long">{"&#8203;".join(spans)}</span>'


def _link(clause: str, here: str, language: str) -> str:
    """A link to a clause, in the language of the page that cites it."""
    chapter = CHAPTERS[clause.partition(".")[0]]
    return f'<a class="cites" href="{_way(here, _path("rules", chapter, language))}#{clause}">{clause}</a>'


def _switch(here: str, language: str) -> str:
    """Links to the same page in the other languages; the index of the rules is written in English alone."""
    room, *_, file = here.split("/")
    name = file.removesuffix(".md")
    items = []
    for other, title in LANGUAGES.items():
        target = _path(room, "big-three" if name == "index" and other != "en" else name, other)
        current = ' aria-current="page"' if other == language else ""
        items.append(f'<a lang="{other}" hreflang="{other}" href="{_way(here, target)}"{current}>{title}</a>')
    return f'<nav class="languages" aria-label="Language">{"".join(items)}</nav>'


def _path(room: str, name: str, language: str) -> str:
    """The path of a page in `docs/`."""
    return f"{room}/{name}.md" if language == "en" else f"{room}/{language}/{name}.md"


def _way(here: str, target: str) -> str:
    """The relative address of ``target`` from the page ``here``, both as paths in `docs/`."""
    return relpath(_address(target), _address(here)) + "/"


def _address(path: str) -> str:
    stem = path.removesuffix(".md")
    return "./" + (stem.removesuffix("index") if stem.endswith("index") else stem)
