"""The deal of the day and other events in the browser: from the start page to the standings, in each language."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.server.harness import Served
from tests.web.browsing import DESK, PHONE, SETTLED, TONGUES, accessible, account, catalogue, play_on, upright, visitor

from dasan.server.times import HOUR

pytestmark = [pytest.mark.browser, pytest.mark.full]

SETTINGS = {"daily_deals": 2, "daily_preset": "big-two"}


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize(
    ("locale", "size"),
    [
        ("en-GB", PHONE),
        ("fr-FR", DESK),
        ("zh-CN", (320, 568)),
        ("zh-TW", (844, 390)),
    ],
)
def test_the_deal_of_the_day(browser: Browser, server: Served, locale: str, size: tuple[int, int]) -> None:
    """Two deals and the standings: by the start page, the event's page, and the sheet at the end of a deal."""
    words = catalogue(TONGUES[locale])
    with visitor(browser, server, size, locale=locale) as page:
        page.goto("/")
        page.locator("a[href^='/events/day-']").click()
        expect(page.locator(".play")).to_be_visible()
        accessible(page, "an event")
        upright(page, "an event")
        page.locator(".play").click()
        expect(page.locator("header .hand")).to_have_text(
            words["duplicate.deal.of"].replace("{n}", "1").replace("{deals}", "2")
        )
        assert page.locator("[data-do=hint]").count() == 0
        play_on(page, "[role=dialog] footer .primary")
        accessible(page, "the end of a deal")
        page.get_by_role("button", name=words["duplicate.next"]).click()
        expect(page.locator("header .hand")).to_have_text(
            words["duplicate.deal.of"].replace("{n}", "2").replace("{deals}", "2")
        )
        play_on(page, "[role=dialog] footer .primary")
        page.get_by_role("link", name=words["duplicate.standings"]).click()
        expect(page.get_by_text(words["duplicate.done"], exact=True)).to_be_visible()
        expect(page.locator("tr.you")).to_contain_text("2/2")
        expect(page.locator("[aria-labelledby=mine] tbody tr")).to_have_count(2)
        accessible(page, "the standings")
        upright(page, "the standings")
        page.locator("summary").click()
        expect(page.locator("details code")).to_have_count(2)
        upright(page, "the commitments")
        page.locator("[aria-labelledby=mine] tbody a[href^='/h/']").first.click()
        page.get_by_role("link", name=words["duplicate.standings"]).click()
        expect(page.locator("tr.you")).to_contain_text("2/2")


def test_best_play_stands_beside_the_result(browser: Browser, server: Served) -> None:
    """In Chinese, on a small phone: deals of Big Three until the solver has proved one."""
    words = catalogue("zh-Hans")
    with visitor(browser, server, (360, 640), locale="zh-CN") as page:
        page.goto("/events")
        page.get_by_label(words["duplicate.new.title"]).fill("挖坑")
        page.get_by_role("combobox", name=words["hands.preset"]).select_option("big-three")
        page.get_by_label(words["duplicate.new.deals"]).select_option("4")
        page.get_by_role("button", name=words["duplicate.new.open"]).click()
        best = page.get_by_role("columnheader", name=words["duplicate.par"])
        expect(page.locator(".play")).to_be_visible()
        address = page.url
        # A failed request is repeated when the page next reads the event.
        page.route(re.compile("/par$"), lambda route: route.abort(), times=1)
        for deal in range(4):
            page.locator(".play").click()
            play_on(page, "[role=dialog] footer .primary")
            with page.expect_response(re.compile(f"/deals/{deal}/par$")) as answer:
                page.goto(address)
            if answer.value.json()["par"] is not None:
                break
            expect(page.locator(".play")).to_be_visible()
        expect(best).to_be_visible()
        expect(page.get_by_text(words["duplicate.par.about"])).to_be_visible()
        accessible(page, "an event with best play")
        upright(page, "an event with best play")


def test_an_event_of_ones_own(browser: Browser, server: Served) -> None:
    with visitor(browser, server, PHONE) as page:
        page.goto("/events")
        accessible(page, "events")
        upright(page, "events")
        page.get_by_label("Title").fill("Friday evening")
        page.get_by_label("Deals").select_option("4")
        page.get_by_label("Who plays at a table").select_option("people")
        page.get_by_role("button", name="Open the event").click()
        expect(page.get_by_role("heading", name="Friday evening")).to_be_visible()
        page.locator(".play").click()
        waiting = page.get_by_text("Waiting for others: 1 of")
        expect(waiting).to_be_visible()
        accessible(page, "waiting")
        # The wait goes on after a failed request, and when the page is read again.
        page.route(re.compile("/play$"), lambda route: route.abort(), times=1)
        expect(page.get_by_text("The server does not answer.")).to_be_visible()
        expect(waiting).to_be_visible()
        page.reload()
        expect(waiting).to_be_visible()
        expect(page.get_by_text("in progress")).to_have_count(0)
        page.goto("/events/none")
        expect(page.get_by_text("There is no such page.")).to_be_visible()


