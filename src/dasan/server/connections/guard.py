"""Middleware that checks every request's host name, origin and length, limits reads, drops cookies that are not
the server's own, and adds security headers to every answer.
"""

from __future__ import annotations

import logging
import time
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from dasan.reasons import reason
from dasan.server.connections.rate_limits import limit
from dasan.server.operations.metrics import Metrics
from dasan.server.operations.reporting import report
from dasan.server.people.identity import without_others_cookies
from dasan.server.protocol.base import MAX_MESSAGE
from dasan.server.protocol.messages import error_message
from dasan.server.refusals import STATUS, ErrorCode, Refused
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.times import now

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""Only our own files; inline styles only in attributes, with which the page places cards."""

HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
TOO_LARGE: tuple[ErrorCode, str] = ("too-large", reason("too-large", n=MAX_MESSAGE))
MONITORED = frozenset({"/health", "/ready", "/metrics"})
"""Paths that answer under every host name: monitors use addresses of the machine that players do not know.

DNS rebinding gains nothing there: the answers contain no links and nothing about players, and metrics need a token.
"""
HEALTH = MONITORED | {"/api/health", "/api/ready"}
"""Paths that are always answered: otherwise a supervisor would restart a healthy server under load."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
METHODS = SAFE | {"POST", "PUT", "PATCH", "DELETE"}

log = logging.getLogger("dasan.server.requests")


def refusal(code: ErrorCode, message: str, clause: str | None = None, headers: dict[str, str] | None = None) -> Response:
    """The REST answer for an error."""
    body = error_message(code, message, clause)
    return JSONResponse(body.model_dump(), STATUS[code], headers)


class GuardMiddleware:
    """Middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if "cookie" in headers:
            scope["headers"] = without_others_cookies(headers)
        try:
            self._check(scope, headers)
        except Refused as refused:
            if scope["type"] == "websocket":
                await WebSocketClose()(scope, receive, send)
            else:
                sent = self._observed(scope, _with_headers(scope, send))
                closing = {"connection": "close"} if "transfer-encoding" in headers else None
                await refusal(refused.code, refused.message, headers=closing)(scope, receive, sent)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._http(scope, receive, self._observed(scope, _with_headers(scope, send)))

    def _observed(self, scope: Scope, send: Send) -> Send:
        """Count the answer, and log it if the settings say so."""
        begun = time.monotonic()
        status = 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                seconds = time.monotonic() - begun
                method, route = _known_method(scope["method"]), _route(scope)
                self._metrics.requests.labels(method, route, str(status)).observe(seconds)
                if self._settings.log_requests:
                    fields = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)}
                    log.info("request", extra={**fields, "address": (scope.get("client") or ("",))[0]})

        return sent

    def _check(self, scope: Scope, headers: Headers) -> None:
        if "\0" in scope["path"] or b"%00" in scope.get("query_string", b""):
            raise Refused("malformed", "an address has no NUL in it")
        if scope["path"].startswith(("/api/", "/ws/")):
            store: Store | None = getattr(scope["app"].state, "store", None)
            if store is not None and store.people.restrictions.bans((scope.get("client") or ("",))[0], now()):
                raise Refused("forbidden", reason("network.banned"))
            names = [name for name, _ in parse_qsl(scope.get("query_string", b"").decode("latin-1"), True)]
            if len(set(names)) < len(names):
                raise Refused("malformed", "an address names each of its parameters once")
        host = headers.get("host", "")
        if scope["path"] not in MONITORED and not self._settings.serves(_name(host)):
            raise Refused("forbidden", reason("address"))
        origin = headers.get("origin")
        unsafe = scope["type"] == "websocket" or scope["method"] not in SAFE
        if unsafe and origin is not None and _netloc(origin) != host.lower():
            raise Refused("forbidden", reason("cross-site"))
        if "content-length" in headers and "transfer-encoding" in headers:
            # RFC 9112, 6.3: the two may be an attempt to smuggle a request past a proxy; such a connection is closed.
            raise Refused("malformed", "a request has a length or comes in pieces, not both")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_MESSAGE:
            raise Refused(*TOO_LARGE)
        reading = scope["type"] == "http" and scope["method"] in SAFE and scope["path"].startswith("/api/")
        if reading and scope["path"] not in HEALTH:
            limit(HTTPConnection(scope), "reads")

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application; cut off a body that exceeds its declared length, and hide internal errors."""
        received, started = 0, False

        async def bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message if received <= MAX_MESSAGE else {"type": "http.disconnect"}

        async def watched(message: Message) -> None:
            nonlocal started
            if received <= MAX_MESSAGE:
                started = True
                await send(message)

        response: Response | None = None
        try:
            await self._app(scope, bounded, watched)
        except Exception as error:
            report(f"{_known_method(scope['method'])} {_route(scope)} failed", error)
            response = refusal("unavailable", "something went wrong on the server")
            response.status_code = 500
        if received > MAX_MESSAGE:
            response = refusal(*TOO_LARGE)
        if response is not None and not started:
            await response(scope, receive, send)


def _with_headers(scope: Scope, send: Send) -> Send:
    """Add the security headers, and forbid caches to store answers of the API and refusals: a file that this process
    lacks may exist in the next one of an upgrade.
    """
    private = scope["path"].startswith("/api/")

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if private or message["status"] >= 400:
                headers.setdefault("cache-control", "no-store")
        await send(message)

    return sent


def _known_method(method: str) -> str:
    return method if method in METHODS else "other"


def _route(scope: Scope) -> str:
    """The route of a request as named in the code, never its path, which may contain a secret.

    >>> _route({"path": "/link/secret"})
    'page'
    """
    path = getattr(scope.get("route"), "path", None)
    return path if isinstance(path, str) and path else "page"


def _netloc(origin: str) -> str:
    """The host and port of an Origin header; empty if it is malformed.

    >>> _netloc("http://a.example:80"), _netloc("http://["), _netloc("null")
    ('a.example:80', '', '')
    """
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _name(host: str) -> str:
    """The name in a Host header, without port.

    >>> _name("localhost:8000"), _name("[::1]:8000"), _name("[a")
    ('localhost', '::1', '')
    """
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
