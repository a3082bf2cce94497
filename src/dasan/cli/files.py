"""Read the file that a command takes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from dasan.cli.group import CannotRun
from dasan.records.lines import MAX_CHARACTERS

RecordFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="One or more climb/1 records; - reads stdin.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]

MOST_BYTES = 8 * MAX_CHARACTERS


def read_text(file: str, expected: str = "a climb/1 record") -> str:
    """The text of `file` (`-` is stdin), without a byte order mark. expected: what the file should be, for a refusal.

    `CannotRun`: it has no name, cannot be read, is not UTF-8, or is longer than `MOST_BYTES`.
    """
    if not file:
        raise CannotRun("name a file, or - for standard input")
    try:
        if file == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise CannotRun(f"{shown(file)} is too large: it has more than {MOST_BYTES:,} bytes")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotRun(f"{shown(file)} is not {expected}: it is not UTF-8 text") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CannotRun(f"cannot read {shown(file)}: {reason}") from error


def shown(file: str) -> str:
    return "standard input" if file == "-" else file
