"""Tien Len, installed beside dasan, in a browser: the page lists it by itself, and a hand is played to its end with bots."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.packaging.outside import environment, installed
from tests.server.harness import SECONDS, Remote
from tests.web.browsing import built, play_on, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]

SERVER = """
import sys, pathlib
from tests.server.harness import fast, served
with served(fast(pathlib.Path(sys.argv[1]), bot_delay=0.01)) as server:
    print(server.address, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Remote]:
    """A server whose Python has the package."""
    built()
    site, data = tmp_path / "site", tmp_path / "data"
    site.mkdir()
    data.mkdir()
    command = [sys.executable, "-W", "error", "-c", SERVER, str(data)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(installed(site))
    ) as process:
        assert process.stdout is not None
        try:
            yield Remote(process.stdout.readline().strip())
            process.communicate(timeout=2 * SECONDS)
        finally:
            process.kill()  # the end of the with block waits without a limit
    assert process.returncode == 0


def test_a_hand_of_a_game_from_outside(browser: Browser, server: Remote) -> None:
    with visitor(browser, server) as page:
        page.goto("/")
        expect(page.get_by_text("Vietnam's game")).to_be_visible()
        page.get_by_role("button", name=re.compile("^Play: Tien Len$")).click()
        expect(page.locator("button[data-at]")).to_have_count(13)
        play_on(page, "[role=dialog]")
        expect(page.get_by_role("dialog").get_by_role("table")).to_be_visible()
        page.goto("/rules/tien-len")
        expect(page.get_by_text("Chopping a two")).to_be_visible()
