"""`dasan verify`: whether records are true."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Annotated

import typer

from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.files import AsJson, RecordFile
from dasan.cli.group import Refused
from dasan.cli.output import say
from dasan.cli.recorded import RecordNumber, hands_of, print_found, read_records


def verify(
    file: RecordFile,
    number: RecordNumber = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="Insist on the rules of this preset, as --option changes them.", autocompletion=complete_preset
        ),
    ] = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Check every move, every result, and every deal against its commitment; say which rules were played.

    Exit code 0: nothing in the records is untrue. 2: something is, and one line says what.
    """
    from dasan.records.verify import verify as check

    if option and preset is None:
        raise Refused("--option says how --preset is changed: it needs --preset")
    rules = None if preset is None else chosen_rules(preset, option)
    found = read_records(file, number, partial(check, rules=rules)).values()
    if as_json:
        print_found(
            [
                {
                    "file": file,
                    "preset": verified.rules.name,
                    "rules": verified.verdict.to_json(),
                    "hands": 0 if verified.game is None else len(hands_of(verified.game)),
                    "statements": list(verified.statements),
                    "unproved": list(verified.unproved),
                }
                for verified in found
            ]
        )
        return
    said = Counter(f"rules     {verified.verdict}" for verified in found)
    said += Counter(f"true      {statement}" for verified in found for statement in verified.statements)
    said += Counter(f"unproved  {statement}" for verified in found for statement in verified.unproved)
    for line, times in said.items():
        say(line if len(found) == 1 else f"{line} ({times} of {len(found)} records)")
