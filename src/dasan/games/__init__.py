"""The presets by name, and how options become rules.

`PRESETS` has the games that come with dasan, each a module here, those of installed packages (entry points
`dasan.games`), and those that a program adds with `register`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dasan.arguments import WrongType, shown
from dasan.games import big_three, big_two, dou_dizhu, teaching, winner
from dasan.games.option import Game, Option, Preset, switch
from dasan.registry import Registry
from dasan.ruleset import clauses
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

__all__ = [
    "PRESETS",
    "TEACHING",
    "Game",
    "Option",
    "Preset",
    "changed_options",
    "make_rules",
    "register",
    "rules_of",
    "switch",
]


def register(game: Preset | Game) -> None:
    """Add a preset, or a game with several and the chapter of its clauses, to `PRESETS`.

    ValueError: a name is taken or malformed, a clause has no text, or the rules with every option at its default are unplayable
    (see `ruleset.validation`). TypeError: `game` is neither a `Preset` nor a `Game`.
    """
    if isinstance(game, Preset):
        game = Game((game,))
    if not isinstance(game, Game):
        raise WrongType(f"a game is a Preset or a Game, not {type(game).__name__}")
    added = clauses.parse(game.chapter)
    known = {**clauses.known(), **added}
    for preset in game.presets:
        PRESETS.check(preset.name, preset)
        missing = [clause for clause in preset.rules({}).clauses if clause not in known]
        if missing:
            raise ValueError(f"{preset.name} names clause {missing[0]}, which no chapter states")
    clauses.add(added)
    for preset in game.presets:
        PRESETS.add(preset.name, preset)


def _take(name: str, provided: Any) -> None:
    """Register the object of an entry point: a preset, a game, or a function that returns one."""
    register(provided() if callable(provided) else provided)


PRESETS: Registry[Preset] = Registry(
    "preset",
    "dasan.games",
    {preset.name: preset for game in (big_three, big_two, winner, dou_dizhu) for preset in game.PRESETS},
    _take,
)

TEACHING: dict[str, Preset] = {preset.name: preset for preset in teaching.PRESETS}
"""Small variants for computing equilibria: presets for `make_rules` that no list of games shows."""


def rules_of(preset: str | Rules, options: Mapping[str, OptionValue]) -> Rules:
    """The rules of a preset with `options`; a `Rules` value is returned unchanged.

    ValueError: as for `make_rules`, or options are given with a `Rules` value.
    """
    if not isinstance(preset, Rules):
        return make_rules(preset, **options)
    if options:
        raise ValueError("options belong to a preset's name; these rules are complete")
    return preset


def make_rules(preset: str, /, **options: OptionValue) -> Rules:
    """The rules of `preset` with `options`, the others at their defaults. A switch is True or False, or the word "on" or "off".

    ValueError: no such preset or option, a value that the option cannot have, or options that contradict each other.

    >>> make_rules("big-two", guard="off").options["guard"]
    'off'
    """
    if not isinstance(preset, str):
        raise WrongType(f"a preset is named by a text, such as 'big-three', not by {shown(preset)}")
    known = PRESETS.get(preset) or TEACHING.get(preset)
    if known is None:
        raise ValueError(f"there is no preset {shown(preset)}; there are {', '.join(PRESETS)}")
    return known.rules(options)


def changed_options(rules: Rules) -> dict[str, OptionValue]:
    """The options that are not at their defaults in the preset of `rules`, in their order."""
    usual = make_rules(rules.name).options
    return {name: value for name, value in rules.options.items() if value != usual[name]}
