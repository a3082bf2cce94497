"""Contests: fair between equals, able to detect a known edge, and resumable."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import dasan
from dasan.arena.contest import Contest, OutcomeFile, checked_player, interval, play_deal, run
from dasan.arena.outcome import Outcome, win_rate
from dasan.bots import Maker, bot
from dasan.networks.trained import load, named

pytestmark = pytest.mark.full

RULES = dasan.rules("big-two")


def test_a_program_whose_version_was_asked_plays_in_other_processes(tmp_path: Path) -> None:
    file = Path(__file__).parents[2] / "examples" / "bots" / "first.py"
    contest = Contest(RULES, f"cmd:'{sys.executable}' '{file}'", "random", 2, 1)
    outcomes = run(contest, processes=2, known=OutcomeFile(tmp_path / "outcomes.jsonl").of(contest))
    assert [one.faults for one in outcomes] == [({}, {}), ({}, {})]


def test_a_network_that_was_trained_further_plays_the_next_contest(tmp_path: Path) -> None:
    file, rules = tmp_path / "network.npz", dasan.rules("big-three")
    contest, outcomes = Contest(rules, f"net:{file}", "low", 1, 1), OutcomeFile(tmp_path / "outcomes.jsonl")
    for network in ("big-three", "big-three-policy"):
        load(named(network)).save(file)
        checked_player(contest.a, rules)
        assert outcomes.of(contest) == {}
        (outcome,) = run(contest)
        outcomes.keep(contest, outcome)
        assert list(outcomes.of(contest)) == [1]


def test_a_network_that_is_trained_further_meanwhile_ends_the_contest(tmp_path: Path) -> None:
    """Processes that start later read the new file."""
    file, rules = tmp_path / "network.npz", dasan.rules("big-three")
    load(named("big-three")).save(file)
    contest = Contest(rules, f"net:{file}", "low", 2, 1)
    checked_player(contest.a, rules)
    assert len(run(contest, processes=2)) == 2
    load(named("big-three-policy")).save(file)
    for one in (contest, replace(contest, a="low", b=contest.a)):
        with pytest.raises(ValueError, match=r"network.npz is no longer the network that began to play"):
            run(one, processes=2)


def test_a_known_edge_is_found_with_the_deals_that_it_takes() -> None:
    """An edge of 0.25 with a spread of 0.9 a deal takes (3.6 x 0.9 / 0.25) ** 2, about 170 deals, for 95 in 100."""

    def drawn(rng: random.Random) -> list[Outcome]:
        means = [min(3.0, max(-1.0, rng.gauss(0.25, 0.9))) for _ in range(170)]
        return [Outcome(i, mean, 0.25, 1, 1) for i, mean in enumerate(means)]

    count = sum(interval(RULES, drawn(random.Random(number))).low > 0 for number in range(200))
    assert count >= 180


def test_a_contest_goes_on_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.jsonl"
    contest = Contest(RULES, "thrifty", "random", 6, 1)
    outcomes = OutcomeFile(file)
    first = run(Contest(RULES, "thrifty", "random", 3, 1), keep=lambda one: outcomes.keep(contest, one))
    again = OutcomeFile(file).of(contest)
    assert sorted(again) == [1, 2, 3]
    assert sorted(outcomes.of(contest)) == [1, 2, 3]
    assert [again[seed].mean for seed in (1, 2, 3)] == [one.mean for one in first]
    played: list[int] = []
    whole = run(contest, known=again, keep=lambda one: played.append(one.seed))
    assert played == [4, 5, 6]
    assert [(one.seed, one.mean) for one in whole] == [(one.seed, one.mean) for one in run(contest)]
    assert OutcomeFile(file).of(Contest(RULES, "greedy", "random", 6, 1)) == {}
    assert OutcomeFile(file).newest(Contest(RULES, "greedy", "random", 6, 1)) is None
    today = OutcomeFile(file).newest(Contest(RULES, "thrifty", "random", 2, 1))
    assert today is not None
    assert (today[0], list(today[1])) == (("1", "1"), [1, 2])
    file.write_text(file.read_text().replace("thrifty 1", "thrifty 0"))
    earlier = OutcomeFile(file).newest(contest)
    assert earlier is not None
    assert (earlier[0], list(earlier[1])) == (("0", "1"), [1, 2, 3])
    line = file.read_text().splitlines()[0]
    file.write_text(
        line.replace("thrifty 0", "thrifty 9") + "\n" + line.replace("thrifty 0", "thrifty 10") + "\n" + line[:70]
    )
    torn = OutcomeFile(file)
    newest = torn.newest(contest)
    assert newest is not None
    assert (newest[0], list(newest[1])) == (("10", "1"), [1])
    torn.keep(Contest(RULES, "thrifty", "random", 9, 40), replace(first[0], seed=44))
    assert OutcomeFile(file).newest(contest) == newest
    assert sorted(OutcomeFile(file).of(Contest(RULES, "thrifty", "random", 9, 40))) == [44]
    file.write_text("not json\n")
    with pytest.raises(ValueError, match="does not hold outcomes"):
        OutcomeFile(file)


def test_processes_change_nothing_but_the_time(tmp_path: Path) -> None:
    contest = Contest(RULES, "thrifty", "random", 6, 1, records=str(tmp_path))
    one, two = run(contest), run(contest, processes=2)
    assert [(o.seed, o.mean, o.above, o.roles) for o in one] == [(o.seed, o.mean, o.above, o.roles) for o in two]
    records = sorted(tmp_path.iterdir())
    assert len(records) == 24
    replayed = dasan.replay(records[0].read_text())
    assert isinstance(replayed, dasan.State)
    assert replayed.result is not None


def test_outcomes_of_programs_are_known_by_their_time_limit(tmp_path: Path) -> None:
    first, file = Contest(RULES, "cmd:false", "random", 1, 1, 2.0), OutcomeFile(tmp_path / "outcomes.jsonl")
    file.keep(first, Outcome(1, 0.5, 0.25, 1, 1))
    again = OutcomeFile(tmp_path / "outcomes.jsonl")
    assert list(again.of(first)) == [1]
    assert again.of(replace(first, move_seconds=3.0)) == {}


def test_known_deals_without_records_are_played_again(tmp_path: Path) -> None:
    contest = Contest(RULES, "low", "random", 3, 1)
    known = {one.seed: one for one in run(contest)}
    recorded = replace(contest, records=str(tmp_path))
    played: list[int] = []
    run(recorded, known=known, keep=lambda one: played.append(one.seed))
    assert (played, len(list(tmp_path.iterdir()))) == ([1, 2, 3], 12)
    next(tmp_path.glob("*-2-3.jsonl")).unlink()
    run(recorded, known=known, keep=lambda one: played.append(one.seed))
    run(contest, known=known, keep=lambda one: played.append(one.seed))
    assert (played, len(list(tmp_path.iterdir()))) == ([1, 2, 3, 2], 12)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit for the length of files there")
def test_a_record_that_a_full_disk_has_cut_off_is_none(tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        with pytest.raises(OSError, match=rf"File too large: '{tmp_path}/big-two-low-random-\w+-1-0\.jsonl'"):
            run(Contest(RULES, "low", "random", 1, 1, records=str(tmp_path)))
        assert list(tmp_path.iterdir()) == []
        contest, file = Contest(RULES, "low", "random", 1, 1), tmp_path / "outcomes.jsonl"
        outcome = Outcome(1, 0.5, 0.25, 1, 1, {"x" * 500: (1, 1)})
        with pytest.raises(OSError, match=f"File too large: '{file}'"):
            OutcomeFile(file).keep(contest, outcome)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert OutcomeFile(file).of(contest) == {}


@pytest.mark.parametrize("kind", ["stall", "exit", "crash"])
def test_outcomes_that_a_time_limit_changed_are_played_again(kind: str, tmp_path: Path) -> None:
    contest, file = Contest(RULES, "cmd:false", "random", 3, 1, 2.0), OutcomeFile(tmp_path / "outcomes.jsonl")
    file.keep(contest, Outcome(1, 0.5, 0.25, 1, 1))
    file.keep(contest, Outcome(2, 0.5, 0.25, 1, 1, faults=({kind: 1}, {})))
    file.keep(contest, Outcome(3, 0.5, 0.25, 1, 1, faults=({}, {kind: 1})))
    assert list(OutcomeFile(tmp_path / "outcomes.jsonl").of(contest)) == ([1, 2, 3] if kind == "crash" else [1, 2])


def test_outcomes_of_a_longer_limit_are_known_only_where_all_moves_together_took_no_longer(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.jsonl"
    contest, outcomes = Contest(RULES, "thrifty", "random", 4, 1, 10.0), OutcomeFile(file)
    outcomes.keep(contest, Outcome(1, 0.5, 0.25, 1, 1, seconds=(1.5, 2.0)))
    outcomes.keep(contest, Outcome(2, 0.5, 0.25, 1, 1, seconds=(2.5, 0.0)))
    outcomes.keep(replace(contest, move_seconds=2.0), Outcome(3, 0.5, 0.25, 1, 1, seconds=(4.0, 4.0)))
    outcomes.keep(replace(contest, move_seconds=None), Outcome(4, 0.5, 0.25, 1, 1, seconds=(9.0, 11.0)))
    for known in (outcomes, OutcomeFile(file)):
        assert list(known.of(replace(contest, move_seconds=2.0))) == [1, 3]
        assert list(known.of(contest)) == [1, 2, 3]
        assert list(known.of(replace(contest, move_seconds=None))) == [1, 2, 3, 4]
    lines = file.read_text().splitlines()
    file.write_text("".join(line.replace('"move_seconds":10.0,', "") + "\n" for line in lines[:2]))
    earlier = OutcomeFile(file)  # lines without a limit count as played under the command's default
    assert list(earlier.of(contest)) == [1, 2]
    assert list(earlier.of(replace(contest, move_seconds=2.0))) == [1]
    program = replace(contest, a="cmd:false", move_seconds=2.0)
    outcomes.keep(program, Outcome(1, 0.5, 0.25, 1, 1, seconds=(9.0, 9.0)))
    file.write_text(file.read_text().splitlines()[-1].replace('"move_seconds":2.0,', "") + "\n")
    assert list(OutcomeFile(file).of(program)) == [1]  # a program's limit is part of the key
    for wrong in ('"x"', "[]", "1" + "0" * 400):
        file.write_text(lines[0].replace("10.0", wrong) + "\n")
        with pytest.raises(ValueError, match="does not hold outcomes"):
            OutcomeFile(file)


def test_records_of_other_games_and_programs_have_files_of_their_own(tmp_path: Path) -> None:
    long = "x" * 80
    makers: Mapping[str, Maker] = {name: lambda seed: bot("thrifty") for name in (f"a{long}", f"b{long}")}
    for rules in (RULES, dasan.rules("big-two", triples=True)):
        for name in makers:
            play_deal(Contest(rules, name, name, 1, records=str(tmp_path)), 4, makers)
    assert len(list(tmp_path.iterdir())) == 2 * 2 * 4


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Ray: each part is played when it is awaited."""
    ray = SimpleNamespace(
        is_initialized=lambda: True,
        remote=lambda **limits: lambda task: SimpleNamespace(remote=lambda chunk: lambda: task(chunk)),
        wait=lambda tasks, num_returns, **limits: (tasks[:num_returns], tasks[num_returns:]),
        get=lambda task: task(),
        cancel=lambda task, force: None,
        cluster_resources=lambda: {"CPU": 2.0},
        exceptions=SimpleNamespace(RayError=OSError, RayTaskError=OSError),
    )
    monkeypatch.setattr("dasan.cluster._ray", lambda: ray)


