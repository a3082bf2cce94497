"""Every option changes what happens, not only the header of the record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.golden import REWRITE
from tests.golden.playing import body

import dasan
from dasan.play import fairness
from dasan.ruleset.policies import OptionValue

PINNED = Path(__file__).parent / "options.txt"
"""preset, option, value, seed, digest of the body with the option, digest without."""


def same_cards(patch: pytest.MonkeyPatch) -> None:
    """Deal the same cards under any rules: otherwise the deal depends on the rules' digest."""
    original = fairness.deal_seed
    patch.setattr(fairness, "deal_seed", lambda secret, given, _digest, hand: original(secret, given, "same", hand))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


WITH: dict[str, dict[str, OptionValue]] = {
    "all_pass": {"opener_may_pass": True},
    "bomb_doubles": {"bombs": True},
    "doubling_cap": {"bombs": True, "bomb_doubles": True, "spring": True},
    "unplayed_twos": {"scoring": "cards"},
    "joker_bomb": {"jokers": True},
    "two_of_spades_restart": {"jokers": True},
    "three_player_triple": {"players": 3, "scoring": "cards"},
}
"""Options that need others, which both sides of the comparison then have."""


def changes() -> Iterator[tuple[str, str, OptionValue]]:
    """(preset, option, value) of every non-default value; the other presets have the same options."""
    for name in ("big-three", "big-three-4p", "big-two", "winner", "dou-dizhu"):
        for option in dasan.PRESETS[name].options:
            if option.name == "players":
                span = range(option.minimum, option.maximum + 1)
                values: tuple[OptionValue, ...] = tuple(n for n in span if n != option.default)
            elif option.choices is None:
                values = (1 if option.name == "doubling_cap" else 25,)
            else:
                values = tuple(c for c in option.choices if c != option.default)
            for value in values:
                yield name, option.name, value


def pairs() -> list[tuple[str, str, str, int, str, str]]:
    rows = [line.split() for line in PINNED.read_text().splitlines()]
    return [(p, o, v, int(seed), a, b) for p, o, v, seed, a, b in rows]


def value_of(text: str) -> OptionValue:
    return {"True": True, "False": False}.get(text, int(text) if text.isdigit() else text)


def rules_of(preset: str, option: str, value: OptionValue | None) -> dasan.Rules:
    """The rules with an option at `value` (None: at its default), and with the options that it needs."""
    known = {known.name: known for known in dasan.PRESETS[preset].options}
    chosen = {name: needed for name, needed in WITH.get(option, {}).items() if name in known}
    if value is not None:
        choices = known[option].choices
        chosen[option] = str(value) if choices is not None and str(value) in choices else value
    return dasan.rules(preset, **chosen)


@pytest.mark.sampled(18)
@pytest.mark.parametrize(("preset", "option", "value", "seed", "with_it", "without"), pairs())
def test_option_changes_the_body(
    preset: str, option: str, value: str, seed: int, with_it: str, without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    same_cards(monkeypatch)
    assert with_it != without
    assert digest(body(rules_of(preset, option, value_of(value)), seed)) == with_it
    assert by_default(rules_of(preset, option, None), seed) == without


@cache
def by_default(rules: dasan.Rules, seed: int) -> str:
    """The digest of a session; with `same_cards`."""
    return digest(body(rules, seed))


def test_every_option_is_there() -> None:
    listed = {(p, o, v) for p, o, v, *_ in pairs()}
    assert listed == {(name, option, str(value)) for name, option, value in changes()}, f"{REWRITE} pins new options"
