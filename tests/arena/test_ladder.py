"""The ladder of `dasan evaluate`: it does not change, equal bots get equal points, and a report can be checked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import cli, output, refusal

import dasan
from dasan.arena.ladder import (
    BotLadder,
    Evaluation,
    LadderChanged,
    differences,
    digest_of,
    evaluate,
    ladders,
    require_unchanged,
)


@pytest.fixture(scope="module")
def short() -> BotLadder:
    """The ladder of Big Two with the rungs that need no compiled code."""
    ladder = ladders()["big-two"]
    rungs = tuple(rung for rung in ladder.rungs if rung.name in ("random", "greedy"))
    return replace(ladder, deals=3, rungs=rungs)


@pytest.fixture(scope="module")
def greedy(short: BotLadder) -> Evaluation:
    return evaluate("greedy", short)


@pytest.mark.parametrize("game", ["big-two", pytest.param("winner", marks=pytest.mark.full)])
def test_rungs_that_need_no_compiled_code_have_not_changed(game: str) -> None:
    for rung in ladders()[game].rungs:
        if rung.name in ("random", "greedy"):
            require_unchanged(rung, ladders()[game].rules)


def test_every_preset_has_a_ladder() -> None:
    assert list(ladders()) == list(dasan.PRESETS)


@pytest.mark.full
@pytest.mark.sampled(4, 8)
@pytest.mark.parametrize("game", sorted(ladders()))
def test_no_rung_has_changed(game: str) -> None:
    for rung in ladders()[game].rungs:
        require_unchanged(rung, ladders()[game].rules)


@pytest.mark.parametrize("game", sorted(ladders()))
def test_a_ladder_goes_up(game: str) -> None:
    rungs = ladders()[game].rungs
    assert [rung.points for rung in rungs] == sorted(rung.points for rung in rungs)
    assert {rung.name: rung.points for rung in rungs}["greedy"] == 0


def test_a_bot_among_itself_earns_nothing(greedy: Evaluation) -> None:
    assert all(one.mean == 0 for one in greedy.outcomes["greedy"])
    assert greedy.low < greedy.points < greedy.high


def test_one_deal_rates_with_an_interval(short: BotLadder) -> None:
    report = evaluate("low", short, deals=1).to_json()
    assert report["low"] < report["points"] < report["high"]
    with pytest.raises(ValueError, match="deals"):
        evaluate("low", short, deals=0)


def test_a_report_can_be_checked(greedy: Evaluation, short: BotLadder) -> None:
    report = json.loads(json.dumps(greedy.to_json()))
    assert differences(report, evaluate("greedy", short)) == []
    report["points"] += 1
    for deal in (1, 2):
        report["rungs"][1]["outcomes"][deal][1] += 1
    del report["rungs"][0]["outcomes"][0], report["rungs"][0]["mean"]
    wrong = [line.split(" ")[0] for line in differences(report, greedy)]
    assert wrong == ["points", "rungs[0].mean", "rungs[0].outcomes", "rungs[1].outcomes[1]"]
    report["rungs"] = 3
    assert [line.split(" ")[0] for line in differences(report, greedy)] == ["points", "rungs"]


def test_a_program_or_a_network_is_checked_wherever_it_lies(greedy: Evaluation) -> None:
    report = {**greedy.to_json(), "bot": "cmd:./my_bot"}
    assert differences(report, replace(greedy, name="cmd:submitted/my_bot")) == []
    (other,) = differences(report, replace(greedy, name="cmd:submitted/my_bot", version="another 1"))
    assert other.startswith("version ")
    (named,) = differences(report, greedy)
    assert named.startswith("bot ")
    network = replace(greedy, name="net:network.npz", version="0123abcd")
    assert differences(network.to_json(), replace(network, name="net:submitted")) == []
    assert len(differences(network.to_json(), replace(network, name="cmd:submitted"))) == 1


def test_a_rung_that_changed_is_refused(short: BotLadder) -> None:
    rung = replace(short.rungs[0], digest="0" * 16)
    with pytest.raises(LadderChanged, match="does not play as"):
        require_unchanged(rung, short.rules)


def test_another_player_may_play_for_a_rung_that_has_changed(short: BotLadder) -> None:
    """The rung's play and the ladder's digest stay the same."""
    greedy_rung = next(rung for rung in short.rungs if rung.name == "greedy")
    changed = replace(greedy_rung, name="shed", player="greedy")
    require_unchanged(changed, short.rules)
    assert (
        replace(short, rungs=(replace(greedy_rung, player="greedy"),)).digest
        == replace(short, rungs=(greedy_rung,)).digest
    )
    (outcomes,) = evaluate("greedy", replace(short, rungs=(changed,))).outcomes.values()
    assert all(one.mean == 0 for one in outcomes)


def test_digests_tell_bots_and_rules_apart() -> None:
    rules = dasan.rules("big-two")
    digests = {digest_of(name, rules) for name in ("random", "greedy", "low")}
    assert len(digests | {digest_of("greedy", dasan.rules("big-two", triples=True))}) == 4


def test_a_check_prints_json_and_takes_nothing_that_the_report_names(
    greedy: Evaluation, short: BotLadder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dasan.arena.ladder.ladders", lambda: {"big-two": short})
    report, file = greedy.to_json(), tmp_path / "report.json"
    for points, code in ((report["points"], 0), (report["points"] + 1, 1)):
        file.write_text(json.dumps({**report, "points": points}), encoding="utf-8")
        done = cli("evaluate", "greedy", "--check", file, "--processes", 1, "--json")
        wrong = [line.split(" ")[0] for line in json.loads(done.stdout)["differences"]]
        assert (done.exit_code, wrong) == (code, ["points"] * code)
    for given in (("--game", "big-two"), ("--deals", 3)):
        assert "neither --game nor --deals" in refusal("evaluate", "greedy", "--check", file, *given)


def test_a_check_has_the_time_limit_of_the_report(
    greedy: Evaluation, short: BotLadder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float | None] = []

    def again(*_: object, move_seconds: float | None, **__: object) -> Evaluation:
        limits.append(move_seconds)
        return greedy

    monkeypatch.setattr("dasan.arena.ladder.ladders", lambda: {"big-two": short})
    monkeypatch.setattr("dasan.arena.ladder.evaluate", again)
    assert evaluate("low", short, deals=1, move_seconds=5.0).to_json()["move_seconds"] == 5.0
    report, file = greedy.to_json(), tmp_path / "report.json"
    for limit in (5.0, None, 2):
        file.write_text(json.dumps({**report, "move_seconds": limit}), encoding="utf-8")
        output("evaluate", "greedy", "--check", file)
        output("evaluate", "greedy", "--check", file, "--move-seconds", 7)
    del report["move_seconds"]
    file.write_text(json.dumps(report), encoding="utf-8")
    output("evaluate", "greedy", "--check", file)
    output("evaluate", "greedy", "--game", "big-two")
    assert limits == [5.0, 7.0, None, 7.0, 2, 7.0, 60.0, 60.0]


def test_a_ladder_is_for_a_preset_without_house_rules() -> None:
    assert "presets without house rules; dasan arena" in refusal("evaluate", "greedy", "-o", "cut=off")
    assert "no ladder for chess; there is one for each preset: big" in refusal("evaluate", "greedy", "--game", "chess")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"game": 5}, "game is 5"),
        ({"game": "chess"}, 'there is no ladder for "chess"'),
        ({"move_seconds": -1}, "its move_seconds are -1"),
        ({"move_seconds": True}, "its move_seconds are True"),
        ({"points": "1"}, 'points is "1"'),
        ({"points": None}, "points is null"),
        ({"faults": {"late": True}}, "faults.late is true"),
        ({"by_role": {"all": 3}}, "by_role.all is 3"),
        ({"by_role": []}, "by_role is []"),
        ({"rungs": 3}, "rungs is 3"),
        ({"rungs": []}, "it needs two deals or more against each of random"),
        ({"ladder_digest": "0"}, "it is of ladder"),
        (lambda rungs: rungs[1].pop("outcomes"), "rungs[1].outcomes is missing"),
        (lambda rungs: rungs[1].update(low="x"), 'rungs[1].low is "x"'),
        (lambda rungs: rungs[1].update(name="random"), 'its rung "random" does not have the deals of the ladder\'s'),
        (lambda rungs: rungs[1].update(deals=1), "does not have the deals"),
        (lambda rungs: rungs[1]["outcomes"].pop(), "does not have the deals"),
        (lambda rungs: rungs[1]["outcomes"][0].pop(), "rungs[1].outcomes[0][3] is missing"),
        (lambda rungs: rungs[1]["outcomes"][0].clear(), "rungs[1].outcomes[0][0] is missing"),
        (lambda rungs: rungs[1]["outcomes"][0].__setitem__(2, []), "rungs[1].outcomes[0][2] is []"),
        (lambda rungs: rungs.pop(), "it needs two deals or more against each of"),
        (lambda rungs: rungs.append(rungs[0]), "it needs two deals or more against each of"),
    ],
)
def test_a_report_is_read_to_its_end_before_the_first_deal(
    change: dict[str, object] | Callable[[list[Any]], object],
    fault: str,
    greedy: Evaluation,
    short: BotLadder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def played(*_: object, **__: object) -> Evaluation:
        raise AssertionError("a deal is played")

    monkeypatch.setattr("dasan.arena.ladder.ladders", lambda: {"big-two": short})
    monkeypatch.setattr("dasan.arena.ladder.evaluate", played)
    report, file = json.loads(json.dumps(greedy.to_json())), tmp_path / "report.json"
    if isinstance(change, dict):
        report |= change
    else:
        change(report["rungs"])
    file.write_text(json.dumps(report), encoding="utf-8")
    said = refusal("evaluate", "greedy", "--check", file)
    assert said.startswith(f"{file} is not a report of dasan evaluate --json")
    assert fault in said


@pytest.mark.parametrize("text", ["", "[]", "{}", '"x"', "\x00", "[" * 10_000, '{"game": "big-two", "rungs": []}'])
def test_a_file_that_is_no_report(text: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(text, encoding="utf-8")
    assert "is not a report of dasan evaluate --json" in refusal("evaluate", "greedy", "--check", file)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"deals": 0}, "deals is a whole number from 1 on, not 0"),
        ({"deals": 2.0}, "deals is a whole number from 1 on, not 2.0"),
        ({"processes": -1}, "processes is a whole number from 1 to 4096, not -1"),
        ({"processes": None}, "processes is a whole number from 1 to 4096, not None"),
        ({"move_seconds": float("nan")}, "move_seconds is a number from 0 to 86400, not nan"),
        ({"move_seconds": 0}, "move_seconds is more than 0"),
        ({"progress": 5}, "progress is a function, not 5"),
        ({"name": 5}, "a bot is named by a text, such as 'greedy', not 5"),
        ({"name": "nobody"}, "there is no bot 'nobody'"),
        ({"ladder": "big-two"}, "a bot is rated on one of ladders(), not 'big-two'"),
        ({"ladder": replace(ladders()["big-two"], game="whist")}, "there is no preset 'whist'"),
    ],
)
def test_a_wrong_argument_is_refused_before_the_first_deal(
    wrong: dict[str, Any], said: str, short: BotLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dasan.arena.ladder.require_unchanged", lambda *_: pytest.fail("a hand is played"))
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        evaluate(**{"name": "greedy", "ladder": short, **wrong})
