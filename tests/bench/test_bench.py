"""`dasan bench`: a row for every path, in the format for other programs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from numba import cuda

import dasan
from dasan.bench import GPU, OURS, PATHS, VARIANTS, against, measure_ours, measure_with_peers, not_installed, why_no_gpu
from dasan.bench import peers as others
from dasan.bench.ours import rules_of
from dasan.cli import app
from dasan.cli.bench import bench
from dasan.cli.group import CannotRun

pytestmark = pytest.mark.full

FIELDS = {
    *("preset", "path", "plies_per_s", "games_per_s", "ns_per_ply"),
    *("cores", "device", "threads", "repeats", "unit"),
}


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_path_of_every_game_is_measured(variant: str) -> None:
    rows = list(measure_ours([variant], list(PATHS), seconds=0.01, repeats=1, every_core=False))
    gpu = not why_no_gpu() and variant.startswith("big-three")
    assert [row.path for row in rows] == [path for path in PATHS if path != GPU or gpu]
    for row in rows:
        assert (row.preset, row.threads, row.unit) == (variant, 1, "plies")
        assert row.plies_per_s > row.games_per_s > 0
        assert row.ns_per_ply == pytest.approx(1e9 / row.plies_per_s)


def test_the_command_prints_rows_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    bench(["big-three"], path=["engine"], peers=False, seconds=0.01, repeats=1, one_core=True, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert set(row) == FIELDS
    assert any(command.name == "bench" for command in app.registered_commands)


def test_a_gpu_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    with pytest.raises(CannotRun, match="no GPU to measure: Numba finds no CUDA device"):
        bench(["big-three"], path=["gpu-batch"], peers=False, seconds=0.01, repeats=1, one_core=True, as_json=True)
    assert list(measure_ours(["big-three"], ["gpu-batch"], seconds=0.01, repeats=1)) == []
    with pytest.raises(RuntimeError, match="no GPU: Numba finds no CUDA device"):
        dasan.vector.on_gpu("big-three", 2)
    with pytest.raises(ValueError, match="no option"):
        dasan.vector.on_gpu("big-three", 2, decks=2)


def test_a_game_is_measured_beside_its_peers_in_turn() -> None:
    rows = measure_with_peers("dou-dizhu", list(OURS), seconds=0.001, rounds=6)
    left_out = not_installed()
    assert [row.path for row in rows] == [name for name in (*OURS, *others.PEERS) if name not in left_out]
    for row in rows:
        assert row.plies_per_s > row.hands_per_s > 0
        assert (row.preset, row.rounds, row.peer) == ("dou-dizhu", 6, row.path in others.PEERS)
        if others.REFERENCE not in left_out:
            assert row.ratio is not None
            assert row.low is not None
            assert row.high is not None
            assert row.low <= row.ratio <= row.high
            assert row.path != others.REFERENCE or row.low == row.high == 1


@pytest.mark.skipif(OURS["openspiel-game"].missing, reason="OpenSpiel is not installed: make envs")
def test_openspiel_plays_the_options_of_the_measured_game(monkeypatch: pytest.MonkeyPatch) -> None:
    games: list[Any] = []
    monkeypatch.setattr("dasan.bench.with_peers.openspiel_hands", games.append)
    rules = rules_of("winner decks=2")
    OURS["openspiel-game"].work(rules)
    assert games[0].rules == rules


def test_few_rounds_give_no_interval(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The least and the greatest of five ratios hold the median less often than 95 times in 100."""
    peer = others.Side("something", "", "", lambda rules=None: lambda: (7, 1))
    monkeypatch.setattr("dasan.bench.with_peers.PEERS", {others.REFERENCE: peer})
    for rounds, known in ((5, False), (6, True)):
        for row in measure_with_peers("dou-dizhu", ["whole-hands"], seconds=0.001, rounds=rounds):
            assert row.ratio is not None
            assert ((row.low is not None), (row.high is not None)) == (known, known)
    bench(peers=True, path=["whole-hands"], seconds=0.001, repeats=1)
    assert capsys.readouterr().out.count("too few rounds") == 2


