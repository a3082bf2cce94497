"""Commands that run in parallel processes or on a cluster: what they refuse, and how they fail."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.cli.running import cli, refusal

import dasan
from dasan.bots import BOTS

pytestmark = pytest.mark.full

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


class Ray:
    """A stand-in for Ray that reports a dead machine on standard output, as Ray does."""

    class exceptions:  # noqa: N801
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            pass

    def __init__(self, address: str) -> None:
        self._address = address
        self._connected = False

    def is_initialized(self) -> bool:
        return self._connected

    def init(self, *, address: str, **_: object) -> None:
        if address != self._address:
            raise ConnectionError(f"nobody is at {address}")
        self._connected = True

    def shutdown(self) -> None:
        self._connected = False

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}

    def remote(self, **_: object) -> Callable[[Callable[[Any], Any]], SimpleNamespace]:
        return lambda work: SimpleNamespace(remote=lambda item: _Done(work(item)))

    def wait(self, refs: list[_Done], **_: object) -> tuple[list[_Done], list[_Done]]:
        print("(raylet) a machine died")
        return refs[:1], refs[1:]

    def get(self, ref: _Done) -> Any:
        return ref.found


class _Done:
    def __init__(self, found: object) -> None:
        self.found = found


@pytest.mark.parametrize("command", [GENERATE, ARENA], ids=["generate", "arena"])
def test_an_unreachable_cluster_is_reported_before_any_output(
    command: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    monkeypatch.setitem(sys.modules, "ray", Ray("there"))
    folder = tmp_path / "out"
    error = refusal(*command, folder, "--ray", "elsewhere")
    assert error == "no connection to the cluster elsewhere: nobody is at elsewhere"
    assert not folder.exists()


@pytest.mark.parametrize("command", [GENERATE, ARENA], ids=["generate", "arena"])
def test_ray_prints_nothing_into_the_json(
    command: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    ray = Ray("there")
    monkeypatch.setitem(sys.modules, "ray", ray)
    bots = ("--bot", "random") if command is GENERATE else ()
    done = cli(*command, tmp_path / "out", *bots, "--ray", "there", "--json")
    assert done.exit_code == 0, done.output
    assert isinstance(json.loads(done.stdout), dict)
    assert "(raylet)" in done.stderr
    assert not ray.is_initialized()


class Ending:
    """Ends its process."""

    name, version = "ends", "1"

    def choose(self, view: dasan.View) -> dasan.Move:
        os._exit(3)


def killed(*_: object) -> None:
    """As when the system runs out of memory and kills a process."""
    os._exit(9)


def test_a_process_death_while_solving_deals_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.bench.deals._valued", killed)
    assert refusal("deals", "--count", 2, "--processes", 2).startswith("a process died while it solved a deal: ")


def test_a_bot_that_ends_a_process_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    BOTS.add("ends", lambda seed: Ending())
    try:
        error = refusal(*GENERATE, tmp_path, "--bot", "ends", "--processes", 2)
    finally:
        BOTS.remove("ends")
    assert error.startswith("a process died while ends played: ")
