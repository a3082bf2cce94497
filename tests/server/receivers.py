"""Receivers of notifications: a push service, browsers that decrypt its messages, and an SMTP server."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .harness import SECONDS


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


def mail_by(office: PostOffice) -> dict[str, Any]:
    """The settings of a server that sends its e-mails through the office."""
    smtp = {"smtp_host": "127.0.0.1", "smtp_port": office.port, "smtp_security": "none"}
    return {**smtp, "mail_from": "dasan@cards.example", "public_url": "https://cards.example"}


def text_of(letter: EmailMessage) -> str:
    text = letter.get_content()
    assert isinstance(text, str)
    return text


def link_in(letter: EmailMessage) -> str:
    match = re.search(r"https://cards\.example/letters/([\w-]+)", text_of(letter))
    assert match is not None
    return match[1]
