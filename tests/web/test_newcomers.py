"""Former obstacles to newcomers, each as a journey."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect
from tests.server.harness import Served

from .browsing import DESK, PHONE, awaited, hurry, visitor
from .pages import line, missed, review, reviewed
from .states import draw, send_once, show, snapshot

pytestmark = pytest.mark.full

LESSONS = Path(__file__).parents[2] / "web" / "src" / "lessons"
SETTINGS = {"bot_delay": 0.02}


def test_a_lesson_is_passed_by_tapping_every_card_of_the_answer(browser: Browser, server: Served) -> None:
    """Lesson 3 of Big Three: beat a pair with both nines."""
    lesson = json.loads((LESSONS / "big-three.json").read_text(encoding="utf-8"))
    step = next(i for i, one in enumerate(lesson["steps"]) if one["accept"] == ["9H 9S"])
    with visitor(browser, server, PHONE) as page:
        page.goto("/")
        page.evaluate(f"localStorage.setItem('dasan.lesson.big-three', '{step}')")
        page.goto("/learn/big-three")
        for card in ("9H", "9S"):
            page.locator(f'button[data-card="{card}"]').click()
        expect(page.locator("button[data-at][aria-pressed=true]")).to_have_count(2)
        page.locator("[data-do=play]").click()
        expect(page.locator(".verdict.right")).to_be_visible()


def test_the_review_leads_back_to_the_table(browser: Browser, server: Served) -> None:
    with visitor(browser, server, DESK) as page:
        reviewed(page)
        expect(page.get_by_role("link", name="Back to the table")).to_have_attribute("href", "/t/fixed")


def test_the_board_of_a_review_stays_in_sight(browser: Browser, server: Served) -> None:
    with visitor(browser, server, (1280, 720)) as page:
        reviewed(page)
        page.locator(".moves button").nth(20).click()
        page.mouse.move(1000, 600)
        page.mouse.wheel(0, 2000)
        board = page.locator(".left > *").first.bounding_box()
        assert board is not None
        assert board["y"] >= 0
        legend = page.locator(".legend")
        expect(legend).to_contain_text("This move keeps the result of best play.")
        expect(legend).to_contain_text("No real choice.")
        said = page.get_by_role("button", name=re.compile(r"This move keeps the result of best play\.|No real choice\."))
        expect(said).to_have_count(page.locator(".moves button").filter(has_text=re.compile("[✓·]")).count())
        assert said.count() > 9


def test_another_line_takes_the_place_of_the_move(browser: Browser, server: Served) -> None:
    asked: list[str] = []
    with visitor(browser, server, DESK) as page:
        page.on("request", lambda request: asked.append(request.post_data or "") if "/solve" in request.url else None)
        line(page)
        seq = int(re.findall(r"move=(\d+)", page.url)[0])
        assert json.loads(asked[0]) == {"seq": seq, "moves": []}


def test_a_wrong_answer_to_a_puzzle_is_played_to_the_end(browser: Browser, server: Served) -> None:
    with visitor(browser, server, DESK) as page:
        missed(page)
        expect(page.get_by_text("out first")).to_be_visible()


def test_the_card_counter_counts_what_is_left_in_fixed_columns(browser: Browser, server: Served) -> None:
    view = json.loads(snapshot("play"))["view"]
    left = [one["n"] for one in view["left"]]
    assert sum(left) == sum(view["hand_sizes"]) - len(view["hand"])
    with visitor(browser, server, DESK, "zh-CN") as page:
        show(page, "play")
        counter = page.get_by_role("region", name="记牌器")
        shown = [one.split() for one in counter.locator("li").all_inner_texts()]
        assert [int(n) for _, n in shown] == left[::-1]
        assert len(shown) == 13


def test_a_short_password_is_explained(browser: Browser, server: Served) -> None:
    with visitor(browser, server, PHONE) as page:
        page.goto("/me")
        page.get_by_label("Account name").fill("Newcomer")
        page.get_by_label("Password").fill("short")
        page.get_by_role("button", name="Create an account", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("At least 8 characters")
        expect(page.get_by_text("ask the person who runs it")).to_be_visible()


def test_big_two_of_the_start_page_is_paid_by_cards(browser: Browser, server: Served) -> None:
    with visitor(browser, server, PHONE) as page:
        page.goto("/")
        page.locator("article").filter(has_text="Big Two").first.get_by_role("button", name="Play").click()
        page.wait_for_url("**/t/*")
        table = page.url.rpartition("/")[2]
        options = page.request.get(f"/api/tables/{table}").json()["table"]["options"]
        assert options["scoring"] == "cards-multiplied"


@pytest.mark.parametrize(("size", "rows"), [(PHONE, [8]), ((320, 568), [4, 4])])
def test_reactions_stand_in_even_rows(browser: Browser, server: Served, size: tuple[int, int], rows: list[int]) -> None:
    with visitor(browser, server, size) as page:
        show(page, "chat")
        page.get_by_role("button", name=re.compile("^Chat")).click()
        tops = [box["y"] for one in page.locator(".reactions button").all() if (box := one.bounding_box())]
        assert [tops.count(top) for top in sorted(set(tops))] == rows


@pytest.mark.parametrize("size", [(568, 320), (390, 844)])
def test_dealt_cards_are_not_cut_off(browser: Browser, server: Served, size: tuple[int, int]) -> None:
    with visitor(browser, server, size, motion="no-preference") as page:
        draw(page)
        for _ in range(8):
            if page.locator(".flight").count():
                break
            page.evaluate("window.nextScene()")
            hurry(page)
        stage = page.locator(".stage").bounding_box()
        assert stage is not None
        ends = page.evaluate(
            "[...document.querySelectorAll('.flight')].map((one) => {"
            " one.style.animation = 'none'; one.style.transform = getComputedStyle(one).getPropertyValue('--to');"
            " const {x, y, right, bottom} = one.getBoundingClientRect(); return [x, y, right, bottom]; })"
        )
        assert ends
        for x, y, right, bottom in ends:
            assert stage["x"] <= x, ends
            assert stage["y"] <= y, ends
            assert right <= stage["x"] + stage["width"], ends
            assert bottom <= stage["y"] + stage["height"], ends


def test_chinese_is_not_slanted(browser: Browser, server: Served) -> None:
    with visitor(browser, server, PHONE, "zh-CN") as page:
        page.goto("/rules/winner")
        page.locator("i").first.wait_for()
        assert page.locator("i").first.evaluate("(one) => getComputedStyle(one).fontSynthesisStyle") == "none"


def test_a_long_chinese_name_stays_in_its_place(browser: Browser, server: Served) -> None:
    told = json.loads(snapshot("play"))
    for seat in told["table"]["seats"]:
        seat |= {"name": "长" * 24, "kind": "human", "bot": None}
    with visitor(browser, server, PHONE, "zh-CN") as page:
        send_once(page, json.dumps(told))
        page.goto("/t/fixed")
        names = page.locator(".seat .name")
        names.first.wait_for()
        for name in names.all():
            outer = name.locator("xpath=ancestor::*[contains(@class, 'plate')]").bounding_box()
            inner = name.bounding_box()
            assert outer is not None
            assert inner is not None
            assert outer["x"] <= inner["x"]
            assert inner["x"] + inner["width"] <= outer["x"] + outer["width"]


@pytest.mark.parametrize(("locale", "letter"), [("zh-TW", "訪"), ("fr-FR", "I"), ("en-GB", "G")])
def test_a_guest_has_the_first_letter_of_the_name_that_is_shown(
    browser: Browser, server: Served, locale: str, letter: str
) -> None:
    told = json.loads(snapshot("play"))
    for number, seat in enumerate(told["table"]["seats"], 1):
        seat |= {"name": f"Guest {number}", "kind": "human", "bot": None}
    with visitor(browser, server, PHONE, locale) as page:
        send_once(page, json.dumps(told))
        page.goto("/t/fixed")
        faces = page.locator(".seat .avatar")
        faces.first.wait_for()
        assert {face.inner_text() for face in faces.all()} == {letter}


def test_an_auction_is_said_as_chinese_players_say_it(browser: Browser, server: Served) -> None:
    with visitor(browser, server, PHONE, "zh-CN") as page:
        show(page, "auction")
        expect(page.locator("[data-do=pass]")).to_have_text("不叫")
        expect(page.locator("[data-do=bid]").last).to_have_text("3 分")
        show(page, "play")
        expect(page.locator("[data-do=pass]")).to_have_text("过")
        show(page, "places")
        expect(page.get_by_role("dialog")).to_contain_text("是上游")
        expect(page.get_by_role("dialog")).to_contain_text("是下游")
        page.goto("/")
        expect(page.get_by_role("heading", name="在线匹配")).to_be_visible()


def test_the_result_says_who_plays_for_whom_and_gives_the_seat_back(browser: Browser, server: Served) -> None:
    data = json.loads(snapshot("settlement"))
    data["table"]["seats"][0]["substitute"] = {"bot": "greedy", "reason": "time"}
    with visitor(browser, server, PHONE) as page:
        sent: list[str] = []

        def answer(socket: WebSocketRoute) -> None:
            socket.on_message(lambda message: sent.append(str(message)))
            socket.send(json.dumps(data))

        page.route_web_socket(re.compile("/ws/tables/"), answer)
        page.goto("/t/fixed")
        result = page.get_by_role("dialog")
        expect(result.get_by_text("a bot is playing")).to_be_visible()
        result.get_by_role("button", name="Take my seat back").click()
        expect(result.locator("[data-do=return]")).to_be_disabled()
        assert json.loads(sent[-1])["type"] == "return"


def test_the_shared_picture_is_in_the_language_of_the_page(browser: Browser, server: Served) -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text font-size="22" data-word="title">Big Three</text>'
        '<text font-size="22" data-word="1">Master Hu</text><text font-size="20" data-word="0">→ Ada</text></svg>'
    )
    with visitor(browser, server, DESK, "zh-CN") as page:
        page.add_init_script(
            "const write = XMLSerializer.prototype.serializeToString;"
            "XMLSerializer.prototype.serializeToString = function (one) { return (window.drawn = write.call(this, one)); };"
        )
        review(page)
        page.route("**/picture*", lambda route: route.fulfill(body=svg, content_type="image/svg+xml"))
        page.locator(".right button").filter(has_text="图").first.click()
        awaited(page, "window.drawn")
        drawn = page.evaluate("window.drawn")
        assert re.findall(">([^<]+)</text>", drawn) == ["挖坑（大三）", "胡师傅", "→ 你"]
