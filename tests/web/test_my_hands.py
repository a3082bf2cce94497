"""A player's own hands in the browser: filters in the address, and the move at which a hand opens; in each language."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.server.harness import Served
from tests.web.browsing import TONGUES, accessible, catalogue, in_each_language, play_on, upright, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.mark.sampled(1, 1)
@in_each_language
def test_hands_are_found_by_what_they_were(browser: Browser, server: Served, locale: str, size: tuple[int, int]) -> None:
    words = catalogue(TONGUES[locale])
    with visitor(browser, server, size, locale=locale) as page:
        page.goto("/")
        for preset in ("big-three", "big-two"):
            seats = ["me"] + ["low"] * (3 if preset == "big-two" else 2)
            made = page.request.post("/api/tables", data={"preset": preset, "seats": seats})
            page.goto(f"/t/{made.json()['id']}")
            play_on(page, "[role=dialog]")
        page.goto("/me")
        hands = page.locator("a[href^='/h/']")
        expect(hands).to_have_count(2)
        accessible(page, "one's hands")
        upright(page, "one's hands")
        # By keyboard: the second of two games.
        game = page.get_by_role("combobox", name=words["hands.preset"], exact=True)
        game.focus()
        game.press("End")
        expect(hands).to_have_count(1)
        expect(page).to_have_url(re.compile("preset=big-two"))
        expect(hands.first).to_contain_text(words["preset.big-two"])
        hands.first.press("Enter")
        expect(page).to_have_url(re.compile(r"/h/[\w-]+"))
        page.go_back()
        expect(hands).to_have_count(1)
        expect(game).to_have_value("big-two")
        page.get_by_role("combobox", name=words["hands.turning"], exact=True).select_option("theirs")
        expect(page.get_by_text(words["hands.turning.about"])).to_be_visible()
        accessible(page, "filtered hands")
        page.get_by_role("button", name=words["hands.all"]).click()
        expect(hands).to_have_count(2)
        expect(page).to_have_url(re.compile("/me$"))
        for field in page.get_by_role("combobox").all():
            expect(field.locator("option:checked")).to_have_text(words["hands.any"])
