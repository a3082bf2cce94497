"""The example of a game from outside, installed in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "tien-len"


def installed(folder: Path) -> Path:
    """Install the package into a folder, as pip does it."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    alone = ["--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([*pip, *alone, str(EXAMPLE)], check=True, capture_output=True)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """The environment of a Python that has the package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT / "src"), str(ROOT)))}
