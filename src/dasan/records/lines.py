"""The lines of climb/1: JSON objects, one a line, split into records.

A file can hold several records in sequence: a line with `format` and without `type` begins the next. This module
bounds the size of untrusted input before anything interprets it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any, TypeAlias

from dasan.errors import BadRecord
from dasan.strict_json import NotJson, parse

FORMAT = "climb/1"
MAX_CHARACTERS = 8_000_000
MAX_LINES = 50_000
MAX_RECORDS = 10_000
"""The most records in one file."""
MAX_RULES = 32
"""The most different rules in one file, each of which is compiled once."""
BESIDE = ("note", "analysis")
"""Types of lines that are not part of the game and may appear anywhere after the header."""


class Line(dict[str, Any]):
    """One line of a file: a JSON object, with its number, from 1."""

    def __init__(self, content: dict[str, Any], number: int) -> None:
        super().__init__(content)
        self.number = number


Record: TypeAlias = list[Line]
"""The lines of one record."""


def record_lines(text: str) -> list[str]:
    r"""The lines of a record written by dasan, with their ends: only a line feed ends a line, because JSON text may
    contain other separators.

    >>> record_lines('{"a": "x\u2028y"}\n{}\n')[1]
    '{}\n'
    """
    return list(StringIO(text))


def records(text: str) -> Iterator[Record]:
    """The records in a text; each line with `format` begins one.

    `BadRecord` for damaged lines, for more than `MAX_RECORDS` records or `MAX_RULES` different rules, and for records
    with more than `MAX_LINES` lines or `MAX_CHARACTERS` characters.
    """
    record: Record = []
    size = count = 0
    rules: set[str] = set()
    for number, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        if len(row) > MAX_CHARACTERS:
            raise _too_large()
        line = _read(row, number)
        if "format" in line and "type" not in line:
            if record:
                yield record
            record, size = [], 0
            count += 1
            rules.add(_written(line.get("rules")))
            if count > MAX_RECORDS or len(rules) > MAX_RULES:
                raise BadRecord(f"a file has at most {MAX_RECORDS:,} records, by {MAX_RULES} different rules")
        record.append(line)
        size += len(row) + 1
        if len(record) > MAX_LINES or size > MAX_CHARACTERS:
            raise _too_large()
    if record:
        yield record


def only_record(text: str | Record) -> Record:
    """The only record in a text. `BadRecord`: there is none, or there are several."""
    if isinstance(text, list):
        if not all(isinstance(line, Line) for line in text):
            raise BadRecord("a record is text")
        return text
    if not isinstance(text, str):
        raise BadRecord("a record is text")
    if len(text) > MAX_CHARACTERS:
        raise _too_large()
    read = records(text)
    first = next(read, [])
    second = next(read, None)
    if second is not None:
        raise BadRecord(
            f"line {second[0].number}: another record begins here; `dasan.records.lines.records` takes them apart"
        )
    return first


def same(one: object, other: object) -> bool:
    """Whether two values have the same JSON text: unlike in Python, 1 differs from 1.0 and from true."""
    return _written(one) == _written(other)


def _written(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError as error:
        raise BadRecord("a line is nested too deeply") from error


def _read(row: str, number: int) -> Line:
    try:
        content = parse(row)
    except NotJson as error:
        raise BadRecord(f"line {number} {error}") from error
    if not isinstance(content, dict):
        raise BadRecord(f"line {number} is not a JSON object")
    return Line(content, number)


def _too_large() -> BadRecord:
    return BadRecord(f"a record has at most {MAX_LINES} lines and {MAX_CHARACTERS} characters")
