"""What the browser tests share: which Chromium, a server with the built page, and axe."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from dasan.server.settings import Settings

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
"""The accessibility checker: a development dependency of the page."""

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]


def chromium() -> str:
    """The browser's path: CHROMIUM, or Debian's. Without one the tests are skipped, but never in CI."""
    wanted = os.environ.get("CHROMIUM") or "chromium"
    found = shutil.which(wanted) or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        _without(f"no Chromium to test the page with ({wanted} is not there; apt-get install chromium)")
    assert found is not None
    return found


def built() -> None:
    """Skip where the page is not built, but never in CI."""
    if not (Settings().static_dir / "index.html").is_file():
        _without("the web client is not built: pip install -e . builds it")


def accessible(page: Page, where: str) -> None:
    """Axe finds nothing in what the page shows now."""
    if not AXE.is_file():
        _without("axe is not installed (cd web && npm ci --ignore-scripts)")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(
        "rules => axe.run(document, {resultTypes: ['violations'], runOnly: {type: 'tag', values: rules}})"
        ".then(found => found.violations.map(v => ({id: v.id, nodes: v.nodes.map(n => n.html.slice(0, 200))})))",
        RULES,
    )
    assert not found, f"{where}: {found}"


def _without(message: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
