"""Which names people may have: visible, and each word in one script; and which names look alike.

Two names are alike if they share a key. Keys come from Unicode's data on confusable characters (UTS #39,
``confusables.txt`` here) and its case folding. Scripts come from fontTools; mixing them in one word follows UTS #39,
*Highly Restrictive*: one script, or Latin with the scripts of Chinese, Japanese or Korean.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from fontTools.unicodedata import script, script_extension

from dasan.reasons import reason
from dasan.server.refusals import Refused

LONGEST_NAME = 32
MOST_ALIKE = 9
"""The highest number appended to a name that somebody else has."""
MOST_MARKS = 4
"""The most nonspacing marks on one letter, as UTS #39 advises: no language needs more."""
MOST_ACCENTS = 2
"""The most accents on one letter, after composition."""
JOINER, NON_JOINER, EMOJI_STYLE = "\u200d", "\u200c", "\ufe0f"
KEYCAP = re.compile("[0-9#*]\ufe0f\u20e3")
VIRAMA = 9
"""The combining class of the marks that join two Indic consonants (viramas); a joiner may follow them."""
CURSIVE = frozenset({"Arab", "Syrc", "Mong", "Nkoo", "Mand"})
"""Cursive scripts, in which a non-joiner may separate letters, as in Persian."""
INVISIBLE = ("FILLER", "BLANK", "VARIATION SELECTOR", "JOINER", "INHERENT", "INVISIBLE")
"""Words in the Unicode names of invisible characters whose category is letter, mark or symbol."""
ANY_SCRIPT = frozenset({"Zyyy", "Zinh", "Zzzz"})
ACCENTED = ANY_SCRIPT | {"Latn", "Grek", "Cyrl"}
TOGETHER = (
    frozenset({"Latn", "Hani", "Hira", "Kana"}),
    frozenset({"Latn", "Hani", "Bopo"}),
    frozenset({"Latn", "Hani", "Hang"}),
)
"""Scripts that one word may mix."""


def clean_name(name: str) -> str:
    """The displayed form of ``name``: one line, single spaces. ``Refused``: it is unreadable or misleading.

    >>> clean_name("  大三   player "), clean_name("Zoe\u0301")
    ('大三 player', 'Zoé')
    """
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text or len(text) > LONGEST_NAME or not _visible(text):
        raise Refused("malformed", reason("name", n=LONGEST_NAME))
    if not all(map(_one_script, text.split())):
        raise Refused("malformed", reason("name.scripts"))
    return text


def clean_label(text: str) -> str:
    """A private label as one short line without control characters; empty if nothing is left.

    >>> clean_label("  Ann's   iPhone 🔑")
    "Ann's iPhone 🔑"
    """
    return unicodedata.normalize("NFC", one_line(text))[:LONGEST_NAME].strip()


def one_line(text: str) -> str:
    """The text as one line, without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def numbered(name: str) -> tuple[str, ...]:
    """The name with numbers from 2, for somebody who cannot have the name alone.

    >>> numbered("Ann")[:2], len(numbered("x" * 32)[0])
    (('Ann 2', 'Ann 3'), 32)
    """
    return tuple(f"{name[: LONGEST_NAME - 2].rstrip()} {number}" for number in range(2, MOST_ALIKE + 1))


def _visible(text: str) -> bool:
    """Whether every character is visible, and none hides, reverses or covers the text around the name."""
    text = KEYCAP.sub("0", text)
    marks: list[str] = []
    shown = False
    for at, character in enumerate(text):
        if character in (JOINER, NON_JOINER, EMOJI_STYLE):
            if not _joins(text, at):
                return False
            continue
        category = unicodedata.category(character)
        if category[0] == "M":
            marks.append(character)
            if at == 0 or _cover(marks):  # a leading mark would combine with the text before the name
                return False
        else:
            marks = []
        if category[0] == "C" or shows_nothing(character):
            return False
        shown = shown or category[0] in "LNS"
    return shown


def _cover(marks: Sequence[str]) -> bool:
    """Whether the marks of a letter cover it or the text around it: one encloses it, one is repeated, or there are too many."""
    categories = [unicodedata.category(mark) for mark in marks]
    return (
        "Me" in categories
        or len(set(marks)) < len(marks)
        or len(marks) > 2 * MOST_MARKS
        or categories.count("Mn") > MOST_MARKS
        or sum(map(_is_accent, marks)) > MOST_ACCENTS
    )


@lru_cache(4096)
def shows_nothing(character: str) -> bool:
    """Whether a character has no width or is blank."""
    names = unicodedata.name(character, "")
    return unicodedata.category(character) == "Cf" or any(word in names for word in INVISIBLE)


def plain(text: str) -> str:
    """The text without accents and invisible characters.

    >>> plain("Zoe\u0301 d\u0101r\ufe0fn\u3164"), plain("\u304c")
    ('Zoe darn', '\u304c')
    """
    if text.isascii():
        return text
    spelled = unicodedata.normalize("NFD", text)
    accents = {c for c in spelled if unicodedata.combining(c) and _is_accent(c)}
    return unicodedata.normalize("NFC", "".join(c for c in spelled if c not in accents and not shows_nothing(c)))


def _joins(text: str, at: int) -> bool:
    """Whether an invisible character changes the look of its neighbours."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if text[at] != EMOJI_STYLE and before and after and unicodedata.category(after)[0] == "L":
        if unicodedata.combining(before) == VIRAMA:
            return True
        letter = next((c for c in reversed(text[:at]) if unicodedata.category(c)[0] != "M"), "")
        if text[at] == NON_JOINER and letter and _scripts(letter) & _scripts(after) & CURSIVE:
            return True
    # Inside an emoji: after a pictograph; a joiner must also precede one.
    return text[at] != NON_JOINER and _pictures(before) and (text[at] == EMOJI_STYLE or _pictures(after))


