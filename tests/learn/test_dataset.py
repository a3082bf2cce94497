"""Data sets: hands equal the engine's, runs are reproducible, and an interrupted run resumes."""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import output, refusal

import dasan
from dasan.learn.dataset import COLUMNS, DatasetPlan, datasheet, make, played
from dasan.play.action_ids import action_ids
from dasan.processes import worker_processes

pytestmark = pytest.mark.full


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_a_row_is_a_hand(preset: str) -> None:
    rules = dasan.rules(preset)
    row = played(DatasetPlan(rules, ("random",) * rules.players, 1), 5)
    assert list(row) == list(COLUMNS)
    state = dasan.deal(rules, seed=5, dealer=row["dealer"])
    assert row["dealt"] == [str(hand) for hand in state.hands]
    ids = action_ids(rules)
    for seat, text, action in zip(row["seats"], row["moves"], row["actions"], strict=True):
        assert state.to_act == seat
        move = next(m for m in state.legal_moves() if str(m) == text)
        assert ids.of(move, state.called) == action
        state = state.play(text)
    assert state.result is not None
    assert row["payments"] == list(state.result.payments)
    assert row["bidder"] == state.bidder


@pytest.mark.parametrize("preset", ["big-three", "big-two"])
def test_each_bot_sits_in_each_seat_equally_often_with_each_dealer(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = dasan.rules(preset)
    n = rules.players
    sat: list[tuple[str, int]] = []

    def seated(name: str, seed: int, **_: object) -> dasan.Bot:
        sat.append((name, seed))
        return dasan.bot("random", seed=seed)

    monkeypatch.setattr("dasan.learn.dataset.player", seated)
    plan = DatasetPlan(rules, tuple(f"bot-{i}" for i in range(n)), n * n)
    count: Counter[tuple[str, int, int]] = Counter()
    for number in range(n * n):
        sat.clear()
        dealer = played(plan, number)["dealer"]
        count.update((name, seat, dealer) for name, seat in sat)
    assert len(count) == n**3
    assert set(count.values()) == {1}


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    rules = dasan.rules("big-two")
    plan = DatasetPlan(rules, ("random",) * 4, 25, part=10)
    assert make(plan, tmp_path / "whole") == 3
    whole = parquet.read_table(tmp_path / "whole" / "hands")
    assert whole.column("hand").to_pylist() == list(range(25))
    assert make(plan, tmp_path / "whole") == 0
    for part in ("part-00001.parquet", "part-00002.parquet"):
        (tmp_path / "whole" / "hands" / part).unlink()
    torn = tmp_path / "whole" / "hands" / ".part-00001.parquet.1.tmp"
    torn.write_bytes(b"PAR1")
    assert parquet.read_table(tmp_path / "whole" / "hands").num_rows == 10
    assert make(plan, tmp_path / "whole") == 2
    assert not torn.exists()
    assert parquet.read_table(tmp_path / "whole" / "hands").equals(whole)
    assert make(DatasetPlan(rules, ("random",) * 4, 38, part=10), tmp_path / "whole") == 2
    assert "25 hands" not in (tmp_path / "whole" / "README.md").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"other settings: bots$"):
        make(DatasetPlan(rules, ("greedy",) * 4, 25, part=10), tmp_path / "whole")


