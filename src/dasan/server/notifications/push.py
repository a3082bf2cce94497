"""Web Push (RFC 8030): messages to browsers through their push services, signed (RFC 8292) and encrypted (RFC 8291).

A page gives the server the address of its push service. The server sends only to public addresses, by HTTPS, and checks
the address to which it connects, because a name could resolve into the host's own network (SSRF).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import ssl
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import httpcore
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from dasan.reasons import reason
from dasan.server.refusals import Refused

LONGEST_ENDPOINT = 1024
LIVES = 24 * 60 * 60
"""Seconds for which a push service keeps a message for a browser that is not connected."""
ANSWERS_IN = 10.0
"""The time limit of one step of a request in seconds."""
LASTS = 30.0
"""The time limit of a whole request in seconds."""
LOOKUPS = 32
"""Threads for looking up the names of push services: one for each notification that is sent at once."""
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the curve P-256."""
GONE = frozenset({404, 410})
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class Delivery:
    """The outcome of a message. gone: the subscription has ended. again: a retry may help, after ``wait`` seconds.

    refused: the status with which the push service refuses the message itself, such as a wrong signature; else 0.
    """

    gone: bool = False
    again: bool = False
    wait: int = 0
    refused: int = 0


def signing_pair(secret: bytes) -> ec.EllipticCurvePrivateKey:
    """The VAPID key pair, derived from the secret that signs cookies, so that it is the same in every process."""
    derived = HKDF(algorithm=hashes.SHA256(), length=48, salt=None, info=b"dasan web push").derive(secret)
    return ec.derive_private_key(1 + int.from_bytes(derived, "big") % (ORDER - 1), ec.SECP256R1())


def subscription_id(endpoint: str) -> str:
    """The id of the subscription with this endpoint."""
    return sha256(endpoint.encode()).hexdigest()


def check_subscription(endpoint: str, p256dh: str, auth: str, *, private: bool = False) -> None:
    """``Refused``: the address is not on the public network, or the keys are not a browser's.

    private: whether to accept any address, also without HTTPS.
    """
    try:
        parts = urlsplit(endpoint)
        port = parts.port
        point = _decoded(p256dh)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        right = (
            len(endpoint) <= LONGEST_ENDPOINT
            and endpoint.isascii()
            and endpoint.isprintable()
            and " " not in endpoint
            and bool(parts.hostname)
            and parts.username is None
            and parts.password is None
            and len(point) == 65
            and len(_decoded(auth)) == 16
        )
    except ValueError:
        right = False
    if not right or not (private or (parts.scheme == "https" and port in (None, 443) and _public_name(parts.hostname))):
        raise Refused("malformed", reason("push.address"))


class Push:
    """Sends messages to browsers. key: see ``signing_pair``. contact: the e-mail address of whoever runs the server.

    private: whether push services may be in the host's own network and without HTTPS.
    """

    def __init__(self, key: ec.EllipticCurvePrivateKey, contact: str, *, private: bool = False) -> None:
        from webpush import WebPush

        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        public = key.public_key()
        spki = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        point = public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        self.public_key = urlsafe_b64encode(point).rstrip(b"=").decode()
        """The key that pages subscribe with, base64url."""
        self._maker = WebPush(private_key=pem, public_key=spki, subscriber=contact, ttl=LIVES)
        self._network = _PublicNetwork(private=private)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl.create_default_context(),
            max_connections=64,
            keepalive_expiry=30,
            network_backend=self._network,
        )

    async def send(self, endpoint: str, p256dh: str, auth: str, topic: str, message: dict[str, Any]) -> Delivery:
        """Send a message. A newer one with the same topic replaces it while it waits at the push service."""
        from webpush.types import WebPushKeys, WebPushSubscription

        try:
            browser = WebPushSubscription(endpoint=endpoint, keys=WebPushKeys(auth=auth, p256dh=p256dh))
            made = self._maker.get(json.dumps(message, ensure_ascii=False), browser)
            headers = {**made.headers, "topic": topic, "content-length": str(len(made.encrypted)), "urgency": "normal"}
            async with (
                asyncio.timeout(LASTS),
                self._pool.stream(
                    "POST",
                    endpoint,
                    headers=[(name.encode(), str(value).encode()) for name, value in headers.items()],
                    content=made.encrypted,
                    extensions={
                        "timeout": dict.fromkeys(("connect", "read", "write", "pool"), ANSWERS_IN),
                    },
                ) as response,
            ):
                return _answer(response.status, dict(response.headers))
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError, TimeoutError):
            return Delivery(again=True)
        except ValueError:
            # Neither a name nor an address: no message can ever be sent there.
            return Delivery(gone=True)

    async def close(self) -> None:
        await self._pool.aclose()
        self._network.close()


def _answer(status: int, headers: dict[bytes, bytes]) -> Delivery:
    if status in GONE:
        return Delivery(gone=True)
    if status in AGAIN:
        wait = next((value.decode("latin-1") for name, value in headers.items() if name.lower() == b"retry-after"), "")
        return Delivery(again=True, wait=min(int(wait), 3600) if wait.isdecimal() and len(wait) < 8 else 0)
    return Delivery(refused=0 if 200 <= status < 300 else status)


class _PublicNetwork(httpcore.AsyncNetworkBackend):
    """Connects to public addresses only."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._network = httpcore.AnyIOBackend()
        # The event loop's own threads do other work of the server, which must not wait for a slow name server.
        self._lookups = ThreadPoolExecutor(LOOKUPS, thread_name_prefix="dasan-names")

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface has it
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        resolved = await asyncio.get_running_loop().run_in_executor(self._lookups, look_up)
        addresses = [str(address[0]) for *_, address in resolved]
        allowed = [one for one in addresses if self._private or is_public(one)]
        if not allowed:
            raise httpcore.ConnectError("the name leads to no public address")
        return await self._network.connect_tcp(allowed[0], port, timeout, local_address, socket_options)

    def close(self) -> None:
        self._lookups.shutdown(wait=False, cancel_futures=True)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public network.

    >>> [is_public(one) for one in ("9.9.9.9", "127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "x")]
    [True, False, False, False, False, False, False]
    >>> [is_public(one) for one in ("224.0.0.1", "2002:7f00:1::1", "64:ff9b:1::7f00:1", "::7f00:1", "fec0::1")]
    [False, False, False, False, False]
    """
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(known, ipaddress.IPv6Address):
        # Check the IPv4 address embedded in an IPv6 address.
        if known.ipv4_mapped is not None:
            return is_public(str(known.ipv4_mapped))
        if known.sixtofour is not None or known.teredo is not None or known not in GLOBAL_UNICAST:
            return False
    return known.is_global and not known.is_multicast


GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""The IPv6 addresses that are assigned to public hosts; NAT64 and other embedded IPv4 addresses are outside."""


def _public_name(host: str | None) -> bool:
    """Whether a host may be on the public network: a name with a dot, or a public IP address."""
    if host is None:
        return False
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return "." in host.rstrip(".") and not host.rstrip(".").endswith((".local", ".internal", ".localhost"))
    return is_public(host)


def _decoded(text: str) -> bytes:
    """Bytes from base64url, with or without padding; ``ValueError`` for other texts."""
    bare = text.rstrip("=")
    if not bare.isascii() or not all(c.isalnum() or c in "-_" for c in bare):
        raise ValueError("not base64url")
    return urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
