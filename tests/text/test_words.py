"""Events at a table in words, for the command line and the terminal."""

from __future__ import annotations

from dataclasses import replace

import dasan
from dasan.play.dealing import Deal
from dasan.text.words import Words


def test_one_card_is_cut_in_the_singular() -> None:
    rules = dasan.rules("big-three")
    begun = dasan.deal(rules, seed=1).begun
    assert isinstance(begun, Deal)
    words = Words(rules, ("A", "B", "C"))
    for cut, cards in ((1, "1 card"), (2, "2 cards")):
        assert words.begun(replace(begun, cut=cut, cutter=2), 1).endswith(f" C cuts {cards} off the pack.")
