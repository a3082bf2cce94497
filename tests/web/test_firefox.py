"""A journey in Debian's Firefox, in French: from the start page to a finished hand, its result, and its review."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.harness import fast, served
from tests.web.browsing import PLAY_FIRST, built
from tests.web.firefox import firefox

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_a_hand_and_its_review_in_firefox(tmp_path: Path) -> None:
    built()
    (tmp_path / "profile").mkdir()
    with served(fast(tmp_path, bot_delay=0.02)) as server, firefox(tmp_path / "profile") as tab:
        tab.goto(server.address)
        start = 'document.querySelector(\'[aria-label="Jouer\\u00a0: Grand Trois"], [aria-label="Jouer: Grand Trois"]\')'
        tab.wait(start)
        tab.evaluate(f"{start}.click()")
        tab.wait("location.pathname.startsWith('/t/') && document.querySelector('button[data-at]')")
        over = "document.querySelector('[role=dialog] table')"
        for _ in range(2000):
            if tab.evaluate(f"Boolean({over})"):
                break
            tab.evaluate(f"({PLAY_FIRST})()")
        tab.wait(over)
        tab.evaluate("document.querySelector('[role=dialog] a.button').click()")
        tab.wait("location.pathname.startsWith('/h/') && document.querySelector('.moves')")
        tab.press("\ue014")  # the right arrow
        tab.wait("new URLSearchParams(location.search).has('move')")
        tab.evaluate("document.querySelector('.right button').click()")
        tab.wait("document.body.innerText.includes('Tournants') || document.querySelector('.right [role=status]')")
        assert tab.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
        assert not tab.errors
