"""Output to a terminal, a file or a pipe contains nothing that a stranger hid in a record, and never a traceback."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import dasan
import dasan.cli
from dasan.bots.external import wire
from dasan.cli.progress import progress_bar

from .running import cli, output, refusal

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202e\x7f"


@pytest.fixture(scope="module")
def hostile() -> str:
    """A record of a hand with control characters wherever a header has room for text."""
    state = dasan.start(dasan.rules("big-two"), ["3D", "5D 6D", "7D 8D", "9D TD"], leader=0).play("3D")
    lines = [json.loads(line) for line in state.record().splitlines()]
    lines[0]["engine"] = HOSTILE
    lines[0]["seats"] = [{"kind": HOSTILE, "name": f"{HOSTILE}{i}"} for i in range(4)]
    lines.append({"type": "note", "text": HOSTILE})
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize(
    "command",
    [
        "verify",
        "replay",
        "review",
        "solve --before 1",
        "review --format markdown",
        "verify --json",
        "replay --json",
        "review --json",
    ],
)
def test_no_control_character_of_a_record_reaches_the_terminal(command: str, hostile: str) -> None:
    name, *options = command.split()
    result = cli(name, "-", *options, stdin=hostile)
    assert result.exit_code == 0, result.output
    assert not re.search(r"[^\n -~]", "".join(c for c in result.output if not c.isprintable()))
    if "--json" in options:
        data = json.loads(result.stdout)
        assert name != "replay" or data["engine"] == HOSTILE, "JSON says what there is"


def test_rules_with_control_characters_are_refused() -> None:
    text = dasan.rules("big-three").to_json() | {"name": HOSTILE}
    with pytest.raises(dasan.Malformed):
        dasan.Rules.from_json(text)
    text = dasan.rules("big-three").to_json()
    text["shapes"][0]["kind"] = HOSTILE
    with pytest.raises(dasan.Malformed):
        dasan.Rules.from_json(text)


def test_every_command_prints_through_the_sanitiser() -> None:
    """Rich prints rules of ours, a review's texts made visible, and the progress of ours."""
    folder = Path(dasan.cli.__file__).parent
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert path.name == "output.py" or not re.search(
            r"typer\.echo|typer\.secho|(?<![._])\bprint\(|stdout\.write", text
        ), path
        assert path.name in ("rules.py", "review.py") or "console.print" not in text, path


def run(*arguments: str, stdout: int | None = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dasan", *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )


@pytest.mark.sampled(1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
@pytest.mark.parametrize("command", ["rules big-three", "--version", "rules --json"])
def test_a_full_disk_is_one_sentence(command: str) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = run(*command.split(), stdout=full)
    finally:
        os.close(full)
    assert (done.returncode, done.stderr) == (2, "dasan: cannot write the output: No space left on device\n")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", ["rules big-three", "--version", "puzzle --shipped --count 2"])
def test_a_closed_pipe_is_not_an_error(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = run(*command.split(), stdout=write)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.sampled(1)
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the streams")
@pytest.mark.parametrize(
    ("arguments", "closing", "code"),
    [
        ("rules big-three", ">&-", 0),
        ("tui --plain", "<&-", 0),
        ("replay -", "<&-", 2),
        ("puzzle --shipped --json", "<&- >&- 2>&-", 0),
    ],
)
def test_closed_streams_are_empty_ones(arguments: str, closing: str, code: int) -> None:
    """A closed standard output accepts everything, as /dev/null does; a closed input is empty."""
    command = f"exec {shlex.quote(sys.executable)} -m dasan {arguments} {closing}"
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.full
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_refusal_on_a_closed_stderr_keeps_its_exit_code() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "dasan", "rules", "chess"], stderr=full, check=False)
    assert done.returncode == 2


def test_a_command_in_the_progress_bar_is_no_markup() -> None:
    pseudo = pytest.importorskip("pty")
    mine, its = pseudo.openpty()
    try:
        program = "from dasan.cli.progress import progress_bar\nwith progress_bar() as show: show('cmd:bot [/x]', 1, 2)"
        done = subprocess.run(
            [sys.executable, "-c", program], stderr=its, env={**os.environ, "TERM": "xterm"}, check=False
        )
    finally:
        os.close(its)
        os.close(mine)
    assert done.returncode == 0


def test_progress_in_a_pipe_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0, 29, 31, 60, 61])
    monkeypatch.setattr("dasan.cli.progress.monotonic", lambda: next(seconds))
    with progress_bar() as show:
        for done in (10, 20, 30, 4000):
            show("greedy", done, 4000)
    assert capsys.readouterr().err == "greedy: 20 of 4,000\ngreedy: 4,000 of 4,000\n"


