"""OpenSpiel: every preset as a Python game, `python_dasan_big_three`, `python_dasan_big_two`, `python_dasan_winner` …

`register()` makes them known to `pyspiel.load_game`. A game's parameters are the options of its preset, and `dealer`.

Chance deals the pack card by card, in a fixed order: each outcome is the seat that gets the next card, or the number of
seats for the kitty, as likely as there is room. So every deal has one path, and no two paths lead to the same deal. A
dealer of -1 is drawn first.

Returns are payments in units; where nothing is paid (Winner) half the number of seats plus one half, less the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("OpenSpiel games need their extra: pip install 'dasan[envs]'") from error

from dasan.cards import Card, format_cards
from dasan.envs.payoff import bounds, longest, payoffs
from dasan.features import Feature, card_flags, card_slots, encode, layout, observation_size
from dasan.games import PRESETS
from dasan.games.option import Preset
from dasan.play.action_ids import ActionIds, action_ids
from dasan.play.dealing import Deal
from dasan.play.events import MOVES, EventType
from dasan.play.moves import Move
from dasan.play.starting import begin
from dasan.play.state import State
from dasan.ruleset.rules import OptionValue, Rules

DRAWN = -1
"""A dealer drawn by chance."""
_CLASS = "Game_"


def register() -> tuple[str, ...]:
    """Make every preset known to `pyspiel.load_game`; the names. Calling it again changes nothing.

    A game that is registered afterwards with `dasan.register` becomes known by another call.
    """
    known = set(pyspiel.registered_names())
    names = []
    for preset in PRESETS.values():
        game_type = _type(preset)
        names.append(game_type.short_name)
        if game_type.short_name not in known:
            pyspiel.register_game(game_type, _class_of(preset, game_type))
    return tuple(names)


def __getattr__(name: str) -> Any:
    """The class of a game, which pickled games name."""
    if name.startswith(_CLASS):
        register()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def name_of(preset: str) -> str:
    """The name of a preset in OpenSpiel.

    >>> name_of("big-three-4p")  # doctest: +SKIP
    'python_dasan_big_three_4p'
    """
    return f"python_dasan_{preset.replace('-', '_')}"


def _type(preset: Preset) -> Any:
    options = {option.name: option for option in preset.options}
    players = options.get("players")
    default = preset.rules({})
    return pyspiel.GameType(
        short_name=name_of(preset.name),
        long_name=preset.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=default.players if players is None else players.minimum,
        max_num_players=default.players if players is None else players.maximum,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**{name: o.default for name, o in options.items()}, "dealer": 0},
    )


def _class_of(preset: Preset, game_type: Any) -> Any:
    """A class for one preset, which OpenSpiel makes games with and pickle finds by its name in this module."""

    def __init__(self: Any, params: dict[str, Any] | None = None) -> None:  # noqa: N807
        DasanGame.__init__(self, preset, game_type, params or {})

    name = f"{_CLASS}{game_type.short_name}"
    made = type(name, (DasanGame,), {"__init__": __init__, "__module__": __name__})
    globals()[name] = made
    return made


class DasanGame(pyspiel.Game):
    """A preset with options. ValueError: as for `dasan.rules`, or no such dealer."""

    def __init__(self, preset: Preset, game_type: Any, params: dict[str, Any]) -> None:
        given = dict(params)
        dealer = given.pop("dealer", 0)
        defaults = {option.name: option.default for option in preset.options}
        chosen: dict[str, OptionValue] = {k: v for k, v in given.items() if k not in defaults or v != defaults[k]}
        self.rules: Rules = preset.rules(chosen)
        if not DRAWN <= dealer < self.rules.players:
            raise ValueError(f"dealer is a seat from 0 to {self.rules.players - 1}, or {DRAWN} to draw it")
        self.ids: ActionIds = action_ids(self.rules)
        self.deck: tuple[Card, ...] = tuple(self.rules.order.hand(self.rules.pack))
        self.dealer: int = dealer
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
        super().__init__(game_type, info, params)

    def room(self, dealer: int) -> tuple[int, ...]:
        """How many cards each seat is dealt, and then the kitty if there is one."""
        rules = self.rules
        n, pack = rules.players, len(rules.pack)
        if rules.hand_size is None:
            return tuple(len(range((seat - dealer) % n, pack, n)) for seat in range(n))
        return (rules.hand_size,) * n + (rules.kitty_size,) * (rules.kitty_size > 0)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.deck) + (self.dealer == DRAWN)

    def new_initial_state(self) -> DasanState:
        return DasanState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> DasanObserver:
        return DasanObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class DasanState(pyspiel.State):
    """A deal in progress, then a hand: `hand` is the engine's state, None while cards are dealt."""

    def __init__(self, game: DasanGame) -> None:
        super().__init__(game)
        self._game = game
        self.hand: State | None = None
        self._dealer = game.dealer
        self._room = list(game.room(max(game.dealer, 0)))
        self._seats: list[int] = []
        self._moves: dict[int, Move] | None = None

    def current_player(self) -> int:
        if self.hand is None:
            chance: int = pyspiel.PlayerId.CHANCE
            return chance
        if self.hand.to_act is None:
            terminal: int = pyspiel.PlayerId.TERMINAL
            return terminal
        return self.hand.to_act

    def is_chance_node(self) -> bool:
        return self.hand is None

    def is_terminal(self) -> bool:
        return self.hand is not None and self.hand.to_act is None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self._dealer == DRAWN:
            n = self._game.rules.players
            return [(seat, 1.0 / n) for seat in range(n)]
        left = sum(self._room)
        return [(place, n / left) for place, n in enumerate(self._room) if n]

    def _by_id(self) -> dict[int, Move]:
        """The legal moves by their ids."""
        if self._moves is None:
            state = self.hand
            if state is None:
                return {}
            of, called = self._game.ids.of, state.called
            self._moves = {of(move, called): move for move in state.legal_moves()}
        return self._moves

    def _legal_actions(self, player: int) -> list[int]:
        if self.hand is None or player != self.hand.to_act:
            return []
        return sorted(self._by_id())

    def _apply_action(self, action: int) -> None:
        if self.hand is not None:
            self.hand = self.hand.play(self._by_id()[action])
            self._moves = None
            return
        if self._dealer == DRAWN:
            self._dealer = action
            self._room = list(self._game.room(action))
            return
        self._seats.append(action)
        self._room[action] -= 1
        left = [place for place, n in enumerate(self._room) if n]
        if not left:
            self._begin()

    def _begin(self) -> None:
        game = self._game
        dealt: list[list[Card]] = [[] for _ in range(game.rules.players + 1)]
        for place, card in zip(self._seats, game.deck, strict=True):
            dealt[place].append(card)
        hands, kitty = tuple(map(tuple, dealt[:-1])), tuple(dealt[-1])
        self.hand = begin(game.rules, Deal(1, self._dealer, hands, kitty))

    def returns(self) -> list[float]:
        if self.hand is None or self.hand.to_act is not None:
            return [0.0] * self._game.rules.players
        return payoffs(self.hand)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            if self._dealer == DRAWN:
                return f"dealer {action}"
            to = "kitty" if action == self._game.rules.players else f"seat {action}"
            return f"{self._game.deck[len(self._seats)]} to {to}" if self.hand is None else f"card to {to}"
        move = None if self.hand is None or player != self.hand.to_act else self._by_id().get(action)
        return self._game.ids.text(action) if move is None else str(move)

    def dealt(self, player: int) -> tuple[Card, ...]:
        """The cards that `player` has been dealt so far, the kitty not among them."""
        return tuple(card for card, place in zip(self._game.deck, self._seats, strict=False) if place == player)

    def history_seen(self, player: int) -> str:
        """All that `player` has seen of the hand, in order: nothing of it is forgotten."""
        if self.hand is None:
            return f"dealer {self._dealer}; dealt {format_cards(self.dealt(player))}"
        events = self.hand.view(player).events
        said = "; ".join(
            f"{e.seat} {e.type}{'' if e.bid is None else f' {e.bid}'} {format_cards(e.cards)}".rstrip() for e in events
        )
        return f"dealer {self._dealer}; dealt {format_cards(self.dealt(player))}; {said}"

    def seen(self, player: int) -> str:
        """What `player` sees now."""
        state = self.hand
        if state is None:
            return f"dealt {format_cards(self.dealt(player))}"
        view = state.view(player)
        parts = [view.phase.value, f"hand {format_cards(view.hand)}", f"sizes {' '.join(map(str, view.hand_sizes))}"]
        parts.append(f"to act {view.to_act}")
        if view.bidder is not None:
            parts.append(f"bid {view.bid} by {view.bidder}")
        if view.called is not None:
            parts.append(f"called {view.called}" + ("" if view.partner is None else f" partner {view.partner}"))
        if view.table is not None:
            parts.append(f"table {format_cards(view.table.cards)} by {view.table_seat}")
        parts.append(f"passed {' '.join(map(str, view.passed))}")
        kitty = next((e.cards for e in view.events if e.type is EventType.KITTY), ())
        parts.append(f"kitty {format_cards(kitty)}")
        for seat in range(self._game.rules.players):
            cards = [c for e in view.events if e.type is EventType.PLAY and e.seat == seat for c in e.cards]
            parts.append(f"{seat} played {format_cards(self._game.rules.order.hand(c for c in cards if c))}")
        return "; ".join(parts)

    def __str__(self) -> str:
        if self.hand is None:
            return f"dealing, dealer {self._dealer}: {' '.join(map(str, self._seats))}"
        hands = " | ".join(format_cards(hand) for hand in self.hand.hands)
        said = "; ".join(str(e.seat) + " " + _said(e) for e in self.hand.events if e.type in MOVES)
        return f"dealer {self._dealer}: {hands}; {said}"


