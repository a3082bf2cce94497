"""Commands, their JSON, and the one line with exit code 2 for everything that goes wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import dasan
from dasan.cli import COMMANDS
from dasan.games import PRESETS
from dasan.ruleset.policies import Auction
from dasan.server.store.migrating import newest
from dasan.version import commit

from .hands import greedy_game, play_on
from .running import cli, output, refusal


@pytest.fixture(scope="module")
def record() -> str:
    """A session of two hands with its secrets."""
    game = greedy_game("big-three")
    play_on(game, hands=2)
    return game.session.record()


@pytest.fixture
def file(record: str, tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_text(record, encoding="utf-8")
    return path


def test_the_program_is_installed() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("dasan"), "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"dasan {dasan.__version__}\ncommit {commit()}, schema {newest()}\n")


@pytest.mark.full
def test_every_command_explains_itself() -> None:
    listed = cli("--help").stdout
    for name in COMMANDS:
        assert f" {name} " in listed
        assert f"dasan {name}" in " ".join(cli(name, "--help").stdout.replace("Usage: root", "dasan").split())


def test_nothing_heavy_is_imported_at_the_start() -> None:
    program = (
        "import sys, dasan.cli\n"
        "heavy = {'numpy', 'numba', 'fastapi', 'sqlalchemy', 'textual', 'rich', 'pydantic', 'uvicorn'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [[], ["--port", "8123"]])
def test_without_a_command_the_browser_table_is_served(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import dasan.server.main

    asked: list[tuple[object, ...]] = []

    def serve(host: str | None, port: int, data_dir: Path | None, *, open_browser: bool, **more: object) -> None:
        assert more == {"database": None, "nats": None, "file": None}
        asked.append((host, port, data_dir, open_browser))

    monkeypatch.setattr(dasan.server.main, "serve", serve)
    assert cli(*arguments).exit_code == 0
    assert asked == [(None, int(arguments[1]) if arguments else 8000, None, True)]


def test_serve_opens_no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import dasan.server.main

    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(dasan.server.main, "serve", lambda *args, **named: asked.append((*args, named)))
    stores = ["--database", "postgresql://a/b", "--nats", "nats://c"]
    cli("serve", "--host", "0.0.0.0", "--data-dir", str(tmp_path), "--settings", "a.toml", *stores)
    more = {"open_browser": False, "database": "postgresql://a/b", "nats": "nats://c", "file": Path("a.toml")}
    assert asked == [("0.0.0.0", 8000, tmp_path, more)]


def test_a_server_that_cannot_start_says_why() -> None:
    assert refusal("play", "--no-open", "--host", "256.0.0.1").startswith("cannot listen on 256.0.0.1")


# rules


def test_rules_without_a_preset_lists_the_presets() -> None:
    shown = cli("rules").stdout
    assert all(f"{name} " in shown for name in PRESETS)
    listed = json.loads(cli("rules", "--json").stdout)["presets"]
    assert [preset["name"] for preset in listed] == list(PRESETS)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("preset", PRESETS)
def test_rules_prints_every_clause_and_option(preset: str) -> None:
    rules = dasan.rules(preset)
    shown = cli("rules", preset).stdout
    report = json.loads(cli("rules", preset, "--json").stdout)
    assert tuple(clause["id"] for clause in report["clauses"]) == rules.clauses
    assert {option["name"]: option["value"] for option in report["options"]} == rules.options
    assert report["digest"] == rules.digest
    for id in rules.clauses:
        assert f"\n{id} " in shown
    for name in rules.options:
        assert f"\n{name} = " in shown
    assert all(len(clause["text"]) > 20 for clause in report["clauses"])


def test_a_narrow_terminal_cuts_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    listed = cli("rules").stdout
    assert [preset for preset in PRESETS if preset not in listed] == []
    assert "…" not in listed + cli("rules", "big-two", "--backends").stdout


def test_which_code_plays_the_rules() -> None:
    report = json.loads(cli("rules", "big-two", "--backends", "--json").stdout)["backends"]
    assert [entry["name"] for entry in report if entry["plays"]] == ["cardsets", "regional", "engine", "endgame"]
    table = " ".join(cli("rules", "big-two", "--backends").stdout.split())
    assert "ranks environments, worlds no suits_ranked is True, not" in table
    assert refusal("rules", "--backends").startswith("name a game")


def test_rules_with_options_are_those_rules() -> None:
    report = json.loads(cli("rules", "winner", "-o", "players=6", "-o", "decks=2", "-o", "jokers=on", "--json").stdout)
    assert report["digest"] == dasan.rules("winner", players=6, decks=2, jokers=True).digest
    report = json.loads(cli("rules", "big-two", "-o", "guard=off", "-o", "four-plus-one=no", "--json").stdout)
    assert report["digest"] == dasan.rules("big-two", guard="off", four_plus_one=False).digest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "there is no preset 'nope'"),
        (["big-two", "-o", "guard=maybe"], "option guard is one of foul, enforced, off, not 'maybe' (D2.17)"),
        (["big-two", "-o", "jokers=on"], "big-two has no option 'jokers'"),
        (["big-two", "-o", f"{100 * 'j'}=on"], f"big-two has no option '{59 * 'j'}…; it has"),
        (["-o", "guard=off"], "--option changes a game: name one"),
        (["big-two", "-o", "guard"], "write an option as name=value, not 'guard'"),
        (["big-two", "-o", "guard=off", "-o", "guard=foul"], "option guard is given twice"),
        (["winner", "-o", "players=9"], "option players is a whole number from 3 to 8, not 9 (W.01)"),
        (["winner", "-o", "players=many"], "option players is a whole number from 3 to 8, not 'many' (W.01)"),
        (["winner", "-o", "players=7", "-o", "decks=1"], "decks=1 needs players=3 to 6 (W.01)"),
    ],
)
def test_rules_that_cannot_be(arguments: list[str], said: str) -> None:
    assert refusal("rules", *arguments).startswith(said)


# verify and replay


def test_verify_says_what_is_true(file: Path, record: str) -> None:
    printed = cli("verify", str(file)).stdout
    assert printed.startswith("rules     big-three, unchanged\ntrue      2 hands replayed")
    assert "unproved" not in printed
    report = json.loads(cli("verify", "-", "--json", stdin=record).stdout)
    assert report["hands"] == 2
    assert report["unproved"] == []
    assert len(report["statements"]) == 4


def test_verify_says_what_is_unproved(record: str) -> None:
    lines = [line for line in record.splitlines(keepends=True) if '"reveal"' not in line]
    assert "unproved  hand 1: the secret is not in the record" in cli("verify", "-", stdin="".join(lines)).stdout


def test_verify_names_the_rules_and_can_insist_on_them(file: Path, tmp_path: Path) -> None:
    assert output("verify", file).startswith("rules     big-three, unchanged\n")
    assert output("verify", file, "--preset", "big-three") == output("verify", file)
    assert "played by other rules: big-three, unchanged" in refusal("verify", file, "--preset", "big-two")
    assert "other rules" in refusal("verify", file, "--preset", "big-three", "--option", "cut=off")
    assert json.loads(output("verify", file, "--json"))["rules"]["unchanged"]
    assert "needs --preset" in refusal("verify", file, "--option", "cut=off")
    own = tmp_path / "own.jsonl"
    rules = replace(dasan.rules("big-three"), auction=Auction(top=20))
    own.write_text(dasan.deal(rules, seed=1).play("bid 20").record(), encoding="utf-8")
    assert output("verify", own).startswith("rules     rules of its own, unlike big-three: auction.top is 20, not 3\n")
    assert "auction.top is 20" in refusal("verify", own, "--preset", "big-three")


def _forgeries() -> dict[str, tuple[str, str]]:
    """Changes to a record: (old text, new text)."""
    return {
        "an impossible bid": ('"type":"bid","bid":', '"type":"bid","bid":9'),
        "another result": ('{"type":"result","payments":[', '{"type":"result","payments":[9'),
        "other rules": ('"cut":true', '"cut":false'),
        "another secret": ('"secret":"', '"secret":"00'),
        "another commitment": ('"commitment":"', '"commitment":"0'),
        "no JSON": ("{", "["),
        "another format": ("climb/1", "climb/9"),
    }


@pytest.mark.parametrize("forgery", _forgeries())
@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_forged_record_is_one_line_and_exit_code_2(command: str, forgery: str, file: Path, record: str) -> None:
    old, new = _forgeries()[forgery]
    assert old in record
    file.write_text(record.replace(old, new, 1), encoding="utf-8")
    if command == "replay" and forgery == "another commitment":
        assert cli(command, str(file)).exit_code == 0, "replaying does not look at commitments"
    else:
        assert refusal(command, str(file)).startswith(str(file))


@pytest.mark.full
@pytest.mark.parametrize("command", ["verify", "replay"])
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_what_is_no_record(command: str, as_json: list[str], tmp_path: Path) -> None:
    missing = tmp_path / "none.jsonl"
    assert refusal(command, str(missing), *as_json) == f"cannot read {missing}: No such file or directory"
    assert refusal(command, str(tmp_path), *as_json) == f"cannot read {tmp_path}: Is a directory"
    assert refusal(command, "", *as_json) == "name a file, or - for standard input"
    assert refusal(command, "-", *as_json, stdin="") == "standard input: there is no record in it"
    assert "not UTF-8" in refusal(command, "-", *as_json, stdin=b"\xff\xfe\x00")
    assert "line 1 is not JSON" in refusal(command, "-", *as_json, stdin="\x1b[31mred\n\n")


def test_a_player_s_copy_of_finished_hands_is_read_like_any_other() -> None:
    """Only what a copy hides matters, not what its header says."""
    game = greedy_game("big-two")
    play_on(game)
    copy = game.session.record(view=0)
    assert '"view":0' in copy
    assert "reveal" in copy
    assert output("verify", "-", stdin=copy) == output("verify", "-", stdin=game.session.record())
    assert output("replay", "-", stdin=copy) == output("replay", "-", stdin=game.session.record())
    assert cli("review", "-", "--seconds", "0.01", stdin=copy).exit_code == 0


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_redacted_copy_is_read_as_far_as_possible(as_json: list[str]) -> None:
    game = greedy_game("big-two")
    hidden = game.session.record(view=0)
    assert "this copy hides cards of hand 1" in output("verify", "-", *as_json, stdin=hidden)
    for command in ("replay", "solve", "review"):
        assert refusal(command, "-", *as_json, stdin=hidden).endswith("G.02")
    play_on(game)
    whole = output("replay", "-", *as_json, stdin=game.session.record())
    game.next_hand()
    result = cli("replay", "-", *as_json, stdin=game.session.record(view=0))
    assert (result.exit_code, result.stdout) == (0, whole)
    assert "this copy hides cards of hand 2" in result.stderr


def test_no_control_characters_reach_the_terminal(record: str) -> None:
    name = '"name":"\\u001b]0;x\\u0007"'
    printed = cli("replay", "-", stdin=record.replace('"name":"You"', name, 1)).stdout
    assert "\x1b" not in printed
    assert "\x07" not in printed


def test_replay_tells_the_story(file: Path, record: str) -> None:
    printed = cli("replay", str(file)).stdout
    assert printed.startswith("Big Three · big-three · recorded by dasan ")
    for line in map(json.loads, record.splitlines()):
        if line.get("type") in ("bid", "pass", "play", "open", "kitty", "trick") and "seat" in line:
            assert f"\n  {line['seq']:>3}  " in printed
    assert "Hand 2. " in printed
    assert "You deals" not in printed
    assert "Hand 1. " not in cli("replay", str(file), "--hand", "2").stdout


def test_replay_calls_only_a_kitty_so() -> None:
    """In Big Two for two or three the cards that are left are none (H.27)."""
    for game, options, name in (("big-three", {}, "kitty"), ("big-two", {"players": 3}, "left over")):
        state = dasan.deal(dasan.rules(game, **options), seed=1)
        lines = cli("replay", "-", stdin=state.record()).stdout.splitlines()
        assert [line.split("  ")[0] for line in lines if line.startswith(("kitty", "left over"))] == [name]
        starts = {match.end() for match in map(re.compile(rf"(seat \d|{name}) +").match, lines) if match}
        assert len(starts) == 1


def test_replay_as_json_gives_every_position(file: Path, record: str) -> None:
    report = json.loads(cli("replay", str(file), "--json").stdout)
    game = dasan.replay(record)
    assert isinstance(game, dasan.Session)
    assert report["balances"] == list(game.balances)
    for hand, state in zip(report["hands"], (*game.past, game.state), strict=True):
        assert [e for step in hand["steps"] for e in step["events"]] == [e.to_json() for e in state.events]
        assert hand["steps"][-1]["hands"] == [str(h) for h in state.hands]
        assert hand["steps"][-1]["phase"] == "over"
        assert hand["result"]["payments"] == list(state.result.payments if state.result else ())


def test_replay_of_one_hand_from_a_position() -> None:
    rules = dasan.rules("big-two")
    state = dasan.start(rules, ["3D 4D", "5D 6D", "7D 8D", "9D"], leader=0).play("3D")
    report = json.loads(cli("replay", "-", "--json", stdin=state.record()).stdout)
    assert [step["hands"][0] for step in report["hands"][0]["steps"]] == ["3D 4D", "4D"]
    assert "the hand is not over" in cli("replay", "-", stdin=state.record()).stdout
    assert "starts from a given position" in cli("verify", "-", stdin=state.record()).stdout


def test_replay_steps_at_the_keyboard(file: Path) -> None:
    assert len(cli("replay", str(file), "--step", stdin="\n\n").stdout.splitlines()) == 4
    assert "--step reads the keyboard" in refusal("replay", "-", "--step", stdin="")
    assert "has 2 hands, no hand 3" in refusal("replay", str(file), "--hand", "3")


# tui, and the command line as a whole


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frob"], "No such command 'frob'."),
        (["verfy"], "No such command 'verfy'. Did you mean 'verify'?"),
        (["verify"], "Missing argument 'FILE'."),
        (["rules", "--nope"], "No such option: --nope"),
        (["--nope"], "No such option: --nope"),
        (["play", "--port", "99999"], "Invalid value for '--port'"),
        (["tui"], "this is not a terminal: use --plain to play through a pipe"),
        (["tui", "nope", "--plain"], "there is no preset 'nope'"),
        (["tui", "--plain", "--bot", "nope"], "there is no bot 'nope'"),
        (["tui", "--plain", "--record", "/nowhere/at/all"], "cannot write /nowhere/at/all: No such file or directory"),
    ],
)
def test_one_line_for_every_mistake(arguments: list[str], said: str) -> None:
    assert refusal(*arguments).startswith(said)


@pytest.mark.full
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_reader_that_leaves_gets_no_traceback(as_json: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "dasan", "rules", "big-two", *as_json],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.full
def test_bytes_and_encodings_are_no_traceback(file: Path) -> None:
    environment = dict(os.environ, PYTHONIOENCODING="latin-1")
    for arguments, stdin in ((["replay", str(file)], b""), (["tui", "--plain", "--seed", "7"], b"\xff\xfe\n\n")):
        done = subprocess.run(
            [sys.executable, "-m", "dasan", *arguments], input=stdin, capture_output=True, env=environment, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode("latin-1").count("?")
