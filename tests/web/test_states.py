"""Axe, and no overflow, in states that journeys only pass through."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from tests.server.harness import Served
from tests.web.browsing import DESK, PHONE, SETTLED, accessible, answer, resized, upright, visitor
from tests.web.pages import AROUND
from tests.web.states import STATES, advised, draw, send_once, show, snapshot

import dasan
from dasan import puzzles
from dasan.server.study.puzzle_play import verdict

pytestmark = [pytest.mark.browser, pytest.mark.full]

LESSONS = Path(__file__).parents[2] / "web" / "src" / "lessons"


def sound(page: Page, where: str) -> None:
    accessible(page, where)
    upright(page, where)


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(PHONE, "dark", id="phone"),
        pytest.param(DESK, "light", id="desk", marks=pytest.mark.slow),
        pytest.param((320, 568), "light", id="small", marks=pytest.mark.slow),
        pytest.param((844, 390), "dark", id="low", marks=pytest.mark.slow),
    ],
)
def test_every_phase_of_a_table(
    browser: Browser, server: Served, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    """The auction, the call, the exchange, the end; then the panels, the chat among them."""
    with visitor(browser, server, size, scheme=scheme) as page:
        for name in STATES:
            show(page, name)
            sound(page, name)
        for panel in ("Moves", "Score", "Rules", "Settings", "Chat"):
            if size != DESK:
                page.get_by_role("button", name="Moves", exact=True).click()
            page.get_by_role("tab", name=panel).click()
            expect(page.get_by_role("tabpanel", name=panel)).to_be_visible()
            if panel == "Rules":
                page.locator("[data-clause]").first.wait_for()
            sound(page, panel)
            if size != DESK:
                page.keyboard.press("Escape")
                expect(page.get_by_role("tabpanel")).to_have_count(0)


@pytest.mark.sampled(1, 3)
@pytest.mark.parametrize("name", ["auction", "call", "give", "offer", "take", "play"])
def test_a_bot_plays_the_hand_of_the_reader(browser: Browser, server: Served, name: str) -> None:
    """Nothing of the hand can be pressed, except what takes the seat back, whatever the phase."""
    data = json.loads(snapshot(name))
    data["table"]["seats"][0]["substitute"] = {"bot": "greedy", "reason": "time"}
    with visitor(browser, server, PHONE) as page:
        send_once(page, json.dumps(data))
        page.goto("/t/fixed")
        page.get_by_text("A bot is playing for you").wait_for()
        page.locator("button[data-at]").first.press(" ")
        page.keyboard.press("p")
        expect(page.locator("[data-at][aria-pressed=true]")).to_have_count(0)
        expect(page.locator("[data-at]:not([aria-disabled=true])")).to_have_count(0)
        live = page.locator("main :is(button, a):not(:disabled, [data-at], .tools *)")
        expect(live).to_have_text(["Take my seat back"])
        sound(page, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "scheme"), [pytest.param((320, 568), "light", id="small"), pytest.param(DESK, "dark", id="desk")]
)
@pytest.mark.parametrize("name", AROUND)
def test_every_page_around_the_table(
    browser: Browser, server: Served, name: str, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    """Reviews and their lines, puzzles, lessons, sheets and settings, profiles, rules, missing pages."""
    with visitor(browser, server, size, scheme=scheme) as page:
        AROUND[name](page)
        sound(page, name)


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("size", [(320, 568), PHONE])
def test_a_table_that_waits(browser: Browser, server: Served, size: tuple[int, int]) -> None:
    """The host's waiting table with open seats and a bot, and the page of its link, on small phones."""
    with visitor(browser, server, size) as host, visitor(browser, server, size, scheme="dark") as friend:
        host.goto("/")
        host.get_by_role("button", name="Play with friends").click()
        host.get_by_label("Choose a game").select_option("big-two")
        host.get_by_label("Seat 4").select_option("level-4")
        sound(host, "the sheet of a table")
        host.get_by_role("button", name="Open the table").click()
        expect(host.get_by_label("Link to this table")).to_be_visible()
        expect(host.get_by_label("Add a bot").first).to_be_visible()
        controls = host.locator("main li").get_by_role("button").or_(host.locator("main li").get_by_role("combobox"))
        names = controls.evaluate_all("all => all.map(one => one.ariaLabel ?? one.textContent.trim())")
        assert len(set(names)) == len(names) == 5, names
        sound(host, "a table that waits")
        friend.goto(host.url)
        expect(friend.get_by_role("button", name="Join the table")).to_be_visible()
        sound(friend, "the page of a link")


