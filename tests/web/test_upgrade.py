"""A tab opened before the server got a newer version of the page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.harness import fast, served

from dasan.server.settings import Settings

from .browsing import PATIENCE, awaited, built

pytestmark = pytest.mark.full


def upgrade(site: Path, *names: str) -> None:
    """Rename the built page's files with this prefix, and its start script, as another build would."""
    renamed = {
        path.name: re.sub(r"-[\w-]{8}\.", "-NEWBUILD.", path.name)
        for name in ("index", *names)
        for path in site.glob(f"assets/{name}-*.js")
    }
    assert len(renamed) == 1 + len(names)
    for path in [*site.glob("assets/*.js"), site / "index.html", site / "files.json"]:
        text = path.read_text(encoding="utf-8")
        for old, new in renamed.items():
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        if path.name in renamed:
            path.rename(path.with_name(renamed[path.name]))


CACHED = """async () => {
  const cache = await caches.open((await caches.keys())[0]);
  return (await cache.keys()).map((request) => new URL(request.url).pathname);
}"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A copy of the built page."""
    built()
    return Path(shutil.copytree(Settings().static_dir, tmp_path / "site"))


def test_a_tab_from_before_an_upgrade_loads_the_page_anew_once(browser: Browser, site: Path, tmp_path: Path) -> None:
    with served(fast(tmp_path / "data", static_dir=site)) as server:
        context = browser.new_context(base_url=server.address, locale="en-GB")
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto("/")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        old = next(path for path in page.evaluate(CACHED) if "/assets/index-" in path and path.endswith(".js"))

        upgrade(site, "RulesPage")
        loads = _loads(page)
        page.locator('a[href^="/rules/"]').first.click()
        expect(page.locator("[data-clause]").first).to_be_visible()
        assert len(loads) == 1, loads

        # Files that the new version does not name are dropped.
        awaited(page, f"({CACHED})().then((paths) => !paths.includes({old!r}))")
        assert {path for path in page.evaluate(CACHED) if "NEWBUILD" in path} >= {"/assets/RulesPage-NEWBUILD.js"}

        # A file missing from the running version is reported after one reload, in which it may have come.
        page.goto("/")
        expect(page.locator("article").first).to_be_visible()
        next(site.glob("assets/PuzzlePage-*.js")).unlink()
        loads.clear()
        page.locator('a[href="/puzzles"]').first.click()
        expect(page.get_by_text("There is no such page.")).to_be_visible()
        assert len(loads) == 1, loads
        context.close()


def _loads(page: Page) -> list[str]:
    """The documents that a page loads from now on."""
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url) if request.is_navigation_request() else None)
    return loads
