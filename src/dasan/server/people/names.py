"""Which names people may have: visible, in one script, and like no account's, bot's or host's.

Two names are alike if they have a key in common. Keys come from Unicode's data on characters that look alike (UTS #39,
``confusables.txt`` here) and from its case folding. Mixing scripts follows UTS #39, *Highly Restrictive*: one script, or Latin
with the scripts of Chinese, Japanese or Korean.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

from dasan.bots import BOTS, CHARACTERS
from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.tables.chairs import NAMES

LONGEST_NAME = 32
MOST_MARKS = 2
"""Combining marks on one letter, after composition."""
JOINER, EMOJI_STYLE = "\u200d", "\ufe0f"
INVISIBLE = ("FILLER", "BLANK", "VARIATION SELECTOR", "JOINER", "INHERENT", "INVISIBLE")
"""Words in the Unicode names of characters that show nothing, though their category is that of a letter, mark or symbol."""
TOGETHER = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
"""Scripts that one name may mix."""
RESERVED = (
    *("admin", "administrator", "root", "system", "server", "host", "moderator", "mod", "staff", "support", "official"),
    *("dasan", "bot", "me", "open", "everybody", "nobody", "former player", "spectator"),
    *(
        "hôte",
        "modérateur",
        "administrateur",
        "serveur",
        "管理员",
        "管理員",
        "系统",
        "系統",
        "房主",
        "主持人",
        "客服",
        "官方",
    ),
)
"""Names of those who run a server, and words with a meaning of their own."""


def clean_name(name: str) -> str:
    """``name`` as it is shown: one line, single spaces. ``Refused`` if nobody could read it, or take it for what it is.

    >>> clean_name("  大三   player "), clean_name("Zoe\u0301")
    ('大三 player', 'Zoé')
    """
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text or len(text) > LONGEST_NAME or not _visible(text):
        raise Refused("malformed", reason("name", n=LONGEST_NAME))
    if not _one_script(text):
        raise Refused("malformed", reason("name.scripts"))
    return text


def _visible(text: str) -> bool:
    """Whether every character shows itself, and nothing hides, reverses or covers what stands around the name."""
    marks, shown = 0, False
    for at, character in enumerate(text):
        category = unicodedata.category(character)
        if category[0] == "M" and character != EMOJI_STYLE:
            marks += 1
            # An enclosing mark covers its letter; a first mark would stand on what is before the name.
            if at == 0 or category == "Me" or marks > MOST_MARKS:
                return False
        else:
            marks = 0
        if character in (JOINER, EMOJI_STYLE):
            # Only inside an emoji: after a pictograph, and a joiner before one too.
            if at == 0 or not _pictures(text[at - 1]) or (character == JOINER and not _pictures(text[at + 1 : at + 2])):
                return False
        elif category[0] == "C" or any(word in unicodedata.name(character, "") for word in INVISIBLE):
            return False
        shown = shown or category[0] in "LNS"
    return shown


def _pictures(character: str) -> bool:
    """Whether it is a pictograph, a skin tone, or the sign that makes one a picture."""
    return character != "" and (unicodedata.category(character) in ("So", "Sk") or character == EMOJI_STYLE)


def _one_script(text: str) -> bool:
    """Whether the letters are of one script, or of scripts that are used together.

    The first word of a character's Unicode name is its script, once compatibility forms are resolved.
    """
    letters = [c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c)[0] == "L"]
    scripts = {unicodedata.name(c, "UNNAMED").split()[0].partition("-")[0] for c in letters}
    scripts -= {"MODIFIER", "FULLWIDTH", "HALFWIDTH", "FEMININE", "MASCULINE"}
    return len(scripts) <= 1 or any(scripts <= together for together in TOGETHER)


@cache
def _alike() -> tuple[dict[int, str], tuple[tuple[str, str], ...]]:
    """Characters with their stand-ins, for ``str.translate``; and sequences that look like one character."""
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


def _skeleton(text: str) -> str:
    single, several = _alike()
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).translate(single))
    for source, target in several:
        text = text.replace(source, target)
    return "".join(c for c in text if c.isalnum())


def keys(name: str) -> frozenset[str]:
    """The forms in which names are compared: names that look alike have one in common, whatever their case.

    >>> bool(keys("Alice") & keys("\u0410lice")), bool(keys("Alice") & keys("AIice")), bool(keys("Ann") & keys("Anna"))
    (True, True, False)
    """
    whole = unicodedata.normalize("NFKC", name)
    skeletons = {_skeleton(whole.casefold()), _skeleton(_skeleton(whole).casefold())} - {""}
    return frozenset(key[:64] for key in skeletons) or frozenset({whole.casefold()[:64]})


@cache
def _alike_to(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(key for name in names for key in keys(name))


@cache
def _of_bots() -> frozenset[str]:
    return frozenset(name.casefold() for name in (*NAMES, *(one.name for one in CHARACTERS)))


def check_reserved(name: str, *, program: bool = False) -> None:
    """Raise ``Refused`` for a name like a bot's id or a host's, or the very name of a bot: people called Ian are not Lan.

    program: the seat says that a program plays, which may have the name of a bot.
    """
    mine = keys(name)
    if mine & _alike_to(RESERVED) or (not program and (mine & _alike_to(tuple(BOTS)) or name.casefold() in _of_bots())):
        raise Refused("illegal", reason("name.reserved"))
