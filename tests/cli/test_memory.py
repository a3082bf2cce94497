"""Sizes that do not fit into memory are refused before any work, in a sentence with the numbers."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import dasan
from dasan import memory, vector, worlds

from .running import cli, refusal

RULES = dasan.rules("big-three")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with ten megabytes."""
    monkeypatch.setattr(memory, "installed", lambda: 1e7)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("train --out OUT --envs 100000", "100,000 parallel hands, 32 steps in a round and layers of 256 and 64 units"),
        (
            "train --out OUT --steps 1000000",
            "1,024 parallel hands, 1,000,000 steps in a round and layers of 256 and 64 units",
        ),
        ("train --out OUT --envs 100000 --branches 10", "100,000 parallel hands and layers of 256 and 64 units"),
        ("train --out OUT --envs 100000 --method policy", "100,000 parallel hands and layers of 256 and 64 units"),
        (
            "train --out OUT --envs 2 --actors 4000",
            "4,000 actors with 2 parallel hands each, 256 steps in a round and layers of 256 and 64 units",
        ),
        (
            "train --out OUT --envs 1 --steps 1 --set first=100000",
            "1 parallel hand, 1 step in a round and layers of 100,000 and 64 units",
        ),
        (
            "train --out OUT --envs 100 --branches 10 --set second=100000",
            "100 parallel hands and layers of 256 and 100,000 units",
        ),
        (
            "train --out OUT --envs 40 --actors 4 --processes 4 --set keep=0.001",
            "4 processes, each with 40 parallel hands",
        ),
        ("train --out OUT --envs 1 --steps 1 --deals 1000000", "measurements over 1,000,000 deals"),
        ("arena low random --deals 100000", "100,000 deals"),
        ("arena low random --processes 9", "9 processes"),
        ("evaluate low --deals 100000", "100,000 deals"),
        ("deals --memory 1 --count 100000", "100,000 deals"),
        ("deals --processes 9 --memory 2", "9 processes with tables of 2 MB each"),
        ("deals --processes 9 --memory 1", "9 processes"),
        ("deals --memory 11", "tables of 11 MB"),
        ("solve FILE --memory 1000000", "tables of 1,000,000 MB"),
        ("review FILE --memory 1000000", "tables of 1,000,000 MB"),
        ("puzzle --count 1 --processes 9", "9 processes"),
        ("deals --memory 1 --workers 9", "9 processes"),
        ("puzzle --count 1 --workers 9", "9 processes"),
    ],
)
@pytest.mark.usefixtures("small")
def test_a_command_says_what_does_not_fit(command: str, what: str, tmp_path: Path) -> None:
    said = refusal(*(str(tmp_path / "out") if word == "OUT" else word for word in command.split()))
    assert said.startswith(f"there is not enough memory for {what}: they take ")
    assert said.endswith(" GB or more, and there are 0.0 GB")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("command", ["arena low random --deals", "deals --memory 1 --count", "evaluate low --deals"])
def test_a_number_of_hundreds_of_digits_is_said_by_its_magnitude(command: str) -> None:
    said = refusal(*command.split(), 10**400)
    assert re.fullmatch(
        r"there is not enough memory for 10\^400 deals: they take 10\^40\d bytes or more, and there are 0\.0 GB", said
    )


@pytest.mark.usefixtures("small")
def test_a_data_set_says_what_does_not_fit(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="data sets need their extra: pip install 'dasan[data]'")
    said = refusal("generate", "--out", tmp_path / "out", "--hands", 10**9, "--part", 10**6, "--processes", 20)
    assert said.startswith("there is not enough memory for 20,000,000 hands in unfinished files: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("small")
def test_a_library_says_what_does_not_fit() -> None:
    view = dasan.deal(RULES, seed=7).view(1)
    for make, what in (
        (lambda: vector.make(RULES, 100_000), "100,000 environments of big-three"),
        (lambda: vector.playouts(RULES, 10**6), "the results of 1,000,000 hands of big-three"),
        (lambda: worlds.deals(view, 10**6), "1,000,000 worlds of big-three"),
        (lambda: worlds.Positions(RULES, 10**6), "1,000,000 positions of big-three"),
    ):
        with pytest.raises(MemoryError, match=f"there is not enough memory for {what}: they take .* GB or more"):
            make()


@pytest.mark.parametrize("command", ["arena low random --processes", "deals --processes", "puzzle --processes"])
def test_no_machine_has_a_million_processes(command: str) -> None:
    assert "less than or equal to 4096" in refusal(*command.split(), 10**6)


@pytest.mark.parametrize(("limit", "least"), [("1000\n", 1000), ("max\n", 10**8), (None, 10**8)])
def test_a_container_has_the_memory_of_its_limit(
    limit: str | None, least: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memory.max"
    if limit is not None:
        file.write_text(limit)
    monkeypatch.setattr(memory, "_LIMITS", (str(file),))
    found = memory.installed.__wrapped__()
    assert found == least if limit == "1000\n" else found > least


def test_a_system_that_does_not_say_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_LIMITS", ())
    monkeypatch.setattr("os.sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else -1)
    assert memory.installed.__wrapped__() == math.inf


@pytest.mark.full
def test_the_usual_sizes_fit(tmp_path: Path) -> None:
    done = cli("train", "--out", tmp_path, "--envs", 4, "--rounds", 1, "--steps", 4, "--epochs", 1, "--every", 9)
    assert done.exit_code == 0
