"""A button pressed again before the server has answered."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.server.harness import Served
from tests.web.browsing import Held, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]


def test_a_second_press_sends_nothing(browser: Browser, server: Served) -> None:
    """It founded a second group, and was refused where the first press had opened the account or used up the link."""
    with visitor(browser, server) as page, visitor(browser, server) as other:
        page.goto("/me")
        page.get_by_label("Account name").fill("Ada-twice")
        page.get_by_label("Password").fill("correct horse")
        opened = Held(page, "**/api/account")
        page.get_by_role("button", name="Create an account", exact=True).dblclick()
        opened.arrive()
        expect(page.get_by_role("region", name="Signed-in browsers")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)

        page.goto("/groups")
        page.get_by_label("Name of the group").fill("Club")
        founded = Held(page, "**/api/groups")
        page.get_by_role("button", name="Create the group").dblclick()
        founded.arrive()
        expect(page.get_by_role("heading", name="Club")).to_be_visible()
        assert len(page.request.get("/api/groups").json()["groups"]) == 1

        other.goto(page.request.post("/api/me/link", data={}).json()["path"])
        claimed = Held(other, "**/api/me/claim")
        other.get_by_role("button", name="Use my seats on this device").dblclick()
        claimed.arrive()
        expect(other.get_by_text("This device is linked now")).to_be_visible()
        expect(other.get_by_role("alert")).to_have_count(0)
