"""`dasan arena`."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

import pytest
from tests.cli.running import output, refusal

import dasan
from dasan.networks.trained import fitted

OUTCOME = {
    "seed": 1,
    "mean": 0,
    "wins": 0,
    "above": 0,
    "below": 0,
    "roles": {},
    "moves": [1, 1],
    "seconds": [0, 0],
    "faults": [{}, {}],
}


def test_it_prints_json_of_every_pair() -> None:
    report = json.loads(
        output("arena", "greedy", "random", "thrifty", "--game", "big-two", "--deals", 4, "--processes", 1, "--json")
    )
    assert list(report) == ["game", "deals", "pairs"]
    assert (report["game"], report["deals"]) == ("big-two", 4)
    assert [(pair["a"], pair["b"]) for pair in report["pairs"]] == [
        ("greedy", "random"),
        ("greedy", "thrifty"),
        ("random", "thrifty"),
    ]
    first = report["pairs"][0]
    assert list(first) == ["a", "b", "deals", "mean", "low", "high", "win_rate", "seconds_per_move"]
    assert first["low"] <= first["mean"] <= first["high"]
    assert 0 < first["seconds_per_move"] < 1


def test_it_goes_on_from_a_file_and_prints_a_table(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    arguments = (
        "arena",
        "thrifty",
        "random",
        "--game",
        "winner",
        "--deals",
        "3",
        "--out",
        str(file),
        "--processes",
        "1",
    )
    first = output(*arguments)
    assert "| thrifty | random | 3 |" in first
    assert len(file.read_text().splitlines()) == 3
    assert output(*arguments) == first
    assert len(file.read_text().splitlines()) == 3


def test_a_command_with_a_pipe_stays_in_its_cell() -> None:
    command = f'cmd:"{sys.executable}" -W "ignore:a|b" -m dasan bot-protocol low'
    table = output("arena", command, "low", "--deals", 1, "--processes", 1)
    (row,) = (line for line in table.splitlines() if "bot-protocol" in line)
    assert len(re.split(r"(?<!\\)\|", row)) == len(table.splitlines()[0].split("|"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy"], "at least two bots"),
        (["greedy", "grandma"], "there is no bot 'grandma'"),
        (["greedy", "random", "--game", "chess"], "there is no preset 'chess'"),
        (["low", "shed", "--move-seconds", "inf"], "less than or equal to 86400"),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    assert message in refusal("arena", *arguments)


@pytest.mark.parametrize(
    "line",
    ["[]", '{"contest": 5, "outcome": {}}', '{"contest": "x", "outcome": {"seed": 1}}', "OUTCOME", "[" * 100_000],
    ids=["list", "nothing", "less", "roles", "deep"],
)
def test_a_file_of_something_else_is_refused(line: str, tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    whole = {"contest": "x", "outcome": {**OUTCOME, "roles": []}}
    file.write_text(line.replace("OUTCOME", json.dumps(whole)) + "\n", encoding="utf-8")
    error = refusal("arena", "low", "shed", "--deals", "1", "--processes", "1", "--out", file)
    assert error.endswith("kept.jsonl does not hold outcomes of contests")


@pytest.mark.parametrize(
    "wrong",
    [
        {"mean": math.nan},
        {"mean": 1e200},
        {"mean": 10**400},
        {"wins": 2},
        {"above": -1},
        {"above": 10**400},
        {"seconds": [math.inf, 0]},
        {"roles": {"bidder": [0, 0]}},
        {"roles": {"bidder": [1, 2]}},
    ],
    ids=str,
)
def test_outcomes_with_impossible_numbers_are_refused(wrong: dict[str, object], tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text(json.dumps({"contest": "x", "outcome": OUTCOME | wrong}) + "\n", encoding="utf-8")
    error = refusal("arena", "low", "shed", "--deals", "1", "--processes", "1", "--out", file)
    assert error.endswith("kept.jsonl does not hold outcomes of contests")


def test_outcomes_that_the_game_cannot_have_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    arguments = ("arena", "low", "shed", "--deals", "1", "--processes", "1", "--out", file)
    output(*arguments)
    data = json.loads(file.read_text(encoding="utf-8"))
    data["outcome"]["mean"] = 7
    file.write_text(json.dumps(data) + "\n", encoding="utf-8")
    assert refusal(*arguments).endswith("kept.jsonl has outcomes that big-three cannot have")


def test_deals_with_only_void_hands_do_not_count_as_lost(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    arguments = ("arena", "low", "shed", "--deals", 2, "--processes", 1, "--out", file, "--json")
    output(*arguments)
    first, second = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    first["outcome"] |= {"wins": 0.5, "roles": {"bidder": [2, 1]}}
    second["outcome"] |= {"wins": 0.0, "roles": {}}
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")
    (pair,) = json.loads(output(*arguments))["pairs"]
    assert pair["win_rate"] == 0.5


def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    """Its last line, without a line break, is not taken for an outcome that a crash has cut off."""
    file = tmp_path / "notes.txt"
    file.write_text("first line\nlast line", encoding="utf-8")
    error = refusal("arena", "low", "shed", "--deals", "1", "--processes", "1", "--out", file)
    assert error.endswith("notes.txt does not hold outcomes of contests")
    assert file.read_text(encoding="utf-8") == "first line\nlast line"


@pytest.mark.full
def test_a_network_in_a_file_plays_as_the_one_of_the_package(tmp_path: Path) -> None:
    file = tmp_path / "network.npz"
    package = fitted(dasan.rules("big-three"))
    assert package is not None
    package.network.save(file)
    against = ("--deals", 2, "--processes", 1, "--json")
    (pair,) = json.loads(output("arena", f"net:{file}", "net", *against))["pairs"]
    assert (pair["mean"], pair["low"] <= 0 <= pair["high"]) == (0, True)
    (pair,) = json.loads(output("arena", f"net:{package.trained.name}", "net", *against))["pairs"]
    assert pair["mean"] == 0
    assert refusal("arena", "net:big-three", "net", "--game", "big-two").endswith(
        "was trained for another game: big-three"
    )
    error = refusal("arena", f"net:{file}", "net", "--game", "big-two")
    assert error.endswith("network.npz has no model card, and reads features of other rules")
    file.write_bytes(b"PK")
    assert refusal("arena", f"net:{file}", "net").endswith("network.npz: the file does not contain a network")
    assert "No such file" in refusal("arena", "net:nowhere.npz", "net")
    assert "there is no network 'nowhere'; there are big-three" in refusal("arena", "net:nowhere", "net")


def test_a_file_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "none" / "kept.jsonl"
    said = refusal("arena", "low", "random", "--deals", 1, "--out", file, "--processes", 1)
    assert said == f"cannot read or write {file}: No such file or directory"
    network = tmp_path / "none.npz"
    said = refusal("evaluate", f"net:{network}", "--deals", 2, "--processes", 1)
    assert said == f"cannot read or write {network}: No such file or directory"
