"""Tien Len, `examples/tien-len`, installed beside dasan: every part of dasan lists and plays it by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.packaging.outside import EXAMPLE, ROOT, environment, installed

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the package is installed, as pip does it."""
    return installed(tmp_path_factory.mktemp("site"))


def run(site: Path, *arguments: str) -> str:
    """The output of a fresh Python that has the package."""
    process = subprocess.run(
        [sys.executable, "-W", "error", *arguments], capture_output=True, text=True, env=environment(site)
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_it_is_short() -> None:
    """The package with its clauses, without its tests."""
    files = [EXAMPLE / "pyproject.toml", *(EXAMPLE / "tien_len").glob("*.*")]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < 150


def test_the_engine_plays_it_by_its_clauses(site: Path) -> None:
    """The tests of the clauses TL.01 to TL.09, in a Python that has the package."""
    run(site, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(EXAMPLE / "test_clauses.py"))


def test_the_command_line_lists_it(site: Path) -> None:
    presets = json.loads(run(site, "-m", "dasan", "rules", "--json"))["presets"]
    assert {"big-three", "tien-len", "tien-len-cards"} <= {preset["name"] for preset in presets}
    data = json.loads(run(site, "-m", "dasan", "rules", "tien-len", "--option", "pass_is_final=off", "--json"))
    assert next(c for c in data["clauses"] if c["id"] == "TL.04")["title"] == "Chopping a two"
    assert next(o for o in data["options"] if o["name"] == "pass_is_final")["value"] is False


def test_the_terminal_plays_it(site: Path, tmp_path: Path) -> None:
    record = tmp_path / "tien-len.jsonl"
    code = (
        "import io, dasan; from dasan.tui.game import TableGame; from dasan.tui.plain import run\n"
        "game = TableGame(dasan.rules('tien-len'), [dasan.bot('greedy')] * 3, seed=7)\n"
        "run(game, io.StringIO('hint\\nquit\\n'), out := io.StringIO(), prompt=False)\n"
        f"print(out.getvalue()); open({str(record)!r}, 'w').write(game.session.record())"
    )
    assert "Tien Len" in run(site, "-c", code)
    verdict = subprocess.run(
        [sys.executable, "-m", "dasan", "verify", str(record)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert verdict.returncode == 0, "a record carries the rules of a game from outside, for readers without the package"


VECTOR = """
import dasan
env = dasan.vector.make("tien-len", num_envs=3, seed=7)
assert env.backend == "engine"
paid = []
while len(paid) < 5:
    env.step(env.sample())
    paid += env.rewards[env.done].tolist()
print(all(sorted(rewards) == [-1, -1, -1, 3] for rewards in paid))
"""

SERVER = """
import sys, pathlib, dasan
from tests.server.harness import fast, served
with served(fast(pathlib.Path(sys.argv[1]))) as server:
    player = server.player()
    offered = {preset["name"]: preset for preset in player.http.get("/api/presets").json()}
    assert offered["tien-len"]["title"] == "Tien Len"
    assert [clause["id"] for clause in player.http.get("/api/rules/tien-len").json()["clauses"]][3] == "TL.04"
    table = player.open_table("tien-len", ["greedy"] * 3)
    with player.sit(table) as seat:
        while seat.my_turn():
            move = str(seat.table["seq"])
            seat.send(type="move", id=move, move=seat.view["legal_moves"][0]["move"])
            assert seat.answer(move)["type"] == "ack"
        print(sorted(seat.view["result"]["payments"]))
    assert dasan.replay(player.http.get(f"/api/tables/{table}/record").text).results
"""


def test_batched_environments_play_it(site: Path) -> None:
    assert run(site, "-c", VECTOR).strip() == "True"


def test_the_server_serves_it(site: Path, tmp_path: Path) -> None:
    assert run(site, "-c", SERVER, str(tmp_path)).strip() == "[-1, -1, -1, 3]"


def test_without_the_package_there_is_no_such_game() -> None:
    import dasan

    with pytest.raises(ValueError, match="there is no preset 'tien-len'"):
        dasan.rules("tien-len")
