"""Programs end with whatever started them: their own processes, threads of ours, and a start that is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.bots.alarms import needs_alarms
from tests.bots.programs import GAMES, hands_in, program, spy, within

import dasan
from dasan.bots.external.program import Program, ProgramBot, _quit_all
from dasan.bots.external.wire import Fault

pytestmark = pytest.mark.full


def gone(pid: int) -> bool:
    """Whether the process has ended; a zombie has too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] == "Z"
    except OSError:
        return True


def test_a_program_that_does_not_quit_is_killed(tmp_path: Path) -> None:
    name, logs = spy(tmp_path, "import time; time.sleep(600)")
    begun = time.monotonic()
    play = [sys.executable, "-m", "dasan", "arena", "random", f"cmd:{name}", "--game", "big-three", "--deals", "1"]
    subprocess.run([*play, "--processes", "1"], check=True, capture_output=True, timeout=120)
    assert time.monotonic() - begun < 60
    assert sum(map(hands_in, logs.iterdir())) == 3 * 2
    assert all(gone(int(log.name)) for log in logs.iterdir())


def test_programs_are_killed_if_the_wait_for_their_end_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, logs = spy(tmp_path, "import time; time.sleep(600)")
    state = dasan.deal(GAMES[2], seed=1)
    assert state.to_act is not None
    player = ProgramBot(command, seconds=20)
    player.choose(state.view(state.to_act))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Program, "hang_up", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _quit_all()
    (log,) = logs.iterdir()
    assert within(10, lambda: gone(int(log.name)))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here, in which processes are looked up")
def test_the_processes_that_a_program_has_started_end_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    act = f"import subprocess; open({str(pid)!r}, 'w').write(str(subprocess.Popen(['sleep', '60']).pid)); print('?')"
    state, threads = dasan.deal(GAMES[2], seed=1), threading.active_count()
    assert state.to_act is not None
    begun = time.monotonic()
    with ProgramBot(program(tmp_path, act + "; sys.exit()"), seconds=20) as player, pytest.raises(Fault):
        player.choose(state.view(state.to_act))
    assert time.monotonic() - begun < 30
    assert within(10, lambda: gone(int(pid.read_text())))
    assert within(10, lambda: threading.active_count() <= threads)


@pytest.mark.sampled(3, 3)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here, in which processes are looked up")
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_programs_that_are_busy_end_with_an_interrupted_contest(number: int, processes: int, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    name = program(tmp_path, f"import os; open(os.path.join({str(pids)!r}, str(os.getpid())), 'w'); time.sleep(600)")
    play = [sys.executable, "-m", "dasan", "arena", f"cmd:{name}", "random", "--game", "big-two", "--deals", "8"]
    contest = subprocess.Popen(
        [*play, "--processes", str(processes)],
        start_new_session=True,
        # Tests may run with SIGINT ignored, as jobs in the background do.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert within(60, lambda: len(list(pids.iterdir())) == processes)
        if number == signal.SIGINT:
            os.killpg(contest.pid, number)  # as a terminal does
        else:
            contest.send_signal(number)
        contest.wait(60)
        assert within(20, lambda: all(gone(int(file.name)) for file in pids.iterdir()))
    finally:
        contest.kill()
        contest.wait()
        for file in pids.iterdir():
            with suppress(ProcessLookupError):
                os.kill(int(file.name), signal.SIGKILL)


def test_a_program_that_floods_leaves_no_thread(tmp_path: Path) -> None:
    state, threads = dasan.deal(GAMES[2], seed=1), threading.active_count()
    assert state.to_act is not None
    player = ProgramBot(program(tmp_path, "[print('{}', flush=True) for _ in range(100000)]"), seconds=20)
    with pytest.raises(Fault):
        player.choose(state.view(state.to_act))
    assert within(10, lambda: threading.active_count() <= threads)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("act", ["running.kill()", "del running"])
def test_a_forked_process_leaves_the_program_to_the_process_that_started_it(act: str, tmp_path: Path) -> None:
    name = program(tmp_path, "pass")
    code = f"""
import os
from dasan.bots.external import wire
from dasan.bots.external.program import Program, split_command
running = Program(split_command({name!r}))
child = os.fork()
if child == 0:
    {act}
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert running.ask([wire.hello()], 60)["name"] == "bad"
assert running.close() == 0
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@needs_alarms
def test_a_start_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    pid, threads = tmp_path / "pid", threading.active_count()
    path = tmp_path / "silent.py"
    path.write_text(f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)")

    class Late(BaseException):
        pass

    def late(number: int, frame: object) -> None:
        if not pid.exists():
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            return
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Late):
            Program([sys.executable, str(path)], starting=60)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert within(10, lambda: gone(int(pid.read_text() or 0)))
    assert within(10, lambda: threading.active_count() <= threads)
