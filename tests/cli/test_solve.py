"""`dasan solve` and `dasan review`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import dasan
from dasan.review.best_play import Review, review
from dasan.review.report import Report

from .running import output, refusal

HANDS = ["4H 4S 3D", "5H 6H", "7H 8C"]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Seat 0 wins with any lead but throws it away on the second move: it passes the eight."""
    state = dasan.start(dasan.rules("big-three"), HANDS, bidder=0, bid=2, leader=0)
    for move in ("4H", "5H", "8C", "pass", "pass", "7H"):
        state = state.play(move)
    file = tmp_path / "hand.jsonl"
    file.write_text(state.record(), encoding="utf-8")
    return file


def test_review_finds_the_blunder(record: Path) -> None:
    report = json.loads(output("review", record, "--json"))
    blunder = next(move for move in report["moves"] if move["kept"] is False)
    assert blunder["seq"] == report["turning_point"]
    assert (blunder["seat"], blunder["move"], blunder["keeping"]) == (0, "pass", ["3D"])
    assert [move["forced"] for move in report["moves"]][-1] is True
    assert "LOSES" in output("review", record)


def test_review_as_text_markdown_and_json(record: Path) -> None:
    text = output("review", record)
    assert "Turning point: move 4, seat 0: pass; better 3♦." in text
    assert "\x1b" not in text
    markdown = output("review", record, "--format", "markdown")
    assert "| 4 | seat 0 \\* | pass | **LOSES THE HAND; 1 of 2 moves keeps it: 3♦** |" in markdown
    assert json.loads(output("review", record, "--format", "json")) == json.loads(output("review", record, "--json"))


def test_a_turning_point_after_moves_that_were_not_judged_may_not_be_the_first(record: Path) -> None:
    hand = dasan.replay(record.read_text(encoding="utf-8"))
    assert isinstance(hand, dasan.State)
    report = review(hand)
    assert Report(report).summary[1].startswith("Turning point: move 4,")
    first, *rest = report.moves
    unproved = Review(hand, (replace(first, kept=None, value=None), *rest))
    assert Report(unproved).summary[1].startswith("First known turning point: move 4,")
    call = replace(first, kept=None, value=None, phase=dasan.Phase.CALL)
    assert Report(Review(hand, (call, *rest))).summary[1].startswith("First known turning point: move 4,")
    bid = replace(first, kept=None, value=None, phase=dasan.Phase.AUCTION)
    assert Report(Review(hand, (bid, *rest))).summary[1].startswith("Turning point: move 4,")


def test_the_summary_counts_what_was_judged(record: Path) -> None:
    hand = dasan.replay(record.read_text(encoding="utf-8"))
    assert isinstance(hand, dasan.State)
    report = review(hand)
    choices = [j for j in report.moves if not j.forced]
    forced = len(report.moves) - len(choices)
    lost = sum(j.kept is False for j in choices)
    line = (
        f"{len(choices) - lost} of the {len(choices)} moves that were judged kept the result; {forced} more were forced."
    )
    assert line in Report(report).summary
    moves = tuple(replace(j, kept=True) for j in report.moves)
    assert f"All {len(choices)} moves that were judged kept the result" in " ".join(Report(Review(hand, moves)).summary)
    open_ = tuple(replace(j, kept=None, worth=None) if j.seq == choices[0].seq else j for j in moves)
    summary = " ".join(Report(Review(hand, open_)).summary)
    assert f"All {len(choices) - 1} moves that were judged" in summary
    assert f"Not proved in the time: 1 of {len(report.moves)} moves, {choices[0].seq}." in summary


def test_moves_that_were_not_judged_are_named_exactly(record: Path) -> None:
    """Adjacent moves are drawn together, even with an event between them that is not a move."""
    hand = dasan.replay(record.read_text(encoding="utf-8"))
    assert isinstance(hand, dasan.State)
    report = review(hand)
    seqs = [j.seq for j in report.moves]

    def named(*places: int) -> str:
        moves = [
            replace(j, kept=None, value=None, scope="two sides") if i in places else j
            for i, j in enumerate(report.moves)
        ]
        summary = Report(Review(hand, tuple(moves))).summary
        sentence = next(line for line in summary if line.startswith("Not proved in the time"))
        return sentence.partition("moves, ")[2]

    assert named(0, 2) == f"{seqs[0]}, {seqs[2]}."
    assert named(0, 1, 2) == f"{seqs[0]}–{seqs[2]}."
    assert named(0, 3, 4) == f"{seqs[0]}, {seqs[3]}–{seqs[4]}."
    assert seqs[5] > seqs[4] + 1
    assert named(4, 5) == f"{seqs[4]}–{seqs[5]}."


