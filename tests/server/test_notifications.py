"""Notifications: the outbox, Web Push to a push service that decrypts messages, e-mails to an SMTP server, and quiet hours."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import sqlite3
import threading
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
import sqlalchemy as sa
from aiosmtpd.controller import Controller
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from dasan.server.notifications import push, sending
from dasan.server.notifications.push import Push, check_subscription, signing_pair
from dasan.server.notifications.words import LANGUAGES, TEXTS
from dasan.server.refusals import Refused
from dasan.server.store import Store, notifications
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.notifications import Subscription, Wishes, put_out
from dasan.server.store.schema import players

from .conftest import Opened
from .harness import SECONDS, Player, Serve, Served
from .test_every_store import open_table
from .test_friends import account, ok, refusal, towards
from .test_kill import process

NOON = 1_764_158_400_000
"""26 November 2025, 12:00 UTC."""


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Browser:
    """A browser with a push subscription, and the messages that it has received, decrypted by RFC 8291."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = b"sixteen bytes..."

    @property
    def point(self) -> bytes:
        form = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        return self.key.public_key().public_bytes(*form)

    def subscription(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint, "keys": {"p256dh": encoded(self.point), "auth": encoded(self.auth)}}

    def read(self, body: bytes) -> dict[str, Any]:
        def derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
            return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)

        salt, size, theirs, rest = body[:16], body[20], body[21:86], body[86:]
        assert size == 65
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs))
        keying = derived(shared, self.auth, b"WebPush: info\0" + self.point + theirs, 32)
        key = derived(keying, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derived(keying, salt, b"Content-Encoding: nonce\0", 12)
        plain = AESGCM(key).decrypt(nonce, rest, None)
        assert plain.endswith(b"\2")
        message: dict[str, Any] = json.loads(plain[:-1])
        return message


@dataclass
class PushService:
    """A push service: the posts to it, and the statuses with which it answers before it accepts messages.

    answers: paths that begin with ``slow`` get no answer until it is set.
    """

    address: str
    posted: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    slow: str = "/push/slow"
    answers: threading.Event = field(default_factory=threading.Event)

    def browser(self, name: str = "one") -> Browser:
        return Browser(f"{self.address}/push/{name}")

    def wait(self, number: int) -> list[tuple[str, dict[str, str], bytes]]:
        """The posts, once there are this many."""
        end = time.monotonic() + SECONDS
        while len(self.posted) < number:
            assert time.monotonic() < end, self.posted
            time.sleep(0.02)
        return self.posted


@contextmanager
def push_service() -> Iterator[PushService]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            service.posted.append((self.path, {name.lower(): text for name, text in self.headers.items()}, body))
            if self.path.startswith(service.slow):
                service.answers.wait(SECONDS)
            with suppress(ConnectionError):
                self.send_response(service.statuses.pop(0) if service.statuses else 201)
                self.send_header("content-length", "0")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service = PushService(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield service
    finally:
        service.answers.set()
        server.shutdown()
        thread.join(SECONDS)
        server.server_close()


@dataclass
class PostOffice:
    """An SMTP server: the e-mails it accepted, and addresses that it refuses."""

    port: int
    letters: list[EmailMessage] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if address in self.refused:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        letter = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        self.letters.append(letter)
        return "250 taken"

    def wait_for(self, address: str) -> None:
        """Wait for an e-mail to this address."""
        end = time.monotonic() + SECONDS
        while address not in {letter["To"] for letter in self.letters}:
            assert time.monotonic() < end
            time.sleep(0.02)

    def wait(self, number: int) -> EmailMessage:
        """The last e-mail, once there are this many."""
        end = time.monotonic() + SECONDS
        while len(self.letters) < number:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert len(self.letters) == number
        return self.letters[-1]


@contextmanager
def post_office() -> Iterator[PostOffice]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        office = PostOffice(free.getsockname()[1])
    controller = Controller(office, hostname="127.0.0.1", port=office.port)
    controller.start()
    try:
        yield office
    finally:
        controller.stop()


def text_of(letter: EmailMessage) -> str:
    text = letter.get_content()
    assert isinstance(text, str)
    return text


def link_in(letter: EmailMessage) -> str:
    match = re.search(r"https://cards\.example/letters/([\w-]+)", text_of(letter))
    assert match is not None
    return match[1]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "LOOK_EVERY", 0.02)
    monkeypatch.setattr(notifications, "MAIL_WAITS", 0)


def become_friends(one: Player, other: Player) -> None:
    names = [ok(player.http.get("/api/me"))["account"] for player in (one, other)]
    towards(one, "follow", names[1])
    towards(other, "follow", names[0])


def slow_table(host: Player, guest: Player) -> str:
    """A correspondence game of two people and bots."""
    settings = {"speed": {"kind": "correspondence", "days": 2}, "spectators": False}
    table = host.open_table("big-two", seats=["me", "open", "random", "random"], settings=settings)
    ok(guest.http.post(f"/api/tables/{table}/join", json={}))
    return table


def moved(server: Served, table: str, players: list[Player]) -> Player:
    """Make the first legal move of the player to act; wait until it is another one's turn; return that player."""
    end = time.monotonic() + SECONDS

    def mover() -> Player | None:
        for player in players:
            view = ok(player.http.get(f"/api/tables/{table}"))["view"]
            if view is not None and view["to_act"] == view["seat"]:
                return player
        return None

    while (before := mover()) is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    view = ok(before.http.get(f"/api/tables/{table}"))["view"]
    command = {"type": "move", "id": "first", "move": view["legal_moves"][0]["move"]}
    ok(before.http.post(f"/api/tables/{table}/commands", json=command))
    while (after := mover()) in (None, before):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert after is not None
    return after


@pytest.mark.full
def test_a_turn_and_an_invitation_reach_the_browser_encrypted(serve: Serve) -> None:
    with push_service() as service, serve(push_private=1) as server:
        ada, bo = account(server, "Ada"), account(server, "Bob")
        become_friends(ada, bo)
        browsers = {name: service.browser(name) for name in ("Ada", "Bob")}
        for player, name in ((ada, "Ada"), (bo, "Bob")):
            chosen = ok(player.http.post("/api/notifications/browsers", json=browsers[name].subscription()))
            assert len(chosen["browsers"]) == 1
        wishes = {**chosen["wishes"], "language": "fr"}
        key = ok(bo.http.post("/api/notifications", json=wishes))["key"]

        table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))
        ((path, headers, body),) = service.wait(1)
        assert path == "/push/Bob"
        message = browsers["Bob"].read(body)
        assert message == {
            "title": "Invitation à une table",
            "body": "Ada vous invite à une table.",
            "tag": f"invitation {table}",
            "path": f"/t/{table}",
            "language": "fr",
        }
        assert (headers["content-encoding"], headers["ttl"]) == ("aes128gcm", "86400")
        kind, _, rest = headers["authorization"].partition(" ")
        signed = dict(part.strip().split("=", 1) for part in rest.split(","))
        assert (kind, signed["k"]) == ("vapid", key)
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key))
        claims = jwt.decode(signed["t"], point, algorithms=["ES256"], audience="http://127.0.0.1")
        assert claims["sub"] == "mailto:postmaster@localhost"
        assert claims["exp"] < time.time() + 86_401
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))

        slow = slow_table(ada, bo)
        waits = moved(server, slow, [ada, bo])
        name = "Ada" if waits is ada else "Bob"
        end = time.monotonic() + SECONDS

        def told() -> list[dict[str, Any]]:
            """The messages about this table to the player to act."""
            read = (browsers[name].read(body) for path, _, body in service.posted if path == f"/push/{name}")
            return [message for message in read if message["tag"] == f"turn {slow}"]

        while not told():
            assert time.monotonic() < end
            time.sleep(0.02)
        (message,) = told()
        assert message["path"] == f"/t/{slow}"
        view = ok(waits.http.get(f"/api/tables/{slow}"))["view"]
        cards = {move["move"] for move in view["legal_moves"]} - {"pass"}
        assert not any(card in json.dumps(message) for move in cards for card in move.split()), "no card is told"


