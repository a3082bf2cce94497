"""The committed schema is what the models say, so the client's types are too."""

from __future__ import annotations

from dasan.server import schema


def test_the_committed_schema_is_current() -> None:
    assert schema.PATH.read_text(encoding="utf-8") == schema.text(), "run: python -m dasan.server.schema"
