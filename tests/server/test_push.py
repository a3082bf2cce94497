"""Web Push: which push services are accepted and reached, what their answers mean, and the signing key."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

import pytest

from dasan.server.notifications.push import LOOKUPS, Push, check_subscription, signing_pair
from dasan.server.refusals import Refused

from .harness import SECONDS
from .receivers import Browser, push_service


def test_only_public_push_services_are_accepted() -> None:
    keys = Browser("").subscription()["keys"]
    check_subscription("https://push.example.com/a?b=c", keys["p256dh"], keys["auth"])
    for endpoint in (
        "http://push.example.com/a",
        "https://localhost/a",
        "https://127.0.0.1/a",
        "https://[::1]/a",
        "https://10.1.2.3/a",
        "https://push.example.com:8443/a",
        "https://user@push.example.com/a",
        "https://push.internal/a",
        "https://push.example.com/" + "a" * 1024,
        "ftp://push.example.com/a",
        "https://push.example.com:x/",
    ):
        with pytest.raises(Refused, match="not an address of a push service"):
            check_subscription(endpoint, keys["p256dh"], keys["auth"])
    for p256dh, auth in ((keys["auth"], keys["auth"]), (keys["p256dh"], keys["p256dh"]), ("A" * 87, keys["auth"])):
        with pytest.raises(Refused):
            check_subscription("https://push.example.com/a", p256dh, auth)


@pytest.mark.full
async def test_a_name_that_leads_into_the_hosts_network_is_not_reached() -> None:
    with push_service() as service:
        port = service.address.rpartition(":")[2]
        browser = Browser(f"http://localhost:{port}/x")
        keys = browser.subscription()["keys"]
        for private, posted in ((False, 0), (True, 1)):
            sender = Push(signing_pair(b"k" * 32), "host@cards.example", private=private)
            answer = await sender.send(browser.endpoint, keys["p256dh"], keys["auth"], "topic", {"title": "x"})
            assert (answer.again, len(service.posted)) == (not private, posted)
            await sender.close()


async def test_what_a_push_service_answers_decides_what_follows() -> None:
    sender = Push(signing_pair(b"k" * 32), "host@cards.example", private=True)
    with push_service() as service:
        browser = service.browser()
        keys = browser.subscription()["keys"]
        service.statuses = [201, 403, 302, 410, 503]
        answers = [await sender.send(browser.endpoint, **keys, topic="t", message={}) for _ in range(5)]
        assert [one.refused for one in answers] == [0, 403, 302, 0, 0]
        assert [one.gone for one in answers] == [False, False, False, True, False]
        assert [one.again for one in answers] == [False, False, False, False, True]
    for nowhere in ("https://a..b/x", f"https://{'a' * 64}.example/x", "https://xn--.example/x"):
        assert (await sender.send(nowhere, **keys, topic="t", message={})).gone, nowhere
    await sender.close()


@pytest.mark.full
async def test_a_slow_name_server_does_not_stop_the_servers_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, begun, answers = asyncio.get_running_loop(), asyncio.Semaphore(0), threading.Event()

    def look_up(*_: object, **__: object) -> Any:
        loop.call_soon_threadsafe(begun.release)
        answers.wait(SECONDS)
        raise OSError("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    sender = Push(signing_pair(b"k" * 32), "host@cards.example")
    keys = Browser("").subscription()["keys"]
    most = 100
    sends = [
        asyncio.create_task(sender.send(f"https://{n}.example/", **keys, topic="t", message={})) for n in range(most)
    ]
    async with asyncio.timeout(SECONDS / 2):
        for _ in range(LOOKUPS):
            await begun.acquire()
        assert await asyncio.to_thread(lambda: 1) == 1
    answers.set()
    assert all(answer.again for answer in await asyncio.gather(*sends))
    await sender.close()


def test_the_signing_key_follows_from_the_secret() -> None:
    one, same, other = (signing_pair(secret).private_numbers() for secret in (b"a" * 32, b"a" * 32, b"b" * 32))
    assert one == same
    assert one != other
