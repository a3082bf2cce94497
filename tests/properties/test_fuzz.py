"""Malformed, huge and hostile input: only our own errors, and quickly (G.01, G.03)."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import strange

import dasan
from dasan import puzzles
from dasan.cards import parse_cards
from dasan.records import lines
from dasan.records.verify import verify
from dasan.review.best_play import review
from dasan.ruleset.policies import FirstDealer, OpeningLead
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Flush, Groups, Run, Same

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


RECORDED = ("big-three", "big-three-4p", "big-two", "winner")


@cache
def records() -> list[str]:
    out = []
    for preset in RECORDED:
        rng = random.Random(preset)
        session = dasan.session(dasan.rules(preset), seed=4)
        for hand in range(2):
            while session.state.to_act is not None:
                session = session.play(rng.choice(session.state.legal_moves()))
            if hand == 0:
                session = session.next_hand()
        out.append(session.record())
    return out


@pytest.mark.parametrize("which", range(len(RECORDED)))
def test_damaged_records(which: int) -> None:
    """Remove, repeat and swap lines, truncate the text, change bytes: refused, or the same game."""
    text = records()[which]
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
            # A record that can still be read is the same game, its beginning, or differs only in the proof of the deal.
            assert again.record()[:60] == game.record()[:60]
    assert refused > 30


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=6))
def test_lines_of_any_json(given_lines: list[Any]) -> None:
    with pytest.raises(dasan.BadRecord):
        dasan.replay("\n".join(json.dumps(line) for line in given_lines))


@given(st.sampled_from(range(len(RECORDED))), st.integers(0, 30), st.data())
def test_fields_of_any_json(which: int, number: int, data: st.DataObject) -> None:
    """Any field of any line replaced by any JSON: refused, or read."""
    rows = [json.loads(line) for line in records()[which].splitlines()]
    line = rows[number % len(rows)]
    field = data.draw(st.sampled_from(sorted(line)))
    line[field] = data.draw(JSON)
    try:
        dasan.replay("\n".join(json.dumps(each) for each in rows))
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


def _read_in_every_way(seed: int) -> str:
    """A record of rules that no preset has, damaged or not, through every reader: an answer or a refusal."""
    rng = random.Random(seed)
    made = strange.record(rng) if rng.random() < 0.5 else strange.position(rng)
    if made is None:
        return "no rules"
    text = strange.damaged(made, rng) if rng.random() < 0.3 else made
    try:
        verified = verify(text)
    except dasan.BadRecord as error:
        assert text != made, "what we have written we read"
        assert str(error).isprintable()
        assert len(str(error)) < 600
        return "refused"
    assert str(verified.verdict).isprintable()
    game = dasan.replay(text)
    assert game == verified.game
    state = game.state if isinstance(game, dasan.Session) else game
    with suppress(ValueError):
        solution = dasan.solve(state, nodes=300, memory_mb=16)
        assert not solution.exact or solution.value is not None or solution.scope == "auction"
    with suppress(ValueError):
        assert len(review(state, nodes=40, memory_mb=16).moves) <= len(state.events)
    with pytest.raises(dasan.BadRecord):
        list(puzzles.read(text))
    return "read"


@pytest.mark.full
@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 60), marks=pytest.mark.slow)], ids=str)
def test_records_by_rules_of_strangers(seeds: range) -> None:
    count = Counter(_read_in_every_way(seed) for seed in seeds)
    assert count["read"] > len(seeds) / 6
    assert count["refused"] > len(seeds) / 30


@pytest.mark.slow
def test_many_records_by_rules_of_strangers() -> None:
    test_records_by_rules_of_strangers(range(60, 3_000))


def test_rules_under_which_somebody_has_no_move_are_refused() -> None:
    """Where a single's suit does not count, the canonical 2 is not the 2 of spades that the lead must include (G.04)."""
    winner = dasan.rules("winner")
    single = (Same(kind="single", clause="X", count=1),)
    assert replace(winner, shapes=single, opening=OpeningLead("2D", True)).opening is not None
    with pytest.raises(ValueError, match="cannot have to include the opening card"):
        replace(winner, shapes=single, opening=OpeningLead("2S", True))


def test_jokers_count_nothing_in_a_draw_by_numbers() -> None:
    rules = replace(dasan.rules("winner", jokers=True), first_dealer=FirstDealer.DRAW_NUMBER)
    for seed in range(20):
        assert verify(dasan.session(rules, seed=seed).record()).game is not None


def test_too_many_rules_and_records_in_a_file() -> None:
    """The rules of a file are each compiled once; their number is bounded, as that of records is."""
    state = dasan.start(dasan.rules("big-two"), ["3D", "5D 6D", "7D 8D", "9D TD"], leader=0)
    header, start = state.record().splitlines()
    own = [header.replace('"name":"big-two"', f'"name":"{n}"') + "\n" + start + "\n" for n in range(lines.MAX_RULES + 1)]
    assert len(list(lines.records("".join(own[:-1])))) == lines.MAX_RULES
    with pytest.raises(dasan.BadRecord, match="at most 10,000 records, by 32 different rules"):
        list(lines.records("".join(own)))
    with pytest.raises(dasan.BadRecord, match="at most 10,000 records"):
        list(lines.records('{"format":"climb/1"}\n' * (lines.MAX_RECORDS + 1)))


def test_rules_of_strangers_are_compiled_within_bounds() -> None:
    """The largest catalogues that rules may need, and those that are refused."""
    single = Same(kind="single", clause="X", count=1, by_suit=True)
    flushes = [Flush(kind=f"f{i}", clause="X", size=6) for i in range(2)]
    pair = Groups(kind="two-cards", clause="X", main=1, side=1, by_suit=True)
    ring = "3456789TJQKA2" * 2
    run = Run(kind="run", clause="X", copies=1, sequence=ring, shortest=3, longest=13, tie="last")
    two = dasan.rules("big-two")
    began = time.process_time()
    large: list[tuple[AnyShape, ...]] = [(single, flushes[0], pair), (single, pair, run)]
    for shapes in large:
        rules = replace(two, shapes=shapes)
        assert dasan.deal(rules, seed=1).legal_moves()
        assert len(rules.catalogue.rows) < 60_000
    assert time.process_time() - began < 10
    with pytest.raises(ValueError, match=r"10,000 patterns|the same cards would be"):
        replace(two, shapes=(single, *flushes))


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
    """Absurd rules are refused before they cost time or memory."""
    plain = dasan.rules("big-three").to_json()
    plain[field] = value
    began = time.process_time()
    with pytest.raises(dasan.Malformed):
        Rules.from_json(plain)
    assert time.process_time() - began < 5
