"""What one option needs of another, in every preset with every value of one option."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import dasan
from dasan.games.option import Need, settled
from dasan.ruleset.policies import OptionValue

REFUSED = {
    ("all_pass", "redeal"),
    ("auction_ends_after", 2),
    ("bomb_doubles", True),
    ("guard_pays", True),
    ("joker_bomb", True),
    ("straight_tie", "suit"),
    ("three_player_triple", "seventeen"),
    ("two_of_spades_restart", "always"),
    ("two_of_spades_restart", "when-known-unbeatable"),
    ("two_of_spades_restart", "when-unbeatable"),
    ("unplayed_twos", "double"),
}
"""What presets without the options that it needs refuse."""


def changes() -> Iterator[tuple[str, str, OptionValue]]:
    """(preset, option, value) of every value that is not the default; of numbers the lowest and the highest."""
    for name, preset in dasan.PRESETS.items():
        for option in preset.options:
            for value in option.choices or (option.minimum, option.maximum):
                if value != option.default:
                    yield name, option.name, value


def test_a_refusal_names_a_way_out() -> None:
    refused = set()
    for preset, option, value in changes():
        try:
            dasan.rules(preset, **{option: value})
        except ValueError as error:
            refused.add((option, value))
            sentence = str(error)
            assert re.fullmatch(rf"{option}=[\w-]+ needs .+ \([HW]\.\d\d(, H\.\d\d)?\)", sentence), sentence
            others = dict(re.findall(r"(\w+)=([\w-]+)", sentence)[1:])
            made = dasan.rules(preset, **{option: value}, **{k: int(v) if v.isdigit() else v for k, v in others.items()})
            assert made.options[option] == value
    assert refused == REFUSED


@pytest.mark.parametrize(
    ("changed", "follows"),
    [
        ({"guard": "off"}, {"guard_pays": False}),
        ({"guard": "enforced"}, {"guard_pays": False}),
        ({"scoring": "wins"}, {"unplayed_twos": "single"}),
    ],
)
def test_an_option_that_nobody_chose_follows(changed: dict[str, OptionValue], follows: dict[str, OptionValue]) -> None:
    usual = dasan.rules("big-two-hong-kong")
    rules = dasan.rules("big-two-hong-kong", **changed)
    assert dict(rules.options) == {**usual.options, **changed, **follows}
    assert rules == dasan.rules("big-two-hong-kong", **changed, **follows)
    assert {"guard_pays": "H.28", "unplayed_twos": "H.29"}[next(iter(follows))] not in rules.clauses
    with pytest.raises(ValueError, match="needs"):
        dasan.rules("big-two-hong-kong", **changed, **{name: usual.options[name] for name in follows})


def test_a_number_of_players_decides_the_packs() -> None:
    assert dasan.rules("winner", players=8).options["decks"] == 2
    with pytest.raises(ValueError, match=r"^decks=1 needs players=3 to 6 \(W\.01\)$"):
        dasan.rules("winner", players=8, decks=1)
    with pytest.raises(ValueError, match=r"^decks=2 needs players=4 to 8 \(W\.01\)$"):
        dasan.rules("winner", players=3, decks=2)


@pytest.mark.parametrize("order", [1, -1])
def test_an_option_follows_one_that_follows_another(order: int) -> None:
    needs = [Need("a", (True,), "b", (True,), False, "X.01"), Need("b", (True,), "c", range(2, 3), False, "X.02")][
        ::order
    ]
    values: dict[str, OptionValue] = {"a": True, "b": True, "c": 1}
    assert settled(values, frozenset("c"), needs) == {"a": False, "b": False, "c": 1}
    for chosen, sentence in (("ac", "a=on needs b=on (X.01)"), ("bc", "b=on needs c=2 (X.02)")):
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            settled(values, frozenset(chosen), needs)


def test_needs_that_contradict_each_other_are_refused() -> None:
    needs = [Need("a", (True,), "b", (True,), False, "X.01"), Need("a", (False,), "b", (False,), True, "X.02")]
    with pytest.raises(ValueError, match=r"^a=on needs b=on \(X\.01\)$"):
        settled({"a": True, "b": "c"}, frozenset("b"), needs)
