"""Rules drawn over all options and fields, through every public entry point: answers, or refusals that belong (G.01)."""

from __future__ import annotations

import pytest
from tests.properties.entries import ENTRIES, tried

PACKAGES = {"wrappers": ("gymnasium", "pettingzoo"), "openspiel": ("pyspiel",)}


@pytest.mark.full
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 150), marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("name", ENTRIES)
def test_rules_of_strangers(name: str, seeds: range) -> None:
    for package in PACKAGES.get(name, ()):
        pytest.importorskip(package, reason="needs the extra envs: make envs")
    done = tried(name, seeds)
    assert done["answered"] > len(seeds) / 2, done
