"""A hand of every regional preset, from the start page to its result; its rules in four languages; a puzzle of Dou Dizhu."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.harness import Served
from tests.web.browsing import DESK, PHONE, accessible, answer, catalogue, hurry, play_on, tries, upright, visitor
from tests.web.states import played_on, send_once

import dasan
from dasan import puzzles
from dasan.server.study.puzzle_play import verdict

pytestmark = [pytest.mark.browser, pytest.mark.full]

LAPTOP = (1366, 768)
PRESETS = (
    *("wa-keng", "wa-keng-4", "dou-dizhu", "zheng-shangyou"),
    *("big-two-hong-kong", "big-two-taiwan", "big-two-philippines", "big-two-indonesia"),
)
TONGUES = ("en-GB", "fr-FR", "zh-CN", "zh-TW")
SETTINGS = {"bot_delay": 0.01}


def choose(page: Page, preset: str) -> None:
    """Choose a preset on the start page, and sit down at its table."""
    page.locator("article").first.wait_for()
    card = page.locator("article").filter(has=page.locator(f'input[value="{preset}"]'))
    if card.count():
        card.locator("label").filter(has=page.locator(f'input[value="{preset}"]')).click()
    else:
        card = page.locator("article").filter(has=page.locator(f'a[href="/rules/{preset}"]'))
    expect(card.locator(f'a[href="/rules/{preset}"]')).to_be_visible()
    card.locator("button.primary").click()


def test_an_option_follows_what_it_needs(browser: Browser, server: Served) -> None:
    """Without an enforced guard no guard pays for all; who wants it all the same reads what it needs."""
    with visitor(browser, server) as page:
        page.goto("/")
        hong_kong = page.locator('input[value="big-two-hong-kong"]')
        card = page.locator("article").filter(has=hong_kong)
        card.locator("label").filter(has=hong_kong).click()
        card.get_by_role("button", name="Options").click()
        page.get_by_text("House rules").click()
        pays = page.get_by_label("The guard pays for all")
        expect(pays).to_be_checked()
        page.get_by_label("Guarding the last card").select_option("off")
        expect(pays).not_to_be_checked()
        pays.check()
        expect(page.get_by_role("alert")).to_have_text("Needs “Guarding the last card”: Foul if neglected")
        expect(pays).to_have_accessible_description(re.compile("Needs “Guarding the last card”: Foul if neglected$"))
        page.get_by_text("House rules").click()
        begin = page.locator("dialog[open] button[type=submit]")
        begin.click()
        expect(page.locator("dialog[open] footer [role=alert]")).to_be_visible()
        expect(page.locator("dialog[open]")).to_be_visible()
        expect(pays).to_be_focused()
        pays.uncheck()
        begin.click()
        expect(page.locator("button[data-at]").first).to_be_visible()


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_hand_to_its_result(
    browser: Browser, server: Served, tmp_path: Path, preset: str, size: tuple[int, int]
) -> None:
    with visitor(browser, server, size) as page:
        page.goto("/")
        choose(page, preset)
        expect(page.locator("button[data-at]").first).to_be_visible()
        page.screenshot(path=tmp_path / f"{preset}-{size[0]}-begun.png")
        play_on(page, "[role=dialog] table")
        upright(page, f"the result of {preset}")
        page.screenshot(path=tmp_path / f"{preset}-{size[0]}-result.png")
        paid = page.get_by_role("dialog").locator("tbody tr")
        expect(paid).to_have_count(dasan.rules(preset).players)


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("tongue", TONGUES)
@pytest.mark.parametrize("preset", PRESETS)
def test_its_rules_are_told(browser: Browser, server: Served, preset: str, tongue: str) -> None:
    with visitor(browser, server, DESK, locale=tongue) as page:
        page.goto(f"/rules/{preset}")
        expect(page.locator("[data-clause]").first).to_be_visible()
        accessible(page, f"the rules of {preset} in {tongue}")


@pytest.mark.parametrize("size", [(320, 568), PHONE, LAPTOP], ids=["small", "phone", "laptop"])
def test_each_game_is_listed_once(browser: Browser, server: Served, tmp_path: Path, size: tuple[int, int]) -> None:
    """Four cards with their regions inside; the player's choice is still selected on the next visit."""
    with visitor(browser, server, size) as page:
        page.goto("/")
        expect(page.locator("article")).to_have_count(len({preset.family for preset in dasan.PRESETS.values()}))
        expect(page.locator("article input[type=radio]")).to_have_count(len(dasan.PRESETS) - 1)
        accessible(page, "the start page")
        upright(page, "the start page")
        page.screenshot(path=tmp_path / f"start-{size[0]}.png", full_page=True)
        page.locator("label").filter(has=page.locator('input[value="big-two-taiwan"]')).click()
        page.reload()
        expect(page.get_by_role("button", name="Play: Big Two · Taiwan")).to_be_visible()


