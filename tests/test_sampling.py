"""Tests marked `sampled` show every value of their parameters, although they run few cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import GAMES
from tests.properties.test_ways import WAYS

import dasan
from dasan.games import PRESETS

ROOT = Path(__file__).parents[1]


@pytest.mark.full
def test_fifteen_of_a_hundred_cases_show_every_way_and_every_preset() -> None:
    collect = ["--collect-only", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "full and not slow"]
    command = [sys.executable, "-m", "pytest", *collect, "tests/properties/test_ways.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if "::test_records_of_every_way_in_every_game[" in line]
    cases = [line.partition("[")[2].removesuffix("]").partition("-") for line in lines]
    assert len(cases) == 15
    assert {way for way, _, _ in cases} == set(WAYS)
    assert {preset for _, _, preset in cases} == set(dasan.PRESETS)


def test_the_games_of_which_each_keeps_a_case_are_all_games() -> None:
    modules = {name: PRESETS[name].build.__module__ for name in PRESETS.own}
    assert {module for name, module in modules.items() if name.startswith(GAMES)} == set(modules.values())
