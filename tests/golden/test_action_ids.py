"""Action ids are pinned: within a version none of them changes its meaning. `python -m tests.golden.test_action_ids`
rewrites the golden file. A change to an existing line is a new version of the order (`LAYOUT`), and needs a line in
the upgrade notes.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.golden import HERE

import dasan
from dasan.games import TEACHING
from dasan.play.action_ids import action_ids

PINNED = HERE / "action_ids.txt"
VARIANTS: tuple[tuple[str, dict[str, Any], bool], ...] = (
    *((preset, {}, False) for preset in (*dasan.PRESETS, *TEACHING)),
    ("big-two", {"triples": True}, False),
    ("winner", {}, True),
    ("winner", {"players": 6, "decks": 2, "jokers": True}, False),
    ("winner", {"players": 6, "decks": 2, "jokers": True}, True),
    ("winner", {"min_straight": 3}, False),
)


def lines(preset: str, options: dict[str, Any], exchange: bool) -> list[str]:
    """The pinned facts about some rules: the number of ids, their digest, and the texts of some, including the first
    and the last.
    """
    ids = action_ids(dasan.rules(preset, **options), exchange)
    words = "".join(f" {name}={value}" for name, value in options.items()) + " session" * exchange
    step = max(1, ids.count // 40)
    some = sorted({*range(min(8, ids.count)), *range(0, ids.count, step), ids.count - 1})
    return [f"{ids.version}{words}: {ids.count} {ids.digest}", *(f"  {i} {ids.text(i)}" for i in some)]


@pytest.mark.parametrize(("preset", "options", "exchange"), VARIANTS)
def test_ids_are_pinned(preset: str, options: dict[str, Any], exchange: bool) -> None:
    pinned = PINNED.read_text(encoding="utf-8").splitlines()
    wanted = lines(preset, options, exchange)
    assert wanted[0] in pinned
    start = pinned.index(wanted[0])
    assert pinned[start : start + len(wanted)] == wanted


def test_no_two_ids_say_the_same() -> None:
    for preset in dasan.PRESETS:
        ids = action_ids(dasan.rules(preset))
        texts = [ids.text(i) for i in range(ids.count)]
        assert len(set(texts)) == len(texts)


if __name__ == "__main__":
    PINNED.write_text("".join(f"{line}\n" for variant in VARIANTS for line in lines(*variant)), encoding="utf-8")