@pytest.mark.parametrize(("locale", "preset"), [("zh-TW", "big-two-taiwan"), ("en-PH", "big-two-philippines")])
def test_a_visitor_finds_the_rules_of_home(
    browser: Browser, server: Served, tmp_path: Path, locale: str, preset: str
) -> None:
    with visitor(browser, server, PHONE, locale=locale) as page:
        page.goto("/")
        expect(page.locator(f'input[value="{preset}"]')).to_be_checked()
        upright(page, f"the start page in {locale}")
        page.screenshot(path=tmp_path / f"start-{locale}.png", full_page=True)


@pytest.mark.parametrize("tongue", TONGUES)
def test_a_doubled_stake_is_shown_and_said(browser: Browser, server: Served, tongue: str) -> None:
    """After a bomb the multiplier is beside the bid, and the table's log has the stake."""
    words = catalogue({"en-GB": "en", "fr-FR": "fr", "zh-CN": "zh-Hans", "zh-TW": "zh-Hant"}[tongue])
    with visitor(browser, server, PHONE, locale=tongue) as page:
        send_once(page, *played_on("bomb", 1))
        page.goto("/t/fixed")
        for _ in tries():
            if page.locator(".tag.times").count():
                break
            hurry(page)
        expect(page.locator(".tag.times").first).to_contain_text("×2")
        expect(page.locator(".tag.times").first).to_contain_text(words["seat.times"].replace("{n}", "2"))
        expect(page.get_by_role("log").first).to_contain_text(words["table.doubled"].partition("{")[0].strip())
        accessible(page, f"a doubled stake in {tongue}")


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_puzzle_of_dou_dizhu(browser: Browser, server: Served, tmp_path: Path, size: tuple[int, int]) -> None:
    """A tempting answer is refuted to the end of the hand; then the puzzle is solved, move by move."""
    nodes = 1_000_000
    known = (one for one in puzzles.load() if one.state.rules.name == "dou-dizhu" and one.tempting)
    puzzle = next(one for one in known if not verdict(one, [str(one.key)], nodes)["done"])
    with visitor(browser, server, size, locale="zh-CN") as page:
        words = catalogue("zh-Hans")
        page.goto(f"/puzzles/{puzzle.id}")
        page.locator("button[data-at]").first.wait_for()
        accessible(page, "a puzzle of Dou Dizhu")
        page.screenshot(path=tmp_path / f"puzzle-{size[0]}-begun.png")
        answer(page, str(puzzle.tempting[0]))
        expect(page.locator(".verdict.wrong")).to_contain_text(words["puzzle.wrong"].partition("{")[0])
        expect(page.locator(".verdict.wrong p")).to_have_count(2)
        page.screenshot(path=tmp_path / f"puzzle-{size[0]}-wrong.png")
        page.get_by_role("button", name=words["puzzle.retry"]).click()
        moves, judged = list[str](), None
        while judged is None or not judged["done"]:
            legal = [str(puzzle.key)] if judged is None else [str(one["move"]) for one in judged["view"]["legal_moves"]]
            tried = ((move, verdict(puzzle, [*moves, move], nodes)) for move in legal)
            move, judged = next((move, judgement) for move, judgement in tried if judgement["right"])
            moves += [move, *judged["reply"]]
            with page.expect_response(re.compile("/answer")) as answered:
                answer(page, move)
            assert answered.value.json()["reply"] == judged["reply"]
            expect(page.locator("button[data-card]")).to_have_count(len(judged["view"]["hand"]))
            expect(page.locator(".verdict.solved" if judged["done"] else ".verdict.right")).to_be_visible()
        upright(page, "a solved puzzle")
        page.screenshot(path=tmp_path / f"puzzle-{size[0]}-solved.png")
