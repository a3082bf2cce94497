"""OpenSpiel games: every preset and teaching variant as a Python game: `python_dasan_big_three`, `python_dasan_big_two` …

`register()` makes them known to `pyspiel.load_game`. A game's parameters are the options of its preset, and `dealer`.

Chance deals the pack card by card, in a fixed order: each outcome is the seat that gets the next card (or the number of seats,
for the kitty), with a probability in proportion to the cards it still lacks. So every deal has exactly one path. If the
dealer is -1, chance draws the dealer first.

Returns are payments in units, or where nothing is paid (Winner) (seats + 1) / 2 - place.

Hands are played by compiled code where it knows the rules (see `dasan.backends`), else by the engine. Strings, tensors and
`DasanState.hand` ask the engine, which replays the moves when one of them is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

try:
    import pyspiel
    from open_spiel.python import policy
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("OpenSpiel games need their extra: pip install 'dasan[envs]'") from error

from dasan.bots import Bot, bot
from dasan.cards import Card, format_cards, missing
from dasan.envs.ended import accepted
from dasan.envs.payoff import bounds, longest, payoffs
from dasan.features import Feature, card_flags, card_slots, encode, layout, observation_size
from dasan.games import PRESETS, TEACHING
from dasan.games.option import Preset
from dasan.play.action_ids import ActionIds, action_ids
from dasan.play.begin import begin
from dasan.play.dealing import Deal
from dasan.play.events import MOVES, EventType
from dasan.play.moves import Move
from dasan.play.state import State
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.envs.desk import Desk

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
DRAWN = -1
"""A dealer drawn by chance."""
REMEMBERED = 6
"""Games with at most this many cards in the pack keep every visited hand, for algorithms that walk the whole tree repeatedly."""
_CLASS = "Game_"

_TRIES = 1000


def register() -> tuple[str, ...]:
    """Make every preset known to `pyspiel.load_game`; returns their names there. Calling it again changes nothing, except that
    it adds games registered with `dasan.register` in the meantime.
    """
    known = set(pyspiel.registered_names())
    names = []
    for preset in (*PRESETS.values(), *TEACHING.values()):
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
        self._dealt: dict[tuple[int, tuple[int, ...]], _Played] = {}
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

    def __reduce__(self) -> tuple[object, ...]:
        return _loaded, (str(self),)

    def room(self, dealer: int) -> tuple[int, ...]:
        """How many cards each seat is dealt, and then the kitty if there is one."""
        rules = self.rules
        n, pack = rules.players, len(rules.pack)
        if rules.hand_size is None:
            return tuple(len(range((seat - dealer) % n, pack, n)) for seat in range(n))
        return (rules.hand_size,) * n + (rules.kitty_size,) * (rules.kitty_size > 0)

    @cached_property
    def desk(self) -> Desk | None:
        """Steps hands in compiled code; None where only the engine plays the rules."""
        from dasan.envs.desk import desk_of

        return desk_of(self.rules)

    def dealt(self, dealer: int, seats: tuple[int, ...]) -> _Played:
        """The hand in which `seats` got the cards of the deck. Small games keep it."""
        found = self._dealt.get((dealer, seats))
        if found is None:
            begun = _Begun(self, dealer, seats, self.desk)
            if begun.desk is None:
                found = _by_engine(begun, None, -1, begun.hand())
            else:
                row, player, legal, _ = begun.desk.deal(dealer, seats)
                found = _Played(begun, None, -1, row, TERMINAL if player is None else player, legal)
            if self.remembers:
                self._dealt[dealer, seats] = found
        return found

    @cached_property
    def remembers(self) -> bool:
        """Whether visited positions are kept."""
        return len(self.deck) <= REMEMBERED

    def max_chance_nodes_in_history(self) -> int:
        return len(self.deck) + (self.dealer == DRAWN)

    def new_initial_state(self) -> DasanState:
        return DasanState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> DasanObserver:
        return DasanObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


def _loaded(text: str) -> Any:
    """A pickled game, made again."""
    register()
    return pyspiel.load_game(text)


class _Dealing:
    """A deal in progress; a state's own, which `after` changes.

    room: how many cards each seat and the kitty still get. seats: who got each card of the pack so far. legal: the outcomes.
    """

    __slots__ = ("dealer", "game", "legal", "room", "seats")
    player, over, hand = CHANCE, False, None

    def __init__(self, game: DasanGame, dealer: int, room: Sequence[int], seats: Sequence[int]) -> None:
        self.game, self.dealer, self.room, self.seats = game, dealer, list(room), list(seats)
        self.legal = list(range(game.rules.players)) if dealer == DRAWN else [i for i, n in enumerate(room) if n]

    def __deepcopy__(self, memo: object) -> _Dealing:
        return _Dealing(self.game, self.dealer, self.room, self.seats)

    def __reduce__(self) -> tuple[object, ...]:
        return _Dealing, (self.game, self.dealer, self.room, self.seats)

    def after(self, action: int) -> _Dealing | _Played:
        """This deal after an outcome, or the hand once all cards are dealt. ValueError: there is no such outcome."""
        if action not in self.legal:
            raise ValueError(f"{action} is no outcome here: {', '.join(map(str, self.legal))}")
        if self.dealer == DRAWN:
            return _Dealing(self.game, action, self.game.room(action), ())
        left = self.room[action] - 1
        if not left and len(self.legal) == 1:
            return self.game.dealt(self.dealer, (*self.seats, action))
        self.seats.append(action)
        self.room[action] = left
        if not left:
            self.legal.remove(action)
        return self


class _Begun(NamedTuple):
    """What the positions of one hand share. seats: who got each card of the pack. desk: compiled code, None: the engine plays."""

    game: DasanGame
    dealer: int
    seats: tuple[int, ...]
    desk: Desk | None

    def hand(self) -> State:
        """The engine's first state."""
        game = self.game
        dealt: list[list[Card]] = [[] for _ in range(game.rules.players + 1)]
        for place, card in zip(self.seats, game.deck, strict=True):
            dealt[place].append(card)
        return begin(game.rules, Deal(1, self.dealer, tuple(map(tuple, dealt[:-1])), tuple(dealt[-1])))