def test_peers_that_are_not_installed_are_left_out_aloud(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(others, "find_spec", lambda name: None)
    bench(peers=True, path=["whole-hands", "pettingzoo"], seconds=0.001, repeats=2)
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        f"{name} is skipped, because its package is not installed: {install}"
        for name, install in not_installed().items()
    ]
    assert "douzero is skipped, because its package is not installed: pip install --no-deps douzero" in printed.err
    assert [line.split()[:2] for line in printed.out.splitlines()[1:2]] == [["dou-dizhu", "whole-hands"]]
    assert "pettingzoo" not in printed.out
    bench(peers=True, path=["whole-hands"], seconds=0.001, repeats=2, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["preset"], row["ratio"], row["rounds"]) == ("dou-dizhu", None, 2)
    with pytest.raises(CannotRun, match="no path batch-obs to compare with other simulators"):
        bench(peers=True, path=["batch-obs"])


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit whose engine is this checkout's."""
    folder = tmp_path_factory.mktemp("repository")
    shutil.copytree(
        Path(dasan.__file__).parent, folder / "src" / "dasan", ignore=shutil.ignore_patterns("static", "*.pyc")
    )
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@t", *command], cwd=folder, check=True)
    return folder


def test_a_commit_is_compared_in_alternating_runs(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dasan, "__file__", str(repository / "src" / "dasan" / "__init__.py"))
    bench(["big-three"], path=["engine"], seconds=0.02, repeats=6, against="HEAD", as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert row["low"] <= row["ratio"] <= row["high"]
    assert min(row["here"], row["there"]) > 0
    assert (row["preset"], row["path"], row["pairs"]) == ("big-three", "engine", 6)
    for asked, words in (
        ({"against": "no-such-commit", "repeats": 6}, "git finds no such commit here"),
        ({"against": "HEAD", "repeats": 5}, r"an interval takes 6 pairs of runs \(--repeats\), not 5"),
        ({"against": "HEAD", "path": ["gpu-batch"]}, "no path gpu-batch to compare with other commits"),
    ):
        with pytest.raises(CannotRun, match=words):
            bench(["big-three"], seconds=0.01, **{"path": ["engine"], **asked})  # type: ignore[arg-type]


def test_a_path_that_the_commit_lacks_is_left_out_aloud(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    vector = repository / "src" / "dasan" / "vector" / "__init__.py"
    present = vector.read_text(encoding="utf-8")
    vector.write_text(f"{present}\ndel playouts\n", encoding="utf-8")
    commit = ["git", "-c", "user.name=T", "-c", "user.email=t@t", "commit", "-q", "-a", "-m"]
    subprocess.run([*commit, "none"], cwd=repository, check=True)
    vector.write_text(present, encoding="utf-8")
    subprocess.run([*commit, "again"], cwd=repository, check=True)
    monkeypatch.setattr(dasan, "__file__", str(repository / "src" / "dasan" / "__init__.py"))
    why = "the benchmark does not run there: AttributeError: module 'dasan.vector' has no attribute 'playouts'"
    options = {"seconds": 0.01, "repeats": 6, "against": "HEAD~1", "as_json": True}
    bench(["big-two"], path=["whole-hands", "engine"], **options)  # type: ignore[arg-type]
    printed = capsys.readouterr()
    assert [row["path"] for row in json.loads(printed.out)] == ["engine"]
    assert printed.err.startswith(f"whole-hands of big-two is left out: {why}")
    with pytest.raises(CannotRun, match=f"nothing can be compared: {why}"):
        bench(["big-two"], path=["whole-hands"], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["solve-30-cards", "worlds", "search", "review"])
def test_what_users_wait_for_is_measured_in_a_process_of_its_own(path: str) -> None:
    with against._running(Path(dasan.__file__).parents[1], "big-three", path, 0.01) as process:
        assert against._answer(process) > 0


def test_the_server_answers_a_player_over_a_socket() -> None:
    """Each line asks for one run; the rate counts the player's moves, which bots answer at once: without the pause of 0.6 s."""
    with against._running(Path(dasan.__file__).parents[1], "winner", "server-move", 0.01) as process:
        assert against._answer(process) > 1


def test_a_commit_without_the_package_is_refused(tmp_path: Path) -> None:
    """Python would load the package that is installed here instead, and compare it with itself."""
    with pytest.raises(ValueError, match="no package dasan"), against._running(tmp_path, "big-three", "engine", 0.02):
        pass


def test_works_that_users_wait_for_repeat_themselves() -> None:
    """Solving the same positions takes the same numbers of nodes, so that two revisions do the same work."""
    import random

    from dasan.bench.works import WORKS, applies, late

    rules = dasan.rules("big-three")
    states = [late(rules, 12, random.Random(place)) for place in range(3)]
    assert states == [late(rules, 12, random.Random(place)) for place in range(3)]
    assert all(state.table is None and sum(state.hand_sizes) <= 12 for state in states)
    assert [path for path in WORKS if not applies(path, rules)] == ["solve-endgames"]
    assert not applies("solve-deals", dasan.rules("winner"))
    assert not applies("server-move", dasan.rules("winner", decks=2))
    assert [path for path in WORKS if not applies(path, dasan.rules("dou-dizhu"))] == ["solve-deals", "solve-30-cards"]
