"""Make rules from `PRESET --option name=value`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer

from dasan.cli.group import CannotRun, refused
from dasan.games import PRESETS, Option, make_rules
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

Options: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="A house rule, like [bold]cut=off[/bold]; may be repeated. [bold]dasan rules PRESET[/bold] lists them.",
    ),
]

_SWITCH = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


def complete_preset(incomplete: str) -> list[str]:
    return [name for name in PRESETS if name.startswith(incomplete)]


def chosen_rules(preset: str, options: Sequence[str] | None) -> Rules:
    """The rules of a preset with options. `CannotRun`: there is no such preset, option or value.

    >>> chosen_rules("big-two", ["guard=off", "triples=on"]).options["triples"]
    True
    """
    known = PRESETS.get(preset)
    by_name = {option.name: option for option in known.options} if known is not None else {}
    chosen: dict[str, OptionValue] = {}
    for text in options or ():
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise CannotRun(f"write an option as name=value, not {text!r}")
        if name in chosen:
            raise CannotRun(f"option {name} is given twice")
        chosen[name] = _value(by_name[name], value.strip()) if name in by_name else value
    with refused(ValueError):
        return make_rules(preset, **chosen)


def _value(option: Option, text: str) -> OptionValue:
    """`text` as a value of this option; other text is returned unchanged, and the option refuses it."""
    if option.choices is None or isinstance(option.default, int):
        if isinstance(option.default, bool):
            return _SWITCH.get(text.lower(), text)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else text
    return text
