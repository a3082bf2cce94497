"""Output of the commands. All text passes through here, so that no control character from a file reaches the
terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite

import typer

_INVISIBLE = re.compile(r"[^\n -~]")


def visible(text: str) -> str:
    r"""`text` with question marks for invisible characters, which could control the terminal; line breaks stay.

    >>> visible("a\x1b[31mb")
    'a?[31mb'
    """
    return _INVISIBLE.sub(lambda match: match[0] if match[0].isprintable() else "?", text)


def say(text: str = "") -> None:
    """Print a text."""
    typer.echo(visible(text))


def warn(text: str) -> None:
    """Print one line on standard error."""
    typer.echo(" ".join(visible(" ".join(text.split())).split()), err=True)


def print_json(data: object) -> None:
    """Print JSON with invisible characters escaped. Numbers that JSON cannot write, such as infinity, are null."""
    written = json.dumps(_finite(data), ensure_ascii=False, indent=2, allow_nan=False)
    typer.echo(_INVISIBLE.sub(lambda match: match[0] if match[0].isprintable() else _escaped(match[0]), written))


def _finite(data: object) -> object:
    """`data` with None for every number that is infinite or not a number."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, (list, tuple)) else data


def _escaped(char: str) -> str:
    """A character as JSON can write it in ASCII."""
    return json.dumps(char)[1:-1] if ord(char) != 0x7F else "\\u007f"
