"""`dasan puzzle`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dasan.puzzles import flaws, load, read

from .running import cli, refusal


def test_puzzles_are_made_and_written(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.jsonl"
    asked = ("--count", "2", "--theme", "tempo", "--players", "3", "--cards", "8..24", "--seed", "6")
    assert cli("puzzle", *asked, "--out", str(file)).stdout == f"2 puzzles written to {file}\n"
    made = list(read(file.read_text(encoding="utf-8")))
    assert [flaws(puzzle) for puzzle in made] == [[], []]
    assert all("tempo" in puzzle.themes and puzzle.players == 3 and 8 <= puzzle.cards <= 24 for puzzle in made)


def test_shipped_puzzles_are_chosen_and_told() -> None:
    asked = ("puzzle", "--shipped", "--theme", "tempo", "--grade", "3", "--players", "3", "--count", "2", "--seed", "4")
    told = json.loads(cli(*asked, "--json").stdout)
    known = {puzzle.id: puzzle for puzzle in load(theme="tempo", grade=3, players=3)}
    assert len({one["id"] for one in told} & set(known)) == 2
    words, question = cli(*asked, "--solution").stdout, cli(*asked).stdout
    assert "solution" not in question
    for one in told:
        assert known[one["id"]].to_json() == {name: value for name, value in one.items() if name != "start"}
        assert f"Puzzle {one['id']}" in question
        assert f"solution: {one['key']};" in words


def test_fewer_than_asked_for_is_said() -> None:
    told = cli("puzzle", "--shipped", "--count", "100000", "--theme", "control", "--json")
    assert told.stderr == f"only {len(load(theme='control'))} of 100000 were found\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--theme", "luck"), "there is no theme luck"),
        (("--shipped", "--theme", "luck"), "there is no theme luck"),
        (("--cards", "8-30"), "MIN..MAX"),
        (("--cards", "30..8"), "not more than the most"),
        (("--grade", "3"), "--shipped"),
        (("--out", "x", "--json"), "--json"),
        (("--shipped", "--cards", "50..52"), "no such puzzle"),
        (("--shipped", "--out", "/nowhere/at/all"), "cannot write"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], says: str) -> None:
    assert says in refusal("puzzle", *arguments)
