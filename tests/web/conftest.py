"""Fixtures of this folder: the browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from .browsing import PATIENCE, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, headless. Without hinting: with it the shell, unlike a window, puts letters on whole pixels."""
    path = chromium()
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--font-render-hinting=none"])
        yield running
        running.close()
