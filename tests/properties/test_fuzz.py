"""Malformed, huge and hostile input: only our own errors, and soon (G.01, G.03)."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dasan
from dasan.cards import parse_cards
from dasan.ruleset.rules import Rules

STATES = [dasan.deal(dasan.rules(p), seed=1) for p in dasan.PRESETS]
PLAYING = [
    dasan.deal(dasan.rules("big-three"), seed=1).play("bid 3"),
    dasan.deal(dasan.rules("big-three-4p"), seed=1).play("bid 3"),
]
WORDS = ["bid", "call", "pass", "give", "offer", "take", "play", "4H", "10S", "RJ", "5", "2", "♥", "-", ",", "9" * 40]
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))


@given(TEXTS)
def test_cards(text: str) -> None:
    try:
        assert isinstance(parse_cards(text), tuple)
    except dasan.Malformed as error:
        assert len(str(error)) < 200


@given(TEXTS, st.sampled_from(STATES + PLAYING))
def test_moves(text: str, state: dasan.State) -> None:
    try:
        assert state.play(text) != state
    except dasan.DasanError as error:
        assert len(str(error)) < 300


@pytest.mark.parametrize("text", ["4H " * 100_000, "bid " + "9" * 100_000, "\x00" * 1_000_000, "♥\ufe0f" * 5000])
def test_huge_moves(text: str) -> None:
    began = time.process_time()
    for state in STATES:
        with pytest.raises(dasan.DasanError):
            state.play(text)
    assert time.process_time() - began < 5


def _records() -> list[str]:
    out = []
    for preset in ("big-three", "big-three-4p", "big-two", "winner"):
        rng = random.Random(preset)
        session = dasan.session(dasan.rules(preset), seed=4)
        for hand in range(2):
            while session.state.to_act is not None:
                session = session.play(rng.choice(session.state.legal_moves()))
            if hand == 0:
                session = session.next_hand()
        out.append(session.record())
    return out


RECORDS = _records()


@pytest.mark.parametrize("which", range(len(RECORDS)))
def test_damaged_records(which: int) -> None:
    """Take lines away, double and exchange them, cut the text off, change bytes: refused, or the same game."""
    text = RECORDS[which]
    lines = text.splitlines()
    rng = random.Random(which)
    game = dasan.replay(text)
    refused = 0
    for _ in range(60):
        changed = list(lines)
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                del changed[i]
            case 1:
                changed.insert(j, changed[i])
            case 2:
                changed[i], changed[j] = changed[j], changed[i]
            case 3:
                at = rng.randrange(len(changed[i]))
                changed[i] = changed[i][:at] + rng.choice('0123456789HSDC"{}[]?x') + changed[i][at + 1 :]
            case _:
                changed = [*changed[:i], changed[i][: rng.randrange(len(changed[i]))]]
        try:
            again = dasan.replay("\n".join(changed) + "\n")
        except dasan.BadRecord as error:
            refused += 1
            assert len(str(error)) < 400
        else:
            # What still reads is the same game, the beginning of it, or differs only in what proves the deal.
            assert again.record()[:60] == game.record()[:60]
    assert refused > 30


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=6))
def test_lines_of_any_json(lines: list[Any]) -> None:
    with pytest.raises(dasan.BadRecord):
        dasan.replay("\n".join(json.dumps(line) for line in lines))


@given(st.sampled_from(range(len(RECORDS))), st.integers(0, 30), st.data())
def test_fields_of_any_json(which: int, number: int, data: st.DataObject) -> None:
    """Any field of any line replaced by any JSON: refused, or read."""
    lines = [json.loads(line) for line in RECORDS[which].splitlines()]
    line = lines[number % len(lines)]
    field = data.draw(st.sampled_from(sorted(line)))
    line[field] = data.draw(JSON)
    try:
        dasan.replay("\n".join(json.dumps(each) for each in lines))
    except dasan.BadRecord as error:
        assert len(str(error)) < 400


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n" * 60_000,
        "[" * 100_000,
        '{"format":"climb/1"}',
        '{"format":"climb/1",' + '"a":1,' * 100_000 + '"b":2}',
        "9" * 100_000,
    ],
    ids=range(6),
)
def test_hostile_records(text: str) -> None:
    began = time.process_time()
    with pytest.raises(dasan.BadRecord):
        dasan.replay(text)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("players", 10**9),
        ("decks", 10**6),
        ("ranks", "3" * 10**5),
        ("suits", ""),
        ("hand_size", -1),
        ("shapes", []),
        ("stake_chips", 10**30),
        ("auction", {"top": 10**9}),
    ],
)
def test_insane_rules(field: str, value: object) -> None:
    """Rules from outside are refused before they can cost anything."""
    plain = dasan.rules("big-three").to_json()
    plain[field] = value
    began = time.process_time()
    with pytest.raises(dasan.Malformed):
        Rules.from_json(plain)
    assert time.process_time() - began < 5
