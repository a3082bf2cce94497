"""Tests marked `sampled` show every value of their parameters, although they run few cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.properties.test_ways import WAYS

import dasan

ROOT = Path(__file__).parents[1]


@pytest.mark.full
def test_twenty_of_a_hundred_cases_show_every_way_and_every_preset() -> None:
    collect = ["--collect-only", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "full and not slow"]
    command = [sys.executable, "-m", "pytest", *collect, "tests/properties/test_ways.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if "::test_records_of_every_way_in_every_game[" in line]
    cases = [line.partition("[")[2].removesuffix("]").partition("-") for line in lines]
    assert len(cases) == 20
    assert {way for way, _, _ in cases} == set(WAYS)
    assert {preset for _, _, preset in cases} == set(dasan.PRESETS)
