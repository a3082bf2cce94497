"""Every journey by keys alone: no mouse, no touch, and no focus set by the test."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.server.harness import Served
from tests.web.browsing import PATIENCE, PHONE, TONGUES, accessible, catalogue, hurry, tries, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]

COMPILED = 5 * PATIENCE
LESSONS = Path(__file__).parents[2] / "web" / "src" / "lessons"

UNSEEN = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return '';
  const box = at.getBoundingClientRect();
  const drawn = (one) => one && (getComputedStyle(one).outlineStyle !== 'none' || getComputedStyle(one).boxShadow !== 'none');
  const what = at.outerHTML.slice(0, 120);
  if (!drawn(at) && !drawn(at.nextElementSibling)) return 'no sign of the focus: ' + what;
  if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth) return 'off the screen: ' + what;
  return '';
}"""
"""The reason why the focus is invisible; empty if it is visible."""

CHOICE = """() => {
  const can = (selector) => {
    const found = document.querySelector(selector);
    return found && !found.disabled && found.checkVisibility();
  };
  if (document.querySelector('[role=dialog]')) return 'over';
  if (can('[data-do=skip]')) return 'skip';
  if (can('button[data-call]:not(:disabled)')) return 'call';
  if (can('button.take')) return 'take';
  const bid = '[data-do=bid]:not(:disabled)';
  if (can(bid)) return document.querySelector(bid).textContent.match(/\\d/)[0];
  if (can('[data-do=cycle]')) return 'play';
  if (can('[data-do=pass]')) return 'pass';
  return '';
}"""
"""The action that the table asks for now."""
SETTINGS = {"bot_delay": 0.02, "study_seconds": COMPILED / 1000}


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until it has the focus; checks that the focus is always visible."""
    expect(wanted).to_be_visible()
    for _ in range(120):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
        assert page.evaluate(UNSEEN) == ""
    pytest.fail(f"Tab never comes to {wanted}")


def use(page: Page, wanted: Locator) -> None:
    tab_to(page, wanted)
    page.keyboard.press("Enter")


def has_focus(page: Page) -> None:
    """The used element has gone, but the focus is not lost."""
    for _ in tries():
        if page.evaluate("document.activeElement !== document.body"):
            return
        hurry(page)
    pytest.fail("the focus is lost")


def choose(page: Page, cards: list[str]) -> None:
    """Walk along the hand with the arrows, and select these cards."""
    for card in cards:
        for step in range(60):
            page.keyboard.press("ArrowRight" if step < 30 else "ArrowLeft")
            at = page.evaluate("(({dataset, ariaPressed}) => [dataset.card, ariaPressed])(document.activeElement)")
            if at == [card, "false"]:
                break
        assert page.evaluate(UNSEEN) == ""
        page.keyboard.press("Space")


def make(page: Page, move: str) -> None:
    """Make a move of a lesson or a puzzle."""
    words = move.split()
    if words[0] in ("pass", "bid"):
        page.keyboard.press("p" if words[0] == "pass" else words[1])
    elif words[0] == "call":
        use(page, page.locator(f'[data-call="{words[1]}"]'))
    else:
        choose(page, words)
        page.keyboard.press("Enter")


def one_move(page: Page) -> str:
    """Do what the table asks for, if anything."""
    doing = str(page.evaluate(CHOICE))
    if doing == "skip":
        page.keyboard.press("Escape")
    elif doing in ("call", "take"):
        use(page, page.locator("button[data-call]:not(:disabled)" if doing == "call" else "button.take").first)
    elif doing == "play":
        page.keyboard.press("c")
        if page.evaluate("document.activeElement !== document.body && !('at' in document.activeElement.dataset)"):
            tab_to(page, page.locator("[data-do=play]"))
        page.keyboard.press("Enter")
    elif doing == "pass":
        page.keyboard.press("p")
    elif doing not in ("", "over"):
        page.keyboard.press(doing)
    return doing


def whole_hand(*pages: Page) -> None:
    for _ in tries():
        if {one_move(page) for page in pages} == {"over"}:
            return
        for page in pages:
            hurry(page)
    pytest.fail("the hand never ended")


def test_the_focus_stays_in_a_waiting_room(browser: Browser, server: Served) -> None:
    """Commands whose buttons disappear; once the hand is dealt, the hand has the focus."""
    with visitor(browser, server) as page:
        seats = ["me", "open", "greedy", "greedy"]
        made = page.request.post("/api/tables", data={"preset": "big-two", "options": {}, "seats": seats}).json()
        page.goto(f"/t/{made['id']}")
        room = page.locator(".room")
        for command, done in (("Sit here", "Seat 1"), ("Remove bot", "Seat 3"), ("Leave", "Join the table")):
            use(page, room.get_by_role("button", name=command).first)
            expect(room.get_by_role("button", name=done).first).to_be_visible()
            has_focus(page)
            expect(room.locator(":focus")).to_have_count(1)
        use(page, room.get_by_role("button", name="Join the table"))
        use(page, room.get_by_role("button", name="Start with bots"))
        page.locator("[data-at]").first.wait_for()
        has_focus(page)
        expect(page.get_by_role("group", name="Your hand")).to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize("locale", TONGUES)
def test_from_the_first_visit_to_a_review(browser: Browser, server: Served, locale: str) -> None:
    """A whole lesson, the hand that it leads to, its result, its review, in each language."""
    words = catalogue(TONGUES[locale])

    def button(name: str) -> Locator:
        return page.get_by_role("button", name=words[name], exact=True)

    with visitor(browser, server, locale=locale) as page:
        page.goto("/")
        expect(page.locator("article").first).to_be_visible()
        use(page, page.get_by_role("link", name=re.compile(words["start.new"])))
        expect(page.get_by_role("heading", name=words["learn.title"], exact=True)).to_be_focused()
        name = words["learn.lesson"] + words["list.colon"] + words["preset.big-three"]
        use(page, page.get_by_role("link", name=name, exact=True))
        lesson = json.loads((LESSONS / "big-three.json").read_text(encoding="utf-8"))
        for number, step in enumerate(lesson["steps"], 1):
            label = words["learn.step"].format(i=number, n=len(lesson["steps"]))
            expect(page.locator(".aside").get_by_text(label)).to_be_visible()
            if step["accept"]:
                make(page, step["accept"][0])
                expect(page.locator(".verdict.right")).to_be_visible()
            page.keyboard.press("Enter")
        expect(button("start.play")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(r"/t/[\w-]+$"))
        whole_hand(page)
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("button", name=words["act.next"])).to_be_focused()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        use(page, button("over.show"))
        use(page, dialog.get_by_role("link", name=words["over.review"]))
        expect(page).to_have_url(re.compile(r"/h/[\w-]+$"))
        expect(page.locator(".moves button").first).to_be_visible()
        for key, shown in ("ArrowRight", "14"), ("ArrowLeft", "2"):
            for _ in range(14 if key == "ArrowRight" else 12):
                page.keyboard.press(key)
            expect(page.locator(".moves .here .n")).to_have_text(shown)
            expect(page.locator(".moves .here")).to_be_in_viewport()
        use(page, button("review.show"))
        expect(page.get_by_text(words["review.turning"], exact=True)).to_be_visible(timeout=COMPILED)
        has_focus(page)
        use(page, button("review.try"))
        expect(button("review.back")).to_be_visible(timeout=COMPILED)
        use(page, button("review.back"))
        has_focus(page)
        accessible(page, f"a review by keys in {locale}")


@pytest.mark.slow
def test_friends_play_and_one_returns(browser: Browser, server: Served) -> None:
    """One opens a table, a friend joins in another browser, they talk and play; the friend leaves, and comes back."""
    with visitor(browser, server) as host, visitor(browser, server, PHONE) as friend:
        host.goto("/")
        expect(host.locator("article").first).to_be_visible()
        way = host.get_by_role("button", name=re.compile("Play with friends"))
        use(host, way)
        expect(host.get_by_label("Choose a game")).to_be_focused()
        host.keyboard.press("Escape")
        expect(host.get_by_role("dialog")).to_have_count(0)
        expect(way).to_be_focused()
        host.keyboard.press("Enter")
        expect(host.get_by_label("Choose a game")).to_be_focused()
        tab_to(host, host.get_by_label("Seat 3"))
        host.keyboard.press("ArrowDown")
        expect(host.get_by_label("Seat 3")).to_have_value("level-1")
        tab_to(host, host.get_by_label("Your name"))
        host.keyboard.type("Ada")
        use(host, host.get_by_role("button", name="Open the table"))
        expect(host).to_have_url(re.compile(r"/t/[\w-]+$"))
        tab_to(host, host.get_by_label("Link to this table"))
        link = host.get_by_label("Link to this table").input_value()

        friend.goto(link)
        tab_to(friend, friend.get_by_label("Your name"))
        friend.keyboard.type("Blaise")
        friend.keyboard.press("Enter")
        for page in (host, friend):
            expect(page.locator("button[data-at]")).to_have_count(16)

        # The panel over a small table takes the focus, traps it, and returns it.
        chat = friend.get_by_role("button", name="Chat", exact=True)
        use(friend, chat)
        expect(friend.get_by_role("tabpanel", name="Chat")).to_be_focused()
        for _ in range(30):
            friend.keyboard.press("Tab")
            assert friend.evaluate(
                "document.activeElement === document.body || !!document.activeElement.closest('aside')"
            )
        tab_to(friend, friend.get_by_label("Say something"))
        friend.keyboard.type("good luck")
        friend.keyboard.press("Enter")
        friend.keyboard.press("Escape")
        expect(friend.get_by_role("tabpanel")).to_have_count(0)
        expect(chat).to_be_focused()
        tab_to(host, host.get_by_role("tab", name="Moves"))
        host.keyboard.press("ArrowRight")
        host.keyboard.press("ArrowRight")
        expect(host.get_by_text("good luck", exact=True)).to_be_visible()

        moved = 0
        for _ in tries():
            for page in (host, friend):
                moved += one_move(page) not in ("", "over", "skip")
                hurry(page)
            if moved > 4:
                break
        friend.goto("about:blank")
        expect(host.get_by_role("region", name="Blaise").get_by_text("away")).to_be_visible()
        friend.goto(link)
        expect(friend.locator("button[data-at], [role=dialog]").first).to_be_visible()
        expect(host.get_by_role("region", name="Blaise").get_by_text("away")).to_have_count(0)
        whole_hand(host, friend)
        # The other player sees an offer on the result sheet and can answer it.
        use(host, host.get_by_role("dialog").get_by_role("button", name="End the session"))
        expect(host.get_by_role("dialog").get_by_text("You offered to end the session.")).to_be_visible()
        use(friend, friend.get_by_role("dialog").get_by_role("button", name="Decline"))
        expect(host.get_by_role("dialog").get_by_text("You offered to end the session.")).to_have_count(0)
        for page in (host, friend):
            use(page, page.get_by_role("dialog").get_by_role("button", name="Next hand"))
        for page in (host, friend):
            expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_puzzle(browser: Browser, server: Served) -> None:
    """The puzzle of the day is left without an answer, missed or solved, tried again, and followed by another."""
    with visitor(browser, server) as page:
        page.goto("/puzzles/daily")
        page.locator("button[data-at]").first.press("Space")
        use(page, page.get_by_role("link", name="All games"))
        expect(page.locator("article").first).to_be_visible()
        assert page.evaluate("localStorage.getItem('dasan.puzzle.score')") is None
        with page.expect_response(re.compile("/api/puzzles/today")) as answer:
            use(page, page.get_by_role("link", name=re.compile("Puzzle of the day")))
        expect(page.locator("button[data-at]").first).to_be_visible()
        view = answer.value.json()["view"]
        for _ in range(40):
            with page.expect_response(re.compile("/answer"), timeout=COMPILED) as answer:
                make(page, view["legal_moves"][0]["move"])
            verdict = answer.value.json()
            view = verdict["view"]
            if verdict["done"] or not verdict["right"]:
                break
            expect(page.locator(".verdict.right")).to_be_visible()
        expect(page.locator(".verdict.wrong, .verdict.solved")).to_be_visible(timeout=COMPILED)
        expect(page.get_by_role("button", name="Next puzzle")).to_be_focused()
        if page.locator(".verdict.wrong").count():
            page.keyboard.press("Shift+Tab")
            expect(page.get_by_role("button", name="Try again")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.locator("button[data-at]").first).to_be_focused()
        else:
            page.keyboard.press("Enter")
            expect(page).not_to_have_url(re.compile("daily"))
        accessible(page, "a puzzle by keys")


def name_and_password(page: Page, password: str) -> None:
    """Fill in the two fields of signing in or of opening an account."""
    tab_to(page, page.get_by_label("Account name"))
    page.keyboard.type("Ada-keys")
    tab_to(page, page.get_by_label("Password"))
    page.keyboard.type(password)


def test_an_account(browser: Browser, server: Served) -> None:
    """Opened, given a new password, signed out of, signed in to again, and deleted."""
    with visitor(browser, server, PHONE) as page:
        page.goto("/")
        expect(page.locator("article").first).to_be_visible()
        use(page, page.get_by_role("link", name="Profile"))
        expect(page.get_by_role("heading", name="Profile")).to_be_focused()
        name_and_password(page, "correct horse")
        use(page, page.get_by_role("button", name="Create an account", exact=True))
        expect(page.get_by_text("Ada-keys")).to_be_visible()
        has_focus(page)
        tab_to(page, page.get_by_label("Current password"))
        page.keyboard.type("correct horse")
        tab_to(page, page.get_by_label("New password"))
        page.keyboard.type("battery staple")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Password changed")).to_be_visible()
        use(page, page.get_by_role("button", name="Sign out", exact=True))
        expect(page.get_by_text("You play as a guest")).to_be_visible()
        has_focus(page)
        name_and_password(page, "battery staple")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Ada-keys")).to_be_visible()
        use(page, page.get_by_role("button", name="Delete my account"))
        has_focus(page)
        tab_to(page, page.get_by_role("textbox", name="Password", exact=True))
        page.keyboard.type("battery staple")
        use(page, page.get_by_role("button", name="Delete for good"))
        expect(page.get_by_text("You play as a guest")).to_be_visible()


def test_keys_have_the_names_of_the_readers_language(browser: Browser, server: Served) -> None:
    with visitor(browser, server, locale="fr-FR") as page:
        page.goto("/")
        page.get_by_role("button", name=catalogue("fr")["panel.settings"]).click()
        keys = page.get_by_role("region", name=catalogue("fr")["settings.keys"]).locator("kbd")
        expect(keys.filter(has_text=re.compile("Espace|Entrée|Échap"))).to_have_count(3)
