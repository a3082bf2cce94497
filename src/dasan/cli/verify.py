"""`dasan verify`: check records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.files import AsJson, RecordFile
from dasan.cli.group import CannotRun
from dasan.cli.output import say
from dasan.cli.recorded import RecordNumber, hands_of, print_found, read_records

if TYPE_CHECKING:
    from dasan.games.verdict import Verdict
    from dasan.records.lines import Record
    from dasan.ruleset.rules import Rules


def verify(
    file: RecordFile,
    number: RecordNumber = None,
    preset: Annotated[
        str | None,
        typer.Option(help="Require the rules of this preset, with --option.", autocompletion=complete_preset),
    ] = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Check a record: every move, every result, and every deal against its commitment; name its rules.

    Exit code 0: nothing in the records is false. 2: something is, and one line says what.
    """
    if option and preset is None:
        raise CannotRun("--option changes --preset: it needs --preset")
    rules = None if preset is None else chosen_rules(preset, option)
    checks = read_records(file, number, partial(_checked, rules=rules)).values()
    if as_json:
        print_found([{"file": file, **one.to_json()} for one in checks])
        return
    counts = Counter(f"rules     {one.verdict}" for one in checks)
    counts += Counter(f"true      {statement}" for one in checks for statement in one.statements)
    counts += Counter(f"unproved  {statement}" for one in checks for statement in one.unproved)
    for line, times in counts.items():
        say(line if len(checks) == 1 else f"{line} ({times} of {len(checks)} records)")


@dataclass(frozen=True, slots=True)
class _Checked:
    """The result of one record, without its game, because a file may hold thousands."""

    preset: str
    verdict: Verdict
    hands: int
    statements: tuple[str, ...]
    unproved: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "preset": self.preset,
            "rules": self.verdict.to_json(),
            "hands": self.hands,
            "statements": list(self.statements),
            "unproved": list(self.unproved),
        }


def _checked(record: Record, rules: Rules | None) -> _Checked:
    from dasan.records.verify import verify as check

    checked = check(record, rules=rules)
    hands = 0 if checked.game is None else len(hands_of(checked.game))
    return _Checked(checked.rules.name, checked.verdict, hands, checked.statements, checked.unproved)
