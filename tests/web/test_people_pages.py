"""Pages around the table: accounts with passkeys, quick match, the profile, reviews watched together, pictures."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect
from tests.server.harness import Served
from tests.web.browsing import accessible, play_on, visitor
from tests.web.pages import review

from dasan.server.store import matches

pytestmark = [pytest.mark.browser, pytest.mark.full]

SETTINGS = {"bot_delay": 0.02}


def with_authenticator(page: Page) -> None:
    """Give the browser an authenticator that approves everything."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


@pytest.mark.slow
def test_an_account_by_passkey(browser: Browser, server: Served) -> None:
    """Open an account with a passkey alone, sign out and in with it, set a password, sign another browser out."""
    named = server.address.replace("127.0.0.1", "localhost")
    with visitor(browser, server) as page, visitor(browser, server) as other:
        page.goto(f"{server.address}/me")
        expect(page.get_by_text("Passkeys need a host name")).to_be_visible()
        with_authenticator(page)
        page.goto(f"{named}/me")
        page.get_by_label("Account").fill("Ada-1")
        page.get_by_role("button", name="Create an account with a passkey").click()
        expect(page.get_by_text("Ada-1")).to_be_visible()
        keys = page.get_by_role("region", name="Passkeys")
        expect(keys.get_by_role("listitem")).to_have_count(1)
        accessible(page, "an account")
        # The only way in cannot be removed.
        keys.get_by_role("button", name=re.compile("Remove")).click()
        expect(page.get_by_role("alert")).to_contain_text("Set a password first")
        page.get_by_label("New password").fill("correct horse")
        page.get_by_role("button", name="Change password").click()
        expect(page.get_by_text("Password changed")).to_be_visible()

        page.get_by_role("region", name="Signed-in browsers").get_by_role("button", name="Sign out", exact=True).click()
        expect(page.get_by_text("You play as a guest")).to_be_visible()
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.get_by_text("Ada-1")).to_be_visible()

        other.goto("/me")
        other.get_by_label("Account").fill("Ada-1")
        other.get_by_label("Password").fill("correct horse")
        other.get_by_role("button", name="Sign in", exact=True).click()
        expect(other.get_by_text("Ada-1")).to_be_visible()
        page.reload()
        browsers = page.get_by_role("region", name="Signed-in browsers")
        expect(browsers.get_by_role("listitem")).to_have_count(2)
        browsers.get_by_role("button", name=re.compile("Sign out: ")).click()
        expect(browsers.get_by_role("listitem")).to_have_count(1)
        keys.get_by_role("button", name=re.compile("Remove")).click()
        expect(keys.get_by_role("listitem")).to_have_count(0)
        page.get_by_role("button", name="Delete my account").click()
        page.get_by_role("textbox", name="Password", exact=True).fill("correct horse")
        page.get_by_role("button", name="Delete for good").click()
        expect(page.get_by_text("You play as a guest")).to_be_visible()