def _said(event: Any) -> str:
    cards = f" {format_cards(event.cards)}" if event.cards else ""
    return f"{event.type}{'' if event.bid is None else f' {event.bid}'}{cards}"


class DasanObserver:
    """Tensors and strings of what a player sees.

    Without perfect recall the tensor is the observation of `dasan.features`, a piece for each feature. With perfect
    recall, after it: `dealt`, the cards that this player was dealt, as flags; `played_at`, for each card of the pack the
    number of the move that played it, over the most moves that there can be, 0 if none has; `bid_at`, the same for bids;
    and `moves`, how many have been made.
    """

    def __init__(self, game: DasanGame, kind: Any, params: Any) -> None:
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
            pieces["dealt"][:] = card_flags(rules, state.dealt(player))
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
        """What `player` sees, or with perfect recall has seen, as text."""
        if not self._private:
            return _public(state, self._recall)
        return f"seat {player}; " + (state.history_seen(player) if self._recall else state.seen(player))


_PRIVATE = ("hand", "kitty", "partner")


def _public(state: DasanState, recall: bool) -> str:
    """What everybody sees."""
    if state.hand is None:
        return "dealing"
    view = state.hand.view(None)
    moves: Sequence[str] = [f"{e.seat} {_said(e)}" for e in view.events if e.type in MOVES]
    return "; ".join(moves) if recall else "; ".join((view.phase.value, str(view.hand_sizes), *moves[-1:]))


__all__ = ["DRAWN", "DasanGame", "DasanObserver", "DasanState", "name_of", "register"]
