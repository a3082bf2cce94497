"""Damaged rows, which a fault of the disk or a person has changed: lists leave them out, and requests for one are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from dasan.server.compact import compact
from dasan.server.operations.reporting import report
from dasan.server.refusals import Damaged, Refused

T = TypeVar("T")

SURROGATE = re.compile(r"\\u[dD]")
"""What JSON with half of a surrogate pair contains."""
MOST_KNOWN = 10_000
"""The most damaged rows that are remembered."""
known: set[tuple[str, str]] = set()
"""The damaged rows that this process has found, by kind and id: each is logged once."""


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


def damaged(kind: str, row: str, error: Exception) -> Damaged:
    """The refusal of a row that cannot be read because of ``error``. The row is logged once, and counted in the metrics.

    kind: what the row is of, for the log. row: its id.
    """
    if (kind, row) not in known:
        report(f"the row of {kind} {row} is damaged", error)
        if len(known) < MOST_KNOWN:
            known.add((kind, row))
    return Damaged()


@contextmanager
def intact(kind: str, row: str) -> Iterator[None]:
    """Refuse, as `damaged`, if this block fails, which makes something of a row and does nothing else. Other refusals, and
    too little memory, are no damage.
    """
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:  # a damaged row may lack anything
        raise damaged(kind, row, error) from None


def undamaged(kind: str, rows: Iterable[Any], read: Callable[[Any], T]) -> list[T]:
    """What ``read`` makes of each row, without those that it cannot read, see `intact`; their key is their ``id``."""
    results = []
    for row in rows:
        with suppress(Damaged), intact(kind, row.id):
            results.append(read(row))
    return results
