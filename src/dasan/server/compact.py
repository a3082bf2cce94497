"""JSON without spaces: entries of the log, messages to sockets, headers of records, backups."""

from __future__ import annotations

import json

_encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
"""Shared, because ``json.dumps`` would create an encoder for each value."""


def compact(value: object) -> str:
    """The JSON text of a value without cycles."""
    return _encoder.encode(value)
