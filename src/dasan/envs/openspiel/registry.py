"""Registration of presets with `pyspiel.load_game`."""

from __future__ import annotations

from typing import Any

import pyspiel

from dasan.envs.openspiel.game import DasanGame
from dasan.envs.openspiel.tree import usual_dealer
from dasan.games import PRESETS, TEACHING
from dasan.games.option import Preset
from dasan.ruleset.policies import OptionValue


def register() -> tuple[str, ...]:
    """Register every preset with `pyspiel.load_game`; returns their names there. Idempotent; another call adds games
    registered with `dasan.register` since.
    """
    known = set(pyspiel.registered_names())
    names = []
    for preset in (*PRESETS.values(), *TEACHING.values()):
        game_type = _type(preset)
        names.append(game_type.short_name)
        if game_type.short_name not in known:
            pyspiel.register_game(game_type, _class_of(preset, game_type))
    return tuple(names)


def name_of(preset: str) -> str:
    """The name of a preset in OpenSpiel.

    >>> name_of("big-three-4p")  # doctest: +SKIP
    'python_dasan_big_three_4p'
    """
    return f"python_dasan_{preset.replace('-', '_')}"


def _type(preset: Preset) -> Any:
    options = {option.name: option for option in preset.options}
    least, most = preset.players()
    return pyspiel.GameType(
        short_name=name_of(preset.name),
        long_name=preset.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=least,
        max_num_players=most,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **{name: _parameter(o.default) for name, o in options.items()},
            "dealer": usual_dealer(preset.rules({})),
        },
    )


def _parameter(value: OptionValue) -> OptionValue:
    """A value as OpenSpiel parses it from a game string, where "52" is a number."""
    return int(value) if isinstance(value, str) and value.isdigit() else value


def _class_of(preset: Preset, game_type: Any) -> Any:
    """The game class of one preset."""

    def __init__(self: Any, params: dict[str, Any] | None = None) -> None:  # noqa: N807
        DasanGame.__init__(self, preset, game_type, params or {})

    def __reduce__(self: Any) -> tuple[object, ...]:  # noqa: N807
        return _loaded, (str(self),)

    return type(game_type.short_name, (DasanGame,), {"__init__": __init__, "__reduce__": __reduce__})


def _loaded(text: str) -> Any:
    """Unpickle a game."""
    register()
    return pyspiel.load_game(text)