def test_a_record_without_moves(tmp_path: Path) -> None:
    file = tmp_path / "start.jsonl"
    hands = ["4H 4S 3D", "5H 6H", "7H 8C"]
    state = dasan.start(dasan.rules("big-three"), hands, bidder=0, bid=2, leader=0)
    file.write_text(state.record(), encoding="utf-8")
    assert "Nobody has moved" in output("review", file)


def test_review_is_coloured_where_that_is_wanted(record: Path) -> None:
    assert "\x1b[1;31m" in output("review", record, FORCE_COLOR="1", TERM="xterm")
    plain = output("review", record, FORCE_COLOR="1", TERM="xterm", NO_COLOR="1")
    assert "LOSES" in plain
    assert "[1;31m" not in plain
    assert "[32m" not in plain


def test_review_draws_a_picture(record: Path, tmp_path: Path) -> None:
    picture = tmp_path / "hand.svg"
    output("review", record, "--picture", picture)
    assert picture.read_text(encoding="utf-8").startswith("<svg ")
    for wrong in (tmp_path / "hand.png", tmp_path / "missing" / "hand.svg"):
        assert wrong.name.removesuffix(".png") in refusal("review", record, "--picture", wrong)
    for nameless in ("", ".", "/"):
        assert "name it like hand.svg" in refusal("review", record, "--picture", nameless)


def test_review_of_a_game_without_sides_says_what_it_means(tmp_path: Path) -> None:
    """A seat could go out with the highest card, passes, and a pair goes out before it."""
    state = dasan.start(dasan.rules("winner", players=3), ["3D 2S", "4D 5H 5C", "6D 7H 7C"], leader=0)
    file = tmp_path / "hand.jsonl"
    file.write_text(state.play("3D").play("4D").play("6D").play("pass").record(), encoding="utf-8")
    text = output("review", file)
    assert "COSTS: place 2 instead of place 1" in text
    assert "against all others" in text


def test_the_hand_of_a_session(tmp_path: Path) -> None:
    """Without a number, the last in which somebody has moved."""
    session = dasan.session(dasan.rules("winner", players=3), seed=3)
    while session.state.phase is not dasan.Phase.OVER:
        session = session.play(session.state.legal_moves()[0])
    file = tmp_path / "session.jsonl"
    file.write_text(session.next_hand().record(), encoding="utf-8")
    first, last = (
        json.loads(output("review", file, "--json", "--seconds", "0.01", *hand)) for hand in (("--hand", "1"), ())
    )
    assert len(first["moves"]) > 40
    assert [move["seq"] for move in first["moves"]] == [move["seq"] for move in last["moves"]]
    assert json.loads(output("review", file, "--json", "--hand", "2"))["moves"] == []
    assert "no hand 3" in refusal("review", file, "--hand", "3")


def test_solve_a_position_of_a_record(record: Path) -> None:
    first = dasan.replay(record.read_text(encoding="utf-8")).events[0].seq  # type: ignore[union-attr]
    report = json.loads(output("solve", record, "--before", first, "--json"))
    assert report["value"] == 4
    assert report["exact"] is True
    assert "best play: " in output("solve", record, "--before", first)


def test_a_hand_that_is_over_is_refused_in_one_line(record: Path) -> None:
    assert "--before" in refusal("solve", record)


def test_a_move_that_there_is_not_is_refused(record: Path) -> None:
    assert "there is no move 99999: the last one is " in refusal("solve", record, "--before", "99999")


def test_more_memory_than_there_can_be_is_refused_by_the_option_s_name(record: Path) -> None:
    assert "--memory" in refusal("solve", record, "--before", "1", "--memory", "1e30")
