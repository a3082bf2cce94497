"""Every refusal that a player can get has an id, and the page words it in each of its languages."""

from __future__ import annotations

import ast
import json
import pickle
import re
from pathlib import Path
from typing import get_args

import pytest

import dasan
from dasan.bots import ABOUT
from dasan.games import PRESETS
from dasan.reasons import SENTENCES, Sentence, reason
from dasan.server.protocol.messages import error_message
from dasan.server.refusals import ErrorCode, Refused

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "dasan"
LANGUAGES = sorted((ROOT / "web" / "src" / "i18n").glob("*.json"))
FOR_PROGRAMS = {"malformed"}
"""Codes for requests that the page never sends: only programs get them, in English."""


def holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_the_page_words_every_sentence() -> None:
    """All four catalogues have each id, use only values that the server sends, and the English one matches the
    server's sentence.
    """
    assert len(LANGUAGES) == 4
    for path in LANGUAGES:
        words = json.loads(path.read_text(encoding="utf-8"))
        said_here = {key.removeprefix("refusal."): text for key, text in words.items() if key.startswith("refusal.")}
        assert SENTENCES.keys() <= said_here.keys(), path.stem
        assert all(holes(said_here[id]) <= holes(text) for id, text in SENTENCES.items()), path.stem
        assert {f"code.{code}" for code in get_args(ErrorCode)} - {"code.illegal", "code.bad-record"} <= said_here.keys()
        if path.stem == "en":
            assert {id: said_here[id] for id in SENTENCES} == SENTENCES


def test_the_page_explains_every_option_game_and_bot() -> None:
    """In three languages; in English the page shows the option's own help, the preset's own summary and what the bot's own
    code says of it.
    """
    options = {option.name for preset in PRESETS.values() for option in preset.options}
    explained = {*(f"help.{name}" for name in options), *(f"about.{name}" for name in PRESETS)}
    explained |= {f"bot.{name}.about" for name in ABOUT}
    for path in LANGUAGES:
        words = json.loads(path.read_text(encoding="utf-8"))
        translated = {key for key in words if re.match(r"(help|about)\.|bot\..+\.about$", key)}
        assert translated == (set() if path.stem == "en" else explained), path.stem
        assert {f"option.{name}" for name in options} <= words.keys(), path.stem


def test_the_page_names_every_choice() -> None:
    """By `choice.CHOICE`, or by `choice.OPTION.CHOICE` where options share a word; numbers need no name."""
    options = {option for preset in PRESETS.values() for option in preset.options}
    for path in LANGUAGES:
        words = json.loads(path.read_text(encoding="utf-8"))
        named = (
            (option.name, choice) for option in options for choice in option.choices or () if isinstance(choice, str)
        )
        unnamed = {f"choice.{choice}" for name, choice in named if f"choice.{name}.{choice}" not in words}
        assert unnamed <= words.keys(), path.stem


def test_every_refusal_takes_its_sentence_from_the_catalogue() -> None:
    """No refusal of the games and the server is a plain string, except those with codes for programs."""
    plain = []
    for folder in ("play", "ruleset", "server"):
        for path in sorted((SOURCES / folder).rglob("*.py")):
            if path.name == "health.py":  # for hosts and their monitors
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                at = {"IllegalPlay": 0, "Ambiguous": 0, "Refused": 1}.get(name)
                if at is None or len(node.args) <= at or not isinstance(node.args[at], ast.Constant | ast.JoinedStr):
                    continue
                code = node.args[0]
                if not (at == 1 and isinstance(code, ast.Constant) and code.value in FOR_PROGRAMS):
                    plain.append(f"{path.relative_to(SOURCES)}:{node.lineno}")
    assert not plain, plain


def test_every_sentence_is_said_somewhere() -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py") if path.name != "reasons.py")
    assert [id for id in SENTENCES if f'"{id}"' not in written] == []


def test_a_refusal_keeps_its_values_on_the_wire() -> None:
    state = dasan.start(
        dasan.rules("big-three"), ["6D 7C", "6H QH", "7S KS"], bidder=0, table="8S", table_seat=2, to_act=0
    )
    with pytest.raises(dasan.IllegalPlay) as refused:
        state.play("7C")
    sent = error_message("illegal", refused.value.message, refused.value.clause).model_dump()
    assert sent["message"] == "7C does not beat 8S: a single must be higher than the single on the table"
    assert sent["wording"] == {
        "id": "higher",
        "values": {"cards": "7C", "theirs": "8S", "kind": "single", "other": "single"},
    }
    assert error_message("malformed", "what only a program says").wording is None


def test_a_sentence_travels_between_processes() -> None:
    sentence = pickle.loads(pickle.dumps(Refused("illegal", reason("not-ready", name="Ada")))).message
    assert isinstance(sentence, Sentence)
    assert (sentence, sentence.id, sentence.values) == ("Ada is not ready yet", "not-ready", {"name": "Ada"})
    with pytest.raises(KeyError):
        reason("not-ready")