class _Played:
    """A hand under way or over. It never changes, so clones and deep copies share it.

    before, action: the position before and the move that led here. row: the position in compiled code, None where the engine
    plays. player: the seat to act. legal: action ids, ascending. Others are set where they are needed: _hand, the engine's state;
    _moves, by id, where the engine plays; known, a cache of strings; children, visited positions of small games.
    """

    __slots__ = ("_hand", "_moves", "action", "before", "begun", "children", "known", "legal", "player", "row")
    _hand: State
    _moves: dict[int, Move]
    known: dict[tuple[int, bool], str]
    children: dict[int, _Played]
    over = False

    def __init__(
        self, begun: _Begun, before: _Played | None, action: int, row: bytes | None, player: int, legal: list[int]
    ) -> None:
        self.begun, self.before, self.action = begun, before, action
        self.row, self.player, self.legal = row, player, legal

    def __deepcopy__(self, memo: object) -> _Played:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        begun, actions, node = self.begun, [], self
        while node.before is not None:
            actions.append(node.action)
            node = node.before
        return _again, (begun.game, begun.dealer, begun.seats, actions[::-1])

    @property
    def game(self) -> DasanGame:
        return self.begun.game

    @property
    def dealer(self) -> int:
        return self.begun.dealer

    @property
    def seats(self) -> tuple[int, ...]:
        return self.begun.seats

    @property
    def hand(self) -> State:
        """The engine's state, which replays the moves since it was last asked."""
        later: list[_Played] = []
        node = self
        while not hasattr(node, "_hand"):
            if node.before is None:
                node._hand = node.begun.hand()
                break
            later.append(node)
            node = node.before
        state = node._hand
        for node in reversed(later):
            held = state.hands[state.to_act or 0]
            state = node._hand = accepted(state, self.game.ids.pick(node.action, held, state.called))
        return state

    def move(self, action: int) -> Move | None:
        """The legal move with this id."""
        if action not in self.legal:
            return None
        if self.row is None:
            return self._moves[action]
        state = self.hand
        return self.game.ids.pick(action, state.hands[state.to_act or 0], state.called)

    def after(self, action: int) -> _Played:
        """The position after a move. ValueError: it is not legal."""
        if action not in self.legal:
            raise ValueError(f"action {action} is not legal now")
        if self.row is not None:
            begun = self.begun
            row, player, legal, returns = begun.desk.step(self.row, action)  # type: ignore[union-attr]
            if player is None:
                return _Over(begun, self, action, row, returns)
            return _Played(begun, self, action, row, player, legal)
        if not self.game.remembers:
            return _by_engine(self.begun, self, action, self.hand.play(self._moves[action]))
        if not hasattr(self, "children"):
            self.children = {}
        if action not in self.children:
            self.children[action] = _by_engine(self.begun, self, action, self.hand.play(self._moves[action]))
        return self.children[action]


class _Over(_Played):
    """A hand that is over. returns: payments or points by seat."""

    __slots__ = ("returns",)
    over = True

    def __init__(
        self, begun: _Begun, before: _Played | None, action: int, row: bytes | None, returns: list[float]
    ) -> None:
        super().__init__(begun, before, action, row, TERMINAL, [])
        self.returns = returns


