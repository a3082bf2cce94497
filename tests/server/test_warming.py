"""The process that compiles in advance: it reports when it is done, leaves nothing to compile, and dies with its server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dasan.server.workers.warming import PARTS, Warming

pytestmark = pytest.mark.full

SERVER = """
import sys
from pathlib import Path
import dasan.server.main as m
from dasan.server.settings import Settings
def ready(address):
    print(next(iter(warmings)).process, flush=True)
from dasan.server.workers import warming
warmings = []
first = warming.Warming.__init__
def init(self):
    first(self)
    warmings.append(self)
warming.Warming.__init__ = init
m.serve("127.0.0.1", 0, Path(sys.argv[1]), ready)
"""

PLAYED = """
import sys
from numba.core.dispatcher import Dispatcher
import dasan
from dasan import worlds
if sys.argv[1] == "solve":
    for names in (["4H 4S 3D", "5H 6H", "7H 8C"], ["4H 4S 3D", "5H 6H", "7H 8C", "9H"]):
        rules = dasan.rules("big-three" if len(names) == 3 else "big-three-4p")
        more = {} if len(names) == 3 else {"called": "8C"}
        dasan.solve(dasan.start(rules, names, bidder=0, bid=2, leader=0, **more))
else:
    if sys.argv[1] != "big-three":
        rules = dasan.rules(sys.argv[1])
        hands = ["3D 4D", "5D 6D", "7D 8D 8C", "9D TD"][: rules.players]
        dasan.solve(dasan.start(rules, hands, leader=0, **({"bidder": 0, "bid": 2} if rules.auction else {})))
    for name, options in eval(sys.argv[2]):
        rules = dasan.rules(name, **options)
        state = dasan.deal(rules, seed=3)
        positions = worlds.Positions(rules, 2)
        positions.put_worlds(0, state, worlds.deals(state.view(state.to_act), 2))
        positions.play_out(policy="thrifty")
        positions.step(1, int(positions.legal(1)[0]))
        search, thrifty = dasan.bot("search"), dasan.bot("thrifty")
        for _ in range(24):
            view = state.view(state.to_act)
            search.explain(view)
            state = state.play(thrifty.choose(view))
    from dasan.kernels.network.layers import score_first
    assert score_first.stats.cache_hits, "search looks at likely deals"
made = 0
for name in [n for n in sys.modules if n.startswith("dasan.kernels.")]:
    for value in list(vars(sys.modules[name]).values()):
        if isinstance(value, Dispatcher):
            made += sum(value.stats.cache_misses.values())
print(made)
"""
GAMES = {
    "solve": [],
    "big-three": [("big-three-4p", {}), ("big-three-fr", {"must_dig": True})],
    "big-two": [("big-two", {"guard": "enforced", "triples": True})],
    "big-two-taiwan": [("big-two-hong-kong", {}), ("big-two-indonesia", {})],
    "dou-dizhu": [("dou-dizhu", {"doubling_cap": 2})],
    "winner": [("winner", {"decks": 2, "jokers": True, "players": 6}), ("winner-bomb", {"scoring": "cards"})],
}


def comes(true: Callable[[], bool], seconds: float = 300) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def runs(process: int) -> bool:
    """Whether there is such a process that is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_nothing_is_ready_before_the_start_or_after_a_process_that_cannot_keep_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    warming = Warming()
    assert not any(map(warming.ready, PARTS))
    lines: list[str] = []
    warming.start(done=lines.append)
    assert comes(lambda: warming.process is None)
    assert comes(lambda: len(lines) == len(PARTS)), "the caller compiles them itself"
    assert lines == list(PARTS)
    assert not any(map(warming.ready, PARTS))
    assert f"compiled code cannot be kept in {tmp_path / 'file'} (File exists)" in caplog.text
    warming.stop()


def test_without_a_process_the_caller_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/program")
    warming = Warming()
    lines: list[str] = []
    warming.start(done=lines.append)
    assert lines == list(PARTS)
    assert not any(map(warming.ready, PARTS))
    warming.stop()


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
@pytest.mark.parametrize("hard", [False, True], ids=["stopped", "killed"])
def test_the_process_ends_with_the_server(tmp_path: Path, hard: bool) -> None:
    environment = {**os.environ, "DASAN_WARM": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(tmp_path / "data")], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert server.stdout is not None
    child = int(server.stdout.readline())
    try:
        assert comes(lambda: (tmp_path / "cache").is_dir())  # it has begun to compile
        assert runs(child)
        nice = int(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[16])
        assert nice >= min(os.nice(0) + 15, 19)
        if hard:
            server.kill()
        else:
            server.terminate()
        server.wait(60)
        assert comes(lambda: not runs(child))
    finally:
        server.kill()
        server.wait(60)
        server.stdout.close()


@pytest.mark.slow
def test_what_is_ready_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    warming = Warming()
    warming.start()
    for part in PARTS:
        assert comes(lambda part=part: warming.ready(part), 300)  # type: ignore[misc]
        done = subprocess.run(
            [sys.executable, "-c", PLAYED, part, repr(GAMES[part])], capture_output=True, text=True, check=True
        )
        assert (part, done.stdout.strip()) == (part, "0")
    warming.stop()
