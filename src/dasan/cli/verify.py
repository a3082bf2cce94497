"""`dasan verify`: whether a record is true."""

from __future__ import annotations

import typer

from dasan.cli.files import AsJson, RecordFile, print_json, read_text, shown
from dasan.cli.group import Refused
from dasan.errors import DasanError


def verify(file: RecordFile, as_json: AsJson = False) -> None:
    """Check every move, every result, and every deal against its commitment.

    Exit code 0: nothing in the record is untrue. 2: something is, and one line says what.
    """
    from dasan.record import verify as check
    from dasan.sessions import Session

    text = read_text(file)
    try:
        verified = check(text)
    except DasanError as error:
        raise Refused(f"{shown(file)}: {error}") from error
    game = verified.game
    if as_json:
        print_json(
            {
                "file": file,
                "preset": game.rules.name,
                "hands": game.number if isinstance(game, Session) else 1,
                "statements": list(verified.statements),
                "unproved": list(verified.unproved),
            }
        )
        return
    for statement in verified.statements:
        typer.echo(f"true      {statement}")
    for statement in verified.unproved:
        typer.echo(f"unproved  {statement}")
