"""The bidding trainer in the browser: bidding by mouse and by keyboard, the verdict, each language."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.server.harness import Served
from tests.web.browsing import DESK, PHONE, TONGUES, accessible, catalogue, upright, visitor
from tests.web.legible import legible
from tests.web.pages import bidding

from dasan.server.protocol.bidding import BidHistory

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize(
    ("locale", "size"),
    [
        ("en-GB", DESK),
        ("fr-FR", PHONE),
        ("zh-CN", (360, 640)),
        ("zh-TW", (844, 390)),
    ],
)
def test_two_hands_are_bid_on(browser: Browser, server: Served, locale: str, size: tuple[int, int]) -> None:
    words = catalogue(TONGUES[locale])
    with visitor(browser, server, size, locale=locale) as page:
        page.goto("/learn")
        page.get_by_role("link", name=words["bidding.title"], exact=True).click()
        bids = page.locator("[data-bid]")
        expect(bids.first).to_be_enabled()
        expect(page.get_by_text(words["bidding.history.none"])).to_be_visible()
        upright(page, "a hand to bid on")
        accessible(page, "a hand to bid on")
        bids.last.click()
        expect(page.get_by_role("heading", name=words["review.known"])).to_be_visible()
        expect(page.get_by_role("heading", name=words["bidding.contract"])).to_be_visible()
        expect(page.get_by_role("heading", name=words["bidding.deal"])).to_be_visible()
        expect(page.get_by_text(re.compile(words["bidding.cost"].partition("{n}")[0]))).to_be_visible()
        upright(page, "a bid that was judged")
        accessible(page, "a bid that was judged")
        expect(page.get_by_role("button", name=words["bidding.next"])).to_be_focused()
        page.keyboard.press("Enter")
        expect(bids.first).to_be_focused()
        page.keyboard.press("3")
        expect(page.get_by_role("button", name=words["bidding.next"])).to_be_focused()
        expect(page.get_by_text(re.compile(words["bidding.contract.proved"].partition("{")[0]))).to_be_visible()
        page.get_by_role("combobox", name=words["bidding.game"]).select_option("big-three-4p")
        expect(bids.first).to_be_enabled()
        page.reload()
        expect(page.get_by_role("combobox", name=words["bidding.game"])).to_have_value("big-three-4p")


def test_the_chart_of_bids_can_be_read_on_the_smallest_phone(browser: Browser, server: Served) -> None:
    means = [1.25, 0.75, 0.5, 0.4]
    kept = BidHistory(unit="payment", bids=40, best=24, low=9, high=7, cost=0.72, means=means, latest=[])

    def history(route: Route) -> None:
        route.fulfill(body=kept.model_dump_json()) if route.request.method == "GET" else route.fallback()

    with visitor(browser, server, (320, 568)) as page:
        page.route("**/api/bidding/*", history)
        bidding(page)
        expect(page.get_by_text("1.25")).to_be_visible()
        legible(page, "the chart of bids", touch=True)
        upright(page, "the chart of bids")