UNKNOWN = ["/nowhere", "/t/none", "/h/none", "/puzzles/none", "/rules/none", "/learn/none", "/players/none", "/me/none"]


@pytest.mark.long
def test_what_is_not_there(browser: Browser, server: Served) -> None:
    """Addresses without a page, and every page while the server does not answer."""
    with visitor(browser, server, PHONE) as page:
        for path in UNKNOWN:
            page.goto(path)
            expect(page.get_by_text(re.compile("There is no such|there is no |no such", re.I)).first).to_be_visible()
            sound(page, path)
    with visitor(browser, server, PHONE, scheme="dark") as page:

        def silent(route: Route) -> None:
            route.abort()

        def closed(socket: WebSocketRoute) -> None:
            socket.close()

        page.route("**/api/**", silent)
        page.route_web_socket(re.compile("/ws/"), closed)
        for path in [
            "/",
            "/t/x",
            "/h/x",
            "/puzzles",
            "/puzzles/daily",
            "/rules/winner",
            "/learn/winner",
            "/players/x",
            "/me",
        ]:
            page.goto(path)
            expect(page.get_by_role("heading", level=1).first).to_be_visible()
            if path != "/learn/winner":
                expect(page.get_by_text("The server does not answer.").first).to_be_visible()
            sound(page, f"{path} without a server")


def test_the_next_puzzle_suits_its_player(browser: Browser, server: Served) -> None:
    """The list has more than one page, and a good player gets hard ones beyond the first."""
    with visitor(browser, server) as page:
        page.goto("/puzzles")
        rows = page.locator(".list a")
        page.get_by_role("button", name="More puzzles").click()
        expect(rows).to_have_count(200)
        score = {"rating": 1900, "streak": 0, "best": 0, "seen": []}
        page.evaluate("score => localStorage.setItem('dasan.puzzle.score', JSON.stringify(score))", score)
        page.reload()
        expect(rows.filter(has_text="Grade 5")).to_have_count(0)
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.locator(".task")).to_contain_text("Grade 5")


SIDE, SMALL, USUAL = (844, 390), (320, 568), (360, 640)
"""A phone in landscape, the smallest phone, and one upright of which the browser's bars have taken a part."""
SIZES = (SIDE, PHONE, (1280, 640), DESK)


WHOLE = "() => document.scrollingElement.scrollHeight <= innerHeight"


def whole(page: Page, where: str) -> None:
    """Nothing has to be scrolled, and the next step is visible."""
    page.locator("[data-do=next], [data-do=play], .after .primary").first.wait_for()
    page.evaluate(SETTLED)
    try:
        page.wait_for_function(WHOLE, timeout=10_000)
    except PlaywrightTimeout:
        over = page.evaluate("document.scrollingElement.scrollHeight - innerHeight")
        pytest.fail(f"{where}: scrolls {over} px")


def test_a_wrong_answer_fits(browser: Browser, server: Served) -> None:
    """On a phone in landscape; the answer's explanation disappears once a card is selected."""
    with visitor(browser, server, SIDE) as page:
        AROUND["lesson-wrong"](page)
        whole(page, "a wrong answer")
        card = page.locator("button[data-at]").first
        for _ in range(2):
            card.press("Space")
            expect(page.locator(".verdict")).to_be_empty()


REACHED = """(button) => {
  const box = button.getBoundingClientRect();
  const at = [0.15, 0.5, 0.85].map((part) => document.elementFromPoint(box.x + part * box.width, box.y + box.height / 2));
  return at.every((one) => button.contains(one));
}"""
"""Whether nothing covers a button."""


@pytest.mark.parametrize("size", [SMALL, (640, 400)])
def test_nothing_covers_the_buttons_of_a_waiting_room(browser: Browser, server: Served, size: tuple[int, int]) -> None:
    """However far its list is scrolled, on a small screen and at 200 % zoom."""
    with visitor(browser, server, size, locale="fr-FR") as page:
        show(page, "waiting")
        sheet = page.locator(".room .sheet")
        for down in range(0, 400, 20):
            sheet.evaluate("(sheet, down) => (sheet.scrollTop = down)", down)
            for button in page.locator("footer .button, nav button").all():
                assert not button.is_visible() or button.evaluate(REACHED), (down, button.text_content())


@pytest.mark.parametrize("size", [(740, 360), (568, 320)])
def test_fingers_open_the_panels_on_a_low_screen(browser: Browser, server: Served, size: tuple[int, int]) -> None:
    """The panel's tabs lead to those that have no button."""
    with visitor(browser, server, size) as page:
        show(page, "offered")
        buttons = page.locator("nav button:visible").all()
        for button in buttons:
            box = button.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 39
            assert button.evaluate(REACHED), button.get_attribute("title")
        buttons[0].click()
        page.get_by_role("tab", name="Settings").click()
        expect(page.get_by_role("tabpanel", name="Settings")).to_be_visible()


