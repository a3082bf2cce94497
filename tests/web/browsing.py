"""Helpers for the browser tests: which Chromium, whether the page is built, visitors, play by the first move, and axe."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route
from tests.server.harness import Remote

from dasan.server.settings import Settings

from .needs import missing

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
"""The accessibility checker: a development dependency of the page."""

TONGUES = {"en-GB": "en", "fr-FR": "fr", "zh-CN": "zh-Hans", "zh-TW": "zh-Hant"}
"""Each language of the page, by the browser's language setting."""

PATIENCE = 60_000
"""The time limit in milliseconds for anything on a busy machine."""
DESK, PHONE = (1440, 900), (390, 844)
"""Sizes of the page."""
in_each_language = pytest.mark.parametrize(
    ("locale", "size"), [("en-GB", PHONE), ("fr-FR", DESK), ("zh-CN", (360, 640)), ("zh-TW", (844, 390))]
)
"""A test in each language, each at another size of the page."""

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]


PLAY_FIRST = """() => {
  const can = (selector) => {
    const found = document.querySelector(selector);
    if (!found || found.disabled || !found.checkVisibility()) return false;
    found.click();
    return true;
  };
  if (can('[data-do=skip]') || can('button[data-call]:not(:disabled)') || can('button.take')) return;
  if (can('[data-do=bid]:not(:disabled)')) return;
  if (can('[data-do=cycle]:not(:disabled)')) return void can('[data-do=play]:not(:disabled)');
  can('[data-do=pass]:not(:disabled)');
}"""
"""Does the first action that the page offers."""

TRY_PUZZLE = """() => {
  const first = (selector) => document.querySelector(selector);
  if (first('.verdict.wrong, .verdict.solved')) return;
  const ready = first('[data-do=play]:not(:disabled)') ?? first('[data-do=pass]:not(:disabled)');
  (ready ?? first('button[data-at][aria-pressed=false]'))?.click();
}"""
"""In a puzzle: plays the selected cards, else passes, else selects a card."""


CHROMIUMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
"""The headless shell first: it draws no window, and needs over a quarter less processor time."""


def chromium() -> str:
    """The browser's path: CHROMIUM, the headless shell, or another. Without one the tests are skipped, but never in CI."""
    wanted = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else CHROMIUMS
    executable = next(filter(None, map(shutil.which, wanted)), None)
    if executable is None:
        missing(f"no Chromium to test the page with (none of {', '.join(wanted)} is there; make chromium)")
    assert executable is not None
    return executable


def built() -> None:
    """Skip where the page is not built, but never in CI."""
    if not (Settings().static_dir / "index.html").is_file():
        missing("the web client is not built: pip install -e . builds it")


def accessible(page: Page, where: str) -> None:
    """Check that axe finds nothing in the current page, once it has its heading."""
    if not AXE.is_file():
        missing("axe is not installed (cd web && npm ci --ignore-scripts)")
    page.locator("h1").first.wait_for(state="attached")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    violations: list[dict[str, Any]] = page.evaluate(
        "rules => axe.run(document, {resultTypes: ['violations'], runOnly: {type: 'tag', values: rules}})"
        ".then(found => found.violations.map(v => ({id: v.id, nodes: v.nodes.map(n => n.html.slice(0, 200))})))",
        RULES,
    )
    assert not violations, f"{where}: {violations}"


def catalogue(tongue: str) -> dict[str, str]:
    """The texts of the page that are one sentence, without placeholders."""
    text = (AXE.parents[2] / "src" / "i18n" / f"{tongue}.json").read_text(encoding="utf-8")
    return {key: value for key, value in json.loads(text).items() if isinstance(value, str)}


