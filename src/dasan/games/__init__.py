"""The presets by name, and how options become rules.

`PRESETS` is the whole registry: a game is added by writing one module and naming its presets here.
"""

from __future__ import annotations

from dasan.games import big_three, big_two, winner
from dasan.games.option import Option, Preset
from dasan.ruleset.rules import OptionValue, Rules

__all__ = ["PRESETS", "Option", "Preset", "make_rules"]

PRESETS: dict[str, Preset] = {preset.name: preset for game in (big_three, big_two, winner) for preset in game.PRESETS}


def make_rules(preset: str, **options: OptionValue) -> Rules:
    """The rules of `preset` with `options` changed; a switch is True or False, or the word `on` or `off`.

    ValueError: no such preset or option, a value that the option cannot have, or options that contradict each other.

    >>> make_rules("big-two", guard="off").options["guard"]
    'off'
    """
    known = PRESETS.get(preset) if isinstance(preset, str) else None
    if known is None:
        raise ValueError(f"there is no preset {preset!r}; there are {', '.join(PRESETS)}")
    by_name = {option.name: option for option in known.options}
    said = {name: by_name[name].said(value) if name in by_name else value for name, value in options.items()}
    return known.rules(said)
