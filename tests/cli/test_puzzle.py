"""`dasan puzzle`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dasan
from dasan.puzzles import flaws, load, read, write
from dasan.puzzles.making import grade
from dasan.puzzles.sight import Sight
from dasan.puzzles.tree import ends
from dasan.puzzles.words import solution
from dasan.text.moves import move_words

from .running import cli, output, refusal


@pytest.mark.full
def test_puzzles_are_made_and_written(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.jsonl"
    asked = ("--count", "2", "--theme", "tempo", "--players", "3", "--cards", "8..24", "--seed", "6")
    assert cli("puzzle", *asked, "--out", str(file)).stdout == f"2 puzzles written to {file}\n"
    made = list(read(file.read_text(encoding="utf-8")))
    assert [flaws(puzzle) for puzzle in made] == [[], []]
    assert all("tempo" in puzzle.themes and puzzle.players == 3 and 8 <= puzzle.cards <= 24 for puzzle in made)


def test_shipped_puzzles_are_filtered_and_printed() -> None:
    asked = ("puzzle", "--shipped", "--theme", "tempo", "--grade", "3", "--players", "3", "--count", "2", "--seed", "4")
    report = json.loads(cli(*asked, "--json").stdout)
    known = {puzzle.id: puzzle for puzzle in load(theme="tempo", grade=3, players=3)}
    assert len({one["id"] for one in report} & set(known)) == 2
    words, question = cli(*asked, "--solution").stdout, cli(*asked).stdout
    assert "Solution" not in question
    for one in report:
        assert known[one["id"]].to_json() == {name: value for name, value in one.items() if name != "start"}
        assert f"Puzzle {one['id']}" in question
        assert f"Solution: {move_words(known[one['id']].key)}. Tempting, but losing: " in words


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three puzzles for three."""
    path = tmp_path / "puzzles.jsonl"
    path.write_text(write(load(theme="control", players=3, grade=2)[:3]), encoding="utf-8")
    return path


def test_a_file_is_shown_and_checked(file: Path) -> None:
    puzzles = list(read(file.read_text(encoding="utf-8")))
    printed = output("puzzle", file)
    assert [f"Record {i}. Puzzle {p.id}: " in printed for i, p in enumerate(puzzles, 1)] == [True] * 3
    assert output("puzzle", file, "--number", "2").startswith(f"Puzzle {puzzles[1].id}: ")
    assert [one["id"] for one in json.loads(output("puzzle", file, "--json", "--count", "2"))] == [
        p.id for p in puzzles[:2]
    ]
    checked = output("puzzle", file, "--check").splitlines()
    assert checked[2] == f"   3  {puzzles[2].id}  true: only {move_words(puzzles[2].key)} wins"
    from_stdin = output("puzzle", "-", "--check", "--json", stdin=file.read_text(encoding="utf-8"))
    assert [one["flaws"] for one in json.loads(from_stdin)] == [[], [], []]
    for command in ("solve", "replay", "review", "verify"):
        assert len(json.loads(output(command, file, "--json"))) == 3


def test_a_solution_that_is_not_the_only_one_is_found(file: Path) -> None:
    """A seat that holds nothing but unbeatable cards wins with each of them."""
    puzzle = next(read(file.read_text(encoding="utf-8")))
    state = dasan.start(dasan.rules("big-three"), ["9H TH 2H", "4D 5D", "6D 7D"], bidder=0, bid=1, leader=0)
    moves = [move for move in state.legal_moves() if str(move) in ("9H", "TH", "2H")]
    wrong = replace(puzzle, state=state, key=moves[-1], tempting=(moves[0],))
    file.write_text(write([puzzle, wrong]), encoding="utf-8")
    done = cli("puzzle", file, "--check")
    assert done.exit_code == 2
    assert done.stderr == "dasan: 1 of 2 puzzles is not proved correct\n"
    true, false = done.stdout.splitlines()
    assert f"{puzzle.id}  true: " in true
    assert f"{wrong.id}  NOT TRUE: 9H wins too; TH wins too" in false
    done = cli("puzzle", file, "--check", "--json")
    assert [bool(one["flaws"]) for one in json.loads(done.stdout)] == [False, True]