def _by_engine(begun: _Begun, before: _Played | None, action: int, hand: State) -> _Played:
    """A position that the engine plays."""
    node: _Played
    if hand.to_act is None:
        node = _Over(begun, before, action, None, payoffs(hand))
    else:
        of, called = begun.game.ids.of, hand.called
        moves = {of(move, called): move for move in hand.legal_moves()}
        node = _Played(begun, before, action, None, hand.to_act, sorted(moves))
        node._moves = moves
    node._hand = hand
    return node


def _again(game: DasanGame, dealer: int, seats: tuple[int, ...], actions: list[int]) -> _Played:
    """A pickled position, played again."""
    node = game.dealt(dealer, seats)
    for action in actions:
        node = node.after(action)
    return node


class DasanState(pyspiel.State):
    """A deal in progress, then a hand: `hand` is the engine's state, None while cards are dealt."""

    def __init__(self, game: DasanGame) -> None:
        super().__init__(game)
        self._node: _Dealing | _Played = _Dealing(game, game.dealer, game.room(max(game.dealer, 0)), ())

    @property
    def hand(self) -> State | None:
        return self._node.hand

    def current_player(self) -> int:
        return self._node.player

    def is_chance_node(self) -> bool:
        return self._node.player == CHANCE

    def is_terminal(self) -> bool:
        return self._node.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        node = self._node
        if not isinstance(node, _Dealing):
            return []
        if node.dealer == DRAWN:
            n = node.game.rules.players
            return [(seat, 1.0 / n) for seat in range(n)]
        left = sum(node.room)
        return [(place, node.room[place] / left) for place in node.legal]

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions of `player`, or of whoever is to act. The same as OpenSpiel's, which calls Python five times."""
        node = self._node
        if player is None or player == node.player or node.player == CHANCE:
            return node.legal.copy()
        found: list[int] = super().legal_actions(player)
        return found

    def _legal_actions(self, player: int) -> list[int]:
        node = self._node
        return node.legal if player == node.player else []

    def _apply_action(self, action: int) -> None:
        self._node = self._node.after(action)

    def returns(self) -> list[float]:
        node = self._node
        return node.returns.copy() if isinstance(node, _Over) else [0.0] * node.game.rules.players

    def _action_to_string(self, player: int, action: int) -> str:
        node = self._node
        if player == CHANCE:
            if node.dealer == DRAWN:
                return f"dealer {action}"
            to = "kitty" if action == node.game.rules.players else f"seat {action}"
            return f"{node.game.deck[len(node.seats)]} to {to}" if isinstance(node, _Dealing) else f"card to {to}"
        move = node.move(action) if isinstance(node, _Played) and player == node.player else None
        return node.game.ids.text(action) if move is None else str(move)

    def dealt(self, player: int) -> tuple[Card, ...]:
        """The cards that `player` has been dealt so far, the kitty not among them."""
        node = self._node
        return tuple(card for card, place in zip(node.game.deck, node.seats, strict=False) if place == player)

    def history_seen(self, player: int) -> str:
        """Everything that `player` has seen of the hand, in order (perfect recall)."""
        if self.hand is None:
            return f"dealer {self._node.dealer}; dealt {format_cards(self.dealt(player))}"
        events = self.hand.view(player).events
        said = "; ".join(
            f"{e.seat} {e.type}{'' if e.bid is None else f' {e.bid}'} {format_cards(e.cards)}".rstrip() for e in events
        )
        return f"dealer {self._node.dealer}; dealt {format_cards(self.dealt(player))}; {said}"

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
        for seat in range(self._node.game.rules.players):
            cards = [c for e in view.events if e.type is EventType.PLAY and e.seat == seat for c in e.cards]
            parts.append(f"{seat} played {format_cards(self._node.game.rules.order.hand(c for c in cards if c))}")
        return "; ".join(parts)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> DasanState:
        """A state that `player` cannot tell from this one, with its hidden cards dealt anew, uniformly over the deals that fit.

        sampler: returns a random number from 0 to 1. ValueError: cards are still being dealt. RuntimeError: no such state was
        found.
        """
        hand, node = self._node.hand, self._node
        if hand is None:
            raise ValueError("cards are resampled once all are dealt")
        wanted, moves = (
            self.information_state_string(player),
            self.history()[len(node.seats) + (node.game.dealer == DRAWN) :],
        )
        for _ in range(_TRIES):
            state = node.game.new_initial_state()
            if node.game.dealer == DRAWN:
                state.apply_action(node.dealer)
            for place in redealt(node.game, hand, player, node.dealer, sampler):
                state.apply_action(place)
            for action in moves:
                if action not in state._node.legal:
                    break
                state.apply_action(action)
            else:
                if state.information_state_string(player) == wanted:
                    return state
        raise RuntimeError(
            f"no other deal was found in {_TRIES} tries that player {player} could not tell from this one"
        )

    def __str__(self) -> str:
        if self.hand is None:
            return f"dealing, dealer {self._node.dealer}: {' '.join(map(str, self._node.seats))}"
        hands = " | ".join(format_cards(hand) for hand in self.hand.hands)
        said = "; ".join(str(e.seat) + " " + _said(e) for e in self.hand.events if e.type in MOVES)
        return f"dealer {self._node.dealer}: {hands}; {said}"


