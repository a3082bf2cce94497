"""Ambiguous JSON is refused; records have one grammar, and may begin with a BOM."""

from __future__ import annotations

import json
import time

import pytest

import dasan
from dasan.errors import BadRecord
from dasan.games import PRESETS
from dasan.strict_json import NotJson, parse


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"a": 1, "a": 2}', "says 'a' twice"),
        ('[{"b": {"a": 1, "a": 1}}]', "says 'a' twice"),
        ('"\\ud800"', "UTF-8 cannot write"),
        ('{"\\uDFFF": 1}', "UTF-8 cannot write"),
        ('"\ud800"', "UTF-8 cannot write"),
        (b'"\xff"', "UTF-8 cannot write"),
        ("NaN", "is not JSON"),
        ('{"a": 1e999}', "has a number that is too large: 1e999"),
        ("[-1E+400]", "too large"),
        ("[" * 100_000, "is not JSON"),
        ("", "is not JSON"),
    ],
)
def test_what_readers_would_read_differently_is_refused(text: str | bytes, sentence: str) -> None:
    with pytest.raises(NotJson, match=sentence):
        parse(text)


def test_a_repeated_key_among_thousands_is_found_at_once() -> None:
    """One message of 64 kB took two seconds, in which the server did nothing else."""
    keys = ",".join(f'"{n}":0' for n in [*range(30_000), 29_999])
    begun = time.process_time()
    with pytest.raises(NotJson, match="says '29999' twice"):
        parse(f"{{{keys}}}")
    assert time.process_time() - begun < 2


def test_a_pair_of_surrogates_is_one_character_and_a_bom_is_skipped() -> None:
    assert parse('"\\ud83d\\ude00"') == "\N{GRINNING FACE}"
    assert parse('\ufeff{"a": 1}') == parse(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def begun() -> dasan.State:
    state = dasan.deal(dasan.rules("big-two"), seed=1, dealer=0)
    return state.play(state.legal_moves()[0])


def test_a_record_may_begin_with_a_byte_order_mark() -> None:
    text = begun().record()
    assert dasan.replay("\ufeff" + text) == dasan.replay(text)


@pytest.mark.parametrize("written", ["suit first", "10", "lower case", "comma", "two spaces"])
@pytest.mark.parametrize("kind", ["deal", "play"])
def test_deals_and_events_have_one_grammar(kind: str, written: str) -> None:
    """That of the JSON Schema: rank then suit, one space between two cards."""

    def another(text: str) -> str:
        match written:
            case "suit first":
                return text[1] + text[0] + text[2:]
            case "10":
                return text.replace("T", "10")
            case "lower case":
                return text.lower()
            case "comma":
                return text.replace(" ", ", ") if " " in text else text + ","
        return text.replace(" ", "  ") if " " in text else text + " "

    header, *lines = (json.loads(line) for line in begun().record().splitlines())
    line = next(line for line in lines if line["type"] == kind)
    if kind == "deal":
        line["hands"] = [another(hand) for hand in line["hands"]]
    else:
        line["cards"] = [another(card) for card in line["cards"]]
        if written == "10":
            line["cards"] = ["10D"]
    with pytest.raises(BadRecord):
        dasan.replay("\n".join(map(json.dumps, [header, *lines])))


def test_a_seats_name_is_text_that_utf_8_can_write() -> None:
    rules = dasan.rules("big-two")
    with pytest.raises(ValueError, match="lone surrogate"):
        dasan.session(rules, seed=1, seats=[{"name": "\ud800"}])
    record = dasan.session(rules, seed=1, seats=[{"name": "Ann"}]).record()
    with pytest.raises(BadRecord, match="UTF-8"):
        dasan.replay(record.replace('"Ann"', '"\\ud800"'))


def test_every_switch_of_every_preset_takes_the_words_on_and_off() -> None:
    """Also with the preset's own method, which HTTP uses."""
    switches = 0
    for preset in PRESETS.values():
        for option in preset.options:
            if isinstance(option.default, bool):
                word = "on" if option.default else "off"
                assert preset.rules({option.name: word}) == preset.rules({option.name: option.default})
                switches += 1
    assert switches > 20
