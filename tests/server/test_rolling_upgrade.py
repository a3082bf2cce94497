"""Two servers are replaced one after the other while people play: no hand is lost, and no command is lost or duplicated."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dasan.server.store.migrating import MIGRATIONS, newest

from .chaos.run import run
from .test_chaos import passed

ROOT = Path(__file__).parents[2]


def version_before(schema: str, folder: Path) -> Path:
    """Unpack the last version before this schema into a folder; the folder of its package."""
    (revision,) = (MIGRATIONS / "versions").glob(f"r{schema}_*.py")
    introduced = ["log", "-1", "--format=%H", "--diff-filter=A", "--", str(revision)]
    added = subprocess.run(["git", *introduced], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    archive = subprocess.run(["git", "archive", f"{added}^", "src"], cwd=ROOT, capture_output=True, check=False)
    if not added or archive.returncode:
        pytest.skip("no version of the schema before: this is no git repository with its history")
    folder.mkdir()
    subprocess.run(["tar", "--extract", "--directory", str(folder)], input=archive.stdout, check=True)
    return folder / "src"


@pytest.mark.full
@pytest.mark.long
@pytest.mark.timeout(300)
def test_servers_of_the_schema_before_are_replaced_while_people_play(tmp_path: Path) -> None:
    for module in ("nats", "asyncpg"):
        pytest.importorskip(module, reason=f"no {module}: `make test-all` installs it")
    source = version_before(newest(), tmp_path / "before")
    ask = [sys.executable, "-c", "from dasan.server.store.migrating import newest; print(newest())"]
    answer = subprocess.run(
        ask, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() < newest(), "another version, of another schema"
    report = asyncio.run(
        run(
            tmp_path / "run",
            seconds=0,
            tables=6,
            think=0.2,
            every=3.0,
            faults=["upgrade-apps"],
            orderly=True,
            source=source,
        )
    )
    assert passed(report)
    assert report["faults"] == {"upgrade-apps": 1}
    assert report["people"]["connections"] > 12, "whose server ends connects to the other"
    assert report["hands"] >= 6
    assert report["longest_wait"] < 20
