"""The page for moderators: reports, bans of players and networks, blocked words, the audit log, in each language."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.harness import Served, fast, ok, served
from tests.server.test_moderation import Talk, appointed
from tests.web.browsing import DESK, PHONE, TONGUES, Held, accessible, built, catalogue, upright, visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    built()
    with served(fast(tmp_path_factory.mktemp("moderation"), chat_rate=100.0, chat_burst=100)) as running:
        yield running


def as_moderator(page: Page, server: Served) -> None:
    """Sign the browser in as a moderator, who is made in a thread: Playwright's own loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        player = pool.submit(appointed, server).result()
    page.context.add_cookies(
        [{"name": name, "value": value, "url": player.server.address} for name, value in player.http.cookies.items()]
    )


def test_a_moderator_works_through_the_queue(browser: Browser, server: Served) -> None:
    talk = Talk(server)
    talk.report()
    talk.report()
    with visitor(browser, server, DESK) as page:
        page.goto("/moderation")
        expect(page.get_by_text("Only moderators may do that")).to_be_visible()
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)
        as_moderator(page, server)
        page.goto("/me")
        page.get_by_role("link", name="Page for moderators").click()
        reports = page.get_by_role("region", name="Reports")
        expect(reports).to_contain_text("2 open reports")
        expect(reports.get_by_role("listitem").first).to_contain_text("you are bad")
        reports.get_by_role("button", name="Mute").first.click()
        expect(reports).to_contain_text("1 open report")
        assert talk.say("again").status_code == 403
        reports.get_by_role("button", name="Dismiss").click()
        expect(reports).to_contain_text("No open reports")
        people = page.get_by_role("region", name="Muted and banned players")
        expect(people).to_contain_text("Rude")
        people.get_by_role("button", name="Unmute").click()
        expect(people).to_contain_text("Nobody is muted or banned")
        assert talk.say("sorry").status_code == 200
        people.get_by_label("Account name or player id").fill("nobody here")
        people.get_by_role("button", name="Ban").click()
        people.get_by_role("button", name="Yes, ban").click()
        expect(people.get_by_role("alert")).to_contain_text("There is no such player")
        expect(people.get_by_role("alert")).to_be_in_viewport()
        expect(people.get_by_role("button", name="Ban")).to_be_focused()
        people.get_by_label("Account name or player id").fill(talk.id)
        people.get_by_role("button", name="Ban").click()
        people.get_by_role("button", name="Yes, ban").click()
        expect(people.get_by_role("button", name="Unban")).to_be_visible()
        expect(people.get_by_role("heading")).to_be_focused()
        assert talk.rude.http.get("/api/me").status_code == 403
        log = page.get_by_role("region", name="Audit log").get_by_role("listitem")
        done = ("banned {}", "unmuted {}", "dismissed a report against {}", "muted {} for 24 hours")
        for number, one in enumerate(done):
            expect(log.nth(number)).to_contain_text(f"Mona {one.format(talk.id)}")
        expect(log.last).to_contain_text("The host made Mona a moderator")


