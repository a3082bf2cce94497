"""What the files under version control may and may not hold."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

import dasan

ROOT = Path(__file__).parents[2]

FORBIDDEN = {
    "a path of one machine": re.compile(r"/(?:home/\w+|Users/\w+|root|work)/|/tmp/(?!$)\w|[A-Z]:\\\\Users"),
    "the address of a package registry": re.compile(r"registry\.npmjs\.org|files\.pythonhosted\.org|pypi\.org/simple"),
}


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of each file that git knows, this one left out: it spells what it forbids."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path == Path(__file__) or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            yield name, content.decode("utf-8")


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    assert [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), start=1)
        if FORBIDDEN[what].search(line)
    ] == []


def test_the_installed_version_is_the_one_written_down() -> None:
    assert version("dasan") == dasan.__version__


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for lock, wanted in {
        "lock.txt": project["dependencies"] + extras["dev"],
        "extras.txt": sum(extras.values(), project["dependencies"]),
    }.items():
        pinned = {
            plain(line.partition("==")[0])
            for line in (ROOT / "requirements" / lock).read_text(encoding="utf-8").splitlines()
            if "==" in line
        }
        assert {plain(re.split(r"[\[<>=]", name)[0]) for name in wanted} <= pinned, f"run make lock: {lock}"


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
