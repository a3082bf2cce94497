"""Log records as one line each, text or JSON, so that players' text cannot forge lines."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

FIELDS = ("error", "where", "method", "route", "status", "ms", "address", "service")
"""The extra fields of a record that are written."""


class LineFormatter(logging.Formatter):
    r"""A record as one line of text. Control characters are escaped; fields follow the message.

    >>> record = logging.LogRecord("dasan", logging.INFO, "", 0, "a\nb %s", ("c\x1b",), None)
    >>> LineFormatter().format(record).partition(" INFO ")[2]
    'dasan: a\\nb c\\x1b'
    """

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={_plain(str(value))}" for name, value in _fields(record).items())
        return f"{_time(record)} {record.levelname} {record.name}: {_plain(record.getMessage())}{fields}"


class JsonFormatter(logging.Formatter):
    """A record as one JSON object: time, level, logger, message, and its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        return json.dumps(line, default=str)


FORMATS: dict[str, type[logging.Formatter]] = {"text": LineFormatter, "json": JsonFormatter}
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(form: str, level: str, stream: TextIO | None = None) -> logging.Handler:
    """Write log records to ``stream`` (standard error) in one of ``FORMATS``, from one of ``LEVELS`` on.

    Returns the handler, for ``logging.getLogger().removeHandler``.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(FORMATS[form]())
    # Only warnings from other packages: SQLAlchemy would log its statements.
    logging.getLogger().addHandler(handler)
    logging.getLogger("dasan").setLevel(LEVELS[level])
    return handler


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of a record, without the exception's message, which could name hidden cards (G.02)."""
    fields = {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
    if record.exc_info and record.exc_info[0] is not None:
        fields.setdefault("error", record.exc_info[0].__qualname__)
    return fields


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
