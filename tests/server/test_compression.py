"""Only answers without secrets are compressed, and streamed lines still arrive one at a time."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator

import pytest

from dasan.server.connections.compression import COMPRESSED, LEAST

from .harness import SECONDS, Json, Served
from .test_study import kept_hand

pytestmark = pytest.mark.full

GZIP = {"accept-encoding": "gzip"}


def test_answers_that_are_the_same_for_everybody_are_compressed(server: Served) -> None:
    http = server.player().http
    for path in ("presets", "bots", "rules/big-three", "puzzles", "openapi.json"):
        plain = http.get(f"/api/{path}", headers={"accept-encoding": "identity"})
        packed = http.get(f"/api/{path}", headers=GZIP)
        assert plain.headers.get("content-encoding") is None
        assert packed.headers["content-encoding"] == "gzip", path
        assert "accept-encoding" in packed.headers["vary"].lower()
        assert int(packed.headers["content-length"]) < len(plain.content) / 2
        assert packed.json() == plain.json()
    assert "content-encoding" not in http.get("/api/people/nobody/ratings/big-two/4", headers=GZIP).headers, "too short"


def test_answers_that_hold_a_secret_beside_what_others_write_are_not(server: Served) -> None:
    player, other = server.player(), server.player()
    table_id = player.open_table("big-two", seats=["me", "open", "random", "random"])
    other.http.post(f"/api/tables/{table_id}/join", json={"name": "what the other writes"})
    paths = [f"tables/{table_id}", "tables", "me/history", f"tables/{table_id}/record", "account/export", "sessions"]
    for path in paths:
        answer = player.http.get(f"/api/{path}", headers=GZIP)
        assert answer.status_code == 200
        assert "content-encoding" not in answer.headers, path
    assert len(player.http.get(f"/api/tables/{table_id}").content) > LEAST
    link = player.http.post("/api/me/link", json={}, headers=GZIP)
    assert "content-encoding" not in link.headers


@pytest.mark.parametrize("path", ["me", "me/link", "tables/presets", "hands/x", "account/export", "passkeys"])
def test_a_path_is_compressed_only_where_it_is_named(path: str) -> None:
    assert not COMPRESSED.fullmatch(f"/api/{path}")


def test_a_review_still_comes_line_by_line(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    read = threading.Event()

    async def stream(*_: object, **__: object) -> AsyncIterator[Json]:
        yield {"type": "known", "seq": 3, "estimates": [], "choices": 1, "phase": "play", "text": "x" * 2 * LEAST}
        assert await asyncio.to_thread(read.wait, SECONDS)
        yield {"type": "known", "seq": 4, "estimates": [], "choices": 1, "phase": "play"}

    monkeypatch.setattr(server.tables.study, "stream", stream)
    hand_id, http = kept_hand(server, "big-two-tiny", 0), server.player().http
    with http.stream("GET", f"/api/hands/{hand_id}/known", headers=GZIP) as answer:
        lines = answer.iter_lines()
        assert len(json.loads(next(lines))["text"]) == 2 * LEAST
        read.set()
        assert [json.loads(line)["type"] for line in lines] == ["known", "done"]
