"""The topics by which games name the clauses that refusals cite."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.playing import Options
from tests.rules.test_every_clause_has_a_test import variants

import dasan
from dasan import Rules
from dasan.ruleset.policies import Guard

SOURCE = Path(dasan.__file__).parent
NEEDED: dict[str, Callable[[Rules], bool]] = {
    **dict.fromkeys(("pack", "combination", "beat", "pass", "end"), lambda _: True),
    "suits": lambda rules: rules.suits_matter,
    "joker": lambda rules: rules.jokers,
    "opening": lambda rules: rules.opening is not None and rules.opening.in_the_lead,
    "guard": lambda rules: rules.guard is Guard.ENFORCED,
    **dict.fromkeys(("auction", "bid", "opener"), lambda rules: rules.auction is not None),
    "dig": lambda rules: rules.auction is not None and rules.auction.must_dig != (),
    "call": lambda rules: rules.call is not None,
    "exchange": lambda rules: rules.exchange,
}
"""By topic: whether a refusal under these rules can ask for it."""
OPTIONAL: dict[str, Callable[[Rules], bool]] = {
    "bids": lambda rules: rules.auction is not None,
    "bombs": lambda rules: any(shape.power for shape in rules.shapes),
}
"""Topics for which another one stands in."""
BY_KIND = ("beat", "tie")
BY_SIZE = ("kinds of", "classes of")


def asked() -> Iterator[str]:
    """The fixed topics that the code looks up, as in `cite["beat"]` or `cite.get("bids", …)`."""
    for file in (*(SOURCE / "play").glob("*.py"), *(SOURCE / "ruleset").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Subscript(value=place, slice=ast.Constant(value=str(topic))):
                    pass
                case ast.Call(func=ast.Attribute(value=place, attr="get"), args=[ast.Constant(value=str(topic)), *_]):
                    pass
                case _:
                    continue
            if "cite" in (getattr(place, "id", ""), getattr(place, "attr", "")):
                yield topic


@cache
def tables() -> tuple[Rules, ...]:
    """Every value of every option, and those options that do something only together with others."""
    together: tuple[tuple[str, Options], ...] = (
        ("big-two", {"triples": True, "fours": True, "two_pairs": True}),
        ("winner", {"joker_bomb": True, "jokers": True}),
    )
    return (*variants(), *(dasan.rules(preset, **options) for preset, options in together))


def kinds(rules: Rules) -> int:
    return len(rules.shapes)


def test_the_topics_that_the_code_asks_for_are_known() -> None:
    assert {*asked(), "bombs"} == NEEDED.keys() | OPTIONAL.keys()


def test_every_topic_that_a_refusal_asks_for_has_a_clause() -> None:
    for rules in tables():
        missing = {topic for topic, asks in NEEDED.items() if asks(rules) and topic not in rules.cite}
        assert not missing, f"{rules.name} {rules.settings}: {missing}"


@pytest.mark.parametrize("family", sorted({preset.family for preset in dasan.PRESETS.values()}))
def test_every_topic_of_a_game_is_asked_for_at_some_table(family: str) -> None:
    ours = [rules for rules in tables() if dasan.PRESETS[rules.name].family == family]
    used = {topic for topic, asks in {**NEEDED, **OPTIONAL}.items() if any(map(asks, ours))}
    used |= {f"{topic} {shape.kind}" for topic in BY_KIND for rules in ours for shape in rules.shapes}
    if any(topic.startswith(BY_SIZE) for rules in ours for topic, _ in rules.citations):
        sizes = Counter(n for _, n in {(row.kind, row.size) for row in max(ours, key=kinds).catalogue.rows})
        used |= {f"{topic} {n}" for topic in BY_SIZE for n, several in sizes.items() if several > 1}
    assert {topic for rules in ours for topic, _ in rules.citations} <= used
