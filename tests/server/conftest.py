"""The servers that tests of this folder ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .harness import Serve, Served, fast, served


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Start a server with changed settings: ``with serve(bot_delay=1) as server``."""
    return lambda **changes: served(fast(tmp_path, **changes))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server for one test."""
    with served(fast(tmp_path)) as running:
        yield running
