"""What the documents say about the command line and the examples."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dasan.cli import COMMANDS

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if path.stem != "train_dmc")
"""All but the one that trains for minutes, which tests/vector/test_learning.py runs for a moment."""
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_run(example: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_the_commands_are_documented() -> None:
    listed = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all(re.search(rf"^\| .*`dasan {name}\b", listed, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)#:]+)\)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_the_contributor_guide_runs() -> None:
    tried = doctest.testfile(str(ROOT / "CONTRIBUTING.md"), module_relative=False, encoding="utf-8")
    assert tried.attempted
    assert not tried.failed


def test_the_first_page_leads_to_every_other() -> None:
    docs = ROOT / "docs"
    listed = (docs / "index.md").read_text(encoding="utf-8")
    rooms = [path for room in ("guide", "reference", "internals") for path in (docs / room).glob("*.md")]
    pages = {path.relative_to(docs).as_posix() for path in [*docs.glob("*.md"), *rooms]} - {"index.md"}
    assert {page for page in pages if f"({page})" not in listed} == set()
