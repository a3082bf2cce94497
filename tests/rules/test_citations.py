"""The clause that a refusal cites where several could apply, and the topics by which games name these clauses."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.playing import Options, refused
from tests.rules.test_every_clause_has_a_test import variants

import dasan
from dasan import IllegalPlay, Rules, State
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


H_06: Options = {"suit_order": "clubs-low", "two_pairs": True}
H_25: Options = {"suit_order": "philippine", "triples": True}
H_24: Options = {"bombs": True}
TWO: Options = {"decks": 2, "jokers": True}
H_10: Options = {**TWO, "suits_ranked": False}
H_37: Options = {**TWO, "bomb": "any-size", "joker_bomb": True}
FOUR, STRAIGHT, HOUSE, IN_SUIT = "3D 3C 3H 3S 4D", "5S 6H 7H 8S 9D", "5D 5C 5H 6D 6C", "5S 6S 7S 8S 9S"


def facing(table: str, mine: str, preset: str, options: Options) -> State:
    """A position in which the seat to act holds `mine` and one more card, with `table` to beat."""
    rules = dasan.rules(preset, **options)
    left = [str(c) for c in rules.pack]
    for c in (*table.split(), *mine.split()):
        left.remove(c)
    hands = [left[0], f"{mine} {left[1]}", *left[2 : rules.players]]
    bidder: Options = {"bidder": 0} if rules.auction else {}
    return dasan.start(rules, hands, table=table, table_seat=0, **bidder)


@pytest.mark.parametrize(
    ("preset", "options", "table", "mine", "clause"),
    [
        # Lower by rank, and of equal rank: only the suits decide, also where other cards differ.
        ("big-two", H_06, "TD", "9D", "D2.02"),
        ("big-two", H_06, "9D", "9C", "H.06"),
        ("big-two", H_06, "9S 9H", "9D 9C", "H.06"),
        ("big-two", H_06, "4D 6D 8D TD KD", "3C 5C 7C 9C KC", "H.06"),
        ("big-two", H_06, "4D 6D 8D TD KD", "3C 5C 7C 9C QC", "D2.08"),
        ("big-two", H_06, "9S 9H 3C 3D", "9D 9C 8S 8H", "H.06"),
        ("big-two", H_06, "TS TH 3C 3D", "9D 9C 8S 8H", "H.08"),
        ("big-two", {**H_06, "straights": "hong-kong"}, "3H 4H 5H 6D 7D", "3D 4D 5D 6H 7C", "H.06"),
        ("big-two", {**H_06, "straights": "hong-kong"}, "4H 5H 6D 7D 8C", "3D 4D 5D 6H 7C", "H.03"),
        ("big-two", {**H_06, "flush_order": "suit"}, "4D 6D 8D TD QD", "3C 5C 7C 9C KC", "D2.08"),
        ("big-two", H_25, "9D", "9S", "H.25"),
        ("big-two", H_25, "9D 9C 9H", "8D 8C 8H", "D2.03"),
        ("winner", H_10, "9S", "9D", "H.10"),
        ("winner", H_10, "9S", "8D", "W.03"),
        ("winner", H_10, "4S 5D 6D 7D 8C", "4D 5S 6S 7S 8H", "H.10"),
        ("winner", H_10, "5S 6D 7D 8C 9C", "4D 5S 6S 7S 8H", "W.10"),
        # A straight flush of another length is no tie, though it begins with the same rank.
        ("winner", H_10, "TS JS QS KS AS 9S", "9D TD JD QD KD", "W.14"),
        ("winner", H_10, "9S TS JS QS KS", "9D TD JD QD KD", "H.10"),
        # Identical cards tie whatever the suits count, and jokers have none.
        ("winner", H_10, "9D", "9D", "W.03"),
        ("winner", H_10, "BJ", "BJ", "W.03"),
        ("winner", TWO, "BJ", "BJ", "W.03"),
        # The odd card of a bomb, a joker too, decides nothing.
        ("winner", TWO, "4D 4C 4H 4S RJ", "4D 4C 4H 4S BJ", "W.13"),
        # Another kind or another number of cards; a bomb on the table beats whatever was led.
        ("big-two", {}, "9D 9C", "9H", "D2.12"),
        ("big-two", {}, FOUR, HOUSE, "D2.05"),
        ("big-two", H_24, FOUR, HOUSE, "H.24"),
        ("big-two", H_24, FOUR, "2S", "H.24"),
        ("big-two", H_24, IN_SUIT, FOUR, "H.24"),
        ("big-two", {**H_24, "five_card_order": "own-kind"}, FOUR, HOUSE, "H.23"),
        ("big-two", {**H_24, "five_card_order": "own-kind"}, HOUSE, STRAIGHT, "H.23"),
        ("big-two", {"five_card_order": "own-kind"}, FOUR, "2S", "D2.12"),
        ("big-three", {"bombs": True}, "4D 4C 4H 4S", "3D", "H.14"),
        ("big-three", {"bombs": True}, "7D 7C 7H 7S", "4D 4C 4H 4S 5D 5C 5H 5S 6D 6C 6H 6S", "H.14"),
        ("big-three", {}, "4D 4C 4H 4S", "3D", "B3.15"),
        ("winner", {}, "9D", "5D 5C", "W.06"),
        ("winner", {}, HOUSE, STRAIGHT, "W.06"),
        ("winner", {}, FOUR, "5D 5C", "W.13"),
        ("winner", {}, IN_SUIT, "5D 5C", "W.14"),
        ("winner", {}, "TS JS QS KS AS 9S", FOUR, "W.14"),
        ("winner", {}, "TS JS QS KS AS 9S", "5D 6D 7D 8D 9D", "W.14"),
        ("winner-bomb", {}, "3D 3C 3H 3S", IN_SUIT, "W.15"),
        ("winner", H_37, "3D 3D 3C 3H 3S", "2D 2C 2H 2S", "H.37"),
        ("winner", H_37, "BJ BJ RJ RJ", "2D 2C 2H 2S", "H.38"),
        ("winner", H_37, "BJ BJ RJ RJ", "2S", "H.38"),
        ("dou-dizhu", {}, "BJ RJ", "2D 2C 2H 2S", "DD.06"),
    ],
)
def test_g_01_of_two_clauses_the_one_that_decides(
    preset: str, options: Options, table: str, mine: str, clause: str
) -> None:
    refused(facing(table, mine, preset, options), mine, clause)


@pytest.mark.parametrize(
    ("preset", "options", "table", "mine", "words"),
    [
        ("winner", H_37, "BJ BJ RJ RJ", "2D 2C", "a joker-bomb beats a pair"),
        ("winner", H_37, "3D 3D 3C 3H 3S", "2D 2C 2H 2S", "a bomb must be higher than the bomb"),
        ("winner", {}, "TS JS QS KS AS 9S", FOUR, "a straight-flush beats a bomb"),
        ("dou-dizhu", {}, "BJ RJ", "2D 2C 2H 2S", "a rocket beats a bomb"),
        ("dou-dizhu", {}, "4D 4C 4H 4S", "5D 5C 5H", "a bomb beats a triplet"),
        ("big-two", {}, FOUR, HOUSE, "a four-plus-one beats a full-house"),
        ("big-two", {"five_card_order": "own-kind"}, HOUSE, STRAIGHT, "it takes a full-house, not a straight"),
    ],
)
def test_g_01_no_refusal_asks_for_a_number_of_cards_that_would_not_do(
    preset: str, options: Options, table: str, mine: str, words: str
) -> None:
    """A bomb, or a hand of a higher class, on the table: as many cards as it has are not what it takes."""
    with pytest.raises(IllegalPlay, match=words):
        facing(table, mine, preset, options).play(mine)
