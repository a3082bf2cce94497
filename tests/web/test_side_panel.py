"""The panel beside the table: what it shows stays as it is while the table goes on."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect
from tests.server.harness import Served
from tests.web.browsing import DESK, resized, tries, visitor
from tests.web.states import finished, send_once, show, snapshot

pytestmark = [pytest.mark.browser, pytest.mark.full]


class Live:
    """A table whose messages the test sends; the first is the snapshot."""

    def __init__(self, page: Page, message: dict[str, Any]) -> None:
        self.page = page
        self.table = message

        def answer(socket: WebSocketRoute) -> None:
            self.socket = socket
            self.send(message)

        page.route_web_socket(re.compile("/ws/tables/"), answer)
        page.goto("/t/fixed")
        page.get_by_role("tab").first.wait_for()

    def send(self, message: dict[str, Any]) -> None:
        self.socket.send(json.dumps(message))

    def rename(self, name: str) -> None:
        """Send the table again, with another person in seat 1, and wait until the page shows it."""
        self.table["seq"] += 1
        self.table["table"]["seats"][1] |= {"kind": "human", "bot": None, "name": name}
        self.send({"type": "table", **{key: self.table[key] for key in ("seq", "table", "session", "clocks")}})
        self.page.get_by_role("region", name=name).wait_for()


@pytest.mark.parametrize("size", [(320, 568), (844, 390), DESK])
def test_a_long_chat_keeps_its_field_in_sight(browser: Browser, server: Served, size: tuple[int, int]) -> None:
    """At its end, which opens first, and at its beginning."""
    with visitor(browser, server, size) as page:
        message = json.loads(snapshot("chat"))
        message["chat"] = [{**message["chat"][0], "text": f"line {n}", "seq": n + 1} for n in range(40)]
        send_once(page, json.dumps(message))
        page.goto("/t/fixed")
        page.locator("nav button, [role=tab]").filter(has=page.locator("svg")).nth(2).click()
        sent = page.get_by_role("button", name="Send")
        newest, oldest = (page.get_by_text(text, exact=True) for text in ("line 39", "line 0"))
        expect(newest).to_be_in_viewport(ratio=1)
        expect(sent).to_be_in_viewport(ratio=1)
        oldest.scroll_into_view_if_needed()
        expect(oldest).to_be_in_viewport(ratio=1)
        expect(sent).to_be_in_viewport(ratio=1)


def test_the_check_of_a_deal_goes_with_its_hand(browser: Browser, server: Served) -> None:
    """Also if the answer comes when the next hand is over."""
    held: list[Route] = []
    with visitor(browser, server) as page:
        page.route("**/api/hands/*/record", lambda route: held.append(route))
        live = Live(page, json.loads(snapshot("settlement")))
        page.get_by_role("tab", name="Score").click()
        results = live.table["session"]["results"]
        told = page.locator(".fair").get_by_text("The secret matches the commitment.")

        def check(hand: int) -> None:
            page.get_by_role("button", name=f"Check hand {hand}").click()
            for _ in tries():
                if held:
                    return
                page.wait_for_timeout(10)
            pytest.fail(f"hand {hand} was never checked")

        def end(hand: int) -> None:
            results.append({**results[-1], "hand": f"hand-{hand}"})
            live.send(live.table)
            page.get_by_role("button", name=f"Check hand {hand}").wait_for()

        check(1)
        held.pop().fulfill(body=finished().record())
        expect(told).to_be_visible()
        end(2)
        expect(told).to_have_count(0)
        check(2)
        end(3)
        held.pop().fulfill(body=finished().record())
        expect(page.get_by_role("button", name="Check hand 3")).to_be_enabled()
        expect(told).to_have_count(0)


def test_rules_are_read_once(browser: Browser, server: Served) -> None:
    """A message about the table neither asks for them again nor returns to the clause of a refusal."""
    asked: list[str] = []
    with visitor(browser, server) as page:
        page.on("request", lambda request: asked.append(request.url) if "/api/rules/" in request.url else None)
        live = Live(page, json.loads(snapshot("play")))
        refusal = {"type": "error", "id": None, "code": "illegal", "clause": "D2.05", "message": "no", "wording": None}
        live.send(refusal)
        page.get_by_role("alert").get_by_role("button", name="D2.05").click()
        page.locator('[data-clause="D2.05"]').wait_for()
        find = page.get_by_role("searchbox")
        find.fill("pass")
        live.rename("Colin")
        expect(find).to_have_value("pass")
        assert len(asked) == 1
        find.fill(" D2.05 ")
        expect(page.locator("[data-clause]")).to_have_count(1)
        find.fill("a player’s words")
        expect(page.locator("[data-clause]").first).to_contain_text("a player’s words")


def test_the_chat_scrolls_for_new_lines_alone(browser: Browser, server: Served) -> None:
    """Not for those of a muted player."""
    message = json.loads(snapshot("chat"))
    theirs, own, _ = message["chat"]
    message["chat"] = [{**own, "seq": seq} for seq in range(80)]
    with visitor(browser, server) as page:
        live = Live(page, message)
        page.get_by_role("tab", name="Chat").click()
        panel = page.get_by_role("tabpanel")
        expect(panel.get_by_role("listitem").last).to_be_in_viewport()
        panel.evaluate("panel => (panel.scrollTop = 0)")
        live.rename("Colin")
        assert panel.evaluate("panel => panel.scrollTop") == 0
        live.send({"type": "chat", "seq": message["seq"], "lines": [{**theirs, "seq": 80, "text": "a new line"}]})
        expect(page.get_by_text("a new line", exact=True)).to_be_in_viewport()
        expect(page.get_by_role("log", name="Moves and messages")).to_contain_text("a new line")
        page.get_by_role("button", name="Options for Blaise’s message").click()
        page.get_by_role("button", name="Mute", exact=True).click()
        expect(page.get_by_text("a new line", exact=True)).to_have_count(0)
        panel.evaluate("panel => (panel.scrollTop = 0)")
        live.send({"type": "chat", "seq": message["seq"], "lines": [{**theirs, "seq": 81}]})
        live.rename("Denis")
        assert panel.evaluate("panel => panel.scrollTop") == 0


def test_a_tab_beside_the_table_opens_no_drawer(browser: Browser, server: Served) -> None:
    """A tablet is turned after another tab was chosen."""
    with visitor(browser, server, (1180, 820)) as page:
        show(page, "play")
        page.get_by_role("tab", name="Score").click()
        resized(page, 820, 1180)
        expect(page.get_by_role("tabpanel")).to_have_count(0)
        page.get_by_role("button", name="Rules", exact=True).click()
        expect(page.get_by_role("tabpanel", name="Rules")).to_be_visible()
        resized(page, *DESK)
        expect(page.get_by_role("tabpanel", name="Rules")).to_be_visible()


@pytest.mark.parametrize("size", [(320, 568), DESK])
def test_the_scores_of_eight_fit(browser: Browser, server: Served, size: tuple[int, int]) -> None:
    """One of the players has a long name."""
    message = json.loads(snapshot("long-8"))
    message["table"]["seats"][3] |= {"kind": "human", "bot": None, "name": "M" * 32}
    hand = {"payments": [-39, 273, *[-39] * 6], "winners": [1], "finish_order": [*range(1, 8), 0], "hand": None}
    message["session"] |= {"results": [hand] * 3, "balances": [-117, 819, *[-117] * 6]}
    with visitor(browser, server, size) as page:
        send_once(page, json.dumps(message))
        page.goto("/t/fixed")
        score = page.get_by_role("tab", name="Score").or_(page.get_by_role("button", name="Score", exact=True))
        if size != DESK:
            page.get_by_role("button", name="Moves", exact=True).click()
        score.first.click()
        sheet = page.get_by_role("region", name="Score", exact=True)
        expect(sheet.get_by_role("columnheader", name="M" * 32)).to_be_visible()
        expect(sheet.get_by_role("cell", name="+819")).to_be_visible()
        assert sheet.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth")


def test_the_scores_of_a_long_session_open_at_the_last_hand(browser: Browser, server: Served) -> None:
    message = json.loads(snapshot("settlement"))
    hand = {"payments": [6, -3, -3], "winners": [0], "finish_order": [0, 1, 2], "hand": None}
    message["session"] |= {"results": [hand] * 100, "first_result": 27, "balances": [756, -378, -378]}
    with visitor(browser, server) as page:
        send_once(page, json.dumps(message))
        page.goto("/t/fixed")
        page.get_by_role("tab", name="Score").click()
        sheet = page.get_by_role("region", name="Score", exact=True)
        expect(sheet.get_by_role("cell", name="+756")).to_be_in_viewport()
        expect(sheet.get_by_role("rowheader", name="126")).to_be_in_viewport()
        expect(sheet.locator("tfoot .names")).to_be_in_viewport()