def test_a_second_enter_answers_nothing(browser: Browser, server: Served) -> None:
    talk = Talk(server)
    for _ in range(3):
        talk.report()
    with visitor(browser, server, DESK) as page:
        as_moderator(page, server)
        page.goto("/moderation")
        reports = page.get_by_role("region", name="Reports")
        reports.get_by_role("button", name="Ban").first.focus()
        page.keyboard.press("Enter")
        expect(reports.get_by_role("button", name="No", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        expect(reports.get_by_role("button", name="Ban").first).to_be_focused()
        expect(reports).to_contain_text("3 open reports")
        reports.get_by_role("button", name="Dismiss").first.focus()
        page.keyboard.press("Enter")
        expect(reports).to_contain_text("2 open reports")
        page.keyboard.press("Enter")
        reports.get_by_role("button", name="Ban").first.click()
        reports.get_by_role("button", name="Yes, ban").click()
        expect(reports).to_contain_text("1 open report")
        assert talk.rude.http.get("/api/me").status_code == 403


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize(("locale", "size"), [("fr-FR", PHONE), ("zh-CN", (320, 568)), ("zh-TW", (844, 390))])
def test_networks_and_words_in_each_language(
    browser: Browser, server: Served, locale: str, size: tuple[int, int]
) -> None:
    words = catalogue(TONGUES[locale])
    talk = Talk(server)
    talk.report()
    with visitor(browser, server, size, locale=locale) as page:
        as_moderator(page, server)
        page.goto("/moderation")
        networks = page.get_by_role("region", name=words["moderation.networks"])
        networks.get_by_label(words["moderation.network"]).fill("198.51.100.7/24")
        networks.get_by_role("button", name=words["moderation.ban"]).click()
        networks.get_by_role("button", name=words["moderation.sure.yes"]).click()
        expect(networks.get_by_role("listitem")).to_contain_text("198.51.100.0/24")
        expect(networks.get_by_role("heading")).to_be_focused()
        refused = page.get_by_role("region", name=words["moderation.words"])
        refused.get_by_label(words["moderation.language"]).fill("zh")
        refused.get_by_label(words["moderation.words.some"]).fill("笨蛋\n坏蛋")
        refused.get_by_role("button", name=words["moderation.words.add"]).click()
        expect(refused.get_by_text("zh (2)")).to_be_visible()
        expect(refused.get_by_role("heading")).to_be_focused()
        assert [talk.say(text).status_code for text in ("你是笨 蛋", "hello")] == [403, 200]
        refused.get_by_text("zh (2)").click()
        accessible(page, "moderation")
        upright(page, "moderation")
        log = page.get_by_role("region", name=words["moderation.audit"])
        expect(log.get_by_role("listitem").first).to_contain_text("坏蛋, 笨蛋")
        banned = log.get_by_role("listitem").nth(1)
        expect(banned).to_contain_text("198.51.100.0/24")
        expect(banned).to_contain_text("7")
        expect(log.get_by_role("listitem").last).to_contain_text(words["moderation.host"])
        expect(log).not_to_contain_text("days")
        assert len(ok(server.players[-1].http.get("/api/moderation"))["networks"]) == 1


def test_a_report_from_a_groups_chat_leads_nowhere(browser: Browser, server: Served) -> None:
    """Only members read a group: the audit log linked to a table with the group's id."""
    host, member = server.player(), server.player()
    for player, name in ((host, "Hanna"), (member, "Moritz")):
        ok(player.http.post("/api/account", json={"name": name, "password": "correct horse battery"}))
    group = ok(host.http.post("/api/groups", json={"name": "Club"}))
    at = f"/api/groups/{group['id']}"
    ok(member.http.post(f"/api{group['link']}"))
    line = ok(member.http.post(f"{at}/chat", json={"text": "you are bad"}))["lines"][-1]["id"]
    ok(host.http.post(f"{at}/report", json={"line": line}))
    with visitor(browser, server, DESK) as page:
        as_moderator(page, server)
        page.goto("/moderation")
        reports, log = (page.get_by_role("region", name=name) for name in ("Reports", "Audit log"))
        expect(reports.get_by_role("listitem")).to_contain_text("Chat")
        reports.get_by_role("button", name="Dismiss").click()
        expect(log.get_by_role("listitem").first).to_contain_text("Chat")
        expect(log.get_by_role("link")).to_have_count(0)


def test_a_second_click_answers_nothing(browser: Browser, server: Served) -> None:
    """The server refused it, since the report had been dismissed."""
    Talk(server).report()
    with visitor(browser, server, DESK) as page:
        as_moderator(page, server)
        page.goto("/moderation")
        reports = page.get_by_role("region", name="Reports")
        dismiss = reports.get_by_role("button", name="Dismiss")
        expect(dismiss).to_be_visible()  # the page has read the reports, so only the answer to the click is held
        held = Held(page, "**/api/moderation")
        dismiss.dblclick()
        held.arrive()
        expect(reports.get_by_role("listitem")).to_have_count(0)
        expect(reports.get_by_role("alert")).to_have_count(0)
