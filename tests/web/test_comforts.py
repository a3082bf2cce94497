"""Comforts: sounds, vibration, dragging, the order of the hand, colours, motion, fonts."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.harness import Served
from tests.web.browsing import DESK, PHONE, PLAY_FIRST, hurry, play_on, tries, visitor
from tests.web.states import played_on, send_once, show

pytestmark = [pytest.mark.browser, pytest.mark.full]

NOTED = """
  window.heard = [];
  window.felt = [];
  navigator.vibrate = (pattern) => window.felt.push(pattern) > 0;
  for (const kind of [OscillatorNode, AudioBufferSourceNode]) {
    const start = kind.prototype.start;
    kind.prototype.start = function (...at) {
      window.heard.push(this.frequency ? Math.round(this.frequency.value) : 'card');
      return start.apply(this, at);
    };
  }
"""
"""Records each tone by its frequency, the noise of a card, and each vibration."""

MOVING = """() => document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime > 0)
  .map((one) => one.animationName ?? one.transitionProperty ?? one.effect.target?.className ?? '?')"""

SETTINGS = {"bot_delay": 0.02}


def until(page: Page, condition: str) -> None:
    """Advance the page's clock until the condition holds."""
    for _ in tries():
        if page.evaluate(condition):
            return
        hurry(page)
    pytest.fail(f"never: {condition}")


@pytest.mark.slow
def test_sounds_vibration_and_mute(browser: Browser, server: Served) -> None:
    """The deal, the turn, plays, passes and the result make sounds, and the turn vibrates; muted, there is no sound."""
    with visitor(browser, server, motion="no-preference") as page:
        page.add_init_script(NOTED)
        page.goto("/")
        page.get_by_role("button", name="Play: Winner", exact=True).click()
        until(page, "heard.length >= 5")
        assert page.evaluate("heard.slice(0, 5)") == ["card"] * 5
        until(page, "heard.includes(587)")
        assert 30 in page.evaluate("felt")

        mute = page.get_by_role("button", name="Sounds")
        mute.click()
        expect(mute).to_have_attribute("aria-pressed", "false")
        page.evaluate("heard.length = felt.length = 0")
        for _ in tries():
            if not page.locator(".status.mine").count():
                break
            page.evaluate(PLAY_FIRST)
        until(page, "felt.includes(30)")
        assert page.evaluate("heard") == []

        mute.click()
        play_on(page, "[role=dialog]")
        heard = set(page.evaluate("heard"))
        assert {"card", 196} <= heard
        assert heard & {523, 392}


@pytest.mark.slow
def test_nothing_moves_where_motion_is_unwelcome(browser: Browser, server: Served) -> None:
    """A whole hand without animations or vibration, but with its sounds."""
    with visitor(browser, server) as page:
        page.add_init_script(NOTED)
        page.goto("/")
        page.get_by_role("button", name="Play: Winner", exact=True).click()
        for _ in tries():
            assert page.evaluate(MOVING) == []
            if page.locator("[role=dialog]").count():
                break
            page.evaluate(PLAY_FIRST)
            assert page.evaluate(MOVING) == []
            hurry(page)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert page.evaluate("felt") == []
        assert 587 in page.evaluate("heard")


def spot(page: Page, at: int) -> tuple[float, float]:
    """The visible spot of a card under its neighbours, even if the card is slightly rotated."""
    box = page.locator(f'button[data-at="{at}"]').bounding_box()
    assert box is not None
    return box["x"] + 0.15 * box["width"], box["y"] + 16


def chosen(page: Page) -> list[int]:
    cards = page.locator("button[data-at][aria-pressed=true]").evaluate_all("all => all.map(one => +one.dataset.at)")
    return [int(at) for at in cards]


