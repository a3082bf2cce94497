"""Journeys through the page: friends by link, from a hand to its review, a puzzle, a lesson, languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.harness import Served
from tests.web.browsing import (
    DESK,
    PATIENCE,
    PHONE,
    TONGUES,
    TRY_PUZZLE,
    accessible,
    answer,
    catalogue,
    hurry,
    play_on,
    tries,
    visitor,
)

pytestmark = pytest.mark.browser

COMPILED = 5 * PATIENCE
"""Milliseconds for actions that may have to compile first."""
LABELS = "all => all.map((one) => one.getAttribute('aria-label'))"
LESSONS = Path(__file__).parents[2] / "web" / "src" / "lessons"
SETTINGS = {"bot_delay": 0.02, "study_seconds": COMPILED / 1000}


@pytest.mark.long
def test_friends_by_link(browser: Browser, server: Served) -> None:
    """One opens a table, a friend joins by its link in another browser; they talk, leave, come back and finish a hand."""
    with visitor(browser, server) as host, visitor(browser, server, PHONE) as friend:
        host.goto("/")
        host.get_by_role("button", name="With friends: Big Two", exact=True).click()
        host.get_by_label("Your name").fill("Ada")
        for seat in ("Seat 3", "Seat 4"):
            host.get_by_label(seat).select_option("greedy")
        accessible(host, "the sheet of a new table")
        host.get_by_role("button", name="Open the table").click()
        expect(host).to_have_url(re.compile(r"/t/[\w-]+$"))
        link = host.get_by_label("Link to this table").input_value()
        accessible(host, "the waiting room")

        friend.goto(link)
        friend.get_by_label("Your name").fill("Blaise")
        accessible(friend, "the page of a link")
        friend.get_by_role("button", name="Join the table").click()
        # All seats are taken: the hand is dealt to both.
        for page in (host, friend):
            expect(page.locator("button[data-at]")).to_have_count(13)
        expect(host.get_by_role("region", name="Blaise")).to_be_visible()
        expect(friend.get_by_role("region", name="Ada")).to_be_visible()

        host.get_by_role("tab", name="Chat").click()
        host.get_by_label("Say something").fill("good luck")
        host.get_by_role("button", name="Send").click()
        friend.get_by_role("button", name=re.compile("Chat: 1 new message")).click()
        expect(friend.get_by_text("good luck", exact=True)).to_be_visible()
        report_and_mute(friend, "Ada")
        friend.keyboard.press("Escape")
        expect(friend.get_by_role("tabpanel")).to_have_count(0)

        friend.goto("about:blank")
        expect(host.get_by_role("region", name="Blaise").get_by_text("away")).to_be_visible()
        friend.goto(link)
        expect(host.get_by_role("region", name="Blaise").get_by_text("away")).to_have_count(0)
        to_the_end(host, friend)
        host.get_by_role("dialog").get_by_role("button", name="Next hand").click()
        expect(host.get_by_role("dialog").get_by_role("button", name="Waiting")).to_be_visible()
        friend.get_by_role("dialog").get_by_role("button", name="Next hand").click()
        expect(host.get_by_role("dialog")).to_have_count(0)


@pytest.mark.full
def test_a_rematch(browser: Browser, server: Served) -> None:
    """Three people, two of one name, end the session after a hand, wish for a rematch, and sit at the new table."""
    with (
        visitor(browser, server) as host,
        visitor(browser, server, PHONE) as friend,
        visitor(browser, server, PHONE) as other,
    ):
        seats = ["me", "open", "open", "greedy"]
        made = host.request.post("/api/tables", data={"preset": "big-two", "options": {}, "seats": seats}).json()
        friends = (friend, other)
        people = (host, *friends)
        for page in people:
            page.goto(f"/t/{made['id']}")
        for page in friends:
            page.get_by_label("Your name").fill("Ada")
            page.get_by_role("button", name="Join the table").click()
        to_the_end(*people)
        ending = host.get_by_role("button", name="End the session")
        ending.click()
        # One offer at a time.
        expect(ending).to_have_count(0)
        for page in friends:
            page.get_by_role("button", name="Accept").click()
        expect(host.get_by_role("button", name="Rematch")).to_be_enabled()
        # No hand follows, and the table shows the others' wishes too.
        host.get_by_role("button", name="Look at the table").click()
        expect(host.get_by_role("button", name="Next hand")).to_have_count(0)
        for page in friends:
            page.get_by_role("button", name="Rematch").click()
        wish = re.compile("^Ada( 2)? would like a rematch")
        wishes = host.get_by_text(wish)
        expect(wishes).to_have_count(2)
        expect(wishes.first).to_be_visible()
        host.get_by_role("button", name="Show the result").click()
        expect(host.get_by_role("dialog").get_by_text(wish)).to_have_count(2)
        expect(wishes).to_have_count(2)
        # The old table announces the new one to everybody there.
        friend.get_by_role("button", name="Look at the table").click()
        host.get_by_role("button", name="Rematch").click()
        expect(friend.get_by_text("The new table is ready.")).to_be_visible()
        expect(friend.get_by_role("dialog")).to_have_count(0)
        for page in people:
            page.get_by_role("link", name="Go to the new table").click()
            expect(page.locator("button[data-at]").first).to_be_visible()
        assert host.url == friend.url == other.url
        assert made["id"] not in host.url
        for name in ("Ada", "Ada 2"):
            expect(host.get_by_role("region", name=name, exact=True)).to_be_visible()


def to_the_end(*pages: Page) -> None:
    """People at one table play a hand to its end."""
    for _ in tries():
        if pages[0].locator("[role=dialog]").count():
            break
        for page in pages:
            play_on(page, "[role=dialog], .status:not(.mine)")
        for page in pages:
            hurry(page)
    for page in pages:
        expect(page.get_by_role("dialog")).to_be_visible()


def report_and_mute(page: Page, name: str) -> None:
    """Report a message and hide its author, by keys; Esc closes the options, not the chat."""
    options = page.get_by_role("button", name=f"Options for {name}’s message")
    expect(page.get_by_role("button", name="Report")).to_have_count(0)
    options.focus()
    page.keyboard.press("Enter")
    expect(options).to_have_attribute("aria-expanded", "true")
    page.get_by_role("button", name="Report").press("Enter")
    expect(page.get_by_role("button", name="Reported")).to_be_disabled()
    accessible(page, "the options of a message")
    page.get_by_role("button", name="Mute", exact=True).press("Escape")
    expect(page.get_by_role("button", name="Mute", exact=True)).to_have_count(0)
    expect(options).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Mute", exact=True).click()
    expect(options).to_have_count(0)
    page.get_by_role("tab", name="Rules").click()
    page.get_by_role("tab", name="Chat").click()
    expect(options).to_have_count(0)
    page.get_by_role("button", name="Show muted players").click()
    expect(options).to_be_visible()


@pytest.mark.full
@pytest.mark.long
def test_from_a_hand_to_its_review(browser: Browser, server: Served) -> None:
    """A hint gives reasons; the finished hand has a page whose verdicts are hidden until requested, and whose deal verifies."""
    with visitor(browser, server) as page:
        page.goto("/")
        page.get_by_role("button", name="Play: Big Three", exact=True).click()
        play_on(page, "[data-do=hint]:not(:disabled)")
        page.keyboard.press("h")
        expect(page.get_by_role("button", name="Do this")).to_be_visible()
        accessible(page, "a hint")
        play_on(page, "[role=dialog]")
        accessible(page, "the end of a hand")
        page.get_by_role("button", name="Look at the table").click()
        seated = page.locator(".seat").evaluate_all(LABELS)
        page.get_by_role("tab", name="Score").click()
        page.get_by_role("button", name="Check hand 1").click()
        expect(page.locator(".fair li.ok")).to_have_count(4)
        expect(page.locator(".fair li.bad")).to_have_count(0)
        accessible(page, "a deal that was checked")
        page.get_by_role("button", name="Show the result").click()
        page.get_by_role("link", name="Review").click()
        expect(page).to_have_url(re.compile(r"/h/[\w-]+$"))
        page.get_by_role("button", name="Next move").click()
        page.get_by_role("button", name="Next move").click()
        expect(page).to_have_url(re.compile(r"\?move=\d+$"))
        address = page.url
        expect(page.get_by_text("Turning points")).to_have_count(0)
        page.get_by_role("button", name="Show the verdicts").click()
        expect(page.get_by_text("Turning points")).to_be_visible(timeout=COMPILED)
        accessible(page, "a review")
        with visitor(browser, server, PHONE) as stranger:
            stranger.goto(address)
            expect(stranger.locator(".moves .here .n")).to_have_text("2")
            # Bots have the same names at the table, in its review, and for people without a seat.
            played = page.locator(".board section").evaluate_all(LABELS)
            assert set(played) == {"You", *seated}
            assert stranger.locator(".board section").evaluate_all(LABELS)[1:] == played[1:]


@pytest.mark.full
def test_a_puzzle(browser: Browser, server: Served) -> None:
    """A wrong answer is refuted on the table, and the page does not scroll sideways."""
    with visitor(browser, server, PHONE) as page:
        page.goto("/puzzles")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page).to_have_url(re.compile(r"/puzzles/[\w-]+$"))
        expect(page.locator(".verdict")).to_be_attached()
        for _ in tries():
            if page.locator(".verdict.wrong, .verdict.solved").count():
                break
            page.evaluate(TRY_PUZZLE)
            hurry(page)
        expect(page.locator(".verdict.wrong, .verdict.solved")).to_be_visible()
        accessible(page, "a puzzle")
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


@pytest.mark.full
def test_a_lesson_by_keyboard(browser: Browser, server: Served) -> None:
    """The first steps of a lesson without a mouse: each step is read to those who do not see it, and the focus is not lost."""
    with visitor(browser, server) as page:
        page.goto("/learn/big-three")
        expect(page.get_by_text("Step 1 of 20")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_text("Step 2 of 20")).to_be_visible()
        for at in range(3):
            page.locator(f'button[data-at="{at}"]').focus()
            page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Right!")).to_be_visible()
        accessible(page, "a lesson")
        told = page.locator("[aria-live=polite]").element_handle()
        page.keyboard.press("Enter")
        expect(page.get_by_text("Step 3 of 20")).to_be_visible()
        expect(page.locator("button[data-at]").first).to_be_focused()
        assert told is not None
        assert "A pair of sevens is on the table" in told.inner_text()


STORES_NOTHING = """Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('refused', 'SecurityError'); },
})"""


@pytest.mark.full
def test_a_lesson_goes_on_where_it_was(browser: Browser, server: Served) -> None:
    """After a reload, until it is restarted; without storage it starts again, without an error."""
    with visitor(browser, server, PHONE) as page:
        page.goto("/learn/big-three/practice")
        page.get_by_role("button", name="B3.09").first.click()
        expect(page.get_by_role("button", name="Start again")).to_be_visible()
        step = page.locator(".aside").inner_text()
        page.reload()
        expect(page.get_by_role("button", name="B3.09").first).to_have_attribute("aria-current", "step")
        assert page.locator(".aside").inner_text() == step
        page.goto("/learn/big-three")
        expect(page.get_by_text("Step 1 of 20")).to_be_visible()
        page.locator("[data-do=next]").click()
        expect(page.get_by_text("Step 2 of 20")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Step 2 of 20")).to_be_visible()
        accessible(page, "a lesson that goes on")
        page.get_by_role("button", name="Start again").click()
        expect(page.get_by_text("Step 1 of 20")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Step 1 of 20")).to_be_visible()
        page.add_init_script(STORES_NOTHING)
        page.reload()
        page.locator("[data-do=next]").click()
        expect(page.get_by_text("Step 2 of 20")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Step 1 of 20")).to_be_visible()


@pytest.mark.full
@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("game", ["big-three-4p", "big-two", "winner"])
def test_practice_is_accessible(browser: Browser, server: Served, game: str) -> None:
    """An exercise, a wrong answer to it, and the list of exercises."""
    with visitor(browser, server, PHONE if game == "winner" else DESK) as page:
        page.goto("/learn")
        expect(page.get_by_role("link", name=re.compile("Practice by rule")).first).to_be_visible()
        accessible(page, "the shelf of lessons")
        page.goto(f"/learn/{game}/practice")
        expect(page.locator("button[data-at], [data-call]").first).to_be_visible()
        expect(page.locator("[data-clause]")).to_be_visible()
        accessible(page, f"practice of {game}")
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


@pytest.mark.slow
def test_from_the_first_visit_to_a_review(browser: Browser, server: Served) -> None:
    """A newcomer: a whole lesson by its own answers, its last hand, which offers a table, a hand there, its review."""
    with visitor(browser, server, PHONE) as page:
        page.goto("/")
        page.get_by_role("link", name=re.compile("New here")).click()
        page.get_by_role("link", name="Lesson: Big Three", exact=True).click()
        lesson = json.loads((LESSONS / "big-three.json").read_text(encoding="utf-8"))
        for step in lesson["steps"]:
            if step["accept"]:
                answer(page, step["accept"][0])
                expect(page.locator(".verdict.right")).to_be_visible()
            page.locator("[data-do=next]").click()
        accessible(page, "the end of a lesson")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page).to_have_url(re.compile(r"/t/[\w-]+$"))
        play_on(page, "[role=dialog]")
        expect(page.locator(".turning")).to_be_attached()
        page.get_by_role("link", name="Review").click()
        page.get_by_role("button", name="Show the verdicts").click()
        expect(page.get_by_text("Turning points")).to_be_visible()
        page.goto("/learn")
        expect(page.get_by_role("link", name="Lesson: Big Three, done", exact=True)).to_contain_text("✓")


@pytest.mark.full
@pytest.mark.parametrize(
    ("locale", "game", "clause"),
    [("fr-FR", "Big Three", "joueurs"), ("zh-CN", "挖坑", "人"), ("zh-TW", "挖坑", "人")],
)
def test_every_language(browser: Browser, server: Served, locale: str, game: str, clause: str) -> None:
    """The page and the rule book are in the reader's language."""
    with visitor(browser, server, PHONE, locale) as page:
        page.goto("/")
        expect(page.get_by_role("heading", name=re.compile(game)).first).to_be_visible()
        accessible(page, f"the start page in {locale}")
        page.goto("/rules/big-three")
        expect(page.locator('[data-clause="B3.01"]')).to_contain_text(clause)
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


