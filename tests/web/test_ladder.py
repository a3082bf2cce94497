"""The ladder in the browser: the start page's link, places and levels, another game by keyboard; in each language."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.server.harness import Served
from tests.server.test_ladder import put
from tests.web.browsing import TONGUES, accessible, account, catalogue, in_each_language, upright, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.mark.sampled(1, 2)
@in_each_language
def test_a_player_finds_their_place(browser: Browser, server: Served, locale: str, size: tuple[int, int]) -> None:
    words = catalogue(TONGUES[locale])
    name = f"Eve-{TONGUES[locale]}"
    with visitor(browser, server, size, locale=locale) as page:
        account(page, name)
        page.goto("/")
        page.get_by_role("link", name=words["ladder.title"], exact=True).click()
        expect(page.get_by_text(words["ladder.none"])).to_be_visible()
        put(server, (page.request.get("/api/me").json()["id"], 1650, 30))
        page.get_by_role("combobox").select_option("big-three/3")
        page.reload()
        mine = page.locator("tr.you")
        expect(mine).to_contain_text(name)
        expect(mine).to_contain_text(words["level.6"])
        expect(page.get_by_role("row", name=re.compile(words["bot.level-4"]))).to_be_visible()
        accessible(page, "the ladder")
        upright(page, "the ladder")
        page.get_by_role("combobox").focus()
        page.keyboard.press("End")
        expect(page).to_have_url(re.compile(r"game=[\w-]+%2F4"))
        expect(page.get_by_text(words["ladder.none"])).to_be_visible()
        page.goto("/me")
        expect(page.get_by_text(words["level.6"])).to_be_visible()
        accessible(page, "a profile with a level")