def test_an_exercise_in_french_fits(browser: Browser, server: Served) -> None:
    """Pass and Play fit beside each other on the smallest phone, even with a combination in the label."""
    with visitor(browser, server, SMALL, locale="fr-FR") as page:
        page.goto("/learn/big-three/practice")
        whole(page, "an exercise with a pass and a long clause")
        page.goto("/learn/winner/practice")
        page.get_by_role("navigation").get_by_role("button").nth(4).click()
        expect(page.get_by_role("button", name="Passer")).to_be_visible()
        whole(page, "an exercise with a pass")
        for card in ("4D", "4S", "7D", "7C", "7H"):
            page.locator(f'button[data-card="{card}"][aria-pressed=false]').first.press("Space")
        expect(page.locator("[data-do=play]")).to_contain_text("·")
        whole(page, "a combination chosen")
        upright(page, "a combination chosen")


FEW = ("player", "personal-link", "unclaimed", "claimed", "lobby")


@pytest.mark.long
def test_pages_that_few_come_to(browser: Browser, server: Served) -> None:
    """Another player's profile, personal links, the lobby, a seat that a bot has taken over; every scene before a first deal."""
    with visitor(browser, server, PHONE, scheme="dark") as page:
        for name in FEW:
            AROUND[name](page)
            sound(page, name)
        send_once(page, snapshot("replaced"))
        page.goto("/t/fixed")
        expect(page.get_by_role("button", name="Take my seat back")).to_be_visible()
        sound(page, "a seat that a bot has taken over")
    with visitor(browser, server, (320, 568), motion="no-preference") as page:
        draw(page)
        scenes = []
        while (scene := page.evaluate(SAID)) is not None:
            page.wait_for_function(STILL)
            sound(page, f"before the deal: {scene}")
            scenes.append(scene)
            page.evaluate("nextScene()")
        assert scenes[0] == "Draw for the deal"
        assert scenes[-1] == "The cards are dealt"
        assert any("cut" in scene for scene in scenes)


SAID = "document.querySelector('.opening p')?.textContent ?? null"
STILL = "() => document.getAnimations().every((one) => one.playState !== 'running' || one.effect.getTiming().iterations > 99)"
"""Nothing moves except endless animations."""


def done(puzzle: puzzles.Puzzle, move: dasan.Move) -> bool:
    return bool(verdict(puzzle, [str(move)], 1_000_000)["done"])


def answered(puzzle: puzzles.Puzzle, move: dasan.Move) -> bool:
    """Whether others move after it."""
    return len(verdict(puzzle, [str(move)], 1_000_000)["reply"]) > 1


LONG = "7a7bc9f39a", "78e65f718a"
"""Puzzles for three and four with a long answer to their tempting moves."""


GAMES = ("big-three-4p", *(pytest.param(game, marks=pytest.mark.slow) for game in ("big-three", "big-two", "winner")))


def steps(path: str) -> int:
    """The number of steps in the script of a lesson, or of exercises."""
    return len(json.loads((LESSONS / f"{path}.json").read_text(encoding="utf-8"))["steps"])


