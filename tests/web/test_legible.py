"""Every page in every language, from the smallest phone to a very large screen: nothing is cut off, covered or too small."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from playwright.sync_api import Browser, Page
from tests.server.harness import Served
from tests.web.browsing import DESK, TONGUES, resized, upright, visitor
from tests.web.legible import legible
from tests.web.pages import AROUND, bidding, decided, goes_to, missed
from tests.web.states import STATES, advised, all_played, send_once, show, snapshot

pytestmark = [pytest.mark.browser, pytest.mark.full]

HANDHELD = (320, 568), (568, 320), (390, 844), (844, 390), (820, 1180)
"""Phones, upright and turned, and a tablet, for fingers."""
DESKS = (683, 384), (1366, 768), (2560, 1300)
"""A laptop at 200 % zoom and at 100 %, and a large screen, for a mouse."""
FELT = (*HANDHELD, (640, 360), (740, 360), (1024, 768), (1130, 700), DESK, *DESKS)
"""Sizes for a table with something over its felt."""

TABS = ("moves", "score", "chat", "rules", "settings")


def with_panel(tab: str) -> Callable[[Page], None]:
    """Opens a table with this panel over it."""

    def opened(page: Page) -> None:
        show(page, "chat")
        page.locator("nav button").first.click()
        page.locator(f"#tab-{tab}").click()
        page.locator("#panel-body").wait_for()

    return opened


def offline(name: str) -> Callable[[Page], None]:
    """Opens a table in this state, and then there is no network."""

    def opened(page: Page) -> None:
        show(page, name)
        page.context.set_offline(True)
        page.locator(".lost").wait_for()

    return opened


SETTINGS = {"daily_preset": "big-three-4p"}
"""Its game of the day is the same on every day."""


PAGES: dict[str, Callable[[Page], None]] = {
    "start": goes_to("/", "article"),
    "puzzle": AROUND["puzzle"],
    "bidding": bidding,
    "decided": decided,
    "missed-four": lambda page: missed(page, players=4),
    "step": goes_to("/learn/big-two", "[data-do=next]"),
    "practice": goes_to("/learn/winner/practice", "button[data-at]"),
    "clauses": goes_to("/rules/big-three", "[data-clause]"),
    **{path: goes_to(f"/{path}", "main, form") for path in ("events", "groups", "me", "ladder", "notifications")},
    **{name: lambda page, name=name: show(page, name) for name in STATES},  # type: ignore[misc]
    **{f"panel: {tab}": with_panel(tab) for tab in TABS},
    **{name: AROUND[name] for name in ("review", "profile", "player", "lobby", "shelf", "puzzles", "personal-link")},
}
OVERLAID: dict[str, Callable[[Page], None]] = {
    **{name: lambda page, name=name: show(page, name) for name in ("outbid", "again", "call", "crowd")},  # type: ignore[misc]
    "offered": lambda page: show(page, "offered"),
    "last": lambda page: show(page, "last"),
    "failed": lambda page: show(page, "failed"),
    "advised": lambda page: advised(page, "play"),
    **{f"offline: {name}": offline(name) for name in ("offered", "play", "spectator", "call")},
}
ENGLISH = ("settings", "options", "friends", "reviewed", "line", "lesson-wrong", "missed", "missing", "no-table", "down")
"""Pages that are opened by their English words."""

CASES = [*product(PAGES, TONGUES), *((name, "en-GB") for name in ENGLISH)]


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize(("name", "locale"), [*product(OVERLAID, ["en-GB", "fr-FR", "zh-TW"])])
def test_nothing_of_the_game_is_covered(browser: Browser, server: Served, name: str, locale: str) -> None:
    """By the cards to call, an offer, advice, or that the connection is lost; and long words fit beside the commands."""
    with visitor(browser, server, FELT[0], locale=locale) as page:
        OVERLAID[name](page)
        for size in FELT:
            resized(page, *size)
            legible(page, f"{name} at {size[0]} × {size[1]}, {locale}", touch=size in HANDHELD)


@pytest.mark.parametrize("name", ["failed", "chat"])
def test_long_tags_and_a_kitty_fit_on_every_stage(browser: Browser, server: Served, name: str) -> None:
    with visitor(browser, server, FELT[0], locale="fr-FR") as page:
        show(page, name)
        for size in FELT:
            resized(page, *size)
            legible(page, f"{name} at {size[0]} × {size[1]}", touch=size in HANDHELD)


@pytest.mark.sampled(1, 3)
@pytest.mark.parametrize("name", ["long-4", "long-5", "long-6", "long-7", "long-8", "watched"])
def test_a_play_covers_no_seat(browser: Browser, server: Served, name: str) -> None:
    """A play of many cards, with any number of players, also if everybody has made one, and each rank of it can be read;
    and the seat of the player who is watched is on the stage.
    """
    for message in (snapshot(name), all_played(name)):
        with visitor(browser, server, FELT[0]) as page:
            send_once(page, message)
            page.goto("/t/fixed")
            page.locator(".me, .watching").first.wait_for()
            for size in (*FELT, (360, 640), (430, 932), (667, 375)):
                resized(page, *size)
                legible(page, f"{name} at {size[0]} × {size[1]}", touch=size in HANDHELD)


@pytest.mark.sampled(1, 5)
@pytest.mark.parametrize(("name", "locale"), CASES)
def test_nothing_is_cut_off(browser: Browser, server: Served, name: str, locale: str) -> None:
    with visitor(browser, server, HANDHELD[0], locale=locale) as page:
        (PAGES.get(name) or AROUND[name])(page)
        page.wait_for_load_state("networkidle")
        for size in (*HANDHELD, *DESKS):
            resized(page, *size)
            where = f"{name} at {size[0]} × {size[1]}, {locale}"
            legible(page, where, touch=size in HANDHELD)
            upright(page, where)
