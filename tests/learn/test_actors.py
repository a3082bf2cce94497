"""Actors: the same decisions wherever they play; none is lost, none is learnt from twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import output, refusal

from dasan.learn.actors import ActorOrder, ActorResult, here, play, spread
from dasan.learn.config import Config
from dasan.learn.decisions import Samples
from dasan.learn.trainer import Trainer

pytestmark = pytest.mark.full

SMALL = Config("big-two", envs=16, rounds=3, steps=64, epochs=3, first=32, second=16, batch=128, keep=1.0, actors=3)
BRANCHED = replace(SMALL, preset="big-three", branches=4, span=8, derived=True, pool=("thrifty", "past"), share=0.25)


@pytest.mark.parametrize("config", [SMALL, BRANCHED], ids=["hands", "branches"])
def test_the_number_of_processes_does_not_affect_training(config: Config) -> None:
    alone, apart = Trainer(config), Trainer(config)
    alone.epoch()
    with spread(2) as actors:
        apart.epoch(actors)
    assert np.array_equal(alone.learner.flat, apart.learner.flat)
    assert np.array_equal(alone.learner.average, apart.learner.average)
    seconds = replace(alone.progress, seconds=0), replace(apart.progress, seconds=0)
    assert seconds[0] == seconds[1]
    assert alone.progress.samples == alone.progress.decisions > 0
    assert alone.progress.hands >= config.actors * config.rounds * config.envs // config.branches


def test_a_round_is_played_with_the_weights_from_before_the_last_one_was_learnt() -> None:
    trainer = Trainer(SMALL)
    events: list[str] = []
    seen: dict[tuple[int, int, int], bytes] = {}

    def noted(orders: Sequence[ActorOrder]) -> Callable[[], list[ActorResult]]:
        seen.update({order.number: order.weights["w_second"].tobytes() for order in orders})
        events.append(f"begin {orders[0].number[1]}")
        waiting = here(orders)

        def wait() -> list[ActorResult]:
            events.append(f"wait {orders[0].number[1]}")
            return waiting()

        return wait

    trainer.epoch(noted)
    assert events == ["begin 0", "begin 1", "wait 0", "begin 2", "wait 1", "wait 2"]
    assert sorted(seen) == [(0, number, actor) for number in range(3) for actor in range(3)]
    assert seen[0, 0, 0] == seen[0, 0, 1] == seen[0, 1, 0] != seen[0, 2, 0]


def test_an_order_is_played_the_same_after_others_and_actors_differ() -> None:
    trainer = Trainer(BRANCHED)
    weights = trainer.learner.scaled(trainer.learner.flat)
    first, other, again = (play(ActorOrder(BRANCHED, (0, 0, actor), weights, weights)) for actor in (0, 1, 0))
    for name in Samples._fields:
        assert np.array_equal(getattr(first.samples, name), getattr(again.samples, name))
    assert first.counts == again.counts
    assert not np.array_equal(first.samples.obs[:20], other.samples.obs[:20])

    def branched(groups: np.ndarray) -> int:
        return len(np.unique(groups[groups >= 0]))

    together = trainer._together([first, other]).groups
    assert branched(together) == sum(branched(one.samples.groups) for one in (first, other))


def test_what_has_no_place_to_play_is_refused(tmp_path: Path) -> None:
    out, small = str(tmp_path / "run"), ("--game", "big-two-tiny", "--envs", "4", "--rounds", "1", "--epochs", "1")
    assert "--actors" in refusal("train", "--out", out, *small, "--processes", "2")
    assert "give one of them" in refusal("train", "--out", out, *small, "--processes", "2", "--ray", "auto")
    assert "actors" in refusal("train", "--out", out, *small, "--actors", "5000")
    assert json.loads(output("train", "--out", out, *small, "--deals", "2", "--actors", "1", "--json"))["epoch"] == 1
    assert "leave out --actors" in refusal("train", "--out", out, "--resume", "--actors", "2")