def test_outcomes_before_a_cluster_failure_are_stored(cluster: None) -> None:
    stored: list[int] = []

    def keep(outcome: Outcome) -> None:
        stored.append(outcome.seed)
        if len(stored) == 2:
            raise ConnectionError("the cluster is gone")

    contest = Contest(RULES, "thrifty", "random", 4, 1)
    assert [one.seed for one in run(contest, ray="auto")] == [1, 2, 3, 4]
    with pytest.raises(ConnectionError):
        run(contest, ray="auto", keep=keep)
    assert stored == [1, 2]


def test_known_deals_are_not_played_again_on_a_cluster_whose_machines_have_their_records(
    cluster: None, tmp_path: Path
) -> None:
    contest = Contest(RULES, "low", "random", 3, 1, records=str(tmp_path))
    known = {one.seed: one for one in run(replace(contest, records=""))[:2]}
    played: list[int] = []
    outcomes = run(contest, ray="auto", known=known, keep=lambda one: played.append(one.seed))
    assert played == [3]
    assert [one.seed for one in outcomes] == [1, 2, 3]


def test_roles_are_reported_in_games_with_sides() -> None:
    makers: Mapping[str, Maker] = {"x": lambda seed: bot("thrifty"), "y": lambda seed: bot("thrifty")}
    outcome = play_deal(Contest(dasan.rules("big-three"), "x", "y", 1), 4, makers)
    assert outcome.mean == 0
    assert {name: n for name, (n, _) in outcome.roles.items()} == {"bidder": 1, "opponent": 2}
    assert json.loads(json.dumps(outcome.roles))


def test_deals_with_only_void_hands_do_not_count_as_lost() -> None:
    won, void = Outcome(1, 1.0, 1.0, 3, 0, {"bidder": (1, 1)}), Outcome(2, 0.0, 0.0, 0, 0, roles={})
    assert (win_rate([won, void]), win_rate([void]), win_rate([])) == (1, 0, 0)