def test_a_drag_selects(browser: Browser, server: Served) -> None:
    """By mouse and by touch: every card passed over becomes selected or not, like the first; dragging back undoes that."""
    with visitor(browser, server) as page:
        show(page, "play")
        page.mouse.move(*spot(page, 0))
        page.mouse.down()
        page.mouse.move(*spot(page, 4), steps=10)
        assert chosen(page) == [0, 1, 2, 3, 4]
        page.mouse.move(*spot(page, 3), steps=5)
        page.mouse.up()
        assert chosen(page) == [0, 1, 2, 3]
        page.mouse.move(*spot(page, 3))
        page.mouse.down()
        page.mouse.move(*spot(page, 2), steps=5)
        page.mouse.up()
        assert chosen(page) == [0, 1]
        # After the drag a click is a click again.
        page.keyboard.press("Escape")
        assert chosen(page) == []
    with visitor(browser, server, PHONE) as page:
        show(page, "play")
        touch = page.context.new_cdp_session(page)
        touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

        def finger(kind: str, *at: float) -> None:
            points = [{"x": at[0], "y": at[1]}] if at else []
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        finger("touchStart", *spot(page, 0))
        for at in (1, 2, 3):
            finger("touchMove", *spot(page, at))
        finger("touchEnd")
        assert chosen(page) == [0, 1, 2, 3]


def test_a_card_that_is_let_go_loses_its_ring(browser: Browser, server: Served) -> None:
    """A card selected by keys and deselected by the pointer loses its focus ring."""
    with visitor(browser, server) as page:
        show(page, "play")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        ringed = page.locator("[data-at]:focus-visible")
        expect(ringed).to_have_attribute("aria-pressed", "true")
        page.mouse.click(*spot(page, 0))
        assert chosen(page) == []
        expect(ringed).to_have_count(0)


def test_the_order_of_the_hand(browser: Browser, server: Served) -> None:
    """By suit, by combination, and by rank again; the choice survives a reload."""
    with visitor(browser, server) as page:

        def laid() -> list[str]:
            cards = page.locator("button[data-at]").evaluate_all("all => all.map(one => one.dataset.card)")
            return [str(card) for card in cards]

        show(page, "play")
        by_rank = laid()
        order = page.get_by_role("button", name=re.compile("^Sort by"))
        order.click()
        by_suit = laid()
        assert sorted(by_suit) == sorted(by_rank)
        suits = [suit for suit, _ in groupby(by_suit, key=lambda card: card[1])]
        assert len(suits) == len(set(suits)) > 1
        page.reload()
        page.locator("button[data-at]").first.wait_for()
        assert laid() == by_suit
        order.click()
        ranks = Counter(card[0] for card in by_rank)
        sizes = [ranks[card[0]] for card in laid()]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > sizes[-1]
        order.click()
        assert laid() == by_rank


ASKED = """
  const [later, now] = [window.setTimeout, performance.now.bind(performance)];
  window.asked = [];
  window.thawed = false;
  performance.now = () => (window.thawed ? now() + 1e6 : 1);
  window.setTimeout = (then, ms, ...more) => {
    window.asked.push(Math.round(ms));
    return later(then, ms, ...more);
  };
"""
"""Records every timeout that the page sets; no time passes until it is thawed, so that it waits for each in full."""

PAUSES = {"Slow": 756, "Normal": 420, "Fast": 189}
"""Milliseconds before another player's move is shown."""


def test_the_speed_of_others(browser: Browser, server: Served) -> None:
    """The choice survives a reload and sets the pause before each move; without animations there is no pause."""
    with visitor(browser, server, motion="no-preference") as page:
        page.add_init_script(ASKED)
        send_once(page, *played_on("spectator", 4))
        page.goto("/t/fixed")
        page.get_by_role("tab", name="Settings").click()
        page.get_by_role("checkbox", name="No animations").check()
        for speed, pause in PAUSES.items():
            page.get_by_role("radio", name=speed, exact=True).check()
            page.reload()
            page.wait_for_function("pause => asked.includes(pause)", arg=pause)
            assert {*PAUSES.values()} & {*page.evaluate("asked")} == {pause}
            page.get_by_role("tab", name="Settings").click()
            expect(page.get_by_role("radio", name=speed, exact=True)).to_be_checked()
            expect(page.get_by_role("checkbox", name="No animations")).to_be_checked()
        page.get_by_role("tab", name="Moves").click()
        before = page.locator("#panel-body").inner_text()
        page.evaluate("window.thawed = true")
        for _ in tries():
            assert page.evaluate(MOVING) == []
            if page.locator("#panel-body").inner_text() != before:
                return
            hurry(page)
        pytest.fail("no move was shown")


