"""JSON without spaces: entries of the log, messages to sockets, headers of records, backups."""

from __future__ import annotations

import json

_encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
"""Made once: ``json.dumps`` would make one for each value."""


def compact(value: object) -> str:
    """The JSON text of a value that does not contain itself."""
    return _encoder.encode(value)
