"""Requests generated from the OpenAPI document by schemathesis, and messages from the socket's schema by Hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dasan.server import schema as protocol

from .harness import Json, Player, Served, fast, served

pytestmark = pytest.mark.full

schemathesis = pytest.importorskip("schemathesis", reason="no schemathesis: `make test-all` installs it")

ERROR = {"type", "id", "code", "clause", "message"}
LEAST = 30
"""The least number of operations: with fewer, the document has lost some."""


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[tuple[Served, Player, str]]:
    with served(fast(tmp_path, bot_delay=3600, study_seconds=1.0)) as server:
        player = server.player()
        yield server, player, player.open_table("big-two", ["random"] * 3)


def quietly(examples: int) -> settings:
    """The same examples in every run, this many."""
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(
        max_examples=examples, derandomize=True, deadline=None, phases=[Phase.generate], suppress_health_check=checks
    )


def knock(arena: tuple[Served, Player, str], examples: int) -> int:
    """Call every operation with generated requests; returns their number."""
    server, player, table_id = arena
    document = player.http.get("/api/openapi.json").json()
    api = schemathesis.openapi.from_dict(document)
    operations = 0
    for result in api.get_all_operations():
        operation = result.ok()
        operations += 1

        @quietly(examples)
        @given(case=operation.as_strategy(), real=st.booleans())
        def call(case: Any, real: bool) -> None:
            if real and "table_id" in (case.path_parameters or {}):
                case.path_parameters["table_id"] = table_id
            request = case.as_transport_kwargs(base_url=server.address)
            request = {
                key: value for key, value in request.items() if key in ("method", "url", "params", "json", "headers")
            }
            answer = player.http.request(**request)
            assert answer.status_code != 500, (request, answer.text)
            named = operation.definition.raw["responses"]  # noqa: B023 - the function is called before the next operation
            assert str(answer.status_code) in named, (request, answer.status_code)
            kind = answer.headers.get("content-type", "").partition(";")[0]
            assert not answer.content or kind in named[str(answer.status_code)].get("content", {}), (request, kind)
            if answer.status_code >= 400 and answer.headers.get("content-type", "").startswith("application/json"):
                assert set(answer.json()) >= ERROR, (request, answer.text)
            assert "Traceback" not in answer.text

        call()
    return operations


def allowed(schema: Json, definitions: Json) -> st.SearchStrategy[Any]:
    """Values that a part of our schema allows."""
    match schema:
        case {"$ref": str(name)}:
            return allowed(definitions[name.rpartition("/")[2]], definitions)
        case {"oneOf": list(parts)} | {"anyOf": list(parts)}:
            return st.one_of([allowed(part, definitions) for part in parts])
        case {"const": value}:
            return st.just(value)
        case {"enum": list(values)}:
            return st.sampled_from(values)
        case {"type": "object", "properties": dict(fields)}:
            required = set(schema.get("required", ()))
            made = {name: allowed(field, definitions) for name, field in fields.items()}
            return st.fixed_dictionaries(
                {name: one for name, one in made.items() if name in required},
                optional={name: one for name, one in made.items() if name not in required},
            )
        case {"type": "string", "pattern": str(pattern)}:
            return st.from_regex(pattern, fullmatch=True).filter(
                lambda text: len(text) <= schema.get("maxLength", 1 << 20)
            )
        case {"type": "string"}:
            return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 100))
        case {"type": "integer"}:
            top = schema.get("maximum", schema.get("exclusiveMaximum", 1 << 31) - 1)
            return st.integers(schema.get("minimum", 0), top)
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "null"}:
            return st.none()
    raise AssertionError(f"no strategy for {schema}")


def speak(arena: tuple[Served, Player, str], examples: int) -> None:
    """Send valid messages: each with an id gets an answer, and the socket stays open."""
    _, player, table_id = arena
    definitions = protocol.schema()["$defs"]
    messages = allowed(definitions["ClientMessage"], definitions)

    @quietly(examples)
    @given(st.lists(messages, min_size=1, max_size=8))
    def say(said: list[Json]) -> None:
        with player.sit(table_id) as socket:
            for message in said:
                socket.send(**message)
            for _ in [message for message in said if message["type"] == "ping"]:
                socket.until(lambda m: m["type"] == "pong")
            socket.receive_all()
            codes = {m["code"] for m in socket.messages if m["type"] == "error"}
            assert "unavailable" not in codes, said
            named = {message["id"] for message in said if "id" in message and message["type"] != "hint"}
            answered = {m["id"] for m in socket.messages if m["type"] in ("ack", "error")}
            assert named <= answered or None in answered, (said, socket.messages)

    say()


@pytest.mark.long
def test_requests_that_the_document_allows_never_fail(arena: tuple[Served, Player, str]) -> None:
    assert knock(arena, 1) >= LEAST


def test_messages_that_the_schema_allows_are_answered(arena: tuple[Served, Player, str]) -> None:
    speak(arena, 10)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_many_requests(arena: tuple[Served, Player, str]) -> None:
    assert knock(arena, 60) >= LEAST


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_many_messages(arena: tuple[Served, Player, str]) -> None:
    speak(arena, 300)
