"""`dasan train`: options that would be ignored are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from .running import refusal

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--like", "winner", "--seed", "2", "--envs", "8"],
            "--like takes the settings of winner: leave out --envs, --seed",
        ),
        (["--like", "winner", "--game", "big-three"], "leave out --game"),
        (["--like", "winner", "-o", "jokers=true"], "leave out --option"),
        (["--resume", "--rounds", "40"], "a run goes on with its own settings: leave out --rounds"),
        (["--resume", "--pool", "low"], "leave out --pool"),
        (["--share", "0.5"], "name one"),
        (["--envs", "30", "--branches", "4"], "a multiple of branches"),
    ],
)
def test_options_without_effect_are_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    assert message in refusal("train", "--out", tmp_path / "run", *arguments)
    assert not (tmp_path / "run").exists()
