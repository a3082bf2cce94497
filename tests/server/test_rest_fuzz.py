"""Every REST endpoint, from the server's own OpenAPI document, with malicious values: no 500."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from .conftest import new_database
from .harness import Json, Player, Served, fast, served

pytestmark = pytest.mark.full

NASTY: list[Any] = [
    None,
    True,
    -1,
    2**31,
    10**30,
    1.5,
    "",
    "\x00",
    "\ud800",
    "a" * 200,
    "%2e%2e",
    "'; --",
    "大三\u202e",
    [],
    {},
    [[]] * 3,
    {"kind": "move", "seconds": 10**9},
]
CALLS_EACH = 6
"""The number of requests on each of two databases."""
JSON = {"content-type": "application/json"}
KNOWN = {"name": "somebody", "password": "correct horse"}


@pytest.fixture(params=["sqlite", "postgres"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """A server on SQLite, and one on PostgreSQL, which accepts fewer values."""
    url = ""
    if request.param == "postgres":
        url = asyncio.run(new_database(request.getfixturevalue("postgres_url")))
    with served(fast(tmp_path, database=url, study_seconds=1.0)) as server:
        yield server


def watch(server: Served) -> list[str]:
    """The errors that the database raises from now on, except those about existing rows."""
    database: Any = server.tables.store.database
    errors: list[str] = []

    def watched(call: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        async def do(query: Any) -> Any:
            try:
                return await call(query)
            except (sa.exc.StatementError, OverflowError) as error:
                if not isinstance(error, sa.exc.IntegrityError):
                    errors.append(type(error).__name__)
                raise

        return do

    database.read, database.write = watched(database.read), watched(database.write)
    return errors


@pytest.mark.parametrize("either", ["postgres"], indirect=True)
def test_no_value_reaches_the_database_that_it_cannot_hold(either: Served) -> None:
    """NUL, lone surrogates, integers beyond its columns, names that grow when they are normalised."""
    player = either.player()
    errors = watch(either)
    table_id = player.open_table("big-two", ["random"] * 3)
    texts = ["a\0b", "\0", "\ud800", "\u0390" * 24, "\ufdfa" * 24, "x" * 10_000]
    numbers = [2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, 10**30, -1, -(2**63) - 1]
    codes = set()
    for value in texts:
        raw = value.encode("utf-8", "surrogatepass")
        quoted = "".join(f"%{byte:02x}" for byte in raw)
        for path in ("tables/{}", "hands/{}", "people/{}", "people/{}/ratings/x/3", "puzzles/{}", "me/ratings/{}/3"):
            codes.add(player.http.get(f"/api/{path.format(quoted)}").status_code)
        for path, body in (
            ("account", {"name": value, "password": "correct horse"}),
            ("sign-in", {"name": value, "password": "correct horse"}),
            ("sign-in", {"name": "somebody", "password": value}),
            ("me/name", {"name": value}),
            ("me/claim", {"token": value}),
            ("tables", {"preset": "big-two", "contribution": value}),
            ("tables", {"preset": "big-two", "ticket": value}),
            ("tables", {"preset": value}),
            (f"tables/{table_id}/join", {"name": value}),
            ("quick", {"preset": "big-two", "name": value}),
            ("passkeys/sign-in", {"ticket": value, "credential": value}),
        ):
            content = json.dumps(body)
            codes.add(player.http.post(f"/api/{path}", content=content, headers=JSON).status_code)
        agent = {b"user-agent": raw[:200].replace(b"\0", b"\xff")}
        codes.add(player.http.post("/api/sign-in", json=KNOWN, headers=agent).status_code)
    for number in numbers:
        for path in ("me/history?before={}", f"tables/{table_id}/hands?after={{}}", "hands/x/picture?seq={}"):
            codes.add(player.http.get(f"/api/{path.format(number)}").status_code)
        for path in ("puzzles?grade={}", "puzzles?players={}", "me/ratings/big-two/{}", "hands/x/advice?seq={}"):
            codes.add(player.http.get(f"/api/{path.format(number)}").status_code)
        speed = {"kind": "clock", "seconds": number, "increment": number}
        for settings in ({"delay": number}, {"speed": speed}):
            created = player.http.post("/api/tables", json={"preset": "big-two", "settings": settings})
            codes.add(created.status_code)
        codes.add(player.http.post("/api/hands/x/notes", json={"seq": number, "text": "x"}).status_code)
    with player.sit(table_id) as socket:
        for n, wrong in enumerate([*texts, *numbers]):
            for kind, field in (("chat", "text"), ("contribute", "text"), ("move", "move"), ("report", "reason")):
                message = {"type": kind, "id": f"{kind}{n}", field: wrong}
                socket.send(**(message | ({"seq": 1} if kind == "report" else {})))
            socket.send(type="report", id=f"r{n}", seq=wrong, reason="x")
            socket.send(type="chat", id=str(wrong), text="x")
            socket.send(type="offer", id=f"o{n}", offer=wrong)
        socket.receive_all()
        assert "error" in {message["type"] for message in socket.messages}
    assert codes <= {200, 201, 400, 403, 404, 409}, codes
    assert errors == []


def test_no_endpoint_fails(either: Served) -> None:
    server = either
    errors = watch(server)
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"])
    document = player.http.get("/api/openapi.json").json()
    rng = random.Random(3)
    seen = set()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for _ in range(CALLS_EACH):
                answer = call(player, rng, document, table_id, path, method, operation)
                assert answer.status_code < 500 or answer.json()["code"] == "unavailable", (method, path, answer.text)
                assert answer.status_code != 500, (method, path, answer.text)
                if answer.status_code >= 400:
                    assert set(answer.json()) == {"type", "id", "code", "clause", "message", "wording"}, (
                        path,
                        answer.text,
                    )
                    assert "Traceback" not in answer.text
            seen.add((method, path))
    assert len(seen) > 30
    assert errors == []


def call(player: Player, rng: random.Random, document: Json, table_id: str, path: str, method: str, told: Json) -> Any:
    url, query = path, {}
    for parameter in told.get("parameters", []):
        value = text(rng.choice(NASTY))
        if parameter["in"] == "path":
            known = table_id if parameter["name"] == "table_id" and rng.random() < 0.7 else value
            url = url.replace(
                f"{{{parameter['name']}}}", known.encode("utf-8", "replace").hex() if "%" in known else known
            )
        elif rng.random() < 0.8:
            query[parameter["name"]] = value
    url = "".join(c if c.isascii() and c.isprintable() and c not in " '#?" else "_" for c in url)
    content = None
    if "requestBody" in told:
        schema = told["requestBody"]["content"]["application/json"]["schema"]
        body = rng.choice(NASTY) if rng.random() < 0.1 else made(rng, document, schema, 0)
        content = json.dumps(body)
    headers = {"content-type": "application/json"} if content is not None else {}
    params = {name: value.encode("utf-8", "replace").decode() for name, value in query.items()}
    return player.http.request(method, url, params=params, content=content, headers=headers)


def text(value: object) -> str:
    return value if isinstance(value, str) and value else json.dumps(value)


def made(rng: random.Random, document: Json, schema: Json, depth: int) -> Any:
    """A value that partly fits the schema."""
    if rng.random() < 0.15 or depth > 4:
        return rng.choice(NASTY)
    if "$ref" in schema:
        return made(rng, document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth)
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            return made(rng, document, rng.choice(schema[union]), depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            required = set(schema.get("required", []))
            return {
                name: made(rng, document, field, depth + 1)
                for name, field in fields.items()
                if name in required or rng.random() < 0.6
            }
        case "array":
            return [made(rng, document, schema.get("items", {}), depth + 1) for _ in range(rng.randrange(4))]
        case "string":
            return rng.choice(["big-three", "me", "open", "random", "pass", "Ann", "correct horse", "x" * 9])
        case "integer":
            return rng.choice([0, 1, 7, 30, 60, -1])
        case "boolean":
            return rng.random() < 0.5
    return rng.choice(NASTY)
