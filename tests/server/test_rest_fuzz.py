"""Every REST endpoint, from the server's own OpenAPI document, with values that nobody means well with: no 500."""

from __future__ import annotations

import json
import random
from typing import Any

from .harness import Json, Player, Served

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
CALLS_EACH = 12


def test_no_endpoint_fails(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"])
    document = player.http.get("/api/openapi.json").json()
    rng = random.Random(3)
    seen = set()
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            for _ in range(CALLS_EACH):
                answer = call(player, rng, document, table_id, path, method, told)
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
    """A value that fits the schema here and there."""
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