def _pictures(character: str) -> bool:
    """Whether it is a pictograph, a skin tone, or the emoji variation selector."""
    return character != "" and (unicodedata.category(character) in ("So", "Sk") or character == EMOJI_STYLE)


@lru_cache(4096)
def _scripts(character: str) -> frozenset[str]:
    """The scripts that use the character, by their ISO codes."""
    return frozenset(script_extension(character))


def _is_accent(mark: str) -> bool:
    return script(mark) == "Zinh" and bool(_scripts(mark) & ACCENTED)


def _one_script(word: str) -> bool:
    """Whether the letters and marks are of one script, or of scripts commonly used together."""
    common: frozenset[str] | None = None
    every: list[frozenset[str]] = []
    for character in unicodedata.normalize("NFKC", word):
        if unicodedata.category(character)[0] in "LM":
            scripts = _scripts(character)
            if not scripts & ANY_SCRIPT:
                common = scripts if common is None else common & scripts
                every.append(scripts)
    return common != frozenset() or any(all(one & together for one in every) for together in TOGETHER)


@cache
def _alike() -> tuple[dict[int, str], tuple[tuple[str, str], ...]]:
    """(prototypes of confusable characters for ``str.translate``, sequences that look like one character)."""
    single: dict[int, str] = {}
    several: list[tuple[str, str]] = []
    for line in Path(__file__).with_name("confusables.txt").read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            source, target = ("".join(chr(int(code, 16)) for code in part.split()) for part in line.split(";"))
            if len(source) == 1:
                single[ord(source)] = target
            else:
                several.append((source, target))
    return single, tuple(several)


LETTERS = {first + n: chr(ord("A") + n) for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6) for n in range(26)}
"""Letters in squares and circles and regional indicators, with the letters that they show."""
STROKES, RINGS = "Il1|", "O0"
"""Latin letters and digits so similar that a word's other letters decide how they are read."""


def _shape(text: str) -> str:
    """The text in prototypes of confusable characters, ignoring case."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).translate(_alike()[0]))


def _latin(text: str) -> str:
    """The text with Latin letters in place of confusable ones; strokes and rings keep their case.

    >>> _latin("\u041c\u0406\u041a\u0415"), _latin("Ian")
    ('MIKE', 'Ian')
    """
    single, letters = _alike()[0], []
    for c in unicodedata.normalize("NFD", text):
        like = c if c.isascii() else single.get(ord(c), c)
        if like in ("1", "0") and c.isalpha():
            like = {"1": "I", "0": "O"}[like] if c.isupper() else {"1": "l", "0": "o"}[like]
        letters.append(like)
    return "".join(letters)


def _read(text: str) -> str:
    """Latin text as people read it: strokes and rings are I and O in words of capitals, l and o in others.

    >>> _read("ADMlN"), _read("AL1CE"), _read("AIice"), _read("H0ST"), _read("Ian"), _read("Mike 1")
    ('ADMIN', 'ALICE', 'Alice', 'HOST', 'Ian', 'Mike 1')
    """
    return " ".join(map(_read_word, text.split()))


def _read_word(word: str) -> str:
    others = [c for c in word if c.isalpha() and c not in STROKES + RINGS]
    if not others:
        return word
    # The first letter of a name is always a capital.
    capitals = all(c.isupper() for c in (others[1:] or others))
    begins = "" if capitals else word[0]
    stroke, ring = ("I", "O") if capitals else ("l", "o")
    rest = (stroke if c in STROKES else ring if c in RINGS else c for c in word[len(begins) :])
    return begins + "".join(rest)


def _key(text: str) -> str:
    """The letters, digits and marks of a form of a name, with confusable sequences replaced by one character."""
    text = unicodedata.normalize("NFD", text)
    for source, target in _alike()[1]:
        text = text.replace(source, target)
    return "".join(c for c in text if unicodedata.category(c)[0] in "LNM" and c != EMOJI_STYLE)[:64]


def keys(name: str) -> frozenset[str]:
    """The comparison keys of a name: names that look alike share one, ignoring case.

    >>> bool(keys("Alice") & keys("\u0410lice")), bool(keys("Alice") & keys("AIice")), bool(keys("Ann") & keys("Anna"))
    (True, True, False)
    >>> bool(keys("Alice") & keys("ALlCE")), bool(keys("Ian") & keys("lan")), bool(keys("Ian") & keys("Lan"))
    (True, True, False)
    """
    compared: set[str] = set()
    # A flag beside a name is not part of it, but a name may be spelled in regional indicators.
    for spelled in {name.translate(LETTERS), "".join(c for c in name if ord(c) not in LETTERS)}:
        whole = unicodedata.normalize("NFKC", spelled)
        latin = _latin(whole)
        forms = (_shape(whole), latin.casefold(), _read(latin).casefold(), _latin(whole.casefold()))
        compared |= {_key(form) for form in forms}
    return frozenset(compared - {""}) or frozenset({name.casefold()[:64]})


def bare_form(name: str) -> str:
    """The comparison form of reserved names: no accents, all strokes and rings alike.

    >>> bare_form("H0ST") == bare_form("hôst")
    True
    """
    latin = _latin(unicodedata.normalize("NFKC", name.translate(LETTERS))).casefold()
    plain = "".join(c for c in unicodedata.normalize("NFKD", latin) if not unicodedata.combining(c))
    return _key(plain.translate(str.maketrans("il1|o0", "lllloo")))