@pytest.mark.full
def test_a_browser_that_has_gone_or_signs_out_is_told_no_more(serve: Serve) -> None:
    with push_service() as service, serve(push_private=1) as server:
        ada, bo = account(server, "Ada"), account(server, "Bob")
        become_friends(ada, bo)
        ok(bo.http.post("/api/notifications/browsers", json=service.browser().subscription()))
        service.statuses = [410]
        tables = [ada.open_table("big-two", seats=["me", "open", "open", "open"]) for _ in range(2)]
        ok(ada.http.post(f"/api/tables/{tables[0]}/invite", json={"name": "Bob"}))
        service.wait(1)
        end = time.monotonic() + SECONDS
        while ok(bo.http.get("/api/notifications"))["browsers"]:
            assert time.monotonic() < end
            time.sleep(0.02)
        ok(bo.http.post("/api/notifications/browsers", json=service.browser("two").subscription()))
        ok(bo.http.post("/api/sign-out?everywhere=true", json={}))
        ok(bo.http.post("/api/sign-in", json={"name": "Bob", "password": "correct horse"}))
        assert ok(bo.http.get("/api/notifications"))["browsers"] == []
        ok(ada.http.post(f"/api/tables/{tables[1]}/invite", json={"name": "Bob"}))
        time.sleep(0.2)
        assert len(service.posted) == 1