@pytest.mark.full
def test_damaged_puzzles_are_refused_in_one_line(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)

    def refused(text: str) -> str:
        file.write_text(text, encoding="utf-8")
        return refusal("puzzle", file)

    assert refused("") == f"{file}: there is no record in it"
    assert refused("rubbish") == f"{file}: line 1 is not JSON — G.03"
    assert refused("".join(lines)[:-40]) == f"{file}: line 9 is not JSON — G.03"
    no_puzzle = "record 3: line 7: the record that begins here holds no puzzle — G.03"
    assert refused("".join(lines[:8])) == f"{file}, {no_puzzle}"
    assert refused("".join(lines[:7])) == f"{file}, record 3: the record is incomplete — G.03"
    for old, new in (
        ('"control"', '"\\u001b[31m"'),
        ('"grade":2', '"grade":9'),
        ('"grade":2', '"grade":[]'),
        ('"nodes":', '"nodes":-'),
        ('"source":"', '"source":1,"more":"'),
        ('"themes":[', '"themes":7,"more":['),
        ('"tempting":[', '"tempting":[[],'),
        ('"key":"', '"key":"2D '),
        ('"puzzle":{', '"puzzle":[],"more":{'),
    ):
        assert old in lines[8]
        assert refused("".join(lines[:8]) + lines[8].replace(old, new)) == f"{file}, {no_puzzle}"


@pytest.mark.full
def test_a_tree_that_does_not_fit_is_said(file: Path) -> None:
    puzzle = next(read(file.read_text(encoding="utf-8")))
    key = str(puzzle.key)
    trees: list[Any] = [7, [], {}, [key], [key, 7], [key, []], [[], None], ["2D 2C", None], {key: None}, [key, {"x": 1}]]
    for tree in (None, *trees):
        file.write_text(write([replace(puzzle, tree=tree)]), encoding="utf-8")
        assert "NOT TRUE" in cli("puzzle", file, "--check").stdout
        if tree is not None:
            assert "is not valid" in refusal("puzzle", file, "--solution")


def test_every_solution_can_be_printed() -> None:
    """Each line names the player who moves, and every move of the tree is printed."""
    for puzzle in load()[::40]:
        printed = list(solution(puzzle))
        assert move_words(puzzle.key) in printed[0]
        assert all(line.lstrip().startswith("seat ") for line in printed[1:])
        assert any(line.endswith(("won for sure", "and so on")) for line in printed)


def test_fewer_than_asked_for_is_said() -> None:
    printed = cli("puzzle", "--shipped", "--count", "100000", "--theme", "control", "--json")
    assert printed.stderr == f"only {len(load(theme='control'))} of 100000 were found\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--theme", "luck"), "there is no theme luck"),
        (("--shipped", "--theme", "luck"), "there is no theme luck"),
        (("--cards", "8-30"), "MIN..MAX"),
        (("--cards", "30..8"), "minimum is above the maximum"),
        (("--shipped", "--cards", "30..8"), "minimum is above the maximum"),
        (("--grade", "3"), "--shipped or FILE"),
        (("--number", "3"), "needs FILE"),
        (("x", "--shipped"), "not both"),
        (("x", "--check", "--out", "y"), "--check"),
        (("/nowhere",), "cannot read /nowhere"),
        (("--out", "x", "--json"), "--json"),
        (("--shipped", "--cards", "50..52"), "no such puzzle"),
        (("--shipped", "--out", "/nowhere/at/all"), "cannot write"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], says: str) -> None:
    assert says in refusal("puzzle", *arguments)


def test_a_solution_shows_the_plays_that_win() -> None:
    """Every play but perhaps the last stands, and together they empty the hand."""
    for puzzle in load()[::25]:
        for end, sure in ends(puzzle.state, puzzle.tree):
            if not sure or end.to_act is None:
                continue
            plays = Sight(end).line()
            played = [str(c) for move in plays for c in move.cards]
            assert sorted(played) == sorted(map(str, end.hands[end.to_act]))
            assert all(move.combination is not None and Sight(end).stands(move.combination) for move in plays[:-1])
    text = "\n".join(solution(load()[0]))
    assert re.search(r"won for sure\n +seat \d: ", text)


def test_no_puzzle_is_a_choice_of_two() -> None:
    """Moves that differ only in suits are one move; where there are three, a guess counts and the grade says so."""
    for puzzle in load()[::5]:
        different = len(puzzle.state.legal_moves())
        assert different >= 3
        assert grade(puzzle.nodes, len(puzzle.tempting), puzzle.moves, different) == puzzle.grade
    assert grade(10_000, 4, 5, 3) < grade(10_000, 4, 5, 4) == 5
    assert "different moves, which" in output("puzzle", "--shipped")
