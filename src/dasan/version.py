"""The version of the package, of the engine, and of the records they write; and the commit that the package was built from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__version__ = "0.1.0"

BUILT_FROM = Path(__file__).with_name("commit.txt")
"""The file into which the build writes the commit."""
UNKNOWN = "unknown"


@cache
def commit() -> str:
    """The first 12 digits of the commit that this package was built from, or that its repository has checked out.

    "unknown" if neither is recorded.
    """
    root = Path(__file__).parents[2]
    if (root / ".git").exists():
        import subprocess

        command = ["git", "rev-parse", "--short=12", "HEAD"]
        try:
            return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return UNKNOWN
    return BUILT_FROM.read_text(encoding="ascii").strip() if BUILT_FROM.is_file() else UNKNOWN
