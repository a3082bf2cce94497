"""Output of the commands: every text goes through here, so that no control character of a file reaches the terminal."""

from __future__ import annotations

import json
import re

import typer

_INVISIBLE = re.compile(r"[^\n -~]")


def visible(text: str) -> str:
    r"""`text` with a question mark for every invisible character, which could control the terminal; line breaks stay.

    >>> visible("a\x1b[31mb")
    'a?[31mb'
    """
    return _INVISIBLE.sub(lambda found: found[0] if found[0].isprintable() else "?", text)


def say(text: str = "") -> None:
    """Print a text."""
    typer.echo(visible(text))


def warn(text: str) -> None:
    """Print one line on standard error."""
    typer.echo(" ".join(visible(" ".join(text.split())).split()), err=True)


def print_json(data: object) -> None:
    """Print JSON with invisible characters escaped."""
    written = json.dumps(data, ensure_ascii=False, indent=2)
    typer.echo(_INVISIBLE.sub(lambda found: found[0] if found[0].isprintable() else _escaped(found[0]), written))


def _escaped(char: str) -> str:
    """A character as JSON can write it in ASCII."""
    return json.dumps(char)[1:-1] if ord(char) != 0x7F else "\\u007f"