@pytest.mark.full
def test_letters_are_sent_after_confirmation_and_end_by_their_link(serve: Serve) -> None:
    with post_office() as office:
        changes: dict[str, Any] = {
            "smtp_host": "127.0.0.1",
            "smtp_port": office.port,
            "smtp_security": "none",
            "mail_from": "dasan@cards.example",
            "public_url": "https://cards.example",
            "sign_in_burst": 100,
        }
        with serve(**changes) as server:
            ada, bo, anybody = account(server, "Ada"), account(server, "Bob"), server.player()
            become_friends(ada, bo)
            wishes = ok(bo.http.get("/api/notifications"))["wishes"]
            ok(bo.http.post("/api/notifications", json={**wishes, "language": "zh-Hans"}))
            wrong = bo.http.post("/api/notifications/address", json={"address": "bob@nowhere\nbcc: x@y.example"})
            assert refusal(wrong) == (400, "this is not an e-mail address")
            asked = ok(bo.http.post("/api/notifications/address", json={"address": "bob@mail.example"}))
            assert (asked["address"], asked["confirmed"]) == ("bob@mail.example", False)
            question = office.wait(1)
            assert (question["To"], question["Subject"]) == ("bob@mail.example", TEXTS["zh-Hans"]["confirm"])
            assert question["Content-Language"] == "zh-Hans"
            assert "Bob" in text_of(question)
            again = bo.http.post("/api/notifications/address", json={"address": "bob@mail.example"})
            assert refusal(again)[0] == 429
            tables = [ada.open_table("big-two", seats=["me", "open", "open", "open"]) for _ in range(3)]
            ok(ada.http.post(f"/api/tables/{tables[0]}/invite", json={"name": "Bob"}))
            token = link_in(question)
            assert refusal(anybody.http.post("/api/letters/wrong/confirm", json={}))[0] == 404
            assert ok(anybody.http.post(f"/api/letters/{token}/confirm", json={})) == {"letters": True}

            ok(ada.http.post(f"/api/tables/{tables[1]}/invite", json={"name": "Bob"}))
            letter = office.wait(2)
            assert "Ada邀请你上桌。" in text_of(letter)
            assert f"https://cards.example/t/{tables[1]}" in text_of(letter), "the one before was not confirmed"
            one_click = f"/api/letters/{token}/unsubscribe"
            assert letter["List-Unsubscribe"] == f"<https://cards.example{one_click}>"
            assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
            assert letter["Auto-Submitted"] == "auto-generated"
            form = {"List-Unsubscribe": "One-Click"}
            assert ok(anybody.http.post(one_click, data=form)) == {"letters": False}
            assert refusal(anybody.http.post(one_click, data=form))[0] == 404
            ok(ada.http.post(f"/api/tables/{tables[2]}/invite", json={"name": "Bob"}))
            time.sleep(0.2)
            assert len(office.letters) == 2
            assert ok(bo.http.get("/api/notifications"))["address"] is None

            office.refused.add("ada@mail.example")
            ok(ada.http.post("/api/notifications/address", json={"address": "ada@mail.example"}))
            end = time.monotonic() + SECONDS
            while ok(ada.http.get("/api/notifications"))["address"] is not None:
                assert time.monotonic() < end, "an address that takes no letters is forgotten"
                time.sleep(0.02)


@pytest.mark.full
def test_an_account_cannot_flood_an_address_with_questions(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "ASK_EVERY", 0)
    with post_office() as office:
        sender = {"mail_from": "dasan@cards.example", "public_url": "https://cards.example"}
        smtp = {"smtp_host": "127.0.0.1", "smtp_port": office.port, "smtp_security": "none"}
        with serve(**sender, **smtp, letter_burst=3) as server:
            ada, bo = account(server, "Ada"), account(server, "Bob")

            def ask(player: Player, address: str) -> int:
                return player.http.post("/api/notifications/address", json={"address": address}).status_code

            assert [ask(ada, "victim@mail.example") for _ in range(4)] == [200, 200, 200, 429]
            assert ask(ada, "other@mail.example") == 429, "nor can it ask one address after another"
            assert ask(bo, "VICTIM@mail.example") == 429, "nor can another account go on"
            assert ask(bo, "bob@mail.example") == 200
            office.wait_for("bob@mail.example")
            assert len(office.letters) <= 4


