"""Notifications in the browser: switches, quiet hours, e-mails, and a message from the service worker; in each language."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.server.harness import SECONDS, Served, fast, served
from tests.server.receivers import PostOffice, PushService, link_in, mail_by, post_office, push_service
from tests.web.browsing import (
    PATIENCE,
    TONGUES,
    accessible,
    account,
    built,
    catalogue,
    in_each_language,
    upright,
    visitor,
)

from dasan.server.times import HOUR

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture(scope="module")
def office() -> Iterator[PostOffice]:
    with post_office() as running:
        yield running


@pytest.fixture(scope="module")
def service() -> Iterator[PushService]:
    with push_service() as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, office: PostOffice) -> Iterator[Served]:
    built()
    settings = fast(
        tmp_path_factory.mktemp("notifications"),
        push_private=1,
        **mail_by(office),
        sign_in_burst=1000,
    )
    with served(settings) as running:
        yield running


@pytest.mark.sampled(1, 2)
@in_each_language
def test_a_player_chooses_what_to_be_told_and_confirms_an_address(
    browser: Browser, server: Served, office: PostOffice, locale: str, size: tuple[int, int]
) -> None:
    tongue = TONGUES[locale]
    words = catalogue(tongue)
    with visitor(browser, server, size, locale=locale) as page:
        page.goto("/notifications")
        expect(page.get_by_role("link", name=words["friends.account.open"])).to_be_visible()
        account(page, f"Ada-{tongue}")
        page.goto("/me")
        page.get_by_role("link", name=words["notify.title"]).press("Enter")
        expect(page.get_by_role("heading", name=words["notify.title"], exact=True)).to_be_visible()
        page.get_by_label(words["notify.invitation"]).press("Space")
        expect(page.get_by_role("status").filter(has_text=words["notify.saved"])).to_be_visible()
        page.get_by_label(words["notify.quiet.on"]).press("Space")
        page.get_by_label(words["notify.quiet.from"], exact=True).fill("23:30")
        page.get_by_label(words["notify.quiet.until"], exact=True).fill("07:15")
        page.get_by_label(words["notify.quiet.until"], exact=True).blur()
        accessible(page, "notifications")
        upright(page, "notifications")
        before = len(office.letters)
        width = page.get_by_label(words["notify.mail.address"]).evaluate("field => field.clientWidth")
        assert width > 220, "an address does not fit into the field"
        page.get_by_label(words["notify.mail.address"]).fill(f"ada-{tongue}@mail.example")
        page.get_by_label(words["notify.mail.address"]).press("Enter")
        expect(page.get_by_role("button", name=words["notify.mail.stop"])).to_be_visible()
        letter = office.wait(before + 1)
        assert letter["Content-Language"] == tongue
        page.reload()
        expect(page.get_by_label(words["notify.invitation"])).not_to_be_checked()
        expect(page.get_by_label(words["notify.quiet.from"], exact=True)).to_have_value("23:30")
        expect(page.get_by_label(words["notify.quiet.until"], exact=True)).to_have_value("07:15")
        page.goto(f"/letters/{link_in(letter)}")
        accessible(page, "the link of a letter")
        page.get_by_role("button", name=words["letters.confirm"]).press("Enter")
        expect(page.get_by_text(words["letters.confirmed"])).to_be_visible()
        page.get_by_role("button", name=words["notify.mail.stop"]).click()
        expect(page.get_by_text(words["letters.stopped"])).to_be_visible()


def test_a_reminder_that_would_reach_the_player_nowhere_says_so(
    browser: Browser, server: Served, service: PushService
) -> None:
    words = catalogue("en")
    event = server.player().open_event(after=HOUR)

    with visitor(browser, server) as page:
        account(page, "Ada-reminded")
        page.goto(f"/events/{event}")
        remind = page.get_by_role("button", name=words["duplicate.remind"])
        remind.click()
        expect(page.get_by_role("alert")).to_have_text(words["duplicate.remind.nowhere"])
        remind.click()
        expect(page.get_by_role("alert")).to_have_count(0)
        assert page.request.post("/api/notifications/browsers", data=service.browser().subscription()).ok
        remind.click()
        expect(remind).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("alert")).to_have_count(0)


def test_a_refused_change_is_taken_back(browser: Browser, server: Served) -> None:
    words = catalogue("en")
    with visitor(browser, server) as page:
        account(page, "Ada-refused")
        page.goto("/notifications")
        turn, night = page.get_by_label(words["notify.turn"]), page.get_by_label(words["notify.quiet.on"])
        expect(turn).to_be_checked()
        refusal = {"code": "unavailable", "clause": None, "message": "", "wording": None}
        page.route("**/api/notifications", lambda route: route.fulfill(status=503, json=refusal))
        turn.press("Space")
        expect(page.get_by_role("alert")).to_be_visible()
        expect(turn).to_be_checked()
        night.press("Space")
        expect(page.get_by_label(words["notify.quiet.from"], exact=True)).to_have_count(0)
        expect(night).not_to_be_checked()
        page.unroute("**/api/notifications")
        night.press("Space")
        expect(page.get_by_role("status").filter(has_text=words["notify.saved"])).to_be_visible()
        page.reload()
        expect(turn).to_be_checked()
        expect(night).to_be_checked()


SUBSCRIBE = """subscription => {
  let made = null;
  PushManager.prototype.subscribe = async (options) => {
    if (options.applicationServerKey.length !== 87) throw new DOMException('no key');
    const plain = atob(options.applicationServerKey.replaceAll('-', '+').replaceAll('_', '/'));
    const key = Uint8Array.from(plain, (c) => c.charCodeAt(0));
    made = {
      endpoint: subscription.endpoint,
      options: {applicationServerKey: key.buffer},
      toJSON: () => subscription,
      unsubscribe: async () => { made = null; return true; },
    };
    return made;
  };
  PushManager.prototype.getSubscription = async () => made;
}"""
"""Replaces the browser's push service, which is on the Internet, by one of this machine."""


