"""A program run twice: with the kernels compiled, and with them as plain Python without the processor's bit instructions."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from unittest.mock import patch

import numpy as np


def compiled_and_plain(program: str, *arguments: str) -> tuple[str, str]:
    """What `program` prints, here and in a new process without the compiler. CalledProcessError: it fails there."""
    with np.errstate(), patch.object(sys, "argv", ["-c", *arguments]), redirect_stdout(io.StringIO()) as out:
        exec(program, {"__name__": "__main__"})
    plain = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return out.getvalue(), plain.stdout
