"""Files with several records, one after the other, and files without any."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import dasan
from dasan.records.lines import records
from dasan.tui.panels import roles

from .hands import greedy_game, play_on
from .running import cli, output, refusal

COMMANDS = ["replay", "verify", "solve", "review"]


def hand(bid: int) -> dasan.State:
    """Three cards: seat 2 has led, and seat 0, the bidder, is to act over it."""
    return dasan.start(
        dasan.rules("big-three"), ["5H 9H", "4D 8D", "TC"], bidder=0, bid=bid, table="4C", table_seat=2, to_act=0
    ).play("5H")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "three.jsonl"
    path.write_text("".join(hand(bid).record() for bid in (1, 2, 3)), encoding="utf-8")
    return path


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS)
def test_each_record_is_taken_in_turn_or_one_picked(command: str, file: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.jsonl"
    one.write_text(hand(2).record(), encoding="utf-8")
    all_of_them = json.loads(output(command, file, "--json"))
    picked = json.loads(output(command, file, "--number", "2", "--json"))
    alone = json.loads(output(command, one, "--json"))
    assert all_of_them[1] == picked
    assert len(all_of_them) == 3
    for text in (picked, alone):
        text.pop("file", None)
        text.pop("seconds", None)
    assert picked == alone
    assert refusal(command, file, "--number", "4") == f"{file} has 3 records, no record 4"
    assert refusal(command, one, "--number", "2") == f"{one} has 1 record, no record 2"


def test_each_record_has_a_heading(file: Path) -> None:
    for command in ("replay", "solve", "review"):
        printed = output(command, file)
        assert [printed.count(f"Record {i}. ") for i in (0, 1, 2, 3, 4)] == [0, 1, 1, 1, 0]
        assert "Record" not in output(command, file, "--number", "2")
    assert output("review", file, "--format", "markdown").count("\n# Record") == 2
    assert "every move is legal, every result is right (3 of 3 records)" in output("verify", file)


@pytest.mark.full
def test_sessions_and_hands_in_one_file(tmp_path: Path) -> None:
    game = greedy_game("winner", players=3)
    play_on(game, hands=2)
    file = tmp_path / "both.jsonl"
    file.write_text(game.session.record() + hand(1).record(), encoding="utf-8")
    assert refusal("replay", file, "--hand", "2") == f"{file}, record 2 has 1 hand, no hand 2"
    assert refusal("review", file, "--hand", "3") == f"{file} has 2 hands, no hand 3"
    assert "\nHand 2. " in output("replay", file, "--number", "1", "--hand", "2")
    assert [summary["hands"] for summary in json.loads(output("verify", file, "--json"))] == [2, 1]


def test_a_picture_is_of_one_hand(file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "hand.svg"
    assert "--number picks one" in refusal("review", file, "--picture", picture)
    assert not picture.exists()
    output("review", file, "--picture", picture, "--number", "3")
    assert picture.exists()


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("command", COMMANDS)
def test_damage_is_said_with_its_line_in_the_file(command: str, file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 9

    def with_line(number: int, text: str) -> str:
        changed = [*lines[: number - 1], text, *lines[number:]]
        file.write_text("\n".join(changed), encoding="utf-8")
        return refusal(command, file)

    assert with_line(6, lines[5].replace("5H", "6H")) == f"{file}, record 2: line 6: you do not hold 6H — G.05"
    assert with_line(8, "{") == f"{file}: line 8 is not JSON — G.03"
    assert with_line(7, '{"format":"climb/9"}') == f"{file}, record 3: line 7: this is not a climb/1 record — G.03"
    assert with_line(1, "42") == f"{file}: line 1 is not a JSON object — G.03"
    assert with_line(9, '{"seq":1}') == f"{file}, record 3: line 9: 'type' is missing — G.03"
    file.write_text("\n".join(lines[:7]), encoding="utf-8")
    assert refusal(command, file) == f"{file}, record 3: the record is incomplete — G.03"
    assert json.loads(output(command, file, "--number", "2", "--json")), "what comes after it is not looked at"


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_holds_no_record(command: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    for rubbish in ("", "\n\n \n", "\ufeff"):
        file.write_text(rubbish, encoding="utf-8")
        assert refusal(command, file) == f"{file}: there is no record in it"
    for rubbish in ("hello\n", "[]\n", "{}\n", '{"type":"note"}\n', "[" * 100_000, "\0" * 100, '{"format":["climb/1"]}'):
        file.write_text(rubbish, encoding="utf-8")
        assert refusal(command, file).startswith(f"{file}: ")
    file.write_bytes(bytes(range(256)))
    assert refusal(command, file) == f"{file} is not a climb/1 record: it is not UTF-8 text"


@pytest.mark.full
def test_ten_thousand_lines(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text(hand(1).record() * 3334, encoding="utf-8")
    printed = output("verify", file)
    assert printed.startswith("rules     big-three, unchanged (3334 of 3334 records)\ntrue      1 hand replayed")
    assert "(3334 of 3334 records)" in printed
    assert "no record 3335" in refusal("solve", file, "--number", "3335")
    assert output("solve", file, "--number", "3334").startswith("Seat 0 has played 5♥. Seat 1 is to act.\n")
    file.write_text("x\n" * 10_000, encoding="utf-8")
    assert refusal("verify", file) == f"{file}: line 1 is not JSON — G.03"


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dasan.cli.files

    monkeypatch.setattr(dasan.cli.files, "MOST_BYTES", 100)
    file = tmp_path / "large"
    file.write_bytes(b" " * 101)
    assert refusal("verify", file) == f"{file} is too large: it has more than 100 bytes"
    assert "too large" in refusal("verify", "-", stdin=" " * 101)


def test_a_record_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import dasan.records.lines

    text = hand(1).record()
    monkeypatch.setattr(dasan.records.lines, "MAX_LINES", 3)
    assert dasan.replay(text) == hand(1)
    assert len(list(records(text * 5))) == 5, "the bound is for each record"
    with pytest.raises(dasan.BadRecord, match="a record has at most"):
        dasan.replay(hand(1).play("8D").record())
    monkeypatch.setattr(dasan.records.lines, "MAX_CHARACTERS", len(text) - 1)
    for read in (dasan.replay, lambda text: list(records(text))):
        with pytest.raises(dasan.BadRecord, match="a record has at most"):
            read(text)
    with pytest.raises(dasan.BadRecord, match="a record is text"):
        dasan.replay(text.encode())  # type: ignore[arg-type]


def test_several_records_from_python() -> None:
    text = hand(1).record() + "\n" + hand(2).record()
    with pytest.raises(dasan.BadRecord, match="line 5: another record begins here"):
        dasan.replay(text)
    assert [dasan.replay(record) for record in records(text)] == [hand(1), hand(2)]
    note = '{"type":"note","format":"climb/1"}\n'
    assert dasan.replay(hand(1).record() + note) == hand(1)


def test_a_position_in_a_trick_is_printed() -> None:
    """The cards on the table, who has passed, whose turn it is: at the beginning, and where the record ends."""
    rules = dasan.rules("big-three-4p")
    where = {"table": "6C", "table_seat": 2, "to_act": 1, "passed": [3, 0], "called": "5S", "partner": 3}
    state = dasan.start(rules, ["9H 3D", "JD 2C", "8S 8H", "5S 6S"], bidder=0, bid=3, **where)  # type: ignore[arg-type]
    printed = output("replay", "-", stdin=state.record()).splitlines()
    assert printed[2:] == [
        "Hand 1, from a given position.",
        "seat 0  bidder for 3  9♥ 3♦",
        "seat 1                J♦ 2♣",
        "seat 2                8♥ 8♠",
        "seat 3  partner       5♠ 6♠",
        "Seat 2 has played 6♣. Seat 3 and seat 0 have passed. Seat 1 is to act.",
        "The record ends here; the hand is not over.",
    ]
    first = json.loads(output("replay", "-", "--json", stdin=state.record()))["hands"][0]["steps"][0]
    assert (first["table"]["cards"], first["table_seat"], first["passed"], first["to_act"]) == ("6C", 2, [3, 0], 1)
    later = output("replay", "-", stdin=state.play("JD").play("pass").record()).splitlines()
    assert later[-1].startswith("The record ends here; the hand is not over. Seat 1 has played J♦.")
    lead = dasan.start(dasan.rules("big-two"), ["3D 4D", "5D 6D", "7D 8D", "9D TD"], leader=2)
    assert "Seat 2 leads." in output("replay", "-", stdin=lead.record())
    assert cli("solve", "-", stdin=lead.record()).stdout.startswith("Seat 2 leads.\n")


@pytest.mark.parametrize(("preset", "word"), [("big-three", "bidder"), ("dou-dizhu", "landlord")])
def test_the_bidder_is_called_what_the_players_say(preset: str, word: str, tmp_path: Path) -> None:
    state = dasan.start(dasan.rules(preset), ["4S 6S", "5S", "7S"], bidder=0, bid=1, leader=0)
    assert f"seat 0  {word} for 1  " in output("replay", "-", stdin=state.record())
    assert f" for the {word}\n" in output("solve", "-", stdin=state.record())
    lost = state.play("4S").play("5S").record()
    for printed in (output("review", "-", stdin=lost), output("review", "-", "--format", "markdown", stdin=lost)):
        assert f"* the {word}'s side\n" in printed
        assert ({"bidder", "landlord"} - {word}).pop() not in printed
    drawn = tmp_path / "hand.svg"
    output("review", "-", "--picture", drawn, stdin=lost)
    assert f"{word} for 1" in roles(state.view(1), 0)
    asked = output("puzzle", "--shipped", "--game", preset, "--count", 100, "--players", 3)
    assert {"bidder", "landlord"} & set(re.findall(r"wins for the (\w+)", asked)) == {word}
    assert f"the {word}'s side" in drawn.read_text(encoding="utf-8")