WATCH = """() => {
  self.shown = [];
  self.opened = [];
  self.registration.showNotification = async (title, {body, tag, data}) => self.shown.push({title, body, tag, ...data});
  self.clients.openWindow = async (url) => self.opened.push(url);
}"""
"""In the service worker: records the notifications and pages that it would open, because a headless browser shows none."""
PRESS = """path => {
  const event = new Event('notificationclick');
  event.notification = {close: () => undefined, data: {path}};
  event.waitUntil = (work) => work;
  self.dispatchEvent(event);
}"""


def test_the_service_worker_shows_a_message_and_opens_its_table(
    browser: Browser, server: Served, service: PushService
) -> None:
    words = catalogue("en")
    subscribed = service.browser()
    context = browser.new_context(base_url=server.address, locale="en-GB", permissions=["notifications"])
    context.set_default_timeout(PATIENCE)
    context.add_init_script(f"({SUBSCRIBE})({json.dumps(subscribed.subscription())})")
    page = context.new_page()
    account(page, "Bob")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto("/notifications")
    page.get_by_role("button", name=words["notify.browser.on"]).click()
    expect(page.get_by_text(re.compile(words["account.this"]))).to_be_visible()
    accessible(page, "a browser that is told")

    with visitor(browser, server) as ada:
        account(ada, "Ada-host")
        for one, name in ((ada, "Bob"), (page, "Ada-host")):
            one.request.post(f"/api/friends/{name}/follow")
        ada.goto("/friends")
        ada.get_by_role("button", name=re.compile(f"^{words['friends.invite']}.*Bob$")).click()
        expect(ada).to_have_url(re.compile(r"/t/[\w-]+$"))
        table = ada.url.rpartition("/")[2]
        ((_, _, body),) = service.wait(1)
    message = subscribed.read(body)
    assert message["path"] == f"/t/{table}"

    (worker,) = context.service_workers
    worker.evaluate(WATCH)
    session = context.new_cdp_session(page)
    registrations: list[dict[str, str]] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    end = time.monotonic() + SECONDS
    while not registrations:
        assert time.monotonic() < end
        page.wait_for_timeout(20)
    session.send(
        "ServiceWorker.deliverPushMessage",
        {
            "origin": server.address,
            "registrationId": registrations[0]["registrationId"],
            "data": json.dumps(message, ensure_ascii=False),
        },
    )
    while not (shown := worker.evaluate("self.shown")):
        assert time.monotonic() < end
        page.wait_for_timeout(20)
    assert shown == [{key: message[key] for key in ("title", "body", "tag", "path")}]
    for path in ("https://elsewhere.example/t/x", message["path"]):
        worker.evaluate(PRESS, path)
    while not (opened := worker.evaluate("self.opened")):
        assert time.monotonic() < end
        page.wait_for_timeout(20)
    assert opened == [f"{server.address}{message['path']}"], "no page of another site"
    page.get_by_role("button", name=re.compile(f"^{words['account.remove']}")).click()
    expect(page.get_by_role("button", name=words["notify.browser.on"])).to_be_visible()
    page.get_by_role("button", name=words["notify.browser.on"]).click()
    expect(page.get_by_text(re.compile(words["account.this"]))).to_be_visible()
    # The server's key has changed since: push services would refuse its messages.
    page.evaluate("PushManager.prototype.getSubscription().then((own) => { own.options.applicationServerKey = null; })")
    page.get_by_role("link", name=words["table.home"]).click()
    page.go_back()
    expect(page.get_by_role("button", name=words["notify.browser.on"])).to_be_visible()
    removing = page.get_by_role("button", name=re.compile(f"^{words['account.remove']}"))
    removing.click()
    expect(removing).to_have_count(0)
    assert page.evaluate("PushManager.prototype.getSubscription()") is None
    context.close()
