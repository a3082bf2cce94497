"""What the page keeps for a time without a connection, and what cannot be loaded."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.server.harness import Served
from tests.web.browsing import (
    PATIENCE,
    TONGUES,
    accessible,
    awaited,
    catalogue,
    visitor,
)

pytestmark = [pytest.mark.browser, pytest.mark.full]


def kept(part: str) -> str:
    """JavaScript: whether the page loaded files with `part` in their addresses, and would have them without a connection."""
    return f"""async () => {{
      await document.fonts.ready;
      const loaded = performance.getEntriesByType('resource').filter(({{name}}) => name.includes('{part}'));
      return loaded.length > 0 && (await Promise.all(loaded.map(({{name}}) => caches.match(name)))).every(Boolean);
    }}"""


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("locale", ["fr-FR", "en-GB"])
def test_without_a_connection(browser: Browser, server: Served, locale: str) -> None:
    """After one visit the page opens in the reader's language although the server cannot be reached, and says so."""
    words = catalogue(TONGUES[locale])
    context = browser.new_context(base_url=server.address, locale=locale)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto("/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    awaited(page, kept("/assets/"))
    context.set_offline(True)
    page.goto("/puzzles-of-nowhere")
    expect(page.get_by_text(words["page.missing"])).to_be_visible()
    expect(page.get_by_text(words["net.offline"])).to_be_visible()
    accessible(page, "no connection")
    # A page that was never loaded.
    page.goto("/puzzles")
    expect(page.get_by_role("heading", name=words["start.unreachable"])).to_be_visible()
    # A window that is not private may install the page.
    wrong = context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {one["errorId"] for one in wrong} <= {"in-incognito"}
    # The connection returns: the page loads by itself what it could not, and goes on.
    context.set_offline(False)
    expect(page.get_by_text(words["net.offline"])).to_have_count(0)
    expect(page.get_by_role("heading", name=words["puzzle.title"])).to_be_visible()
    page.locator('a[href="/"]').first.click()
    expect(page.locator("article").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("away", ["**/api/**", "**/api/tables"])
def test_the_start_page_is_read_again_once_the_server_is_back(browser: Browser, server: Served, away: str) -> None:
    words = catalogue("en")
    with visitor(browser, server) as page:
        page.route(away, lambda route: route.abort())
        asked: list[str] = []
        page.on("request", lambda request: asked.append(urlsplit(request.url).path))
        page.goto("/")
        expect(page.get_by_text(words["start.unreachable"])).to_be_visible()
        first = len(asked)
        page.unroute(away)
        page.clock.fast_forward(9000)
        expect(page.locator("article").first).to_be_visible()
        expect(page.get_by_text(words["duplicate.daily"])).to_be_visible()
        expect(page.get_by_text(words["start.unreachable"])).to_have_count(0)
        # Only what is missing is read again.
        assert ("/api/presets" in asked[first:]) == (away == "**/api/**")


def test_the_start_page_says_why_it_is_refused(browser: Browser, server: Served) -> None:
    """It told a banned player that the server does not answer."""
    refusal = {"code": "forbidden", "clause": None, "message": "banned", "wording": {"id": "banned", "values": {}}}
    with visitor(browser, server) as page:
        page.route("**/api/tables", lambda route: route.fulfill(status=403, json=refusal))
        page.goto("/")
        expect(page.get_by_text("The host of this server has banned this player")).to_be_visible()


def test_fonts_that_arrive_late_are_kept(browser: Browser, server: Served) -> None:
    """They were requested before the service worker took over, and arrive afterwards."""
    context = browser.new_context(base_url=server.address)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    held: list[Route] = []
    page.route("**/*.woff2", lambda route: held.append(route))
    page.goto("/", wait_until="commit")
    awaited(page, "navigator.serviceWorker.controller !== null")
    assert held
    for font in held:
        font.continue_()
    page.wait_for_load_state()
    awaited(page, kept(".woff2"))
    context.close()


def test_a_page_that_was_lost_on_the_way_is_loaded_again(browser: Browser, server: Served) -> None:
    with visitor(browser, server) as page:
        page.route(re.compile(r"/assets/EventsPage-.*\.js"), lambda route: route.abort(), times=1)
        page.goto("/events")
        expect(page.get_by_label("Title")).to_be_visible()


def test_a_language_that_cannot_be_loaded(browser: Browser, server: Served) -> None:
    """The page stays in its language, and gives the reason."""
    with visitor(browser, server) as page:
        page.goto("/")
        page.get_by_role("button", name="Settings").click()
        language = page.get_by_label("Language")
        page.route("**/assets/fr-*", lambda route: route.abort())
        language.select_option("fr")
        expect(page.get_by_role("alert")).to_have_text("This language could not be loaded.")
        expect(language).to_have_value("en")
        accessible(page, "a language that cannot be loaded")
        language.select_option("zh-Hans")
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
