"""Rules drawn over all options and fields, through every public entry point: answers, or refusals that belong (G.01)."""

from __future__ import annotations

import pytest
from tests.properties.entries import ENTRIES, tried

PACKAGES = {"wrappers": ("gymnasium", "pettingzoo"), "openspiel": ("pyspiel",)}
MANY = [range(first, first + 49) for first in range(3, 150, 49)]
"""Each takes up to 135 s of processor time, so that a busy machine does not reach the limit of a test."""


@pytest.mark.full
@pytest.mark.parametrize("seeds", [range(3), *(pytest.param(seeds, marks=pytest.mark.slow) for seeds in MANY)], ids=str)
@pytest.mark.parametrize("name", ENTRIES)
def test_rules_of_strangers(name: str, seeds: range) -> None:
    for package in PACKAGES.get(name, ()):
        pytest.importorskip(package, reason="needs the extra envs: make envs")
    done = tried(name, seeds)
    assert done["answered"] > len(seeds) / 2, done