def test_progress_that_nobody_reads_stops_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def gone(text: str) -> None:
        told.append(text)
        raise BrokenPipeError

    monkeypatch.setattr("dasan.cli.progress.warn", gone)
    monkeypatch.setattr("dasan.cli.progress.BETWEEN", 0)
    with progress_bar() as show:
        show("greedy", 1, 2)
    assert told == ["greedy: 1 of 2"]


def heed_interrupts() -> None:
    """For processes to be started: a shell makes its background processes ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


INTERRUPT = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}: os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself SIGINT there")
@pytest.mark.parametrize(
    ("start", "module"),
    [
        ("-m dasan", "dasan.bots"),
        ("-m dasan", "dasan.cli"),
        ("-c import dasan_program;dasan_program.main()", "dasan.bots"),
        ("-c import dasan_program;dasan_program.main()", "rich"),
    ],
)
def test_an_interrupt_in_the_first_moments_is_one_word(start: str, module: str, tmp_path: Path) -> None:
    """`python -m dasan` imports the package before the program; Rich is imported by a command that runs."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT.format(name=module), encoding="utf-8")
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, *start.split(" ", 1), "rules", "big-three"],
        preexec_fn=heed_interrupts,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dasan: stopped\n")


def test_an_interrupt_of_a_program_that_imports_dasan_is_its_own() -> None:
    program = "import signal, dasan; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    subprocess.run([sys.executable, "-c", program], preexec_fn=heed_interrupts, check=True)


@pytest.mark.parametrize(
    ("start", "given", "threads"), [("dasan_program", None, "1"), ("dasan", None, "1"), ("dasan", "2", "2")]
)
def test_products_of_a_command_have_one_thread_unless_told_otherwise(
    start: str, given: str | None, threads: str
) -> None:
    """OpenBLAS reads the variable once, when NumPy is imported."""
    program = f"""
import os, sys, {start}, dasan_program
assert "numpy" not in sys.modules
sys.argv[1:] = ["--version"]
try:
    dasan_program.main()
finally:
    print(os.environ["OPENBLAS_NUM_THREADS"])
"""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if given is not None:
        environment["OPENBLAS_NUM_THREADS"] = given
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == threads


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "arena low shed --deals 1 --out /dev/zero",
            "/dev/zero does not hold outcomes of contests: it is not a regular file",
        ),
        ("deals --count 1 --nodes 1 --out /dev/zero", "/dev/zero does not hold valued deals: it is not a regular file"),
        ("evaluate low --check /dev/zero", "/dev/zero is too large: it has more than 64,000,000 bytes"),
        ("arena low net:/dev/zero", "/dev/zero: the file does not contain a network"),
        ("verify /dev/zero", "/dev/zero is too large: it has more than 64,000,000 bytes"),
    ],
)
def test_a_device_without_an_end_where_a_file_belongs(
    arguments: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Path, "read_bytes")
    assert refusal(*arguments.split()) == said