def test_a_folder_that_holds_more_says_so(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    rules, bots = dasan.rules("big-two"), ("random",) * 4
    assert make(DatasetPlan(rules, bots, 20, part=10), tmp_path) == 2
    assert make(DatasetPlan(rules, bots, 10, part=10), tmp_path) == 0
    assert "20 hands played" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert make(DatasetPlan(rules, bots, 25, part=10), tmp_path) == 1
    assert "25 hands played" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_command_tells_what_the_folder_holds(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    command = ("generate", "--game", "big-two", "--bot", "random", "--processes", 1, "--out", tmp_path, "--hands")
    assert output(*command, 5).endswith("holds 5 hands in 1 file; 1 written now\n")
    assert output(*command, 3).endswith("holds 5 hands in 1 file; 0 written now\n")
    assert json.loads(output(*command, 3, "--json")) == {"out": str(tmp_path), "hands": 5, "parts": 1, "written": 0}
    assert refusal(*command, 5, "--option", "triples=on").endswith("made with other settings: action_ids, digest, rules")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    plan = DatasetPlan(dasan.rules("big-two"), ("random",) * 4, 20, part=10)
    make(plan, tmp_path)
    (tmp_path / "hands" / "part-00001.parquet").write_bytes(b"")
    with pytest.raises(ValueError, match=r"part-00001\.parquet is not a readable Parquet file"):
        make(plan, tmp_path)
    for torn in (b"{", b"[" * 100_000, b"\xff"):
        (tmp_path / "manifest.json").write_bytes(torn)
        with pytest.raises(ValueError, match=r"manifest\.json is not a readable manifest: it (is|has)"):
            make(plan, tmp_path)


def test_other_files_beside_the_parts_are_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    plan = DatasetPlan(dasan.rules("big-two"), ("random",) * 4, 10, part=10)
    assert make(plan, tmp_path) == 1
    part = tmp_path / "hands" / "part-00000.parquet"
    others = [part.with_name(f"{name}.parquet") for name in ("part-00000 (copy)", "part-0", "part-00001-old", "part-²")]
    for other in others:
        other.write_bytes(part.read_bytes())
    assert make(plan, tmp_path) == 0
    assert "10 hands played" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert all(other.exists() for other in others)


def test_a_full_disk_leaves_no_half_of_a_manifest_or_datasheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    plan = DatasetPlan(dasan.rules("big-two"), ("random",) * 4, 10, part=10)
    manifest, sheet = tmp_path / "manifest.json", tmp_path / "README.md"

    def stop(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("dasan.whole_file.os.fsync", stop)
    with pytest.raises(OSError, match="no space"):
        make(plan, tmp_path)
    assert not manifest.exists()
    monkeypatch.undo()
    assert make(plan, tmp_path) == 1
    before = sheet.read_text(encoding="utf-8")
    monkeypatch.setattr("dasan.whole_file.os.fsync", stop)
    with pytest.raises(OSError, match="no space"):
        make(replace(plan, hands=20), tmp_path)
    assert sheet.read_text(encoding="utf-8") == before


def test_no_more_processes_than_parts_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    asked: list[int | None] = []

    def counted(number: int | None) -> AbstractContextManager[ProcessPoolExecutor]:
        asked.append(number)
        return worker_processes(number)

    monkeypatch.setattr("dasan.learn.dataset.worker_processes", counted)
    plan = DatasetPlan(dasan.rules("big-two"), ("random",) * 4, 30, part=10)
    make(plan, tmp_path)
    for part in sorted((tmp_path / "hands").iterdir())[1:]:
        part.unlink()
    assert make(plan, tmp_path, processes=8) == 2
    assert asked == [2]


def test_a_cluster_without_an_address_or_ray_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    plan = DatasetPlan(dasan.rules("big-two"), ("random",) * 4, 20, part=10)
    with pytest.raises(ValueError, match="a cluster has an address"):
        make(plan, tmp_path / "out", ray=" ")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'dasan\[cluster\]'"):
        make(plan, tmp_path / "out", ray="auto")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_values_of_the_solver() -> None:
    plan = DatasetPlan(dasan.rules("big-three"), ("greedy",) * 3, 1, solve=1_000_000)
    assert any(played(plan, number)["value"] is not None for number in range(10, 30))


def test_plans_are_refused() -> None:
    with pytest.raises(ValueError, match="solved"):
        DatasetPlan(dasan.rules("winner"), ("greedy",) * 4, 1, solve=10)
    with pytest.raises(ValueError, match="the first hand is a whole number from 0 to 1000000000000000"):
        DatasetPlan(dasan.rules("winner"), ("greedy",) * 4, 1, first=1 << 63)
    with pytest.raises(ValueError, match="at most 1,000,000 files"):
        DatasetPlan(dasan.rules("winner"), ("greedy",) * 4, 10**12, part=1000)
    plan: Any = DatasetPlan
    for wrong in (-1, True, 2.5, None):
        with pytest.raises(ValueError, match="solve is a whole number from 0 on"):
            plan(dasan.rules("big-three"), ("greedy",) * 3, 1, solve=wrong)
    with pytest.raises(TypeError, match="a name for each seat"):
        plan(dasan.rules("big-three"), "abc", 1)
    with pytest.raises(ValueError, match="takes 4 bots"):
        DatasetPlan(dasan.rules("winner"), ("greedy",), 1)


@pytest.mark.parametrize(
    ("bots", "timed"),
    [
        (("greedy", "search", "net"), ""),
        (("strong", "greedy", "strong"), "strong"),
        (("level-8", "low", "level-7"), "level-8"),
    ],
)
def test_only_hands_of_bots_without_a_time_limit_are_promised_again(bots: tuple[str, ...], timed: str) -> None:
    sheet = datasheet(DatasetPlan(dasan.rules("big-three"), bots, 1))
    assert ("writes the same hands again" in sheet) == (not timed)
    assert (f"bots with a time limit ({timed}) may play them differently" in sheet) == bool(timed)
