"""The plays of a finished hand that doubled its payment: the page shows the stake as it was at each move."""

from __future__ import annotations

import pytest

import dasan
from dasan.play.scoring import doublings
from dasan.server.api.hands import doubling_plays


@pytest.mark.parametrize(
    ("preset", "options"),
    [("dou-dizhu", {}), ("dou-dizhu", {"doubling_cap": 1}), ("big-three", {}), ("big-two", {})],
)
def test_they_are_the_bombs_that_the_engine_counts(preset: str, options: dict[str, int]) -> None:
    rules = dasan.rules(preset, **options)
    found = 0
    for seed in range(12):
        state, bot = dasan.deal(rules, seed=seed), dasan.bot("greedy")
        expected: list[int] = []
        while state.to_act is not None:
            after = state.play(bot.choose(state.view(state.to_act)))
            if doublings(rules, after.bombs, spring=False) > doublings(rules, state.bombs, spring=False):
                expected.append(next(e.seq for e in after.events[len(state.events) :] if e.type == "play"))
            state = after
        assert doubling_plays(rules, state.record()) == expected
        found += len(expected)
    assert (found > 0) == rules.doubles