@pytest.mark.full
def test_slow_push_services_of_one_player_delay_nobody_else(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "ANSWERS_IN", 10 * SECONDS)
    monkeypatch.setattr(push, "LASTS", 10 * SECONDS)
    with push_service() as service, serve(push_private=1) as server:
        ada, bo, cy = account(server, "Ada"), account(server, "Bob"), account(server, "Cyd")
        for one in (bo, cy):
            become_friends(ada, one)
        for n in range(2 * sending.EACH):
            ok(bo.http.post("/api/notifications/browsers", json=service.browser(f"slow-{n}").subscription()))
        ok(cy.http.post("/api/notifications/browsers", json=service.browser("Cyd").subscription()))
        table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))
        service.wait(sending.EACH)
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Cyd"}))
        *waiting, (path, _, _) = service.wait(sending.EACH + 1)
        assert path == "/push/Cyd"
        assert len(waiting) == sending.EACH
        service.answers.set()
        service.wait(2 * sending.EACH + 1)


@pytest.mark.full
def test_a_kill_while_sending_loses_nothing_and_repeats_nothing_forever(tmp_path: Path) -> None:
    with push_service() as service:
        service.slow = "/push/Bob"
        browser = service.browser("Bob")
        for tries in (1, 2, notifications.MOST_TRIES):
            with process(tmp_path, DASAN_PUSH_PRIVATE="1") as (server, child):
                if tries == 1:
                    people = [Player(server, httpx.Client(base_url=server.address, timeout=SECONDS)) for _ in range(2)]
                    for player, name in zip(people, ("Ada", "Bob"), strict=True):
                        credentials = {"name": name, "password": "correct horse"}
                        assert player.http.post("/api/account", json=credentials).status_code == 201
                    ada, bo = people
                    become_friends(ada, bo)
                    ok(bo.http.post("/api/notifications/browsers", json=browser.subscription()))
                    table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
                    ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))
                    for player in people:
                        player.http.close()
                service.wait(min(tries, 3))
                child.send_signal(signal.SIGKILL)
                child.wait(SECONDS)
            with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as connection, connection:
                ((taken, due),) = connection.execute("SELECT tries, due FROM outbox").fetchall()
                assert taken == tries
                assert due <= int(time.time() * 1000) + notifications.TAKEN_FOR, "it is sent again within a minute"
                if tries == 2:
                    connection.execute("UPDATE outbox SET tries = ?", [notifications.MOST_TRIES - 1])
                connection.execute("UPDATE outbox SET due = 0")
        assert len({browser.read(body)["tag"] for _, _, body in service.posted}) == 1, "the browser shows one"
        with process(tmp_path, DASAN_PUSH_PRIVATE="1"):
            end = time.monotonic() + SECONDS
            with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as connection:
                while connection.execute("SELECT count(*) FROM outbox").fetchone() != (0,):
                    assert time.monotonic() < end, "it is given up"
                    time.sleep(0.05)
        assert len(service.posted) == 3


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
    answers = threading.Event()

    def look_up(*_: object, **__: object) -> Any:
        answers.wait(SECONDS)
        raise OSError("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    sender = Push(signing_pair(b"k" * 32), "host@cards.example")
    keys = Browser("").subscription()["keys"]
    most = 100
    sends = [
        asyncio.create_task(sender.send(f"https://{n}.example/", **keys, topic="t", message={})) for n in range(most)
    ]
    await asyncio.sleep(0.2)
    assert await asyncio.wait_for(asyncio.to_thread(lambda: 1), SECONDS / 2) == 1
    answers.set()
    assert all(answer.again for answer in await asyncio.gather(*sends))
    await sender.close()


def test_the_signing_key_follows_from_the_secret() -> None:
    one, same, other = (signing_pair(secret).private_numbers() for secret in (b"a" * 32, b"a" * 32, b"b" * 32))
    assert one == same
    assert one != other


async def subscribed(store: Store, *names: str) -> None:
    for name in names:
        await store.people.register(name, name, "hash", 1)
        await store.notifications.subscribe(name, "session", Subscription(f"sub-{name}", "https://x.example", "p", "a"))


async def test_two_processes_send_a_notification_once_and_a_kill_loses_none(opened: Opened) -> None:
    store = await opened()
    await subscribed(store, "ada", "bob")
    for one, other in (("ada", "bob"), ("bob", "ada")):
        await store.friends.follow(one, other, 1)
    room, _ = await open_table(store)
    await store.friends.invite("ada", "bob", room.head.id, NOON)
    taken = await asyncio.gather(*(store.notifications.take(NOON) for _ in range(4)))
    assert sorted(map(len, taken)) == [0, 0, 0, 1]
    again = NOON + notifications.TAKEN_FOR
    assert await store.notifications.take(again - 1) == ()
    (outgoing,) = await store.notifications.take(again)
    assert (outgoing.kind, outgoing.names, outgoing.tries) == ("invitation", ("ada",), 2)
    await store.notifications.later(outgoing, again + 5)
    assert await store.notifications.take(again + 4) == ()
    (outgoing,) = await store.notifications.take(again + 5)
    await store.notifications.sent(outgoing)
    assert await store.notifications.take(again * 2) == ()
    await store.close()


async def test_what_says_nothing_new_is_not_sent(opened: Opened) -> None:
    store = await opened()
    await subscribed(store, "ada", "bob")
    for one, other in (("ada", "bob"), ("bob", "ada")):
        await store.friends.follow(one, other, 1)
    room, _ = await open_table(store)
    await store.friends.invite("ada", "bob", room.head.id, NOON)
    await store.friends.decline("bob", room.head.id)
    await store.database.write(lambda connection: put_out(connection, ["bob"], "turn", room.head.id, NOON))
    assert await store.notifications.take(NOON) == ()
    await store.notifications.wish("bob", Wishes(invitation=False))
    await store.friends.invite("ada", "bob", room.head.id, NOON)
    assert await store.notifications.take(NOON) == (), "the switch is off"
    await store.notifications.wish("bob", Wishes())
    await store.friends.decline("bob", room.head.id)
    await store.friends.invite("ada", "bob", room.head.id, NOON)
    await store.database.write(lambda connection: connection.execute(sa.update(players).values(banned=True)))
    assert await store.notifications.take(NOON) == (), "banned players are told nothing"
    await store.close()


async def test_quiet_hours_are_waited_for(opened: Opened) -> None:
    store = await opened()
    await subscribed(store, "ada", "bob")
    for one, other in (("ada", "bob"), ("bob", "ada")):
        await store.friends.follow(one, other, 1)
    room, _ = await open_table(store)
    # It is 20:00 in Shanghai, where these hours end at 8.
    await store.notifications.wish("bob", Wishes(zone="Asia/Shanghai", quiet=(19 * 60, 8 * 60)))
    await store.friends.invite("ada", "bob", room.head.id, NOON)
    assert await store.notifications.take(NOON) == ()
    morning = NOON + 12 * 60 * 60 * 1000
    assert await store.notifications.take(morning - 1) == ()
    assert len(await store.notifications.take(morning)) == 1
    await store.close()


async def test_browsers_are_bounded_and_belong_to_who_uses_them_now(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "MOST_BROWSERS", 2)
    store = await opened()
    await subscribed(store, "ada", "bob")
    for n in range(1, 4):
        await store.notifications.subscribe("ada", "s", Subscription(f"{n}", "https://x.example", "p", "a", created=n))
    assert [one.id for one in (await store.notifications.wishes("ada"))[1]] == ["3", "2"]
    await store.notifications.unsubscribe("3", "bob")
    await store.notifications.subscribe("bob", "s", Subscription("2", "https://x.example", "p", "a", created=9))
    assert [one.id for one in (await store.notifications.wishes("ada"))[1]] == ["3"]
    await store.close()


@pytest.mark.full
def test_an_event_that_begins_is_announced_once(serve: Serve) -> None:
    with push_service() as service, serve(push_private=1) as server:
        ada = account(server, "Ada")
        browser = service.browser()
        ok(ada.http.post("/api/notifications/browsers", json=browser.subscription()))
        starts = int(time.time() * 1000) + 1500
        wanted = {"title": "Friday", "preset": "big-two", "deals": 1, "starts": starts, "ends": starts + 10**6}
        event = ok(ada.http.post("/api/events", json=wanted))["id"]
        guest = server.player().http.post(f"/api/events/{event}/reminder", json={"wanted": True})
        assert refusal(guest)[0] == 403
        assert ok(ada.http.post(f"/api/events/{event}/reminder", json={"wanted": True})) == {"wanted": True}
        assert ok(ada.http.get(f"/api/events/{event}/reminder")) == {"wanted": True}
        ((_, _, body),) = service.wait(1)
        assert browser.read(body)["title"] == "Friday has begun"
        time.sleep(0.2)
        assert len(service.posted) == 1
        late = ada.http.post(f"/api/events/{event}/reminder", json={"wanted": True})
        assert refusal(late) == (409, "the event has begun already")


def test_every_language_has_every_text() -> None:
    assert tuple(TEXTS) == LANGUAGES
    for texts in TEXTS.values():
        assert set(texts) == set(TEXTS["en"])
        for key, text in texts.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", TEXTS["en"][key])), key
