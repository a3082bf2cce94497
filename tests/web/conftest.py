"""Fixtures of this folder: the browser and the server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from tests.server.harness import Served, fast, served

from .browsing import PATIENCE, built, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, headless. Without hinting: with it the shell, unlike a window, puts letters on whole pixels."""
    path = chromium()
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--font-render-hinting=none"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of the built page, with the module's `SETTINGS`, if it has any."""
    built()
    with served(fast(tmp_path_factory.mktemp("web"), **getattr(request.module, "SETTINGS", {}))) as running:
        yield running
