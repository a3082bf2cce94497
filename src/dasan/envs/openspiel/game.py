"""Games of OpenSpiel: a preset with options."""

from __future__ import annotations

from typing import Any

import pyspiel

from dasan.arguments import shown, whole
from dasan.envs.openspiel.observer import DasanObserver
from dasan.envs.openspiel.state import DasanState
from dasan.envs.openspiel.tree import DRAWN, GameTree, usual_dealer
from dasan.envs.payoff import bounds, longest
from dasan.games.option import Preset
from dasan.play.action_ids import action_ids
from dasan.ruleset.policies import OptionValue


class DasanGame(GameTree, pyspiel.Game):
    """A preset with options. ValueError: as for `dasan.rules`, or there is no such dealer."""

    def __init__(self, preset: Preset, game_type: Any, params: dict[str, Any]) -> None:
        given = dict(params)
        dealer = given.pop("dealer", None)
        defaults = {option.name: option.default for option in preset.options}
        named = {k: str(v) if type(v) is int and isinstance(defaults.get(k), str) else v for k, v in given.items()}
        chosen: dict[str, OptionValue] = {k: v for k, v in named.items() if k not in defaults or v != defaults[k]}
        self.rules = preset.rules(chosen)
        dealer = usual_dealer(self.rules) if dealer is None else dealer
        try:
            dealer = whole(dealer, "dealer", DRAWN, self.rules.players - 1)
        except (TypeError, ValueError) as error:
            seats = f"a seat from 0 to {self.rules.players - 1}, or {DRAWN} to draw it"
            raise type(error)(f"dealer is {seats}, not {shown(dealer)}") from None
        self.ids = action_ids(self.rules)
        self.deck = tuple(self.rules.order.hand(self.rules.pack))
        self.dealer = dealer
        self._dealt = {}
        least, most = bounds(self.rules)
        self.max_moves = longest(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.ids.count,
            max_chance_outcomes=self.rules.players + (self.rules.kitty_size > 0),
            num_players=self.rules.players,
            min_utility=least,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.max_moves,
        )
        pyspiel.Game.__init__(self, game_type, info, params)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.deck) + (self.dealer == DRAWN)

    def new_initial_state(self) -> DasanState:
        return DasanState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> DasanObserver:
        return DasanObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)
