"""Tensors and strings of what a player sees of a state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from dasan.cards import Card
from dasan.envs.openspiel.state import DasanState
from dasan.envs.openspiel.tree import GameTree, Played
from dasan.envs.openspiel.words import dealt, history_seen, public, seen
from dasan.features import Feature, card_flags, card_slots, encode, layout, observation_size
from dasan.play.events import MOVES, EventType

_PRIVATE = ("hand", "kitty", "partner")


class DasanObserver:
    """Tensors and strings of what a player sees.

    Without perfect recall the tensor is the observation of `dasan.features`, a piece for each feature. Perfect recall adds
    `dealt`, the cards that this player was dealt, as flags; `played_at`, for each card of the pack the number of the move that
    played it divided by the greatest possible number of moves, 0 if none has; `bid_at`, the same for bids; and `moves`, the
    number of moves made.
    """

    def __init__(self, game: GameTree, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers take no parameters, not {params}")
        self._game = game
        self._recall = kind.perfect_recall
        self._public, self._private = kind.public_info, kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        rules = game.rules
        self._features: tuple[Feature, ...] = layout(rules)
        self._size = observation_size(rules)
        sizes = [("observation", self._size)] if self._public else []
        if self._private:
            sizes.append(("dealt", card_slots(rules)))
        if self._recall and self._public:
            top = rules.auction.top if rules.auction is not None else 0
            sizes += [("played_at", len(rules.pack)), ("bid_at", top), ("moves", 1)]
        self.tensor = np.zeros(sum(size for _, size in sizes), np.float32)
        self.dict: dict[str, Any] = {}
        at = 0
        for name, size in sizes:
            if size:
                self.dict[name] = self.tensor[at : at + size]
            at += size

    def set_from(self, state: DasanState, player: int) -> None:
        """Write what `player` sees into `tensor`."""
        self.tensor.fill(0)
        rules, pieces = self._game.rules, self.dict
        if "dealt" in pieces:
            pieces["dealt"][:] = card_flags(rules, dealt(state.node, player))
        hand = state.hand
        if hand is None or not self._public:
            return
        view = hand.view(player)
        row = encode(view)
        if not self._private:
            for feature in self._features:
                if feature.name in _PRIVATE:
                    row[feature.start : feature.start + feature.size] = [0] * feature.size
        pieces["observation"][:] = row
        if not self._recall:
            return
        moves = [e for e in view.events if e.type in MOVES]
        places: dict[Card | None, list[int]] = {}
        for place, card in enumerate(self._game.deck):
            places.setdefault(card, []).append(place)
        for number, event in enumerate(moves, start=1):
            if event.type is EventType.PLAY:
                for played in event.cards:
                    pieces["played_at"][places[played].pop(0)] = number / self._game.max_moves
            if event.bid is not None:
                pieces["bid_at"][event.bid - 1] = number / self._game.max_moves
        pieces["moves"][0] = len(moves) / self._game.max_moves

    def string_from(self, state: DasanState, player: int) -> str:
        """The observation of `player` as text; with perfect recall also everything that it has seen before."""
        node = state.node
        if not self._private:
            return public(node, self._recall)
        key = (player, self._recall)
        known: dict[tuple[int, bool], str] = getattr(node, "known", {})
        if key not in known:
            known[key] = f"seat {player}; " + (history_seen if self._recall else seen)(node, player)
            if isinstance(node, Played):
                node.known = known
        return known[key]
