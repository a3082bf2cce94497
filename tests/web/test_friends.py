"""Friends in the browser: follow each other, see who is here, invite to a table, block; in each language."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.harness import Served, fast, served
from tests.web.browsing import DESK, PHONE, TONGUES, accessible, built, catalogue, upright, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    built()
    with served(fast(tmp_path_factory.mktemp("friends"))) as running:
        yield running


def account(page: Page, name: str) -> None:
    """Open an account in this browser."""
    page.goto("/")
    status = page.evaluate(
        """name => fetch('/api/account', {method: 'POST', headers: {'content-type': 'application/json'},
           body: JSON.stringify({name, password: 'correct horse'})}).then(answer => answer.status)""",
        name,
    )
    assert status == 201


@pytest.mark.parametrize(
    ("locale", "size"), [("en-GB", PHONE), ("fr-FR", DESK), ("zh-CN", (360, 640)), ("zh-TW", (844, 390))]
)
def test_two_become_friends_and_sit_down_together(
    browser: Browser, server: Served, locale: str, size: tuple[int, int]
) -> None:
    words = catalogue(TONGUES[locale])
    first, second = f"Ada-{TONGUES[locale]}", f"Bob-{TONGUES[locale]}"
    with visitor(browser, server, size, locale=locale) as ada, visitor(browser, server, DESK, locale=locale) as bo:
        ada.goto("/friends")
        expect(ada.get_by_role("link", name=words["friends.account.open"])).to_be_visible()
        accessible(ada, "friends of a guest")
        account(ada, first)
        account(bo, second)
        ada.get_by_role("link", name=words["friends.title"], exact=True).click()
        ada.get_by_label(words["friends.name"]).fill(second)
        ada.keyboard.press("Enter")
        expect(ada.get_by_text(words["friends.pending"])).to_be_visible()
        bo.goto(f"/players/{first}")
        bo.get_by_role("button", name=words["friends.follow"], exact=True).click()
        expect(bo.get_by_role("button", name=words["friends.unfollow"], exact=True)).to_be_visible()
        accessible(bo, "a profile to follow")
        ada.reload()
        expect(ada.get_by_text(words["friends.here"], exact=True)).to_be_visible()
        accessible(ada, "friends")
        upright(ada, "friends")
        ada.get_by_role("button", name=re.compile(f"^{words['friends.invite']}.*{second}$")).click()
        expect(ada).to_have_url(re.compile(r"/t/[\w-]+$"))
        expect(ada.get_by_role("button", name=re.compile(f"{second}.*{words['friends.invited']}"))).to_be_disabled()
        accessible(ada, "a table to invite to")
        bo.goto("/")
        expect(bo.get_by_role("heading", name=words["friends.invitations"])).to_be_visible()
        accessible(bo, "the start page with an invitation")
        bo.get_by_role("link", name=words["friends.go"]).click()
        bo.get_by_role("button", name=words["join.sit"]).click()
        expect(ada.get_by_text(second).first).to_be_visible()
        bo.goto(f"/players/{first}")
        bo.get_by_role("button", name=words["friends.block"], exact=True).click()
        bo.get_by_role("button", name=words["friends.block.sure"]).click()
        expect(bo.get_by_role("button", name=words["friends.unblock"])).to_be_visible()
        ada.goto("/friends")
        expect(ada.get_by_text(words["friends.none"])).to_be_visible()
