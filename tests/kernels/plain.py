"""A program run twice: with the kernels compiled, and with them as plain Python without the processor's bit instructions."""

from __future__ import annotations

import os
import subprocess
import sys


def compiled_and_plain(program: str, *arguments: str) -> tuple[str, str]:
    """What `program` prints in either, each in a new process. CalledProcessError: it fails in one of them."""
    compiled, plain = (
        subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    )
    return compiled, plain
