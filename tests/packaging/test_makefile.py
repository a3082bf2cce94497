"""The Makefile: where it works, and what it installs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def script(file: Path, line: str) -> None:
    """Write a shell script."""
    file.parent.mkdir(parents=True)
    file.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    file.chmod(0o755)


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_npm_runs_in_a_folder_whose_name_has_a_space(tmp_path: Path) -> None:
    """Python and Node are stand-ins: one names the folder of the other, which prints its arguments."""
    folder = tmp_path / "a b"
    script(folder / ".venv/bin/python", 'echo "$PWD/node/bin"')
    script(folder / "node/bin/node", 'printf "%s\\n" "$@"')
    shutil.copyfile(ROOT / "Makefile", folder / "Makefile")
    (folder / "more").write_text("npm:\n\t@$(NPM) --version\n", encoding="utf-8")
    command = ["make", "--no-print-directory", "-f", "Makefile", "-f", "more", "npm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    npm = f"{folder}/node/bin/../lib/node_modules/npm/bin/npm-cli.js"
    assert done.stdout.splitlines() == [npm, "--prefix", "web", "--version"]


def test_packages_are_installed_by_their_hashes() -> None:
    """Except dasan itself, which is installed without dependencies."""
    installing = re.findall(
        r"^.*\b(?:pip|PIP\)) install\b.*$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    itself = "--no-deps --no-build-isolation --editable ."
    assert len(installing) == 3
    assert [line for line in installing if "--require-hashes" not in line and not line.endswith(itself)] == []
