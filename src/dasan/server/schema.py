"""The protocol as JSON Schema: ``python -m dasan.server.schema`` writes ``schema.json`` beside this file."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from dasan.server.protocol import bidding, events, friends, groups, moderation, notifications, people, rest, study
from dasan.server.protocol.base import PROTOCOL, Message
from dasan.server.protocol.commands import ClientMessage
from dasan.server.protocol.messages import ServerMessage

PATH = Path(__file__).with_name("schema.json")
REST = (bidding, events, friends, groups, moderation, notifications, people, rest, study)
"""The modules with the models of REST requests and answers."""


def schema() -> dict[str, Any]:
    """Every model under ``$defs``, and the two unions ``ClientMessage`` and ``ServerMessage``.

    >>> sorted(schema()["$defs"]["Ack"]["properties"])
    ['id', 'seq', 'type']
    """
    here = {module.__name__ for module in REST}
    models = (model for module in REST for model in vars(module).values() if isinstance(model, type))
    messages = [model for model in models if issubclass(model, Message) and model.__module__ in here]
    _, described = models_json_schema([(model, "validation") for model in messages])
    definitions: dict[str, Any] = dict(described["$defs"])
    unions: tuple[tuple[str, TypeAdapter[Any]], ...] = (
        ("ClientMessage", TypeAdapter(ClientMessage)),
        ("ServerMessage", TypeAdapter(ServerMessage)),
    )
    for name, adapter in unions:
        union = adapter.json_schema()
        definitions |= union.pop("$defs")
        definitions[name] = union
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "dasan live protocol",
        "version": PROTOCOL,
        "$defs": dict(sorted(definitions.items())),
    }


@cache
def asyncapi(version: str) -> dict[str, Any]:
    """The WebSocket protocol as an AsyncAPI 3 document, from the same models. It is built only once, because that takes long.

    >>> sorted(asyncapi("1")["operations"])
    ['receive', 'send']
    """
    channel = {"$ref": "#/channels/table"}
    messages = {
        name: {"name": name, "payload": {"$ref": f"#/components/schemas/{name}"}}
        for name in ("ClientMessage", "ServerMessage")
    }
    definitions = json.loads(json.dumps(schema()["$defs"]).replace("#/$defs/", "#/components/schemas/"))
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "dasan tables", "version": version},
        "channels": {
            "table": {
                "address": "/ws/tables/{id}",
                "parameters": {"id": {"description": "the table"}},
                "messages": messages,
            }
        },
        "operations": {
            "send": {
                "action": "send",
                "channel": channel,
                "messages": [{"$ref": "#/channels/table/messages/ServerMessage"}],
            },
            "receive": {
                "action": "receive",
                "channel": channel,
                "messages": [{"$ref": "#/channels/table/messages/ClientMessage"}],
            },
        },
        "components": {"schemas": definitions},
    }


def text() -> str:
    """The file's contents, byte for byte."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write ``schema.json``."""
    PATH.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