def redealt(game: DasanGame, hand: State, player: int, dealer: int, sampler: Callable[[], float]) -> list[int]:
    """Who gets each card of the deck when the cards that `player` has not seen are dealt anew; the moves may not fit it."""
    view, n, room = hand.view(player), game.rules.players, list(game.room(dealer))
    held: list[list[Card]] = [[] for _ in range(n + 1)]
    for seat in range(n):
        if seat != player:
            held[seat] = [c for e in view.events if e.type is EventType.PLAY and e.seat == seat for c in e.cards if c]
    held[player] = [c for c in view.begun.hands[player] if c is not None]
    shown = next((e for e in view.events if e.type is EventType.OPEN and e.cards), None)
    if shown is not None and shown.cards[0] is not None and shown.cards[0] not in held[shown.seat]:
        held[shown.seat].append(shown.cards[0])
    taken = [c for e in view.events if e.type is EventType.KITTY for c in e.cards if c is not None]
    if taken:
        held[n] = taken
        if view.bidder is not None and view.bidder != player:
            held[view.bidder] = [c for c in held[view.bidder] if c not in taken]
    unseen = missing(game.deck, [c for cards in held for c in cards])
    _shuffle(unseen, sampler)
    pool = view.bidder if view.bidder is not None and not taken and game.rules.kitty_size else None
    if pool is not None and pool != player:
        # The bidder has taken a hidden kitty: the cards that the bidder played may have come from it.
        size = room[pool] + room[n]
        both = held[pool] + [unseen.pop() for _ in range(size - len(held[pool]))]
        _shuffle(both, sampler)
        held[pool], held[n] = both[: room[pool]], both[room[pool] :]
    for place, size in enumerate(room):
        held[place] += [unseen.pop() for _ in range(size - len(held[place]))]
    return [_take(held, card) for card in game.deck]


def _take(held: list[list[Card]], card: Card) -> int:
    place = next(i for i, cards in enumerate(held) if card in cards)
    held[place].remove(card)
    return place


def _shuffle(cards: list[Card], sampler: Callable[[], float]) -> None:
    for i in range(len(cards) - 1, 0, -1):
        j = int(sampler() * (i + 1))
        cards[i], cards[j] = cards[j], cards[i]


def _said(event: Any) -> str:
    cards = f" {format_cards(event.cards)}" if event.cards else ""
    return f"{event.type}{'' if event.bid is None else f' {event.bid}'}{cards}"


class DasanObserver:
    """Tensors and strings of what a player sees.

    Without perfect recall the tensor is the observation of `dasan.features`, a piece for each feature. Perfect recall adds
    `dealt`, the cards that this player was dealt, as flags; `played_at`, for each card of the pack the number of the move that
    played it divided by the greatest possible number of moves, 0 if none has; `bid_at`, the same for bids; and `moves`, the
    number of moves made.
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
        node, key = state._node, (player, self._recall)
        known: dict[tuple[int, bool], str] = getattr(node, "known", {})
        if key not in known:
            known[key] = f"seat {player}; " + (state.history_seen(player) if self._recall else state.seen(player))
            if isinstance(node, _Played):
                node.known = known
        return known[key]


class BotPolicy(policy.Policy):
    """A bot as an OpenSpiel policy: all probability on the move that it chooses.

    player: a name for `dasan.bot`, or an object with `choose(view)` that chooses the same move for the same view.
    """

    def __init__(self, game: DasanGame, player: str | Bot) -> None:
        super().__init__(game, list(range(game.rules.players)))
        self._bot = bot(player) if isinstance(player, str) else player
        self._ids = game.ids

    def action_probabilities(self, state: DasanState, player_id: int | None = None) -> dict[int, float]:
        hand = state.hand
        if hand is None or hand.to_act is None:
            raise ValueError("a policy is asked where a player is to act")
        chosen = self._ids.of(self._bot.choose(hand.view(hand.to_act)), hand.called)
        return {action: float(action == chosen) for action in state.legal_actions()}


_PRIVATE = ("hand", "kitty", "partner")


def _public(state: DasanState, recall: bool) -> str:
    """What everybody sees."""
    if state.hand is None:
        return "dealing"
    view = state.hand.view(None)
    moves: Sequence[str] = [f"{e.seat} {_said(e)}" for e in view.events if e.type in MOVES]
    return "; ".join(moves) if recall else "; ".join((view.phase.value, str(view.hand_sizes), *moves[-1:]))


__all__ = ["DRAWN", "BotPolicy", "DasanGame", "DasanObserver", "DasanState", "name_of", "register"]