def test_only_a_small_screen_leaves_out_a_reason_of_a_hint(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        advised(page, "play")
        for size, reasons in ((DESK, 2), ((1280, 600), 2), (PHONE, 2), (SMALL, 1), (SIDE, 1)):
            resized(page, *size)
            expect(page.locator(".advice .reason")).to_have_count(reasons)


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("size", [*SIZES, SMALL, USUAL])
@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_fits(browser: Browser, server: Served, game: str, size: tuple[int, int]) -> None:
    """The words, the table and the buttons of each step: nothing has to be scrolled."""
    with visitor(browser, server, size) as page:
        page.goto(f"/learn/{game}")
        for at in range(steps(game)):
            page.evaluate(f"localStorage.setItem('dasan.lesson.{game}', '{at}')")
            page.reload()
            page.locator("[data-do=next]").wait_for()
            whole(page, f"step {at + 1}")


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
@pytest.mark.parametrize("size", [SMALL, USUAL])
def test_the_longest_steps_fit_small_phones(
    browser: Browser, server: Served, locale: str, size: tuple[int, int]
) -> None:
    """Steps with a coach, a long report of the others, and two rows of cards."""
    with visitor(browser, server, size, locale=locale) as page:
        for game, at in ("big-three", 5), ("big-three", 14), ("big-three-4p", 11), ("big-three-4p", 12), ("big-two", 8):
            page.goto("/learn")
            page.evaluate(f"localStorage.setItem('dasan.lesson.{game}', '{at}')")
            page.goto(f"/learn/{game}")
            whole(page, f"{game}, step {at + 1}")


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("size", [*SIZES, SMALL, USUAL])
@pytest.mark.parametrize("game", GAMES)
def test_the_exercises_fit(browser: Browser, server: Served, game: str, size: tuple[int, int]) -> None:
    with visitor(browser, server, size) as page:
        page.goto(f"/learn/{game}/practice")
        for at in range(steps(f"practice/{game}")):
            page.get_by_role("navigation").get_by_role("button").nth(at).click()
            whole(page, f"exercise {at + 1}")


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("size", SIZES)
def test_a_puzzle_fits(browser: Browser, server: Served, size: tuple[int, int]) -> None:
    """Before a move, after the tempting one, and with the solution."""
    three, four = puzzles.load(players=3), puzzles.load(players=4)
    with visitor(browser, server, size) as page:
        for puzzle in three[0], four[0], *(one for one in (*three, *four) if one.id in LONG):
            page.goto(f"/puzzles/{puzzle.id}")
            page.locator("button[data-at]").first.wait_for()
            whole(page, f"puzzle {puzzle.id}")
            answer(page, str(puzzle.tempting[0]))
            page.locator(".verdict.wrong").wait_for()
            whole(page, f"puzzle {puzzle.id} missed")
            expect(page.get_by_role("button", name="Try again")).to_be_in_viewport()
            page.get_by_role("button", name="The solution").click()
            whole(page, f"puzzle {puzzle.id} with its solution")


def test_a_puzzle_in_french_fits(browser: Browser, server: Served) -> None:
    """On a phone in landscape, where the tags of a seat take two lines."""
    with visitor(browser, server, SIDE, locale="fr-FR") as page:
        page.goto("/puzzles/8ef33e300e")
        page.locator("button[data-at]").first.wait_for()
        whole(page, "a puzzle for four")


@pytest.mark.long
def test_pages_around_the_table(browser: Browser, server: Served) -> None:
    """A rated quick match, a guest's own page, a rules page, a puzzle solved and missed, exercises done."""
    easy = (one for one in puzzles.load(players=3, grade=1) if one.tempting)
    puzzle = next(one for one in easy if done(one, one.key) and answered(one, one.tempting[0]))
    with visitor(browser, server, PHONE, scheme="dark") as page:
        page.goto("/")
        panel = page.get_by_role("region", name="Quick match")
        panel.get_by_role("button", name="Quick match").click()
        expect(panel.get_by_text("Looking for players")).to_be_visible()
        sound(page, "the start page while a game is sought")
        panel.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Settings").click()
        sound(page, "the settings")
        page.goto("/me")
        expect(page.get_by_text("You play as a guest")).to_be_visible()
        sound(page, "a guest's own page")
        page.goto("/rules/big-three-4p")
        page.locator("[data-clause]").first.wait_for()
        sound(page, "a page of rules")

        page.goto(f"/puzzles/{puzzle.id}")
        allied = "Ally" if puzzle.state.bidder != puzzle.state.to_act else "Opponent"
        expect(page.locator(".board").get_by_text(allied).first).to_be_visible()
        answer(page, str(puzzle.tempting[0]))
        expect(page.locator(".verdict.wrong")).to_be_visible()
        # The answer names who plays what, by the names on the board.
        names = page.locator(".board section").evaluate_all("all => all.map(one => one.ariaLabel)")
        first = names[puzzle.state.play(str(puzzle.tempting[0])).to_act or 0]
        expect(page.locator(".verdict li").first).to_contain_text(re.compile(f"^{first} (plays|passes|leads)"))
        # The solution is hidden until requested.
        expect(page.locator(".after .line")).to_have_count(0)
        page.get_by_role("button", name="The solution").press("Enter")
        expect(page.locator(".after .line")).to_be_visible()
        expect(page.get_by_role("button", name="Next puzzle")).to_be_focused()
        sound(page, "a puzzle missed")
        rating = page.get_by_text(re.compile("Your rating"))
        missed = rating.inner_text()
        assert missed.endswith("Streak: 0")
        assert "1,200" not in missed
        page.get_by_role("button", name="Try again").click()
        answer(page, str(puzzle.key))
        expect(page.locator(".verdict.solved")).to_be_visible()
        sound(page, "a puzzle solved")
        # The first try counts.
        assert rating.inner_text() == missed