@contextmanager
def visitor(
    browser: Browser,
    server: Remote,
    size: tuple[int, int] = DESK,
    locale: str = "en-GB",
    scheme: Literal["light", "dark"] = "light",
    motion: Literal["reduce", "no-preference"] = "reduce",
) -> Iterator[Page]:
    """A visitor with their own browser; any error in the page fails the test."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        locale=locale,
        color_scheme=scheme,
        reduced_motion=motion,
        base_url=server.address,
        service_workers="block",
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.clock.install()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        yield page
        assert not wrong
    finally:
        context.close()


def tries() -> Iterator[int]:
    """Count tries until time is up: four times PATIENCE, on any machine."""
    end = time.monotonic() + 4 * PATIENCE / 1000
    return itertools.takewhile(lambda _: time.monotonic() < end, itertools.count())


def awaited(page: Page, promise: str) -> None:
    """Wait until a promise holds, which ``wait_for_function`` takes for true before it is kept."""
    for _ in tries():
        if page.evaluate(promise):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"never: {promise}")


def play_on(page: Page, until: str) -> None:
    """Take the first action that the page offers until a selector matches."""
    for _ in tries():
        if page.locator(until).count():
            return
        page.evaluate(PLAY_FIRST)
        hurry(page)
    pytest.fail(f"{until} never came")


def hurry(page: Page) -> None:
    """Advance the clock of a visitor's page, which shows moves at a human pace."""
    page.clock.fast_forward(500)
    page.wait_for_timeout(20)


def answer(page: Page, move: str) -> None:
    """Make a move of a lesson or a puzzle: its cards by the keyboard, or its button."""
    words = move.split()
    if move == "pass":
        page.locator("[data-do=pass]").click()
    elif words[0] in ("bid", "call", "take"):
        bids = page.locator("[data-do=move]")
        (bids.filter(has_text=words[1]) if words[0] == "bid" else page.locator(f'[data-call="{words[1]}"]')).click()
    else:
        for card in words:
            page.locator(f'button[data-card="{card}"][aria-pressed=false]').first.press("Space")
        page.locator("[data-do=play]").click()


HANGS_OUT = """() => ['html', '.page', '.drawer', '#panel-body', 'dialog', 'dialog .body', '[role=dialog] .body', '.room .sheet']
  .flatMap((selector) => [...document.querySelectorAll(selector)].map((box) => [selector, box.scrollWidth - box.clientWidth]))
  .filter(([, wide]) => wide > 0)
  .map(([selector, wide]) => `${selector} by ${wide}`)"""


EMPTY = """() => document.scrollingElement.scrollHeight
  - Math.max(innerHeight, document.body.getBoundingClientRect().bottom + scrollY)"""
"""The pixels of empty space below the page."""


SETTLED = """async () => {
  const drawn = () =>
    new Promise((done) => new ResizeObserver((_, one) => done(one.disconnect())).observe(document.body));
  await document.fonts.ready;
  let [before, same] = [0, 0];
  while (same < 3) {
    await drawn();
    const now = document.body.innerHTML.length;
    same = now === before ? same + 1 : 0;
    before = now;
  }
}"""
"""Waits until the page is unchanged for three frames. A visitor's clock replaces ``requestAnimationFrame``."""


def resized(page: Page, width: int, height: int) -> None:
    """Give the window another size, and wait until the page is laid out for it."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("([wide, high]) => innerWidth === wide && innerHeight === high", arg=[width, height])
    page.evaluate(SETTLED)


def upright(page: Page, where: str) -> None:
    """Check that nothing overflows the page sideways, and that it ends where its content does."""
    wide = page.evaluate(HANGS_OUT)
    assert not wide, f"{where}: wider than the screen: {wide}"
    assert page.evaluate(EMPTY) <= 1, where


def account(page: Page, name: str) -> None:
    """Open an account in this browser."""
    page.goto("/")
    assert page.request.post("/api/account", data={"name": name, "password": "correct horse"}).status == 201


class Held:
    """Lets the server carry out the requests to an address, and holds back its answers."""

    def __init__(self, page: Page, address: str) -> None:
        self._page, self._address = page, address
        self._answers: list[tuple[Route, APIResponse]] = []
        page.route(address, lambda route: self._answers.append((route, route.fetch())))

    def asked(self) -> AbstractContextManager[object]:
        """Wait, at the end of the block, for a request to the address."""
        return self._page.expect_request(self._address)

    def arrive(self) -> None:
        """The held answers arrive."""
        for _ in range(500):  # the server may still be at the held request, though it has answered a later one
            if self._answers:
                break
            self._page.wait_for_timeout(10)
        assert self._answers
        for route, answer in self._answers:
            with self._page.expect_response(self._address):
                route.fulfill(response=answer)
        self._page.evaluate("new Promise(requestAnimationFrame)")
