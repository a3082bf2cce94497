"""`dasan rules`: list the presets, or print the rules in force in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dasan import backends
from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.files import AsJson
from dasan.cli.group import CannotRun
from dasan.cli.output import print_json
from dasan.games import PRESETS, Option
from dasan.games.option import value_text
from dasan.ruleset import clauses
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from rich.table import Table


def rules(
    preset: Annotated[
        str | None,
        typer.Argument(help="Which game; default: list the games.", autocompletion=complete_preset),
    ] = None,
    option: Options = None,
    language: Annotated[str, typer.Option(help="The language of the clauses: en, zh-Hans, zh-Hant or fr.")] = "en",
    show_backends: Annotated[
        bool, typer.Option("--backends", help="Show which backends honour these rules, and why others do not.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the rules in force, clause by clause, and the options of a game."""
    if language not in clauses.LANGUAGES:
        raise CannotRun(f"the rule book exists in {', '.join(clauses.LANGUAGES)}, not in {language!r}")
    if preset is None:
        if show_backends:
            raise CannotRun("name a game: dasan rules PRESET --backends")
        if option:
            raise CannotRun("--option changes a game: name one, like dasan rules PRESET --option NAME=VALUE")
        if as_json:
            print_json({"presets": [_preset_json(name) for name in PRESETS]})
        else:
            _print_presets()
        return
    chosen = chosen_rules(preset, option)
    if show_backends:
        if as_json:
            print_json({"backends": [_backend_json(backend, why) for backend, why in backends.report(chosen)]})
        else:
            _print_backends(chosen)
        return
    if as_json:
        print_json(_rules_json(chosen, language))
    else:
        _print_rules(chosen, language)


def _backend_json(backend: backends.Backend, why_not: str | None) -> dict[str, Any]:
    return {
        "name": backend.name,
        "purposes": [purpose.value for purpose in backend.purposes],
        "summary": backend.summary,
        "compiled": backend.compiled,
        "plays": why_not is None,
        "why_not": why_not,
    }


def _print_backends(chosen: Rules) -> None:
    from rich.console import Console

    table = _table("backend", "for", "plays", "")
    for backend, why_not in backends.report(chosen):
        purposes = ", ".join(purpose.value for purpose in backend.purposes)
        table.add_row(backend.name, purposes, "no" if why_not else "yes", why_not or backend.summary)
    Console(highlight=False, markup=False).print(table)


def _preset_json(name: str) -> dict[str, Any]:
    preset = PRESETS[name]
    return {
        "name": name,
        "title": preset.title,
        "summary": preset.summary,
        "options": [_option_json(o, o.default) for o in preset.options],
    }


def _option_json(option: Option, value: OptionValue) -> dict[str, Any]:
    return {
        "name": option.name,
        "value": value,
        "default": option.default,
        "choices": None if option.choices is None else list(option.choices),
        "minimum": option.minimum if option.choices is None else None,
        "maximum": option.maximum if option.choices is None else None,
        "clause": option.clause,
        "help": option.help,
    }


def _rules_json(chosen: Rules, language: str) -> dict[str, Any]:
    preset = PRESETS[chosen.name]
    return {
        "name": preset.name,
        "title": preset.title,
        "players": chosen.players,
        "digest": chosen.digest,
        "options": [_option_json(o, chosen.options[o.name]) for o in preset.options],
        "clauses": [{"id": c.id, "title": c.title, "text": c.text} for c in clauses.in_force(chosen, language)],
    }


def _print_presets() -> None:
    from rich.console import Console

    table = _table("preset", "game", "players")
    for preset in PRESETS.values():
        least, most = preset.players()
        table.add_row(preset.name, preset.title, str(least) if least == most else f"{least} to {most}")
    console = Console(highlight=False)
    console.print(table)
    console.print("\n[bold]dasan rules PRESET[/bold] prints its clauses and options.")


def _table(names: str, *headings: str) -> Table:
    """An empty table. names: the heading of its first column, whose names are never cut."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(names, style="cyan", no_wrap=True, overflow="fold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _print_rules(chosen: Rules, language: str) -> None:
    from rich.console import Console, Group
    from rich.markdown import Markdown
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text.assemble((PRESETS[chosen.name].title, "bold"), (f" · {chosen.name}", "dim")))
    console.print()
    for clause in clauses.in_force(chosen, language):
        heading = Text.assemble(
            (f"{clause.id} ", "bold cyan"), (f"{clause.title}{'。' if language.startswith('zh') else '.'}", "bold")
        )
        body = [Padding(Markdown(clause.body), (0, 0, 0, 6))] if clause.body else []
        console.print(Group(heading, *body))
        console.print()
    console.print("[bold]Options[/bold]")
    for option in PRESETS[chosen.name].options:
        value = chosen.options[option.name]
        default = "" if value == option.default else f", not {value_text(option.default)}"
        console.print(
            Text.assemble(
                (option.name, "cyan"),
                " = ",
                (value_text(value), "bold"),
                (f"{default}  {_choices(option)}", "dim"),
            )
        )
        console.print(Padding(f"{option.help} [dim]{option.clause}[/dim]", (0, 0, 0, 6)))


def _choices(option: Option) -> str:
    """The option's possible values, in brackets."""
    if option.choices is None:
        return f"({option.minimum} to {option.maximum})"
    return f"({', '.join(value_text(choice) for choice in option.choices)})"
