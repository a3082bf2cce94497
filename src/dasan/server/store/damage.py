"""Damaged rows, which a fault of the disk or a person has changed: they must not hide the others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from dasan.server.compact import compact
from dasan.server.operations.reporting import report

T = TypeVar("T")

SURROGATE = re.compile(r"\\u[dD]")
"""What JSON with half of a surrogate pair contains."""


def json_value(text: str | bytes) -> Any:
    """The value of a JSON column. None, as for ``null``, if the stored text is damaged: it must not hide the other rows of a
    query. So is one with half of a surrogate pair, which no file, socket or database takes.
    """
    try:
        value = json.loads(text)
        if SURROGATE.search(text if isinstance(text, str) else text.decode()):
            compact(value).encode()
        return value
    except (ValueError, RecursionError):
        return None


def undamaged(kind: str, rows: Iterable[Any], read: Callable[[Any], T]) -> list[T]:
    """What ``read`` makes of each row, without those that it cannot read, which are logged by their ``id``. kind: what a row
    is of, for the log.
    """
    results = []
    for row in rows:
        try:
            results.append(read(row))
        except Exception as error:  # a damaged row may lack anything
            report(f"the row of {kind} {row.id} is damaged", error)
    return results
