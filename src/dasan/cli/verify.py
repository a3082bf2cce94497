"""`dasan verify`: whether records are true."""

from __future__ import annotations

from collections import Counter

import typer

from dasan.cli.files import AsJson, RecordFile
from dasan.cli.recorded import RecordNumber, hands_of, print_found, read_records


def verify(file: RecordFile, number: RecordNumber = None, as_json: AsJson = False) -> None:
    """Check every move, every result, and every deal against its commitment.

    Exit code 0: nothing in the records is untrue. 2: something is, and one line says what.
    """
    from dasan.records.record import verify as check

    found = read_records(file, number, check).values()
    if as_json:
        print_found(
            [
                {
                    "file": file,
                    "preset": verified.rules.name,
                    "hands": 0 if verified.game is None else len(hands_of(verified.game)),
                    "statements": list(verified.statements),
                    "unproved": list(verified.unproved),
                }
                for verified in found
            ]
        )
        return
    said = Counter(f"true      {statement}" for verified in found for statement in verified.statements)
    said += Counter(f"unproved  {statement}" for verified in found for statement in verified.unproved)
    for line, times in said.items():
        typer.echo(line if len(found) == 1 else f"{line} ({times} of {len(found)} records)")
