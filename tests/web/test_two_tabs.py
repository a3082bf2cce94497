"""Two tabs of one browser are one player, even if the browser had no cookie yet."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.server.harness import Served
from tests.web.browsing import visitor

pytestmark = pytest.mark.browser


AT_ONCE = """(button, at) => setTimeout(() => button.click(), at - Date.now())"""


@pytest.mark.full
def test_two_tabs_that_join_at_once_take_one_chair(browser: Browser, server: Served) -> None:
    host = server.player()
    table_id = host.open_table("big-two", seats=["me", "open", "open", "open"])
    with visitor(browser, server) as one:
        other = one.context.new_page()
        buttons = []
        for tab in (one, other):
            tab.goto(f"/t/{table_id}")
            tab.get_by_label("Your name").fill("Ada")
            buttons.append(tab.get_by_role("button", name="Join the table"))
            expect(buttons[-1]).to_be_visible()
        assert [cookie["name"] for cookie in one.context.cookies()] == []
        at = one.evaluate("Date.now() + 500")
        for button in buttons:
            button.evaluate(AT_ONCE, at)
        for tab in (one, other):
            expect(tab.get_by_role("button", name="Join the table")).to_have_count(0)
        seats = host.http.get(f"/api/tables/{table_id}").json()["table"]["seats"]
        assert [seat["kind"] for seat in seats] == ["human", "human", "open", "open"]
        mine = one.request.get(f"/api/tables/{table_id}").json()["table"]["you"]
        assert seats[mine]["name"] == "Ada"


@pytest.mark.full
def test_the_start_page_shows_what_another_tab_has_begun(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        page.goto("/")
        expect(page.locator("article").first).to_be_visible()
        answer = page.request.post("/api/tables", data={"preset": "big-two"})
        assert answer.status == 201, answer.text()
        page.clock.fast_forward(61_000)
        expect(page.locator(f'a[href="/t/{answer.json()["id"]}"]')).to_be_visible()
