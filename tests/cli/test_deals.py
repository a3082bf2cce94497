"""`dasan deals`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dasan import Move, View
from dasan.bots.greedy import GreedyBot

from .running import cli, refusal

WRONG_FEATURES: tuple[object, ...] = ([], {"turns": None}, {"luck": 1}, {"some": 1})
QUICK = ("--nodes", "2000", "--memory", "8")


def test_deals_are_kept_and_not_solved_again(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    first = cli("deals", "--count", "2", *QUICK, "--out", str(file)).stdout
    before = file.read_text(encoding="utf-8")
    assert first.count("as bidder") == 2
    assert cli("deals", "--count", "2", *QUICK, "--out", str(file)).stdout == first
    assert file.read_text(encoding="utf-8") == before
    report = json.loads(cli("deals", "--count", "3", *QUICK, "--out", str(file), "--json").stdout)
    assert [deal["number"] for deal in report] == [0, 1, 2]
    assert file.read_text(encoding="utf-8").startswith(before)
    table = json.loads(cli("deals", "--stats", "--count", "3", *QUICK, "--out", str(file), "--json").stdout)
    assert table["nodes"] == 2000
    everyone = table["shares"][0]
    assert (everyone["kind"], everyone["bidders"], everyone["deals"]) == ("all", 9, 3)
    assert everyone["interval"][0] <= everyone["low"] <= everyone["high"] <= everyone["interval"][1]
    words = cli("deals", "--stats", "--count", "3", *QUICK, "--out", str(file)).stdout
    assert words.startswith("| bidder |")
    assert "place after the opener" in words


def test_deals_not_settled_are_tried_again_with_more_nodes(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"

    def nodes(limit: int) -> int:
        printed = cli(
            "deals", "--count", "1", "--nodes", str(limit), "--memory", "8", "--out", str(file), "--json"
        ).stdout
        return int(json.loads(printed)[0]["nodes"])

    assert [nodes(limit) for limit in (10, 10, 500, 10)] == [10, 10, 500, 500]
    assert file.read_text(encoding="utf-8").count("\n") == 2


def test_of_two_lines_of_a_deal_the_one_with_more_proofs_counts(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    command = ("deals", "--count", "1", *QUICK, "--out", str(file), "--json")
    (open_,) = json.loads(cli(*command).stdout)
    assert any(one["won"] is None for one in open_["bidders"])
    proved = {**open_, "nodes": 2000, "bidders": [{**one, "won": one["won"] or False} for one in open_["bidders"]]}
    for lines in ([open_, proved], [proved, open_]):
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        assert json.loads(cli(*command).stdout) == [proved]


def test_deals_of_one_bidder_are_kept_apart(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"

    def bidders(which: str) -> int:
        printed = cli("deals", "--count", "1", *QUICK, "--out", str(file), "--json", "--seats", which).stdout
        return len(json.loads(printed)[0]["bidders"])

    assert [bidders(which) for which in ("one", "all", "greedy", "one")] == [1, 3, 1, 1]
    assert file.read_text(encoding="utf-8").count("\n") == 3


def test_a_deal_that_a_crash_has_cut_off_is_solved_again(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    first = cli("deals", "--count", "2", *QUICK, "--out", str(file)).stdout
    whole = file.read_text(encoding="utf-8")
    for kept in (len(whole) - 1, len(whole) - 20, 30):
        file.write_text(whole[:kept], encoding="utf-8")
        assert cli("deals", "--count", "2", *QUICK, "--out", str(file)).stdout == first
        assert file.read_text(encoding="utf-8") == whole
    file.write_text("first line\nlast line", encoding="utf-8")
    assert "does not hold valued deals" in refusal("deals", "--count", "1", *QUICK, "--out", str(file))
    assert file.read_text(encoding="utf-8") == "first line\nlast line"


def test_deals_that_cannot_be_read_or_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    deal = {"seed": 0, "players": 3, "number": 0, "nodes": 9, "bidders": [{}, {}, {}]}
    bidder: dict[str, object] = {"seat": 0, "place": 0, "bids": False, "won": None, "features": {}}
    three = [bidder | {"seat": seat} for seat in range(3)]
    for damaged in (
        {"seed": 1},
        deal,
        deal | {"bidders": []},
        deal | {"bidders": three, "number": []},
        deal | {"bidders": three, "seats": "one"},
        deal | {"bidders": three, "nodes": "9"},
        deal | {"bidders": [bidder] * 3},
        deal | {"bidders": [*three[:2], bidder | {"seat": 7}]},
        deal | {"bidders": [], "players": 0},
        deal | {"bidders": [bidder], "seats": "two"},
        deal | {"bidders": [bidder], "seats": "greedy"},
        deal | {"bidders": [bidder | {"place": 9}], "seats": "one"},
        deal | {"bidders": [bidder | {"won": 1}], "seats": "one"},
        *({**deal, "bidders": [bidder | {"features": wrong}], "seats": "one"} for wrong in WRONG_FEATURES),
    ):
        file.write_text(json.dumps(damaged) + "\n", encoding="utf-8")
        assert "does not hold valued deals" in refusal("deals", "--count", "1", *QUICK, "--out", str(file))
    file.write_text(json.dumps(deal | {"bidders": three}) + "\n", encoding="utf-8")
    cli("deals", "--count", "1", *QUICK, "--out", str(file))
    folder = refusal("deals", "--count", "1", *QUICK, "--out", str(tmp_path))
    assert folder == f"cannot read {tmp_path}: Is a directory"
    assert "not both" in refusal("deals", "--seconds", "1", "--nodes", "5")
    assert "cannot write" in refusal("deals", "--count", "1", *QUICK, "--out", str(tmp_path / "none" / "deals.jsonl"))


def test_stored_deals_have_the_bids_of_the_present_greedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deal is solved again only if its one seat was chosen by another version's bids."""
    file = tmp_path / "deals.jsonl"

    def bids(seats: str) -> tuple[int, list[int]]:
        """The lines in the file after a run, and the seats that bid."""
        printed = cli("deals", "--count", "2", *QUICK, "--out", str(file), "--json", "--seats", seats).stdout
        bidding = [one["seat"] for deal in json.loads(printed) for one in deal["bidders"] if one["bids"]]
        return file.read_text(encoding="utf-8").count("\n"), bidding

    before = bids("all")[1]
    assert [bids("greedy"), bids("greedy")] == [(4, before), (4, before)]
    for seat in range(3):

        def choose(bot: GreedyBot, view: View, wanted: int = seat) -> Move:
            bids = sorted(view.legal_moves(), key=lambda move: move.bid or 0)
            return bids[-1] if view.seat == wanted else bids[0]

        monkeypatch.setattr(GreedyBot, "version", f"bids in seat {seat}")
        monkeypatch.setattr(GreedyBot, "choose", choose)
        assert bids("all")[1] == bids("greedy")[1] == [seat, seat]
    assert file.read_text(encoding="utf-8").count("\n") == 2 + 2 * 3, "each seat of each deal was solved once"


def test_progress_is_reported_in_a_pipe_also_for_stored_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.cli.progress.BETWEEN", 0)
    command = ("deals", *QUICK, "--out", str(tmp_path / "deals.jsonl"), "--count")
    assert cli(*command, "2").stderr.splitlines() == ["deals: 1 of 2", "deals: 2 of 2"]
    assert cli(*command, "3").stderr.splitlines() == [
        "auctions of stored deals: 1 of 2",
        "auctions of stored deals: 2 of 2",
        "deals: 1 of 1",
    ]


def test_a_file_that_an_editor_has_saved_is_read(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    command = ("deals", "--count", "2", *QUICK, "--out", str(file))
    first = cli(*command).stdout
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    before = file.read_bytes()
    assert cli(*command).stdout == first
    assert file.read_bytes() == before
