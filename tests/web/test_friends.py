"""Friends in the browser: following, online status, invitations, blocks; in each language."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.server.harness import Served
from tests.web.browsing import (
    DESK,
    PHONE,
    TONGUES,
    accessible,
    account,
    awaited,
    catalogue,
    in_each_language,
    resized,
    upright,
    visitor,
)

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.mark.sampled(1, 1)
@in_each_language
def test_two_become_friends_and_sit_down_together(
    browser: Browser, server: Served, locale: str, size: tuple[int, int]
) -> None:
    words = catalogue(TONGUES[locale])
    first, second = f"Ada-{TONGUES[locale]}", f"Bob-{TONGUES[locale]}"
    with visitor(browser, server, size, locale=locale) as ada, visitor(browser, server, DESK, locale=locale) as bo:
        ada.goto("/friends")
        expect(ada.get_by_role("link", name=words["friends.account.open"])).to_be_visible()
        accessible(ada, "friends of a guest")
        account(ada, first)
        account(bo, second)
        ada.get_by_role("link", name=words["friends.title"], exact=True).click()
        ada.get_by_label(words["friends.name"]).fill(second)
        ada.keyboard.press("Enter")
        expect(ada.get_by_text(words["friends.pending"])).to_be_visible()
        bo.goto(f"/players/{first}")
        bo.get_by_role("button", name=words["friends.follow"], exact=True).click()
        expect(bo.get_by_role("button", name=words["friends.unfollow"], exact=True)).to_be_visible()
        accessible(bo, "a profile to follow")
        asked: list[str] = []
        ada.on("request", lambda request: asked.append(request.url))
        ada.reload()
        expect(ada.get_by_text(words["friends.here"], exact=True)).to_be_visible()
        ada.wait_for_timeout(1000)
        assert 1 <= sum(url.endswith("/api/invitations") for url in asked) <= 4, "once, and every eight seconds"
        accessible(ada, "friends")
        upright(ada, "friends")
        resized(ada, 320, 568)
        upright(ada, "friends on the smallest screen")
        resized(ada, *size)
        ada.get_by_role("button", name=re.compile(f"^{words['friends.invite']}.*{second}$")).click()
        expect(ada).to_have_url(re.compile(r"/t/[\w-]+$"))
        expect(ada.get_by_role("button", name=re.compile(f"{second}.*{words['friends.invited']}"))).to_be_disabled()
        accessible(ada, "a table to invite to")
        bo.goto("/")
        expect(bo.get_by_role("heading", name=words["friends.invitations"])).to_be_visible()
        accessible(bo, "the start page with an invitation")
        expect(bo.get_by_role("button", name=re.compile(f"^{words['friends.decline']}.*{first}"))).to_be_visible()
        expect(bo.locator("small", has_text="2026")).to_be_visible()
        bo.get_by_role("link", name=re.compile(f"^{words['friends.go']}.*{first}")).click()
        expect(bo.get_by_label(words["join.name"])).to_have_count(0)
        bo.get_by_role("button", name=words["join.sit"]).click()
        expect(ada.get_by_text(second).first).to_be_visible()
        bo.goto(f"/players/{first}")
        bo.get_by_role("button", name=re.compile(f"^{words['friends.block']}.*{first}$")).click()
        bo.get_by_role("button", name=re.compile(f"^{words['friends.block.sure']}.*{first}$")).click()
        expect(bo.get_by_role("button", name=words["friends.unblock"])).to_be_visible()
        ada.goto("/friends")
        expect(ada.get_by_text(words["friends.none"])).to_be_visible()


def test_followers_are_answered_by_keyboard(browser: Browser, server: Served) -> None:
    """A block needs confirmation, the focus stays on the page when a person leaves a list, and a follow can be undone."""
    with visitor(browser, server, PHONE) as page, visitor(browser, server) as one, visitor(browser, server) as two:
        for visiting, name in ((page, "Ada-keys"), (one, "Bob-keys"), (two, "Cyd-keys")):
            account(visiting, name)
        for follower in (one, two):
            follower.goto("/players/Ada-keys")
            expect(follower.get_by_text("Ada-keys has not finished a hand here yet.")).to_be_visible()
            follower.get_by_role("button", name="Follow", exact=True).click()
            expect(follower.get_by_role("button", name="Unfollow", exact=True)).to_be_visible()
        page.goto("/friends")
        block = page.get_by_role("button", name="Block: Bob-keys", exact=True)
        block.press("Enter")
        sure = page.get_by_role("button", name="Yes, block: Bob-keys")
        expect(sure).to_be_focused()
        accessible(page, "a block that is asked about")
        sure.press("Tab")
        expect(block).to_be_visible()
        block.press("Enter")
        sure.press("Enter")
        expect(page.get_by_role("button", name="Unblock: Bob-keys")).to_be_visible()
        page.get_by_role("button", name="Follow: Cyd-keys").press("Enter")
        expect(page.get_by_role("heading", name="Followers")).to_have_count(0)
        page.clock.fast_forward(500)
        awaited(page, "document.activeElement && document.activeElement !== document.body")
        page.get_by_role("button", name="Unfollow: Cyd-keys").press("Enter")
        expect(page.get_by_text("You follow nobody yet.")).to_be_visible()
        expect(page.get_by_role("button", name="Follow: Cyd-keys")).to_be_visible()


def test_an_invitation_that_cannot_be_declined_stays(browser: Browser, server: Served) -> None:
    invitation = {"table": "t", "preset": "winner", "title": "Winner", "host": "Ada", "at": 0}
    with visitor(browser, server) as page:
        page.route("**/api/invitations", lambda route: route.fulfill(json=[invitation]))
        page.route("**/decline", lambda route: route.abort())
        page.goto("/")
        invited = page.get_by_role("region", name="Invitations")
        invited.get_by_role("button", name="Decline").click()
        expect(invited.get_by_role("alert")).to_have_text("The server does not answer.")
        expect(invited.get_by_role("listitem")).to_have_count(1)
        page.unroute("**/decline")
        page.route("**/decline", lambda route: route.fulfill(json=[]))
        invited.get_by_role("button", name="Decline").click()
        expect(invited).to_have_count(0)
