"""Compression of JSON answers over HTTP, except those that mix secrets with other people's text.

An attacker who sees the lengths of encrypted answers and controls text in them can guess a secret in the same answer
from the compression ratio (BREACH). A table's answers contain cards and chat, a player's history links of hands and
names of opponents: they are never compressed. Neither are streamed lines.
"""

from __future__ import annotations

import re

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

LEAST = 1000
"""The minimum length in bytes of compressed answers."""
LEVEL = 6
COMPRESSED = re.compile(
    r"/api/(openapi\.json|presets|rules/[^/]+|bots(/[^/]+)?|lobby|puzzles(/[^/]+)?|people/.+|me/(profile|habits|ratings/.+))"
)
"""An allow-list of the paths whose GET answers are compressed."""


class Compressed:
    """Middleware that compresses the answers of ``COMPRESSED`` for clients that accept gzip."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._gzip = GZipMiddleware(app, minimum_size=LEAST, compresslevel=LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        chosen = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and COMPRESSED.fullmatch(scope["path"])
        await (self._gzip if chosen else self._app)(scope, receive, send)