def test_quick_match_and_leaving_for_good(browser: Browser, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people seek the same game and are seated together, with a bot in the third chair; one removes the table from
    the list.
    """
    monkeypatch.setattr(matches, "PRESENT", 600_000)
    monkeypatch.setattr(server.tables, "settings", replace(server.tables.settings, quick_bots_after=3600.0))
    with visitor(browser, server) as ada, visitor(browser, server, (390, 844)) as bo:
        for page in (ada, bo):
            page.goto("/")
            panel = page.get_by_role("region", name="Quick match")
            panel.get_by_label("Game").select_option("big-three")
            with page.expect_response(re.compile("/api/quick$")):
                panel.get_by_role("button", name="Quick match").click()
            expect(panel.get_by_text("Looking for players")).to_be_visible()
        # A bot gets the remaining chair as soon as both are seated.
        monkeypatch.setattr(server.tables, "settings", replace(server.tables.settings, quick_bots_after=0.0))
        for page in (ada, bo):
            expect(page).to_have_url(re.compile(r"/t/[\w-]+$"))
        assert ada.url == bo.url
        expect(ada.locator("button[data-at]").first).to_be_visible()
        ada.goto("/")
        ada.get_by_role("button", name=re.compile("Remove from this list: Big Three")).click()
        accessible(ada, "the start page with a table to leave")
        ada.get_by_role("button", name="Leave for good").click()
        expect(ada.get_by_role("heading", name="Continue")).to_have_count(0)
        ada.reload()
        expect(ada.get_by_role("heading", name="Play with anybody")).to_be_visible()
        expect(ada.get_by_role("heading", name="Continue")).to_have_count(0)


@pytest.mark.slow
def test_a_review_together_with_what_could_be_known(browser: Browser, server: Served) -> None:
    """The leader's steps reach a follower, who leaves and returns; both verdicts are shown apart; habits are counted."""
    with visitor(browser, server) as ada, visitor(browser, server, (390, 844)) as bo:
        ada.goto("/")
        ada.get_by_role("button", name="Play: Big Three", exact=True).click()
        play_on(ada, "[role=dialog]")
        ada.get_by_role("link", name="Review").click()
        ada.get_by_role("button", name="Next move").click()
        ada.get_by_role("button", name="Watch together").click()
        link = ada.get_by_label("Link to watch with you").input_value()
        bo.goto(link)
        expect(bo.get_by_text("You follow Guest.")).to_be_visible()
        expect(bo.locator(".moves .here .n")).to_have_text("1")
        ada.get_by_role("button", name="Next move").click()
        expect(bo.locator(".moves .here .n")).to_have_text("2")
        bo.get_by_role("button", name="First move").click()
        ada.get_by_role("button", name="Next move").click()
        expect(ada.locator(".moves .here .n")).to_have_text("3")
        expect(bo.get_by_text("You are browsing on your own")).to_be_visible()
        expect(bo.locator(".moves .here .n")).to_have_count(0)
        bo.get_by_role("button", name="Back to Guest").click()
        expect(bo.locator(".moves .here .n")).to_have_text("3")

        accessible(ada, "a review that one leads")
        accessible(bo, "a review that one follows")

        ada.get_by_label("Your note").fill("too early")
        ada.get_by_label("Your note").blur()
        ada.get_by_role("button", name="Show the verdicts").click()
        expect(ada.get_by_text("Turning points")).to_be_visible()
        expect(bo.get_by_text("Turning points")).to_be_visible()
        expect(bo.get_by_text("You follow Guest.")).to_be_visible()
        # The first bid is a decision in every hand.
        ada.get_by_role("button", name="First move").click()
        ada.get_by_role("button", name="Next move").click()
        expect(ada.get_by_text(re.compile(r"Mean over \d+ deals"))).to_be_visible()
        accessible(ada, "a review with what could be known")
        with ada.expect_download() as download:
            ada.get_by_role("button", name="Picture").click()
        assert download.value.path().read_bytes().startswith(b"\x89PNG")

        ada.goto("/me")
        expect(ada.get_by_role("heading", name="Costliest habits")).to_be_visible()
        accessible(ada, "one's own page")
        ada.get_by_role("link", name=re.compile("Big Three.*with ")).click()
        ada.locator(".moves button").nth(2).click()
        expect(ada.get_by_label("Your note")).to_have_value("too early")


def test_a_note_is_on_the_move_where_it_was_begun(browser: Browser, server: Served) -> None:
    """Whoever writes stays there, while the hand plays and while a leader goes on, and loses nothing on another page."""
    written: list[object] = []
    sockets: list[WebSocketRoute] = []

    def lead(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.send(json.dumps(place))

    def keep(route: Route) -> None:
        if route.request.method != "POST":
            return route.fallback()
        written.append(route.request.post_data_json)
        return route.fulfill(json={"notes": [], "next": None})

    with visitor(browser, server) as page:
        review(page)
        page.route("**/notes", keep)
        note = page.get_by_label("Your note")

        def seq() -> int:
            return int(page.url.partition("move=")[2].partition("&")[0])

        page.get_by_role("button", name="Play through").click()
        note.fill("too early")
        here = seq()
        page.clock.fast_forward(10_000)
        expect(page.get_by_role("button", name="Play through")).to_be_visible()
        assert seq() == here
        with page.expect_response("**/notes"):
            note.blur()
        assert written.pop() == {"seq": here, "text": "too early"}

        # A note that is as before leaves the next one alone.
        note.fill("much too early")
        note.fill("too early")
        with page.expect_response("**/notes"):
            note.blur()
        written.clear()
        page.get_by_role("button", name="Next move").click()
        note.fill("better")
        with page.expect_response("**/notes"):
            note.blur()
        assert written.pop() == {"seq": seq(), "text": "better"}
        marks = page.locator(".moves button").filter(has_text="✎")
        expect(marks).to_have_count(2)
        note.fill("  ")
        with page.expect_response("**/notes"):
            note.blur()
        written.clear()
        expect(marks).to_have_count(1)
        expect(note).to_have_value("")
        here = seq()

        place = {"type": "place", "hand": "fixed", "leader": "Bo", "lead": False, "revision": 1, "seq": here}
        place |= {"moves": [], "shown": False}
        page.route_web_socket(re.compile("/ws/reviews/"), lead)
        page.goto(f"{page.url}&with=shared")
        expect(page.get_by_text("You follow Bo.")).to_be_visible()
        note.fill("too late")
        sockets[-1].send(json.dumps({**place, "leader": "Cy", "seq": None, "revision": 2}))
        expect(page.get_by_role("button", name="Back to Cy")).to_be_visible()
        assert seq() == here
        with page.expect_response("**/notes"):
            page.evaluate("history.pushState(null, '', '/me'); dispatchEvent(new PopStateEvent('popstate'))")
        assert written.pop() == {"seq": here, "text": "too late"}
