"""The server refuses something, or closes a table's socket, and the page says so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect
from tests.server.harness import Served
from tests.web.browsing import DESK, PHONE, TONGUES, accessible, upright, visitor
from tests.web.states import send_once, show, snapshot

pytestmark = [pytest.mark.browser, pytest.mark.full]


def refusing(shown: str) -> Callable[[WebSocketRoute], None]:
    """Shows a state of a table, and refuses every command."""

    def refuse(socket: WebSocketRoute) -> None:
        def answer(message: str | bytes) -> None:
            command = json.loads(message)
            error = {"type": "error", "code": "too-fast", "clause": None, "message": "", "wording": None}
            socket.send(json.dumps({**error, "id": command["id"]}))

        socket.on_message(answer)
        socket.send(snapshot(shown))

    return refuse


def test_a_refused_bot_is_not_shown_as_chosen(browser: Browser, server: Served) -> None:
    with visitor(browser, server, PHONE) as page:
        page.route_web_socket(re.compile("/ws/tables/"), refusing("waiting"))
        page.goto("/t/fixed")
        choice = page.get_by_label("Add a bot").first
        choice.select_option("greedy")
        expect(page.get_by_role("alert").filter(has_text="Too fast")).to_be_visible()
        expect(choice).to_have_value("")


def test_a_refused_report_and_message_on_a_phone(browser: Browser, server: Served) -> None:
    """The panel over the table shows the refusal; the report can be repeated, and the message is not lost."""
    with visitor(browser, server, PHONE) as page:
        page.route_web_socket(re.compile("/ws/tables/"), refusing("chat"))
        page.goto("/t/fixed")
        page.get_by_role("button", name="Chat", exact=True).click()
        page.get_by_role("button", name="Options for Blaise’s message").first.click()
        page.get_by_role("button", name="Report").click()
        expect(page.locator("aside").get_by_role("alert")).to_have_text(re.compile("Too fast"))
        expect(page.get_by_role("button", name="Report")).to_be_enabled()
        say = page.get_by_label("Say something")
        say.fill("hello")
        say.press("Enter")
        expect(say).to_have_value("hello")
        accessible(page, "a refusal in the panel")
        upright(page, "a refusal in the panel")


def test_a_spectator_mutes_but_does_not_report(browser: Browser, server: Served) -> None:
    message = json.loads(snapshot("chat"))
    message["table"]["you"] = message["view"]["seat"] = None
    with visitor(browser, server, DESK) as page:
        send_once(page, json.dumps(message))
        page.goto("/t/fixed")
        page.get_by_role("tab", name="Chat").click()
        page.get_by_role("button", name="Options for Blaise’s message").first.click()
        expect(page.get_by_role("button", name="Mute", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Report")).to_have_count(0)


def test_a_socket_closed_for_good_is_told(browser: Browser, server: Served) -> None:
    """The player has signed out elsewhere, say: the table stays, with a notice and a way to load it again."""
    sockets: list[WebSocketRoute] = []

    def serve(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.send(snapshot("play"))

    with visitor(browser, server, PHONE) as page:
        page.route_web_socket(re.compile("/ws/tables/"), serve)
        page.goto("/t/fixed")
        page.get_by_role("button", name="Chat", exact=True).click()
        expect(page.get_by_role("tabpanel")).to_be_visible()
        sockets[0].close(code=4403)
        expect(page.get_by_role("alert").filter(has_text="closed this page’s connection")).to_be_visible()
        expect(page.get_by_role("tabpanel")).to_have_count(0)
        expect(page.locator("button[data-at]").first).to_be_visible()
        accessible(page, "a closed table")
        upright(page, "a closed table")
        page.clock.fast_forward(60_000)
        reload = page.get_by_role("button", name="Reload")
        expect(reload).to_be_visible()
        assert len(sockets) == 1
        reload.click()
        expect(page.locator("button[data-at]").first).to_be_visible()
        expect(reload).to_have_count(0)
        assert len(sockets) == 2
        # The panel is closed already: the focus stays where it is.
        page.get_by_role("button", name="Chat", exact=True).click()
        page.get_by_role("button", name="Close the panel").click()
        expect(page.get_by_role("button", name="Chat", exact=True)).to_be_focused()
        card = page.locator("button[data-at]").first
        card.focus()
        sockets[1].close(code=4403)
        expect(reload).to_be_visible()
        expect(card).to_be_focused()


def test_a_refusal_over_the_waiting_room_disappears(browser: Browser, server: Served) -> None:
    refusal = {"type": "error", "id": None, "code": "too-fast", "clause": None, "message": "", "wording": None}
    with visitor(browser, server, PHONE) as page:
        send_once(page, snapshot("waiting"), json.dumps(refusal))
        page.goto("/t/fixed")
        shown = page.get_by_text(re.compile("Too fast"))
        expect(shown).to_be_visible()
        page.get_by_role("button", name="Chat", exact=True).click()
        expect(page.locator("aside").get_by_role("alert")).to_have_text(re.compile("Too fast"))
        page.clock.fast_forward(9000)
        expect(shown).to_have_count(0)


@pytest.mark.parametrize("locale", TONGUES)
def test_a_refusal_on_a_phone_takes_no_line_for_its_cross(browser: Browser, server: Served, locale: str) -> None:
    wording = {"id": "joker", "values": {"cards": "3C BJ"}}
    refusal = {"type": "error", "id": None, "code": "illegal", "clause": "DD.04", "message": "", "wording": wording}
    with visitor(browser, server, PHONE, locale) as page:
        send_once(page, snapshot("play"), json.dumps(refusal))
        page.goto("/t/fixed")
        rule, cross = (page.locator(f".refusal {one}") for one in (".link", ".close"))
        expect(cross).to_be_visible()
        boxes = rule.bounding_box(), cross.bounding_box()
        assert boxes[0]
        assert boxes[1]
        assert abs(boxes[0]["y"] - boxes[1]["y"]) < 2


def test_no_turning_point_is_asked_for_where_the_hands_stay_hidden(browser: Browser, server: Served) -> None:
    message = json.loads(snapshot("settlement"))
    message["view"]["hands"] = None
    with visitor(browser, server, DESK) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        send_once(page, json.dumps(message))
        page.goto("/t/fixed")
        expect(page.get_by_role("dialog").get_by_role("link", name="Review")).to_be_visible()
        expect(page.get_by_role("dialog").get_by_text("Turning point")).to_have_count(0)
        assert not [url for url in asked if url.endswith("/turning")]


def test_no_move_is_taken_back_after_the_hand(browser: Browser, server: Served) -> None:
    """The server refuses it, so the result offers it to nobody, not even to a player among bots."""
    with visitor(browser, server, DESK) as page:
        show(page, "settlement")
        expect(page.get_by_role("dialog").get_by_role("link", name="Record")).to_be_visible()
        expect(page.get_by_role("button", name="Take back")).to_have_count(0)


@pytest.mark.parametrize("subject", ["h", "events", "rules", "learn", "puzzles", "join", "players"])
def test_what_does_not_exist_is_not_tried_again(browser: Browser, server: Served, subject: str) -> None:
    """A retry would be refused again; where the server does not answer there is one."""
    with visitor(browser, server, PHONE) as page:
        page.goto(f"/{subject}/none")
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_role("link", name="All games").last).to_be_visible()
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)
        if subject == "learn":
            expect(page.get_by_role("heading", name="Learn")).to_be_visible()
            return
        page.route("**/api/**", lambda route: route.abort())
        page.goto(f"/{subject}/none")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_quick_match_is_refused_and_stopped_at_its_button(browser: Browser, server: Served) -> None:
    """The panel of the quick match is far below on a phone."""
    with visitor(browser, server, PHONE) as page:
        page.goto("/")
        button = page.locator(".ways").get_by_role("button", name=re.compile("Quick match|Looking for players"))
        page.route("**/api/quick", lambda route: route.abort())
        button.click()
        expect(button).to_have_text(re.compile("The server does not answer"))
        page.unroute("**/api/quick")
        button.click()
        expect(button).to_have_text(re.compile("Stop looking"))
        accessible(page, "a quick match")
        button.click()
        expect(button).to_have_text(re.compile("Players at your level"))


def test_a_problem_of_a_quick_match_is_seen_once(browser: Browser, server: Served) -> None:
    """At the button that was pressed; a screen reader hears it for either."""
    with visitor(browser, server, DESK) as page:
        page.goto("/")
        button = page.locator(".ways").get_by_role("button", name=re.compile("Quick match|Looking for players"))
        panel = page.get_by_role("region", name="Quick match")
        page.route("**/api/quick", lambda route: route.abort())
        button.click()
        expect(button).to_have_text(re.compile("The server does not answer"))
        expect(panel.get_by_role("alert")).to_have_css("width", "1px")
        panel.get_by_role("button").click()
        expect(panel.get_by_role("alert")).not_to_have_css("width", "1px")
        expect(button).to_have_text(re.compile("Players at your level"))


def test_a_double_click_begins_a_quick_match(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        page.goto("/")
        button = page.locator(".ways").get_by_role("button", name=re.compile("Quick match|Looking for players"))
        button.dblclick()
        expect(button).to_have_text(re.compile("Stop looking"))
        with page.expect_response("**/api/quick/leave"):
            button.click()
        expect(button).to_have_text(re.compile("Players at your level"))


def test_a_table_that_admits_no_spectators_says_so(browser: Browser, server: Served) -> None:
    """A friend who opens the link of a table in play does not read that the table does not exist."""
    table = server.player().open_table("big-two", ["random", "random", "random"])
    with visitor(browser, server, PHONE) as page:
        page.goto(f"/t/{table}")
        expect(page.get_by_role("heading", level=1)).to_have_text("This table does not admit spectators")
        page.clock.fast_forward(20_000)
        expect(page.get_by_role("heading", level=1)).to_have_text("This table does not admit spectators")
        accessible(page, "a private table")
        page.goto("/t/none")
        expect(page.get_by_role("heading", level=1)).to_have_text("There is no such table.")


def test_a_browser_that_blocks_cookies_says_so(browser: Browser, server: Served) -> None:
    """Without a cookie the server would seat somebody whom it does not know again."""
    with visitor(browser, server, PHONE) as page:
        page.add_init_script("Object.defineProperty(Navigator.prototype, 'cookieEnabled', {get: () => false})")
        page.goto("/")
        page.get_by_role("button", name="Play: Big Two", exact=True).click()
        expect(page.get_by_role("alert")).to_have_text(re.compile("This browser blocks cookies"))
        page.goto("/me")
        page.get_by_label("Account name").fill("Blaise")
        page.get_by_label("Password").fill("correct horse battery")
        page.get_by_role("button", name="Create an account", exact=True).click()
        expect(page.get_by_role("alert")).to_have_text(re.compile("This browser blocks cookies"))
