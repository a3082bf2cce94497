"""The JSON Schema of climb/1 accepts what the engine writes, and little else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import dasan
from dasan.games import PRESETS
from dasan.play.events import EventType

from .hands import SEED, greedy_game, play_on

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "climb-1.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)


def lines(record: str) -> Iterator[dict[str, Any]]:
    for line in record.splitlines():
        yield json.loads(line)


def session(preset: str, **options: bool | int | str) -> dasan.Session:
    game = greedy_game(preset, SEED, **options)
    play_on(game, hands=2)
    return game.session


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]["event"]["properties"]["type"]["enum"]) == set(EventType)


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("preset", PRESETS)
def test_it_accepts_every_line_of_a_session(preset: str) -> None:
    played = session(preset, scoring="cards") if preset.startswith("winner") else session(preset)
    for view in ("all", None, 0, 1):
        for line in lines(played.record(view)):
            VALIDATOR.validate(line)


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("winner", {"players": 8, "decks": 2, "jokers": True, "show_hands_after": False}),
        ("big-two", {"guard": "foul", "later_lead": "winner", "show_hands_after": False}),
        ("big-three", {"reveal_kitty": True, "show_hands_after": False, "cut": False}),
    ],
)
def test_it_accepts_redacted_copies_and_options(preset: str, options: dict[str, bool | int | str]) -> None:
    played = session(preset, **options)
    for view in ("all", None, 2):
        for line in lines(played.record(view)):
            VALIDATOR.validate(line)


def test_it_accepts_positions_and_rules_that_are_no_preset() -> None:
    rules = replace(dasan.rules("big-two"), name="mine", stake_chips=9)
    state = dasan.start(rules, ["3D 4D", "5D 6D", "7D 8D", "9D"], table="2C", table_seat=1, passed=[2])
    four = dasan.start(dasan.rules("big-three-4p"), ["4D 5D", "6D", "7D", "8D"], bidder=0, bid=2, called="8D")
    for record in (state.record(), state.record(view=0), four.record()):
        for line in lines(record):
            VALIDATOR.validate(line)


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"format": "climb/2"},
        {"type": "shuffle", "seq": 1, "seat": 0},
        {"type": "play", "seq": 1, "seat": 0},
        {"type": "play", "seq": 1, "seat": 0, "cards": ["1S"]},
        {"type": "play", "seq": 1, "seat": 0, "cards": "4H"},
        {"type": "pass", "seq": 1, "seat": 0, "cards": ["4H"]},
        {"type": "bid", "seq": 1, "seat": 0},
        {"type": "pass", "seq": 1, "seat": 0, "bid": 1},
        {"type": "pass", "seq": -1, "seat": 0},
        {"type": "pass", "seq": 1, "seat": 8},
        {"type": "pass", "seq": 1, "seat": 0, "more": 1},
        {"type": "deal", "seq": 0, "number": 1, "dealer": 0, "hands": ["4H", "10S", "5D"]},
        {"type": "deal", "seq": 0, "number": 1, "dealer": 0, "hands": ["4H", "TS", "5D"], "cut": 4},
        {"type": "reveal", "secret": "00"},
    ],
)
def test_it_refuses(line: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(line)
