"""The page in a real browser: a whole hand by mouse, a whole hand by keyboard, on a desktop and on a phone."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect
from tests.server.harness import Served
from tests.web.browsing import DESK, PATIENCE, PHONE, accessible

pytestmark = [pytest.mark.browser, pytest.mark.full]

SIZES = {"desk": DESK, "phone": PHONE}
SETTINGS = {"bot_delay": 0.05}


@dataclass
class Screen:
    """The page as a player sees it, and its errors."""

    page: Page
    address: str
    problems: list[str] = field(default_factory=list)

    def watch(self) -> None:
        def console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.problems.append(message.text)

        self.page.on("console", console)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", self._failed)

    def _failed(self, request: Request) -> None:
        # On a first visit the page asks again for files that the service worker is to keep; a reload ends that.
        if not ("/assets/" in request.url and request.failure == "net::ERR_ABORTED"):
            self.problems.append(f"{request.url}: {request.failure}")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=re.compile(f"^{name}"), include_hidden=False)

    @property
    def over(self) -> bool:
        return self.page.get_by_role("dialog").is_visible()

    @property
    def hand(self) -> Locator:
        return self.page.locator("button[data-at]")

    def chosen(self) -> list[int]:
        return [int(at) for at in self.page.locator("button[data-at][aria-pressed=true]").evaluate_all(AT)]

    def can(self, name: str) -> bool:
        button = self.button(name).first
        return button.is_visible() and button.is_enabled()

    def wait(self) -> str:
        """Wait until an action is possible; its name: over, skip, call, take, bid, cards, pass. The page shows moves
        at a human pace, so its clock is advanced meanwhile.
        """
        deadline = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < deadline:
            now = self.page.evaluate(WHAT_NOW)
            if now is not None:
                return str(now)
            self.page.clock.fast_forward(500)
            self.page.wait_for_timeout(5)
        pytest.fail("nothing could be done any more")

    def check_layout(self) -> None:
        """Check that nothing overflows the page sideways."""
        wide = self.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{wide} pixels hang out"


AT = "cards => cards.map(card => card.dataset.at)"

WHAT_NOW = """() => {
  const seen = (el) => el && el.checkVisibility() && !el.disabled;
  if (document.querySelector('[role=dialog]')) return 'over';
  if (seen(document.querySelector('[data-do=skip]'))) return 'skip';
  if (seen(document.querySelector('button[data-call]:not(:disabled)'))) return 'call';
  if (seen(document.querySelector('button.take'))) return 'take';
  if (seen(document.querySelector('[data-do=bid]'))) return 'bid';
  if (seen(document.querySelector('[data-do=cycle]'))) return 'cards';
  if (seen(document.querySelector('[data-do=pass]'))) return 'pass';
  return null;
}"""


@pytest.fixture
def screen(request: pytest.FixtureRequest, browser: Browser, server: Served, tmp_path: Path) -> Iterator[Screen]:
    """A page of the requested size; afterwards take its picture, and check that it had no errors."""
    width, height = SIZES[getattr(request, "param", "desk")]
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", locale="en-GB", has_touch=width < 500
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.clock.install()
    # One touch selects one card; `test_one_touch_selects_a_combination` has the other way.
    page.add_init_script("localStorage.getItem('dasan.smart') ?? localStorage.setItem('dasan.smart', 'false')")
    screen = Screen(page, server.address)
    screen.watch()
    yield screen
    page.screenshot(path=tmp_path / "last.png")
    context.close()
    assert not screen.problems


def sit_down(screen: Screen, title: str) -> None:
    """From the start page to the table of a game."""
    screen.page.goto(screen.address)
    screen.check_layout()
    screen.page.locator("label").filter(has_text=re.compile(f"^\\s*{title}\\s*$")).click()
    screen.button(f"Play: {title}$").click()
    expect(screen.page).to_have_url(re.compile(r"/t/[\w-]+$"))


def by_mouse(screen: Screen, rng: random.Random, doing: str) -> None:
    """Do it with clicks alone."""
    match doing:
        case "skip":
            screen.button("Skip").click()
        case "call":
            calls = screen.page.locator("button[data-call]:not(:disabled)")
            calls.nth(rng.randrange(calls.count())).click()
        case "take":
            screen.page.locator("button.take").first.click()
        case "bid":
            if screen.can("Pass") and rng.random() < 0.5:
                screen.button("Pass").click()
            else:
                next(screen.button(f"Bid {n}") for n in (1, 2, 3) if screen.can(f"Bid {n}")).click()
        case "cards":
            screen.button("Browse").click()
            wanted = screen.chosen()
            assert wanted
            # Choose the same cards by hand: first none of them, then one by one.
            for at in wanted:
                click(screen, at)
            assert screen.chosen() == []
            for at in wanted:
                click(screen, at)
            assert screen.chosen() == wanted
            screen.button("Play|Offer|Give").click()
        case _:
            screen.button("Pass").click()


def click(screen: Screen, at: int) -> None:
    """Click the visible part of a card under its neighbours: near its upper left corner."""
    screen.page.locator(f'button[data-at="{at}"]').click(position={"x": 9, "y": 16})


def by_keyboard(screen: Screen, rng: random.Random, doing: str) -> None:
    """Do it with keys alone."""
    keys = screen.page.keyboard
    match doing:
        case "skip":
            keys.press("Escape")
        case "call" | "take":
            target = "button[data-call]:not(:disabled)" if doing == "call" else "button.take"
            for _ in range(200):
                keys.press("Tab")
                if screen.page.evaluate(f"document.activeElement.matches({target!r})"):
                    break
            keys.press("Enter")
        case "bid":
            keys.press(
                "p" if screen.can("Pass") and rng.random() < 0.5 else next(n for n in "123" if screen.can(f"Bid {n}"))
            )
        case "cards":
            keys.press("c")
            wanted = screen.chosen()
            assert wanted
            keys.press("Escape")
            assert screen.chosen() == []
            for at in wanted:
                walk(screen, at)
                keys.press("Space")
            assert screen.chosen() == wanted
            keys.press("Enter")
        case _:
            keys.press("p")


def walk(screen: Screen, at: int) -> None:
    """Arrow keys to the card at a place in the hand."""
    for _ in range(200):
        now = screen.page.evaluate("document.activeElement?.dataset.at ?? null")
        if now is not None and int(now) == at:
            return
        screen.page.keyboard.press("ArrowRight" if now is None or int(now) < at else "ArrowLeft")
    pytest.fail(f"the arrow keys never came to card {at}")


def play(screen: Screen, how: object, rng: random.Random, pictures: Path) -> int:
    """Play until the hand is over; returns the number of actions."""
    assert callable(how)
    for n in range(300):
        doing = screen.wait()
        if doing == "over":
            screen.page.screenshot(path=pictures / "over.png")
            return n
        if n in (1, 5):
            screen.page.screenshot(path=pictures / f"step-{n}.png")
            screen.check_layout()
        how(screen, rng, doing)
    pytest.fail("the hand never ended")


@pytest.mark.sampled(1, 1)
@pytest.mark.long
@pytest.mark.parametrize(
    ("screen", "how"),
    [
        ("phone", by_mouse),
        ("desk", by_keyboard),
        ("desk", by_mouse),
        ("phone", by_keyboard),
    ],
    indirect=["screen"],
)
def test_a_whole_hand_of_big_three(screen: Screen, how: object, tmp_path: Path) -> None:
    sit_down(screen, "Big Three")
    assert play(screen, how, random.Random(3), tmp_path) > 3
    dialog = screen.page.get_by_role("dialog")
    expect(dialog.get_by_role("table")).to_be_visible()
    screen.check_layout()
    if how is by_keyboard:
        screen.page.keyboard.press("n")
    else:
        dialog.get_by_role("button", name="Next hand").click()
    expect(dialog).to_have_count(0)
    expect(screen.hand).to_have_count(16)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["Big Three for four", "Big Two", "Winner"])
def test_two_hands_of_every_other_game(screen: Screen, title: str, tmp_path: Path) -> None:
    sit_down(screen, title)
    rng = random.Random(title)
    for _ in range(2):
        play(screen, by_mouse, rng, tmp_path)
        screen.page.keyboard.press("n")
        expect(screen.page.get_by_role("dialog")).to_have_count(0)


def test_reloading_the_page_changes_nothing(screen: Screen) -> None:
    sit_down(screen, "Big Three")
    while (doing := screen.wait()) == "skip":
        by_mouse(screen, random.Random(1), doing)
    cards = "cards => cards.map(card => card.dataset.card)"
    before = screen.hand.evaluate_all(cards)
    screen.page.reload()
    assert screen.wait() == doing
    assert screen.hand.evaluate_all(cards) == before


def test_one_touch_selects_a_combination(screen: Screen) -> None:
    """When following, a touch selects a legal play that contains the card; further touches go through all such plays,
    then deselect.
    """
    screen.page.add_init_script("localStorage.setItem('dasan.smart', 'true')")
    sit_down(screen, "Big Two")
    rng = random.Random(5)
    for _ in range(200):
        doing = screen.wait()
        if doing == "over":
            screen.page.keyboard.press("n")
        elif doing == "cards" and screen.can("Pass"):
            screen.button("Browse").click()
            wanted = screen.chosen()
            screen.page.keyboard.press("Escape")
            click(screen, wanted[0])
            assert wanted[0] in screen.chosen()
            assert len(screen.chosen()) == len(wanted)
            for _ in range(12):
                if not screen.chosen():
                    return
                click(screen, wanted[0])
            pytest.fail("the card was never let go")
        else:
            by_mouse(screen, rng, doing)
    pytest.fail("there was never anything to follow with")


def test_a_refusal_cites_its_clause(screen: Screen) -> None:
    """The server refuses an illegal play with a sentence and a link to the clause."""
    sit_down(screen, "Big Two")
    while (doing := screen.wait()) != "cards":
        by_mouse(screen, random.Random(1), doing)
    for at in range(6):
        click(screen, at)
    screen.button("Play").click()
    alert = screen.page.get_by_role("alert")
    expect(alert).to_contain_text(re.compile(r"\w"))
    expect(alert.get_by_role("button", name=re.compile(r"[A-Z]\d?\.?\d\d"))).to_be_visible()
    accessible(screen.page, "a refusal")
