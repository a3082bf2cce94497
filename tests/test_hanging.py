"""A test that outlasts its limit ends, and is named."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

CONFTEST = Path(__file__).parent.parent / "conftest.py"
TEARDOWN = """
import time
import pytest

@pytest.fixture
def waits():
    yield
    time.sleep(100)

def test_hanging(waits):
    time.sleep(100)

def test_after():
    pass
"""
COMPILED = """
import numba

@numba.njit(cache=False)
def forever(n):
    while n > 0:
        n += 2 - n % 2
    return n

forever(0)  # compiles it before the test

def test_hanging():
    forever(1)

def test_after():
    pass
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms here")
@pytest.mark.parametrize("source", [TEARDOWN, COMPILED], ids=["in its teardown too", "in compiled code"])
def test_a_hanging_test_ends_and_is_named(source: str, tmp_path: Path) -> None:
    hooks = CONFTEST.read_text(encoding="utf-8")
    assert "\nGRACE = 100\n" in hooks
    (tmp_path / "conftest.py").write_text(hooks.replace("\nGRACE = 100\n", "\nGRACE = 1\n"), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntimeout = 4\n", encoding="utf-8")
    (tmp_path / "test_one.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider", "test_one.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    assert "crashed while running 'test_one.py::test_hanging'" in done.stdout
    assert "most recent call first" in done.stderr + done.stdout
    assert "1 passed" in done.stdout
