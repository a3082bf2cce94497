"""Answers that arrive in another order than they were asked for."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.server.harness import Served
from tests.web.browsing import Held, account, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]


def test_the_list_of_puzzles_is_that_of_the_filter_chosen_last(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        page.goto("/puzzles")
        rows = page.locator("ul.list b")
        expect(rows.first).to_be_visible()
        held = Held(page, "**/api/puzzles?game=big-three*")
        games = page.get_by_role("combobox").first
        with held.asked():
            games.select_option("big-three")
        games.select_option("dou-dizhu")
        expect(rows.filter(has_not_text="Dou Dizhu")).to_have_count(0)
        held.arrive()
        expect(rows.filter(has_not_text="Dou Dizhu")).to_have_count(0)
        page.reload()
        expect(games).to_have_value("dou-dizhu")


def test_a_profile_shows_what_the_last_command_has_done(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as other, visitor(browser, server) as page:
        account(other, "Ada-late")
        account(page, "Bo-late")
        page.goto("/players/Ada-late")
        held = Held(page, "**/api/friends/*/follow")
        with held.asked():
            page.get_by_role("button", name="Follow", exact=True).click()
        page.get_by_role("button", name="Block: Ada-late").click()
        page.get_by_role("button", name="Yes, block: Ada-late").click()
        unblock = page.get_by_role("button", name="Unblock", exact=True)
        expect(unblock).to_be_visible()
        held.arrive()
        assert unblock.is_visible()


def test_a_group_shows_what_the_last_command_has_done(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        account(page, "Cy-late")
        page.goto("/groups")
        page.get_by_label("Name of the group").fill("Club")
        page.get_by_label("Name of the group").press("Enter")
        name = page.get_by_label("Name of the group")
        expect(page.get_by_role("heading", name="Club")).to_be_visible()
        held = Held(page, "**/api/groups/*/rename")
        name.fill("Circle")
        with held.asked():
            name.press("Enter")
        page.get_by_placeholder("Say something").fill("hello")
        page.get_by_placeholder("Say something").press("Enter")
        line = page.get_by_role("log").get_by_text("hello")
        expect(line).to_be_visible()
        held.arrive()
        assert line.is_visible()


def test_two_browsers_are_removed_from_notifications(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        account(page, "Di-late")
        told = page.request.get("/api/notifications").json()
        told["browsers"] = [{"id": name, "agent": name, "created": 0} for name in ("one", "two")]
        page.route("**/api/notifications", lambda route: route.fulfill(json=told))
        page.goto("/notifications")
        remove = page.get_by_role("button", name="Remove")
        expect(remove).to_have_count(2)
        asked: list[Route] = []
        page.route("**/api/notifications/browsers/remove", lambda route: asked.append(route))
        for button in (remove.first, remove.last):
            with page.expect_request("**/api/notifications/browsers/remove"):
                button.click()
        asked[1].fulfill(json={**told, "browsers": []})
        expect(remove).to_have_count(0)
        with page.expect_response("**/api/notifications/browsers/remove"):
            asked[0].fulfill(json={**told, "browsers": told["browsers"][1:]})
        page.evaluate("new Promise(requestAnimationFrame)")
        expect(remove).to_have_count(0)


def test_a_player_who_has_left_the_page_of_an_event_asks_for_no_table(browser: Browser, server: Served) -> None:
    """The page was still being read again: the player, who had waited for a table before, was taken to one."""
    event = server.player().open_event(people=2)
    with visitor(browser, server) as page:
        page.goto(f"/events/{event}")
        page.locator(".play").click()
        expect(page.get_by_text("Waiting for others")).to_be_visible()
        held = Held(page, "**/standings")
        with held.asked():
            page.reload()
        page.locator(".home").click()
        expect(page.locator("article").first).to_be_visible()
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method))
        held.arrive()
        page.wait_for_timeout(500)
        assert "POST" not in sent


def test_the_start_page_appears_in_one_piece(browser: Browser, server: Served) -> None:
    """Tables and the deal of the day would push the games away from under a finger."""
    with visitor(browser, server) as page:
        today = Held(page, "**/api/events/today")
        with today.asked(), page.expect_response("**/api/presets"), page.expect_response("**/api/bots"):
            page.goto("/")
        page.evaluate("new Promise(requestAnimationFrame)")
        expect(page.locator("article")).to_have_count(0)
        today.arrive()
        expect(page.locator("article").first).to_be_visible()
        expect(page.get_by_text("Deal of the day")).to_be_visible()


def test_the_games_do_not_wait_for_the_deal_of_the_day_for_long(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        today = Held(page, "**/api/events/today")
        with today.asked(), page.expect_response("**/api/presets"), page.expect_response("**/api/bots"):
            page.goto("/")
        page.clock.fast_forward(2600)
        expect(page.locator("article").first).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        today.arrive()
        expect(page.get_by_text("Deal of the day")).to_be_visible()


def test_every_page_says_that_it_loads(browser: Browser, server: Served) -> None:
    """Pages whose answers never come."""
    with visitor(browser, server) as page:
        page.route("**/api/**", lambda route: None)
        ours = ["me", "events", "friends", "bidding", "notifications", "ladder", "groups", "moderation", "puzzles"]
        named = ["puzzles/daily", "puzzles/x", "h/x", "rules/winner", "players/x", "events/x", "groups/x", "join/x"]
        for path in (*ours, *named):
            page.goto(f"/{path}")
            expect(page.get_by_role("heading", level=1), path).to_be_visible()
            expect(page.get_by_role("status").filter(has_text="Loading…"), path).to_be_visible()


def test_a_profile_says_that_it_loads_again(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        page.route("**/api/people/x", lambda route: route.abort())
        page.goto("/players/x")
        again = page.get_by_role("button", name="Try again")
        expect(again).to_be_visible()
        page.route("**/api/people/x", lambda route: None)
        again.click()
        expect(page.get_by_role("status").filter(has_text="Loading…")).to_be_visible()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_page_whose_script_is_late_says_that_it_loads(
    browser: Browser, server: Served, motion: Literal["reduce", "no-preference"]
) -> None:
    """After a moment, so that nothing flashes: a copy of the line is hidden at first."""
    with visitor(browser, server, motion=motion) as page:
        page.route("**/assets/LearnPage*.js", lambda route: None)
        page.goto("/")
        page.get_by_role("link", name="Learn", exact=True).click()
        line = page.get_by_role("status").filter(has_text="Loading…")
        expect(line).to_be_visible()
        copied = (
            "line => { const copy = line.cloneNode(true); line.after(copy); return getComputedStyle(copy).visibility; }"
        )
        assert line.evaluate(copied) == "hidden"