def test_a_browser_with_a_wrong_clock_opens_an_event(browser: Browser, server: Served) -> None:
    with visitor(browser, server, DESK) as page:
        page.clock.set_system_time(datetime.now() - timedelta(days=2))
        page.goto("/events")
        page.get_by_label("Title").fill("Club night")
        page.get_by_role("button", name="Open the event").click()
        expect(page.get_by_role("heading", name="Club night")).to_be_visible()
        event = server.player().http.get(f"/api/events/{page.url.rpartition('/')[2]}").json()["event"]
        assert (event["status"], event["ends"] - event["starts"]) == ("open", 86_400_000)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles"])
def test_an_event_that_begins_later(browser: Browser, server: Served, zone: str) -> None:
    """It begins at the host's own time."""
    begins = datetime.now(ZoneInfo(zone)).replace(hour=20, minute=0, second=0, microsecond=0) + timedelta(days=3)
    context = browser.new_context(timezone_id=zone, locale="en-GB", base_url=server.address)
    with closing(context):
        page = context.new_page()
        page.goto("/events")
        page.get_by_label("Title").fill("Club night")
        page.get_by_label("Begins").fill(begins.strftime("%Y-%m-%dT%H:%M"))
        page.get_by_role("button", name="Open the event").click()
        expect(page.get_by_role("button", name="Remind me when it begins")).to_be_visible()
        event = server.player().http.get(f"/api/events/{page.url.rpartition('/')[2]}").json()["event"]
        assert (event["starts"], event["status"]) == (int(begins.timestamp() * 1000), "before")
        assert event["ends"] - event["starts"] == 86_400_000
        cancel = page.get_by_role("button", name="Cancel the event")
        cancel.click()
        page.get_by_role("button", name=catalogue("en")["sure.again"]).click()
        expect(page.get_by_label("Title")).to_be_visible()
        assert server.player().http.get(f"/api/events/{event['id']}").status_code == 404


def test_a_reminder_is_read_once(browser: Browser, server: Served) -> None:
    """The page reads the event again and again, but leaves the reader's own choice alone."""
    event = server.player().open_event(after=HOUR)
    asked: list[str] = []
    with visitor(browser, server) as page:
        page.on("request", lambda request: asked.append(request.url) if "/reminder" in request.url else None)
        page.goto(f"/events/{event}")
        expect(page.get_by_role("button", name="Remind me when it begins")).to_be_visible()
        for _ in range(2):
            with page.expect_response(re.compile(f"/events/{event}/standings$")):
                page.clock.fast_forward(10_000)
            page.evaluate(SETTLED)
        assert len(asked) == 1


def test_a_cancelled_event_is_told_and_not_asked_for_again(browser: Browser, server: Served) -> None:
    host = server.player()
    event = host.open_event(after=HOUR)
    asked: list[str] = []
    with visitor(browser, server) as page:
        page.clock.install()
        page.goto(f"/events/{event}")
        expect(page.get_by_role("button", name="Remind me when it begins")).to_be_visible()
        assert host.http.post(f"/api/events/{event}/cancel").status_code == 200
        page.clock.fast_forward(10_000)
        expect(page.get_by_text(catalogue("en")["page.missing"])).to_be_visible()
        page.on("request", lambda request: asked.append(request.url))
        page.clock.fast_forward(10_000)
        page.evaluate(SETTLED)
        assert asked == []


def test_a_late_answer_does_not_undo_a_wish(browser: Browser, server: Served) -> None:
    event = server.player().open_event(after=HOUR)
    late: list[Route] = []
    with visitor(browser, server) as page:
        account(page, "Eve-late")
        page.route("**/reminder", lambda route: route.continue_() if route.request.post_data else late.append(route))
        page.goto(f"/events/{event}")
        wish = page.get_by_role("button", name="Remind me when it begins")
        wish.click()
        expect(wish).to_have_attribute("aria-pressed", "true")
        with page.expect_response("**/reminder"):
            late[0].fulfill(json={"wanted": False, "reaches": False})
        page.evaluate(SETTLED)
        expect(wish).to_have_attribute("aria-pressed", "true")


def test_best_play_is_not_asked_for_after_the_page_is_left(browser: Browser, server: Served) -> None:
    """Each answer may take the server some seconds."""
    event = server.player().open_event(deals=3)
    asked: list[Route] = []
    with visitor(browser, server) as page:
        told = page.request.get(f"/api/events/{event}").json()
        deal = {"seat": 0, "table": None, "score": 1.0, "field": None, "assisted": False}
        told["deals"] = [{"deal": at, "hand": f"h{at}", **deal} for at in range(3)]
        page.route(f"**/api/events/{event}", lambda route: route.fulfill(json=told))
        page.route("**/par", lambda route: asked.append(route))
        with page.expect_request("**/par"):
            page.goto(f"/events/{event}")
        page.locator(".home").click()
        expect(page.locator("article").first).to_be_visible()
        with page.expect_response("**/par"):
            asked[0].fulfill(json={"par": None})
        page.evaluate(SETTLED)
        page.wait_for_timeout(200)
        assert len(asked) == 1
