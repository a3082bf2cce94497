"""Settings of a preset that cover every pair of values of two options."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, product

import dasan
from dasan.backends import Backend
from dasan.backends.contract import DESCRIBES
from dasan.games.option import Option
from dasan.ruleset.fields import WORDS
from dasan.ruleset.policies import OptionValue

Setting = dict[str, OptionValue]
Pair = tuple[tuple[str, OptionValue], tuple[str, OptionValue]]

FEW = 8


def values(option: Option) -> tuple[OptionValue, ...]:
    """The values to try, the default first: all of them, or for a range of numbers the default and one more."""
    listed = option.choices
    if listed is None:
        span = range(option.minimum, option.maximum + 1)
        listed = tuple(span) if len(span) <= FEW else (option.default, 25 if 25 in span else 1)
    return (option.default, *(value for value in listed if value != option.default))


def single_changes(preset: str) -> Iterator[Setting]:
    """Every non-default value, alone."""
    for option in dasan.PRESETS[preset].options:
        for value in values(option)[1:]:
            yield {option.name: value}


def allowed(preset: str, setting: Setting) -> bool:
    try:
        dasan.rules(preset, **setting)
    except ValueError:
        return False
    return True


def drawn_options(preset: str, count: int) -> list[Setting]:
    """`count` settings: the defaults, then others drawn at random, the same in every run."""
    source, drawn = random.Random(preset), [Setting()]
    while len(drawn) < count:
        setting = {option.name: source.choice(values(option)) for option in dasan.PRESETS[preset].options}
        if allowed(preset, setting):
            drawn.append(setting)
    return drawn


@cache
def pairwise(preset: str) -> tuple[tuple[Setting, ...], tuple[Pair, ...]]:
    """(settings, pairs that no setting has because the rules refuse them). The same in every run.

    Greedy: each setting begins with the first pair that is still missing, and takes for every other option the value
    that adds most missing pairs.
    """
    options = {option.name: values(option) for option in dasan.PRESETS[preset].options}
    pairs = [((a, x), (b, y)) for a, b in combinations(options, 2) for x, y in product(options[a], options[b])]
    missing = dict.fromkeys(pairs)
    settings: list[Setting] = []
    refused: list[Pair] = []
    while missing:
        pair = next(iter(missing))
        setting = _completed(preset, options, dict(pair))
        if setting is None:
            refused.append(pair)
            del missing[pair]
            continue
        for name, choices in options.items():
            if name in dict(pair):
                continue
            ranked = sorted(choices, key=lambda value: -_gain(missing, setting, name, value))
            setting[name] = next(v for v in ranked if allowed(preset, setting | {name: v}))
        settings.append(setting)
        for missing_pair in combinations(((name, setting[name]) for name in options), 2):
            missing.pop(missing_pair, None)
    return tuple(settings), tuple(refused)


def _completed(preset: str, options: dict[str, tuple[OptionValue, ...]], start: Setting) -> Setting | None:
    """A whole setting with the values of `start`: the defaults, with at most three other values if need be."""
    defaults = {name: choices[0] for name, choices in options.items()}
    changes = [(name, value) for name, choices in options.items() for value in choices[1:]]
    for other in range(4):
        for more in combinations(changes, other):
            setting = defaults | dict(more) | start
            if allowed(preset, setting):
                return setting
    return None


def _gain(missing: dict[Pair, None], setting: Setting, name: str, value: OptionValue) -> int:
    """How many missing pairs `value` adds."""
    return sum(
        ((name, value), other) in missing or (other, (name, value)) in missing
        for other in setting.items()
        if other[0] != name
    )


def untried(backend: Backend, tried: Iterable[tuple[str, Setting]]) -> set[str]:
    """The values of options that `backend` plays, and that none of the settings `tried` has.

    Options that change nothing in one hand that is dealt are left out.
    """
    settings = [dasan.rules(preset, **setting) for preset, setting in tried]
    had = {(name, value) for rules in settings for name, value in rules.options.items()}
    families = {dasan.PRESETS[rules.name].family for rules in settings}
    missing: set[str] = set()
    for preset in dasan.PRESETS.values():
        for change in single_changes(preset.name) if preset.family in families else ():
            if allowed(preset.name, change) and not change.items() <= had:
                rules = dasan.rules(preset.name, **change)
                if backend.unsupported(rules) is None and _one_hand(rules) != _one_hand(dasan.rules(preset.name)):
                    missing.update(f"{name}={value}" for name, value in change.items())
    return missing


def _one_hand(rules: dasan.Rules) -> dasan.Rules:
    """The rules without what does not matter once a hand is dealt."""
    usual = dasan.rules("big-three")
    same = {
        name: getattr(usual, name) for name in (*WORDS, *DESCRIBES, "later_lead", "exchange") if hasattr(rules, name)
    }
    return replace(rules, **same)