@pytest.mark.full
def test_a_folder_where_a_file_belongs(tmp_path: Path) -> None:
    picture = tmp_path / "folder.svg"
    picture.mkdir()
    for command in (
        ["replay", tmp_path],
        ["puzzle", "--shipped", "--out", tmp_path],
        ["tui", "--plain", "--record", tmp_path],
        ["puzzle", tmp_path],
        ["deals", "--count", "1", "--out", tmp_path],
    ):
        assert "directory" in refusal(*command)
    assert "Unix domain" not in refusal("serve", "--host", "no-such-host.invalid")
    assert "cannot listen on no-such-host.invalid: " in refusal("serve", "--host", "no-such-host.invalid")


@pytest.mark.parametrize(
    "message",
    [
        "null",
        "{",
        '{"type":"choose"}',
        '{"type":"events","events":["?"]}',
        '{"type":"events","events":[{}]}',
        "[" * 9_999,
    ],
    ids=["null", "end", "choose", "text", "event", "deep"],
)
def test_messages_to_a_bot_that_are_none(message: str) -> None:
    assert refusal("bot-protocol", stdin=message + "\n")


def test_a_message_without_a_field_names_it() -> None:
    said = refusal("bot-protocol", stdin='{"type":"choose"}\n')
    assert said == "this is not the bot protocol: a message lacks 'view'"


@pytest.mark.parametrize("seat", [9, -9, 1.0, "0", None])
def test_a_hand_of_a_seat_that_there_is_not(seat: object) -> None:
    state = dasan.deal(dasan.rules("winner"), seed=7)
    view = state.view(state.to_act)
    messages = [wire.hand(view) | {"seat": seat}, wire.choose(1, 5.0, view.to_json())]
    printed = cli("bot-protocol", stdin=b"".join(map(wire.written, messages)))
    assert (printed.exit_code, printed.stderr.count("\n")) == (2, 1), printed.stderr


@pytest.mark.full
def test_a_network_of_another_game_does_not_blame_the_messages() -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=7)
    view = state.view(state.to_act)
    messages = [wire.hand(view), wire.choose(1, 5.0, view.to_json())]
    said = refusal("bot-protocol", "net:big-three", stdin=b"".join(map(wire.written, messages)))
    assert said == "the bot fails: net:big-three was trained for another game: big-three"


@pytest.mark.parametrize("url", ["nowhere", "http://[::1", "http://localhost:port", "http://a b/", "http://é/ü", "//x"])
def test_a_server_to_measure_that_is_no_address(url: str) -> None:
    error = refusal("bench", "server", "--url", url, "--tables", "1", "--seconds", "0.1", "--json")
    assert "no server of dasan at" in error or "does not answer" in error


def test_numbers_out_of_range_are_one_sentence() -> None:
    for command in (["solve", "x", "--before", "-3"], ["replay", "x", "--hand", "0"], ["puzzle", "--count", "-1"]):
        assert "greater than or equal to" in refusal(*command)


def test_options_are_said_in_the_words_that_they_are_read_in() -> None:
    assert "cut = off" in output("rules", "big-three", "--option", "cut=off")
    assert refusal("rules", "big-three", "--option", "cut=maybe") == "option cut is one of off, on, not 'maybe' (B3.05)"
    assert dasan.rules("big-three", cut="off") == dasan.rules("big-three", cut=False)


def test_rules_of_its_own_are_called_so() -> None:
    """A record that calls its rules big-two is not printed as Big Two if the rules differ."""
    rules = replace(dasan.rules("big-two"), pass_is_final=True)
    record = dasan.start(rules, ["3D", "5D 6D", "7D 8D", "9D TD"], leader=0).play("3D").record()
    for command in ("replay", "review"):
        assert output(command, "-", stdin=record).startswith("Big Two, by rules of its own")


def test_a_group_alone_prints_its_help_and_no_error_line() -> None:
    done = cli("admin")
    assert (done.exit_code, done.stderr) == (2, "")
    assert "backup" in done.stdout
