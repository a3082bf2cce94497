"""Commands whose work is spread over processes or a cluster: what they refuse, and how they fail."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.cli.running import refusal

import dasan
from dasan.bots import BOTS

GENERATE = ("generate", "--game", "big-two", "--hands", 4, "--part", 2, "--out")
ARENA = ("arena", "low", "shed", "--game", "big-two", "--deals", 4, "--records")


@pytest.mark.parametrize("command", [GENERATE, ARENA], ids=["generate", "arena"])
def test_a_place_is_refused_before_anything_is_written(
    command: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    assert "give one of them" in refusal(*command, folder, "--processes", 2, "--ray", "auto")
    assert "a cluster has an address" in refusal(*command, folder, "--ray", "")
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'dasan[cluster]'" in refusal(*command, folder, "--ray", "auto")
    assert not folder.exists()


class Ending:
    """Ends its process."""

    name, version = "ends", "1"

    def choose(self, view: dasan.View) -> dasan.Move:
        os._exit(3)


def killed(*_: object) -> None:
    """As where a system without memory kills a process."""
    os._exit(9)


def test_a_process_that_dies_while_it_solves_deals_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.solver.deals._valued", killed)
    assert refusal("deals", "--count", 2, "--workers", 2).startswith("a process died while it solved a deal: ")


def test_a_bot_that_ends_a_process_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    BOTS.add("ends", lambda seed: Ending())
    try:
        said = refusal(*GENERATE, tmp_path, "--bot", "ends", "--processes", 2)
    finally:
        BOTS.remove("ends")
    assert said.startswith("a process died while ends played: ")
