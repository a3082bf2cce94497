"""Answers that arrive in another order than they were asked for."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.server.harness import Served
from tests.web.browsing import visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]


def test_the_list_of_puzzles_is_that_of_the_filter_chosen_last(browser: Browser, server: Served) -> None:
    held: list[Route] = []
    with visitor(browser, server) as page:
        page.goto("/puzzles")
        rows = page.locator("ul.list b")
        expect(rows.first).to_be_visible()
        page.route("**/api/puzzles?game=big-three*", lambda route: held.append(route))
        games = page.get_by_role("combobox").first
        with page.expect_request("**/api/puzzles?game=big-three*"):
            games.select_option("big-three")
        games.select_option("dou-dizhu")
        expect(rows.filter(has_not_text="Dou Dizhu")).to_have_count(0)
        with page.expect_response("**/api/puzzles?game=big-three*"):
            held[0].continue_()
        page.evaluate("new Promise(requestAnimationFrame)")
        expect(rows.filter(has_not_text="Dou Dizhu")).to_have_count(0)
        page.reload()
        expect(games).to_have_value("dou-dizhu")
