"""Bots as policies of OpenSpiel."""

from __future__ import annotations

from open_spiel.python import policy

from dasan.arguments import instance
from dasan.bots import Bot, bot
from dasan.envs.openspiel.state import DasanState
from dasan.envs.openspiel.tree import GameTree


class BotPolicy(policy.Policy):
    """A bot as a deterministic OpenSpiel policy.

    player: a name for `dasan.bot`, or an object with `choose(view)` that chooses the same move for the same view.
    """

    def __init__(self, game: GameTree, player: str | Bot) -> None:
        instance(game, GameTree, "a bot's policy takes a game, such as one from pyspiel.load_game, and then the bot")
        super().__init__(game, list(range(game.rules.players)))
        self._bot = bot(player, rules=game.rules) if isinstance(player, str) else player
        self._ids = game.ids

    def action_probabilities(self, state: DasanState, player_id: int | None = None) -> dict[int, float]:
        hand = state.hand
        if hand is None or hand.to_act is None:
            raise ValueError("a policy needs a state in which a player is to act")
        chosen = self._ids.of(self._bot.choose(hand.view(hand.to_act)), hand.called)
        return {action: float(action == chosen) for action in state.legal_actions()}
