"""The bounds on a run's memory: a run that fits is not refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dasan.learn import sizes
from dasan.learn.config import Config
from dasan.learn.decisions import Decisions, Samples
from dasan.learn.trainer import Trainer
from dasan.networks.scoring import Scorer


@pytest.mark.parametrize(
    "settings",
    [
        {"preset": "big-two"},
        {"preset": "big-two", "options": {"players": 2}},
        {"preset": "big-two", "branches": 40},
        {"preset": "big-two", "pool": ["low"], "share": 1.0},
        {"preset": "big-three", "steps": 100},
        {"preset": "winner-tiny"},
        {"preset": "winner-tiny", "branches": 4},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
def test_a_round_has_as_many_decisions_and_moves_as_are_expected_of_it(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config.from_json({"envs": 80, "rounds": 2, "epochs": 1, "first": 8, "second": 8, "batch": 1, **settings})
    held, scored = [0], [0]
    take, score = Decisions.take, Scorer._scored

    def counted(self: Decisions, keep: float, random: np.random.Generator) -> Samples:
        held.append(self.waiting + self._count)
        return take(self, keep, random)

    def noted(self: Scorer, read: Any, rows: int, weights: Any) -> Any:
        scored.append(rows)
        return score(self, read, rows, weights)

    monkeypatch.setattr(Decisions, "take", counted)
    monkeypatch.setattr(Scorer, "_scored", noted)
    Trainer(config).epoch()
    assert 0 < sizes.decisions(config) <= max(held)
    assert 0 < sizes.moves(config) <= max(scored)
