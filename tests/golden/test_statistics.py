"""The statistics of random play are unchanged, in kernels and in the engine: lengths, numbers of moves, and who wins."""

from __future__ import annotations

import pytest
from tests.golden.statistics import COMPILED, Figures, by_engine, by_kernels, names, pinned

import dasan

pytestmark = pytest.mark.full

SIGMAS = 4.5
"""With 46 figures a chance difference is this large for one choice of seeds in 3,000; the seeds are fixed."""


def check(figures: Figures, preset: str) -> None:
    wanted = pinned()[preset]
    assert list(figures) == list(wanted)
    for name, (mean, error) in figures.items():
        expected, its_error = wanted[name]
        assert abs(mean - expected) < SIGMAS * (error**2 + its_error**2) ** 0.5, name


def test_every_preset_has_its_figures() -> None:
    assert {preset: list(figures) for preset, figures in pinned().items()} == {
        preset: names(dasan.rules(preset).players) for preset in COMPILED
    }


@pytest.mark.parametrize("preset", COMPILED)
def test_kernels(preset: str) -> None:
    check(by_kernels(preset, environments=300, hands=20, seed=7), preset)


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("preset", COMPILED)
def test_engine(preset: str) -> None:
    check(by_engine(preset, hands=80, seed=7), preset)


@pytest.mark.slow
@pytest.mark.parametrize("preset", COMPILED)
def test_engine_at_length(preset: str) -> None:
    check(by_engine(preset, hands=3_000, seed=8), preset)
