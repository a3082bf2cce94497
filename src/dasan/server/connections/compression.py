"""Compression of JSON answers over HTTP, for answers without a secret beside text from other people.

Whoever sees how long encrypted answers are, and can put text of their own beside a secret in them, can guess the secret
from how well both compress together (BREACH). A table's answers hold cards beside chat, a player's history the links of
hands beside the names of opponents: they are never compressed. Nor are lines that are sent one at a time.
"""

from __future__ import annotations

import re

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

LEAST = 1000
"""Bytes from which an answer is compressed."""
LEVEL = 6
COMPRESSED = re.compile(
    r"/api/(openapi\.json|presets|rules/[^/]+|bots(/[^/]+)?|lobby|puzzles(/[^/]+)?|people/.+|me/(profile|habits|ratings/.+))"
)
"""The paths whose GET answers are compressed: a new one is not, unless it is added here."""


class Compressed:
    """Middleware that compresses the answers of ``COMPRESSED`` for clients that accept gzip."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._gzip = GZipMiddleware(app, minimum_size=LEAST, compresslevel=LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        chosen = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and COMPRESSED.fullmatch(scope["path"])
        await (self._gzip if chosen else self._app)(scope, receive, send)
