"""The committed schema equals the models, so the client's types do too."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dasan.server import schema
from dasan.server.refusals import STATUS


def test_the_committed_schema_is_current() -> None:
    assert schema.PATH.read_text(encoding="utf-8") == schema.text(), "run: python -m dasan.server.schema"


def test_the_socket_is_described_by_the_same_models() -> None:
    document = schema.asyncapi("1")
    names = set(document["components"]["schemas"])
    assert names == set(schema.schema()["$defs"])
    used = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert used <= names


def test_the_page_lists_every_refusal_with_its_status() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/http.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| `")]
    listed = {
        code: int(status) for codes, status in rows if status.strip().isdigit() for code in re.findall(r"`(.+?)`", codes)
    }
    assert listed == STATUS


def test_the_description_of_the_socket_is_built_once() -> None:
    """Anybody may ask for it, and building it stops the server for as long as a hundred moves."""
    assert schema.asyncapi("1") is schema.asyncapi("1")
