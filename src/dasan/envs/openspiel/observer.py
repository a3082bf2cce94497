"""A player's observation of a state, as tensors and strings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyspiel

from dasan.cards import Card, format_cards
from dasan.envs.openspiel.state import DasanState
from dasan.envs.openspiel.tree import GameTree, PlayedNode
from dasan.envs.openspiel.words import dealt, described, history
from dasan.features import Feature, encode, layout, observation_size
from dasan.play.events import MOVES, EventType
from dasan.play.view import View


class DasanObserver:
    """A player's observation, as tensors and strings. Two states have equal tensors exactly if they have equal strings.

    Without perfect recall the tensor is the observation of `dasan.features`, a piece for each feature, and `dealt`, a
    flag for each card of the pack that this player was dealt. Perfect recall adds `taken`, flags for the cards of the
    kitty that this player has seen; `played_at`, for each card of the pack the number of the move that played it
    divided by the greatest possible number of moves, 0 if none has; `bid_at`, the same for bids; and `moves`, the
    number of moves made. During the deal the observation shows only the dealer.
    """

    def __init__(self, game: GameTree, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers take no parameters, not {params}")
        self._game = game
        self._recall = kind.perfect_recall
        self._public, self._private = kind.public_info, kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        rules = game.rules
        self._features: tuple[Feature, ...] = layout(rules)
        self._size, pack = observation_size(rules), len(rules.pack)
        sizes = [("observation", self._size)] if self._public else []
        if self._private:
            sizes.append(("dealt", pack))
        if self._recall and self._public:
            top = rules.auction.top if rules.auction is not None else 0
            sizes += [("taken", pack if rules.kitty_size else 0), ("played_at", pack), ("bid_at", top), ("moves", 1)]
        self.tensor = np.zeros(sum(size for _, size in sizes), np.float32)
        self.dict: dict[str, Any] = {}
        at = 0
        for name, size in sizes:
            if size:
                self.dict[name] = self.tensor[at : at + size]
            at += size

    def set_from(self, state: DasanState, player: int) -> None:
        """Write the observation of `player` into `tensor`."""
        self.tensor.fill(0)
        pieces, node = self.dict, state.node
        if "dealt" in pieces:
            pieces["dealt"][self._places(dealt(node, player))] = 1
        if not self._public:
            return
        view = self._view(state, player)
        pieces["observation"][:] = self._row(state, player, view)
        if view is None or not self._recall:
            return
        if "taken" in pieces:
            seen = next((e.cards for e in view.events if e.type is EventType.KITTY), ())
            pieces["taken"][self._places(seen)] = 1
        moves = [e for e in view.events if e.type in MOVES]
        plays = [(number, e) for number, e in enumerate(moves, start=1) if e.type is EventType.PLAY]
        numbers = [number for number, e in plays for _ in e.cards]
        pieces["played_at"][self._places(c for _, e in plays for c in e.cards)] = (
            np.array(numbers, np.float32) / self._game.max_moves
        )
        for number, event in enumerate(moves, start=1):
            if event.bid is not None:
                pieces["bid_at"][event.bid - 1] = number / self._game.max_moves
        pieces["moves"][0] = len(moves) / self._game.max_moves

    def string_from(self, state: DasanState, player: int) -> str:
        """The observation of `player` as text; with perfect recall, its whole history in order."""
        node = state.node
        key = (player if self._private else -1, self._public, self._recall)
        known: dict[tuple[int, bool, bool], str] = getattr(node, "known", {})
        if key not in known:
            known[key] = self._text(state, player)
            if isinstance(node, PlayedNode):
                node.known = known
        return known[key]

    def _text(self, state: DasanState, player: int) -> str:
        node = state.node
        parts = [f"seat {player}"] if self._private else []
        parts += [f"dealer {node.dealer}"] if self._public else []
        parts += [f"dealt {format_cards(dealt(node, player))}"] if self._private else []
        view = self._view(state, player)
        if view is None or not self._public:
            return "; ".join(parts)
        if self._recall:
            return "; ".join([*parts, *history(view)])
        return "; ".join([*parts, *described(self._game.rules, self._features, self._row(state, player, view))])

    def _view(self, state: DasanState, player: int) -> View | None:
        """The view of `player`, or without private information that of seat 0 without its cards; None during the
        deal.
        """
        hand = state.hand
        if hand is None:
            return None
        return hand.view(player) if self._private else replace(hand.view(None), seat=0)

    def _row(self, state: DasanState, player: int, view: View | None) -> list[int]:
        """The observation; during the deal only the dealer."""
        if view is not None:
            return encode(view)
        row = [0] * self._size
        dealer = state.node.dealer
        if dealer >= 0:
            start = next(f.start for f in self._features if f.name == "dealer")
            row[start + (dealer - (player if self._private else 0)) % self._game.rules.players] = 1
        return row

    def _places(self, cards: Iterable[Card | None]) -> list[int]:
        """The indices of these cards in the pack, different ones for duplicate cards; hidden cards are skipped."""
        left: dict[Card, list[int]] = {}
        for place, card in reversed([*enumerate(self._game.deck)]):
            left.setdefault(card, []).append(place)
        return [left[c].pop() for c in cards if c is not None]
