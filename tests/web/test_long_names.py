"""Names and titles as long as the server allows, in one word, are no wider than a small phone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.harness import Served
from tests.web.browsing import account, upright, visitor
from tests.web.states import STATES, send_once, snapshot

pytestmark = [pytest.mark.browser, pytest.mark.full]

SMALL = (320, 568)
NAME, TITLE, GROUP = "M" * 32, "W" * 60, "W" * 32


def renamed(message: dict[str, Any]) -> str:
    """A table's snapshot with a person of a long name in every taken seat."""
    for seat in message["table"]["seats"]:
        if seat["kind"] != "open":
            seat |= {"name": NAME, "kind": "human", "bot": None}
    return json.dumps(message)


@pytest.mark.parametrize("state", ["play", "settlement", "places", "offered", "link"])
def test_a_table_of_long_names(browser: Browser, server: Served, state: str) -> None:
    with visitor(browser, server, SMALL) as page:
        send_once(page, renamed(json.loads(snapshot(state))))
        page.goto("/t/fixed")
        page.locator(STATES[state]).first.wait_for()
        upright(page, state)
        if state == "settlement":
            assert page.locator(".sum").evaluate(
                "sum => sum.offsetHeight < 1.5 * parseFloat(getComputedStyle(sum).fontSize)"
            )


def test_the_moves_of_long_names(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        send_once(page, renamed(json.loads(snapshot("play"))))
        page.goto("/t/fixed")
        panel = page.get_by_role("tabpanel")
        expect(panel.get_by_text(NAME).first).to_be_visible()
        assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")


FROM_THE_END = """() => [...document.querySelectorAll('*')]
  .filter((one) => getComputedStyle(one).textOverflow === 'ellipsis' && one.scrollWidth > one.clientWidth)
  .filter((one) => one.checkVisibility() && /[\u0600-\u06ff]/.test(one.textContent))
  .map((one) => [one.className, getComputedStyle(one).direction])"""
"""The elements that cut off an Arabic name, and their directions."""


@pytest.mark.parametrize("state", ["play", "outbid"])
def test_a_name_from_right_to_left_is_cut_off_at_its_end(browser: Browser, server: Served, state: str) -> None:
    message = json.loads(snapshot(state))
    for seat in message["table"]["seats"]:
        seat |= {"name": "\u0645\u062d\u0645\u062f" * 8, "kind": "human", "bot": None}
    with visitor(browser, server) as page:
        send_once(page, json.dumps(message))
        page.goto("/t/fixed")
        page.locator("table th[title], li.made").first.wait_for()
        cut = page.evaluate(FROM_THE_END)
        assert len(cut) > 2
        assert {direction for _, direction in cut} == {"rtl"}, cut


def made_by(page: Page, path: str, body: object) -> str:
    """The id of what this page's player makes by a request."""
    answer = page.request.post(path, data=body)
    assert answer.status == 201, answer.text()
    made: dict[str, str] = answer.json()
    return made["id"]


def test_lists_and_titles_of_long_names(browser: Browser, server: Served) -> None:
    host = server.player()
    host.open_table("big-two", seats=["me", "open", "open", "open"], name=NAME, settings={"visibility": "lobby"})
    with visitor(browser, server, SMALL) as page:
        account(page, "M" * 24)
        page.route(
            "**/api/invitations",
            lambda route: route.fulfill(
                json=[{"table": "fixed", "host": "M" * 24, "preset": "big-two", "title": "Big Two", "at": 0}]
            ),
        )
        page.goto("/")
        expect(page.get_by_text("M" * 24).first).to_be_visible()
        expect(page.get_by_text(NAME)).to_be_visible()
        upright(page, "the start page")
        event_id = made_by(page, "/api/events", {"title": TITLE, "preset": "big-two", "deals": 1})
        page.goto("/events")
        expect(page.get_by_text(TITLE)).to_be_visible()
        upright(page, "the list of events")
        page.goto(f"/events/{event_id}")
        expect(page.get_by_role("heading", name=TITLE)).to_be_visible()
        upright(page, "an event")
        page.goto(f"/groups/{made_by(page, '/api/groups', {'name': GROUP})}")
        expect(page.get_by_role("heading", name=GROUP)).to_be_visible()
        upright(page, "a group")
        page.goto(f"/players/{'M' * 24}")
        expect(page.get_by_role("heading", name="M" * 24)).to_be_visible()
        upright(page, "a profile")
