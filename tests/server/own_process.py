"""The server in a process of its own, which a test can kill."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .harness import SECONDS, Remote

SCRIPT = "import sys, dasan.server.main as m; from pathlib import Path; m.serve('127.0.0.1', 0, Path(sys.argv[1]))"

CHEAP = {"DASAN_BOT_DELAY": "0.02", "DASAN_WARM": "0", "DASAN_PASSWORD_MEMORY_MB": "1", "DASAN_MESSAGE_RATE": "1000000"}
"""Settings that leave out what these tests do not check."""


@contextmanager
def process(data_dir: Path, **environment: str) -> Iterator[tuple[Remote, subprocess.Popen[str]]]:
    """``dasan``'s server in a process of its own."""
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(data_dir)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **CHEAP, **environment},
    )
    assert child.stdout is not None
    assert child.stderr is not None
    try:
        words = child.stdout.readline().split()
        assert words[:3] == ["dasan", "is", "at"], child.stderr.read()
        yield Remote(words[3]), child
    finally:
        if child.poll() is None:
            child.kill()
        child.wait(SECONDS)
        child.stdout.close()
        child.stderr.close()
