"""OpenSpiel states: nodes of a game tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspiel

from dasan.envs.hand import described
from dasan.envs.openspiel.redeal import redealt
from dasan.envs.openspiel.tree import CHANCE, DRAWN, Dealing, GameTree, Over, PlayedNode
from dasan.envs.openspiel.words import truth
from dasan.play.state import State

_TRIES = 1000


class DasanState(pyspiel.State):
    """A deal in progress, then a hand. hand: the engine's state, None during the deal. node: the node of the game
    tree.
    """

    def __init__(self, game: GameTree) -> None:
        super().__init__(game)
        self.node: Dealing | PlayedNode = Dealing(game, game.dealer, game.room(max(game.dealer, 0)), ())

    @property
    def hand(self) -> State | None:
        return self.node.hand

    def current_player(self) -> int:
        return self.node.player

    def is_chance_node(self) -> bool:
        return self.node.player == CHANCE

    def is_terminal(self) -> bool:
        return self.node.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        node = self.node
        if not isinstance(node, Dealing):
            return []
        if node.dealer == DRAWN:
            n = node.game.rules.players
            return [(seat, 1.0 / n) for seat in range(n)]
        left = sum(node.room)
        return [(place, node.room[place] / left) for place in node.legal]

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions of `player`, by default of the player to act. Overrides OpenSpiel's version, which calls
        Python five times.
        """
        node = self.node
        if player is None or player == node.player or node.player == CHANCE:
            return node.legal.copy()
        actions: list[int] = super().legal_actions(player)
        return actions

    def _legal_actions(self, player: int) -> list[int]:
        node = self.node
        return node.legal if player == node.player else []

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def returns(self) -> list[float]:
        node = self.node
        return node.returns.copy() if isinstance(node, Over) else [0.0] * node.game.rules.players

    def _action_to_string(self, player: int, action: int) -> str:
        node = self.node
        if player == CHANCE:
            if node.dealer == DRAWN:
                return f"dealer {action}"
            to = "kitty" if action == node.game.rules.players else f"seat {action}"
            return f"{node.game.deck[len(node.seats)]} to {to}" if isinstance(node, Dealing) else f"card to {to}"
        move = node.move(action) if isinstance(node, PlayedNode) and player == node.player else None
        return node.game.ids.text(action) if move is None else str(move)

    def described(self, player: int, language: str = "en") -> dict[str, Any]:
        """Sentences about what `player` sees (`text`, see `View.describe`), and the action of each move that they number, in
        the same order (`actions`, empty if another player is to act).

        ValueError: the deal is not complete, or there is no such language.
        """
        hand = self.node.hand
        if hand is None:
            raise ValueError("a hand is described once all cards are dealt")
        return described(hand, player, self.node.game.ids, language)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> DasanState:
        """A state that `player` cannot distinguish from this one, with hidden cards redealt uniformly over the
        consistent deals.

        sampler: returns a random number in [0, 1). ValueError: the deal is not complete. RuntimeError: no such state
        was found.
        """
        hand, node = self.node.hand, self.node
        if hand is None:
            raise ValueError("cards cannot be resampled before all are dealt")
        wanted, moves = (
            self.information_state_string(player),
            self.history()[len(node.seats) + (node.game.dealer == DRAWN) :],
        )
        for _ in range(_TRIES):
            state = DasanState(node.game)
            if node.game.dealer == DRAWN:
                state.apply_action(node.dealer)
            for place in redealt(node.game, hand, player, node.dealer, sampler):
                state.apply_action(place)
            for action in moves:
                if action not in state.node.legal:
                    break
                state.apply_action(action)
            else:
                if state.information_state_string(player) == wanted:
                    return state
        raise RuntimeError(f"found no deal in {_TRIES} tries that player {player} could not distinguish from this one")

    def __str__(self) -> str:
        return truth(self.node)
