"""Journeys in Debian's Firefox, in French: two hands, their results, a review, a puzzle, a lesson."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.harness import fast, served
from tests.web.browsing import PLAY_FIRST, TRY_PUZZLE, built
from tests.web.firefox import firefox

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.mark.slow
def test_hands_a_review_a_puzzle_and_a_lesson_in_firefox(tmp_path: Path) -> None:
    built()
    (tmp_path / "profile").mkdir()
    with served(fast(tmp_path, bot_delay=0.02)) as server, firefox(tmp_path / "profile") as tab:
        tab.goto(server.address)
        start = 'document.querySelector(\'[aria-label="Jouer\\u00a0: Big Three"], [aria-label="Jouer: Big Three"]\')'
        tab.wait(start)
        tab.evaluate(f"{start}.click()")
        tab.wait("location.pathname.startsWith('/t/') && document.querySelector('button[data-at]')")
        over = "document.querySelector('[role=dialog] table')"
        for hand in range(2):
            if hand:
                tab.evaluate("document.querySelector('[role=dialog] footer .primary').click()")
                tab.wait(f"!{over} && document.querySelector('button[data-at]')")
            tab.wait(over, meanwhile=PLAY_FIRST)
        tab.evaluate("document.querySelector('[role=dialog] a.button').click()")
        tab.wait("location.pathname.startsWith('/h/') && document.querySelector('.moves')")
        tab.press("\ue014")  # the right arrow
        tab.wait("new URLSearchParams(location.search).has('move')")
        tab.evaluate("document.querySelector('.right button').click()")
        tab.wait("document.body.innerText.includes('Tournants') || document.querySelector('.right [role=status]')")
        assert tab.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0

        tab.goto(f"{server.address}/puzzles/daily")
        tab.wait("document.querySelector('button[data-at]')")
        tab.wait("document.querySelector('.verdict.wrong, .verdict.solved')", meanwhile=TRY_PUZZLE)

        tab.goto(f"{server.address}/learn/big-three")
        tab.wait("document.querySelector('[data-do=next]')")
        tab.press("\ue007")  # Enter
        tab.wait("document.querySelectorAll('button[data-at]').length === 5")
        # A headless window has no focus, so Firefox turns no key into a click.
        for at in range(3):
            tab.evaluate(f"document.querySelector('button[data-at=\"{at}\"]').click()")
        tab.press("\ue007")
        tab.wait("document.querySelector('.verdict.right')")
        assert tab.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
        assert not tab.errors
