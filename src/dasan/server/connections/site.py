"""Serve the built web client, or a page that explains why it is missing."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

HASHED = "assets"
"""The folder of Vite's files with content hashes in their names, which never change."""

LONGEST_PATH = 1024
"""The most characters of a page's path: resolving one of thousands of folders would take a second."""

FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"

NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>dasan: the page is not built</title>
<h1>The browser table is not built</h1>
<p>This installation of dasan has no web client: <code>{folder}</code> has no <code>index.html</code>.</p>
<p>In a clone of the repository, run <code>make play</code>, or <code>pip install .</code> to build and install it.
The server itself is running; <a href="/api/health">its interface</a> works.</p>
</html>
"""


class ClientFiles(StaticFiles):
    """Serves ``static``; a path without a file, such as ``/t/ID``, is a route of the client."""

    def __init__(self, static: Path) -> None:
        super().__init__(directory=static, check_dir=False)
        self._static = static

    async def check_config(self) -> None:
        """Do nothing: a missing folder is served as the page that explains it."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        parts = PurePosixPath(path).parts
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405)
        if parts[:1] in (("api",), ("ws",)) or len(path) > LONGEST_PATH:
            raise HTTPException(404)
        index = self._static / "index.html"
        if not index.is_file():
            return HTMLResponse(NOT_BUILT.format(folder=self._static.name), 503, {"cache-control": "no-store"})
        try:
            if path not in (".", "index.html") and not any(part.startswith(".") for part in parts):
                response = await super().get_response(path, scope)
                response.headers["cache-control"] = FOREVER if parts[:1] == (HASHED,) else REVALIDATE
                return response
        except HTTPException as error:
            if error.status_code != 404:
                raise
        if (PurePosixPath(path).suffix and path != "index.html") or parts[:1] == (HASHED,):
            raise HTTPException(404)
        return FileResponse(index, headers={"cache-control": REVALIDATE})
