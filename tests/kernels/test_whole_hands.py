"""Whole-hand kernels list the legal moves themselves: each is compared with the engine under every option that it plays."""

from __future__ import annotations

import pytest
from tests.kernels import test_cardset_hands, test_kicker_hands, test_pattern_hands, test_rank_hands
from tests.vector.covering import Setting, untried

from dasan import backends
from dasan.backends import Backend

Settings = list[tuple[str, Setting]]
TRIED: list[tuple[Backend, Settings]] = [
    (backends.RANKS, test_rank_hands.VARIANTS),
    (backends.CARDSETS, [("big-two", options) for options in test_cardset_hands.VARIANTS]),
    (backends.PATTERNS, test_pattern_hands.VARIANTS),
    (backends.KICKERS, [("dou-dizhu", options) for options in test_kicker_hands.VARIANTS]),
]


@pytest.mark.full
@pytest.mark.parametrize(("backend", "settings"), TRIED, ids=lambda value: getattr(value, "name", ""))
def test_every_value_of_an_option_is_tried(backend: Backend, settings: Settings) -> None:
    assert not untried(backend, settings), "add a setting to `VARIANTS` in the tests of the backend's hands"
