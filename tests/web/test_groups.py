"""Groups in the browser: founding, joining by link, rules, chat, play, and standings; in each language."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.server.harness import Served
from tests.web.browsing import (
    DESK,
    PHONE,
    PLAY_FIRST,
    TONGUES,
    accessible,
    account,
    catalogue,
    hurry,
    in_each_language,
    tries,
    upright,
    visitor,
)

pytestmark = [pytest.mark.browser, pytest.mark.full]


NO_CLIPBOARD = """
  Object.defineProperty(navigator, 'clipboard', {value: undefined});
  document.execCommand = () => false;
"""


@pytest.mark.sampled(1, 1)
@in_each_language
def test_a_club_meets(browser: Browser, server: Served, locale: str, size: tuple[int, int]) -> None:
    tongue = TONGUES[locale]
    words = catalogue(tongue)
    first, second, name = f"Ada-{tongue}", f"Bob-{tongue}", f"Club {tongue}"
    with visitor(browser, server, size, locale=locale) as ada, visitor(browser, server, DESK, locale=locale) as bo:
        ada.goto("/groups")
        expect(ada.get_by_role("link", name=words["friends.account.open"])).to_be_visible()
        accessible(ada, "groups of a guest")
        account(ada, first)
        ada.goto("/friends")
        ada.get_by_role("link", name=words["groups.title"]).press("Enter")
        ada.get_by_label(words["groups.name"]).fill(name)
        ada.get_by_label(words["groups.name"]).press("Enter")
        expect(ada.get_by_role("heading", name=name)).to_be_visible()
        expect(ada.get_by_text(words["groups.standings.none"])).to_be_visible()
        link = ada.get_by_label(words["groups.link"], exact=True).input_value()
        ada.evaluate(NO_CLIPBOARD)
        ada.get_by_role("button", name=words["room.copy"], exact=True).click()
        expect(ada.get_by_role("status").filter(has_text=words["room.copy.failed"])).to_have_count(1)

        bo.goto(link.removeprefix(server.address))
        bo.get_by_role("link", name=words["friends.account.open"]).press("Enter")
        bo.get_by_label(words["profile.account.name"]).fill(second)
        bo.get_by_label(words["profile.password"]).fill("correct horse")
        bo.get_by_role("button", name=words["profile.register"]).click()
        joining = bo.get_by_role("button", name=words["groups.join"])
        joining.wait_for()
        accessible(bo, "the link of a group, with an account")
        joining.press("Enter")
        expect(bo.get_by_role("heading", name=name)).to_be_visible()
        bo.get_by_label(words["chat.say"]).fill("hello!")
        bo.get_by_label(words["chat.say"]).press("Enter")
        expect(bo.get_by_role("log").get_by_text("hello!")).to_be_visible()
        expect(bo.get_by_role("button", name=words["groups.rules"])).to_have_count(0)

        ada.reload()
        expect(ada.get_by_role("log").get_by_text("hello!")).to_be_visible()
        ada.get_by_role("button", name=words["groups.rules"]).click()
        sheet = ada.get_by_role("dialog")
        accessible(ada, "the rules of a group")
        sheet.locator(".body select").first.select_option("big-two")
        seats = sheet.locator(".bots select")
        for seat in (1, 2):
            seats.nth(seat).select_option("random")
        sheet.get_by_role("button", name=words["groups.rules.save"]).click()
        expect(sheet).to_have_count(0)
        expect(ada.get_by_text(words["preset.big-two"])).to_be_visible()
        accessible(ada, "a group")
        upright(ada, "a group")

        ada.get_by_role("button", name=words["groups.table"]).click()
        expect(ada).to_have_url(re.compile(r"/t/[\w-]+$"))
        bo.goto("/")
        bo.get_by_role("link", name=words["friends.go"]).click()
        bo.get_by_role("button", name=words["join.sit"]).click()
        for _ in tries():
            if ada.locator("[role=dialog]").count():
                break
            for page in (ada, bo):
                page.evaluate(PLAY_FIRST)
                hurry(page)
        ada.goto("/groups")
        ada.get_by_role("link", name=re.compile(name)).click()
        row = ada.get_by_role("row", name=re.compile(second))
        expect(row).to_be_visible()
        accessible(ada, "a group with standings")
        upright(ada, "a group with standings")
        removing = ada.get_by_role("button", name=f"{words['account.remove']}{words['list.colon']}{second}")
        removing.click()
        again = f"{words['sure.again']}{words['list.colon']}{second}"
        expect(ada.get_by_role("status").filter(has_text=again)).to_have_count(1)
        ada.keyboard.press("Tab")
        expect(removing).to_be_visible()
        removing.click()
        ada.get_by_role("button", name=again).click()
        expect(ada.get_by_role("link", name=second, exact=True)).to_have_count(0)
        bo.goto("/groups")
        expect(bo.get_by_text(words["groups.none"])).to_be_visible()


def test_a_member_signs_in_on_the_way_to_a_group(browser: Browser, server: Served) -> None:
    words = catalogue("en")
    with visitor(browser, server) as home, visitor(browser, server, PHONE) as phone:
        account(home, "Eva")
        home.goto("/groups")
        home.get_by_label(words["groups.name"]).fill("Club")
        home.get_by_label(words["groups.name"]).press("Enter")
        expect(home.get_by_role("heading", name="Club")).to_be_visible()
        phone.goto(home.url.removeprefix(server.address))
        phone.get_by_role("link", name=words["friends.account.open"]).click()
        phone.get_by_label(words["profile.account.name"]).fill("Eva")
        phone.get_by_label(words["profile.password"]).fill("correct horse")
        phone.get_by_role("button", name=words["profile.signIn"]).click()
        expect(phone.get_by_role("heading", name="Club")).to_be_visible()
        banned = {"id": "banned", "values": {}}
        refusal = {"type": "error", "id": None, "code": "forbidden", "clause": None, "message": "", "wording": banned}
        phone.route("**/api/groups/*", lambda route: route.fulfill(status=403, json=refusal))
        phone.reload()
        expect(phone.get_by_text(words["refusal.banned"])).to_be_visible()
        expect(phone.get_by_text(words["groups.account"])).to_have_count(0)