SEEN = """() => {
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (all.nextNode()) if (all.currentNode.parentElement.checkVisibility()) found.push(all.currentNode.data.trim());
  for (const one of document.querySelectorAll('[aria-label], [title]')) found.push(one.ariaLabel, one.title);
  return found.filter(Boolean);
}"""
"""Every text of the page, and every name that only screen readers read."""


@pytest.mark.slow
@pytest.mark.parametrize("locale", TONGUES)
def test_every_journey_in_every_language(browser: Browser, server: Served, locale: str) -> None:
    """First visit, lesson, hand, review; a friend joins, leaves and returns; a puzzle; an account: all in one language."""
    words = catalogue(TONGUES[locale])
    english = {
        value
        for key, value in catalogue("en").items()
        if len(value) > 3 and "{" not in value and value not in words.values() and key in words
    }

    def read(page: Page, where: str) -> None:
        assert not english & set(page.evaluate(SEEN)), where
        accessible(page, f"{where} in {locale}")
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0, where

    with visitor(browser, server, PHONE, locale) as page, visitor(browser, server, DESK, locale, "dark") as friend:
        page.goto("/")
        expect(page.get_by_text(words["start.new"])).to_be_visible()
        assert page.evaluate("document.documentElement.lang") == TONGUES[locale]
        read(page, "the start page")
        page.locator('.ways a[href="/learn"]').click()
        page.locator('a[href="/learn/big-two"]').click()
        lesson = json.loads((LESSONS / "big-two.json").read_text(encoding="utf-8"))
        for at, step in enumerate(lesson["steps"]):
            page.locator("[data-do=next]").wait_for()
            if at < 6:
                read(page, f"step {at} of the lesson")
            if step["accept"]:
                answer(page, step["accept"][0])
                expect(page.locator(".verdict.right")).to_have_text(words["learn.right"])
            page.locator("[data-do=next]").click()
        expect(page.get_by_text(words["learn.done"])).to_be_visible()
        page.goto("/")
        page.locator("article button.primary").first.click()
        play_on(page, "[data-do=hint]:not(:disabled)")
        page.locator("[data-do=hint]").click()
        expect(page.get_by_role("button", name=words["act.follow"])).to_be_visible()
        read(page, "a hint")
        play_on(page, "[role=dialog]")
        read(page, "the end of a hand")
        page.get_by_role("dialog").get_by_role("link", name=words["over.review"]).click()
        page.get_by_role("button", name=words["review.show"]).click()
        expect(page.get_by_text(words["review.turning"], exact=True)).to_be_visible(timeout=COMPILED)
        page.get_by_role("button", name=words["review.next"]).click()
        expect(page.get_by_role("link", name=words["bidding.practise"])).to_be_visible(timeout=COMPILED)
        read(page, "a review")

        page.goto("/puzzles")
        page.locator(".list a").first.wait_for()
        read(page, "the puzzles")
        with page.expect_response(re.compile("/api/puzzles/today")) as response:
            page.goto("/puzzles/daily")
        first = response.value.json()["view"]["legal_moves"][0]["move"]
        page.locator("button[data-at]").first.wait_for()
        answer(page, first)
        expect(page.locator(".verdict:not(.open)")).to_be_visible(timeout=COMPILED)
        read(page, "a puzzle")

        page.goto("/")
        page.get_by_role("button", name=re.compile(re.escape(words["start.withFriends"]))).click()
        page.locator("dialog select").first.select_option("winner")
        for seat in (2, 3):
            page.locator("dialog .bots").first.locator("select").nth(seat - 1).select_option("greedy")
        page.get_by_label(words["join.name"]).fill("Ada")
        read(page, "the sheet of a table")
        page.get_by_role("button", name=words["start.invite"]).click()
        link = page.get_by_label(words["room.link"]).input_value()
        read(page, "the waiting room")
        friend.goto(link)
        friend.get_by_label(words["join.name"]).fill("Blaise")
        friend.get_by_role("button", name=words["join.sit"]).click()
        for one in (page, friend):
            expect(one.locator("button[data-at]")).to_have_count(13)
        read(friend, "a table")
        friend.goto("about:blank")
        expect(page.get_by_role("region", name="Blaise").get_by_text(words["seat.away"])).to_be_visible()
        friend.goto(link)
        expect(page.get_by_role("region", name="Blaise").get_by_text(words["seat.away"])).to_have_count(0)
        expect(friend.locator("button[data-at]")).to_have_count(13)

        friend.goto("/me")
        friend.get_by_label(words["profile.account.name"]).fill(f"Ada-{TONGUES[locale]}")
        friend.get_by_label(words["profile.password"]).fill("correct horse")
        friend.get_by_role("button", name=words["profile.register"], exact=True).click()
        expect(friend.get_by_text(f"Ada-{TONGUES[locale]}")).to_be_visible()
        read(friend, "an account")
        friend.get_by_role("button", name=words["profile.signOut"], exact=True).first.click()
        expect(friend.get_by_text(words["profile.account.none"])).to_be_visible()
