"""The page: files, caching, security headers, and a clear message if it is not built."""

from __future__ import annotations

from pathlib import Path

from dasan.server.connections.guard import HEADERS

from .harness import Serve


def test_pages_and_files(serve: Serve, tmp_path: Path) -> None:
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>table</title>")
    (static / "assets" / "index-abc123.js").write_text("1")
    (static / "favicon.svg").write_text("<svg/>")
    (static / ".stamp").write_text("secret")
    with serve(static_dir=static) as server:
        http = server.player().http
        for path in ("/", "/t/AbC-_1", "/index.html", "/anything"):
            page = http.get(path)
            assert page.status_code == 200
            assert "<title>table" in page.text
            assert page.headers["cache-control"] == "no-cache"
            for name, value in HEADERS.items():
                assert page.headers[name] == value
        asset = http.get("/assets/index-abc123.js")
        assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert http.get("/favicon.svg").headers["cache-control"] == "no-cache"
        for path in ("/assets/missing.js", "/missing.png", "/api/missing", "/assets/"):
            missing = http.get(path)
            assert missing.status_code == 404, path
            assert missing.headers["cache-control"] == "no-store"
        assert http.get("/" + "a/" * 30_000).status_code == 404, "resolving it would take a second"
        assert "secret" not in http.get("/.stamp").text
        assert http.post("/t/x").status_code == 405
        assert "server" not in http.get("/").headers or "uvicorn" in http.get("/").headers["server"]


def test_a_server_without_the_page_says_so(serve: Serve, tmp_path: Path) -> None:
    with serve(static_dir=tmp_path / "none") as server:
        http = server.player().http
        for path in ("/", "/t/x"):
            page = http.get(path)
            assert page.status_code == 503
            assert "not built" in page.text
            assert "make play" in page.text
        assert http.get("/api/health").status_code == 200


def test_answers_about_tables_are_not_kept(serve: Serve) -> None:
    with serve() as server:
        player = server.player()
        table_id = player.open_table("big-two", ["random"] * 3)
        for path in ("/api/tables", f"/api/tables/{table_id}", f"/api/tables/{table_id}/record"):
            assert player.http.get(path).headers["cache-control"] == "no-store"