FELT = "getComputedStyle(document.querySelector('main.felt')).backgroundImage"
BACK = "getComputedStyle(document.documentElement).getPropertyValue('--back')"


@pytest.mark.slow
def test_felts_and_backs(browser: Browser, server: Served) -> None:
    """Each looks different, and the choice survives a reload."""
    with visitor(browser, server, DESK) as page:
        show(page, "play")
        page.get_by_role("tab", name="Settings").click()
        for group, look in (("Table", FELT), ("Card backs", BACK)):
            choices = page.get_by_role("group", name=group).get_by_role("radio")
            looks = []
            for i in range(choices.count()):
                choices.nth(i).check()
                looks.append(page.evaluate(look))
            assert len(set(looks)) == len(looks) == 4
            page.reload()
            page.locator("button[data-at]").first.wait_for()
            assert page.evaluate(look) == looks[-1]
            page.get_by_role("tab", name="Settings").click()


def test_swatches_differ_in_forced_colours(browser: Browser, server: Served) -> None:
    with visitor(browser, server, DESK) as page:
        page.emulate_media(forced_colors="active")
        show(page, "play")
        page.get_by_role("tab", name="Settings").click()
        for group in ("Table", "Card backs"):
            swatches = page.get_by_role("group", name=group).locator(".swatch")
            looks = swatches.evaluate_all("all => all.map((one) => getComputedStyle(one).background)")
            assert len(set(looks)) == len(looks) == 4
            outline = "one => getComputedStyle(one).outlineColor"
            chosen = page.get_by_role("group", name=group).locator("input:checked + .swatch")
            assert chosen.evaluate(outline) == chosen.evaluate(
                f"one => {{ one.style.outlineColor = 'Highlight'; return ({outline})(one); }}"
            )


@pytest.mark.parametrize("chosen", ["dark", "system"])
def test_paper_is_light(browser: Browser, server: Served, chosen: str) -> None:
    ink = "getComputedStyle(document.body).color.match(/\\d+/g).reduce((sum, part) => sum + Number(part), 0)"
    with visitor(browser, server, scheme="dark") as page:
        page.goto("/rules/winner")
        page.evaluate("chosen => localStorage.setItem('dasan.theme', JSON.stringify(chosen))", chosen)
        page.reload()
        page.locator("[data-clause]").first.wait_for()
        assert page.evaluate(ink) > 600
        page.emulate_media(media="print")
        assert page.evaluate(ink) < 200


def test_the_bars_of_the_browser_have_the_colour_of_the_page(browser: Browser, server: Served) -> None:
    with visitor(browser, server, scheme="dark") as page:
        show(page, "play")
        page.get_by_role("tab", name="Settings").click()
        for theme in ("Light", "Dark", "Light", "System"):
            page.get_by_role("group", name="Theme").get_by_label(theme).check()
            bars, own = page.evaluate("""() => [
              [...document.querySelectorAll('meta[name=theme-color]')]
                .filter((one) => matchMedia(one.media).matches)
                .map((one) => one.content),
              getComputedStyle(document.body).backgroundColor,
            ]""")
            assert [tuple(bytes.fromhex(bar[1:])) for bar in bars] == [tuple(map(int, re.findall(r"\d+", own)))], theme


def test_fonts_come_with_the_page(browser: Browser, server: Served) -> None:
    """The page fetches nothing from elsewhere, and uses its own fonts."""
    with visitor(browser, server) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto("/")
        expect(page.locator("article").first).to_be_visible()
        loaded = page.evaluate(
            "document.fonts.ready.then(all => [...all].filter(one => one.status === 'loaded').map(one => one.family))"
        )
        assert {name.strip("\"'") for name in loaded} == {"Source Sans 3", "Source Serif 4"}
        assert [url for url in asked if not url.startswith((server.address, "data:", "blob:"))] == []


def test_motion_ends_when_the_system_asks(browser: Browser, server: Served) -> None:
    with visitor(browser, server, motion="no-preference") as page:
        page.goto("/")
        expect(page.locator("html")).to_have_attribute("data-motion", "full")
        page.emulate_media(reduced_motion="reduce")
        expect(page.locator("html")).to_have_attribute("data-motion", "none")
