"""What tests of the page need of the machine."""

from __future__ import annotations

import os

import pytest


def missing(message: str) -> None:
    """Skip a test that lacks something, but never in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
