"""Opening a table: the hand has the focus, so that the keys of the table work at once."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from tests.server.harness import Served

from .browsing import DESK, PHONE, hurry, tries, visitor
from .states import draw, show, snapshot

pytestmark = pytest.mark.full

FOCUSED = "document.activeElement.className.split(' ')[0]"
SETTINGS = {"bot_delay": 0.02}


def hand_has_focus(page: Page) -> None:
    for _ in tries():
        if page.evaluate(FOCUSED) == "hand":
            return
        hurry(page)
    pytest.fail(f"the focus is on {page.evaluate('document.activeElement.outerHTML')[:200]}")


def test_the_hand_has_the_focus_after_play_by_key_and_by_mouse(browser: Browser, server: Served) -> None:
    with visitor(browser, server, DESK) as page:
        page.goto("/")
        play = page.locator("article").filter(has_text="Big Two").first.get_by_role("button", name="Play")
        play.focus()
        page.keyboard.press("Enter")
        hand_has_focus(page)
        table = page.url
        page.keyboard.press("ArrowRight")
        assert page.evaluate("'at' in document.activeElement.dataset")
        # Enter without a selected card does not leave the table.
        page.keyboard.press("Enter")
        assert page.url == table
        page.reload()
        hand_has_focus(page)
        page.goto("/")
        page.locator("a[href^='/t/']").first.click()
        hand_has_focus(page)


def test_the_hand_has_the_focus_in_the_next_hand(browser: Browser, server: Served) -> None:
    over, following = json.loads(snapshot("settlement")), json.loads(snapshot("auction"))
    following["seq"] = over["seq"] + 1
    following["session"]["number"] = over["session"]["number"] + 1
    with visitor(browser, server, DESK) as page:

        def answer(socket: WebSocketRoute) -> None:
            def deal(message: str | bytes) -> None:
                if "next" in str(message):
                    socket.send(json.dumps(following))

            socket.on_message(deal)
            socket.send(json.dumps(over))

        page.route_web_socket(re.compile("/ws/tables/"), answer)
        page.goto("/t/fixed")
        expect(page.locator("[role=dialog] .primary")).to_be_focused()
        page.keyboard.press("Enter")
        hand_has_focus(page)


def test_keys_of_the_panel_do_not_skip_the_deal(browser: Browser, server: Served) -> None:
    """While the deal is shown, one can write in the chat and use the panel; on the table, Esc and Enter skip the deal."""
    with visitor(browser, server, DESK, motion="no-preference") as page:
        draw(page)
        skip = page.locator("[data-do=skip]")
        page.get_by_role("tab", name="Chat").press("Enter")
        say = page.get_by_label("Say something")
        say.click()
        page.keyboard.type("good luck")
        page.keyboard.press("Escape")
        expect(say).to_have_value("good luck")
        page.keyboard.press("Enter")
        expect(say).to_have_value("")
        page.get_by_role("tab", name="Score").press("Space")
        expect(page.get_by_role("tabpanel", name="Score")).to_be_visible()
        expect(skip).to_be_visible()
        skip.press("Escape")
        expect(skip).to_have_count(0)
    with visitor(browser, server, PHONE, motion="no-preference") as page:
        draw(page)
        page.get_by_role("button", name="Chat", exact=True).click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("tabpanel")).to_have_count(0)
        expect(page.locator("[data-do=skip]")).to_be_visible()
    for key in ("Escape", "Enter", "Space"):
        with visitor(browser, server, DESK, motion="no-preference") as page:
            draw(page)
            page.keyboard.press(key)
            expect(page.locator("[data-do=skip]")).to_have_count(0)


COVERED = """() => {
  const commands = [...document.querySelectorAll('.act button, .tools button, nav button')];
  return commands.filter((one) => one.checkVisibility()).flatMap((one) => {
    const box = one.getBoundingClientRect();
    const middle = box.left + box.width / 2;
    return [[box.left + 3, 'left'], [middle, 'middle'], [box.right - 3, 'right']].flatMap(([x, where]) => {
      const hit = document.elementFromPoint(x, box.top + box.height / 2);
      return one.contains(hit) ? [] : [`${one.textContent.trim()}: ${where}`];
    });
  });
}"""
"""The commands that something else partly covers."""


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("size", [(568, 320), (640, 360), (320, 568)])
@pytest.mark.parametrize("locale", ["en-GB", "fr-FR", "zh-CN"])
def test_no_command_is_covered_on_small_screens(
    browser: Browser, server: Served, size: tuple[int, int], locale: str
) -> None:
    for state in ("play", "auction", "partner"):
        with visitor(browser, server, size, locale) as page:
            show(page, state)
            assert page.evaluate(COVERED) == [], state


def test_a_lost_connection_is_told_without_covering_a_command(browser: Browser, server: Served) -> None:
    with visitor(browser, server, PHONE) as page:
        show(page, "play")
        page.context.set_offline(True)
        expect(page.get_by_text("Clocks keep running")).to_be_visible()
        assert page.evaluate(COVERED) == []
        page.context.set_offline(False)


def test_a_lost_connection_is_told_in_a_panel_over_the_table(browser: Browser, server: Served) -> None:
    """The panel covers the notice on the table."""
    with visitor(browser, server, PHONE) as page:
        show(page, "play")
        page.get_by_role("button", name="Chat", exact=True).click()
        page.context.set_offline(True)
        told = page.get_by_role("complementary").get_by_role("alert").get_by_text("Clocks keep running")
        expect(told).to_be_in_viewport()
        page.context.set_offline(False)
        expect(told).to_have_count(0)
