"""Requirements of the page's tests."""

from __future__ import annotations

import os

import pytest


def missing(message: str) -> None:
    """Skip a test whose requirement is missing, but never in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
