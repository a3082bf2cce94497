"""The tree of a game: deals in progress, and positions of hands.

Compiled code plays if a backend honours the rules, else the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import pyspiel

from dasan.cards import Card
from dasan.envs.ended import accepted
from dasan.envs.payoff import payoffs
from dasan.play.action_ids import ActionIds
from dasan.play.dealing import Deal, draws_opener
from dasan.play.moves import Move
from dasan.play.new_hand import begin
from dasan.play.state import State
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.envs.openspiel.desk import Desk

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
DRAWN = -1
"""A dealer drawn by chance."""


def usual_dealer(rules: Rules) -> int:
    """The default dealer: drawn in games that draw the opener of the auction (DD.02), because here the dealer opens
    it.
    """
    return DRAWN if draws_opener(rules) else 0


REMEMBERED = 6
"""The largest pack of games that cache every visited hand, for algorithms that walk the whole tree repeatedly."""


class GameTree:
    """The data that the nodes of one game share. deck: the pack in the order in which it is dealt. dealer: a seat, or DRAWN.

    max_moves: the most moves that a hand can take.
    """

    rules: Rules
    ids: ActionIds
    deck: tuple[Card, ...]
    dealer: int
    max_moves: int
    _dealt: dict[tuple[int, tuple[int, ...]], PlayedNode]

    def room(self, dealer: int) -> tuple[int, ...]:
        """The number of cards dealt to each seat, then to the kitty if there is one."""
        rules = self.rules
        n, pack = rules.players, len(rules.pack)
        if rules.hand_size is None:
            return tuple(len(range((seat - dealer) % n, pack, n)) for seat in range(n))
        return (rules.hand_size,) * n + (rules.kitty_size,) * (rules.kitty_size > 0)

    @cached_property
    def desk(self) -> Desk | None:
        """Steps hands in compiled code; None if no backend honours the rules."""
        from dasan.envs.openspiel.desk import desk_of

        return desk_of(self.rules)

    def dealt(self, dealer: int, seats: tuple[int, ...]) -> PlayedNode:
        """The hand in which `seats` got the cards of the deck. Small games cache it."""
        node = self._dealt.get((dealer, seats))
        if node is None:
            begun = Begun(self, dealer, seats, self.desk)
            if begun.desk is None:
                node = by_engine(begun, None, -1, begun.hand())
            else:
                row, player, legal, _ = begun.desk.deal(dealer, seats)
                node = PlayedNode(begun, None, -1, row, TERMINAL if player is None else player, legal)
            if self.remembers:
                self._dealt[dealer, seats] = node
        return node

    @cached_property
    def remembers(self) -> bool:
        """Whether visited positions are cached."""
        return len(self.deck) <= REMEMBERED


class Dealing:
    """A deal in progress, owned by one state; `after` changes it.

    room: cards that each seat and the kitty still get. seats: the receivers of the cards dealt so far. legal: the
    outcomes.
    """

    __slots__ = ("dealer", "game", "legal", "room", "seats")
    player, over, hand = CHANCE, False, None

    def __init__(self, game: GameTree, dealer: int, room: Sequence[int], seats: Sequence[int]) -> None:
        self.game, self.dealer, self.room, self.seats = game, dealer, list(room), list(seats)
        self.legal = list(range(game.rules.players)) if dealer == DRAWN else [i for i, n in enumerate(room) if n]

    def __deepcopy__(self, memo: object) -> Dealing:
        return Dealing(self.game, self.dealer, self.room, self.seats)

    def __reduce__(self) -> tuple[object, ...]:
        return Dealing, (self.game, self.dealer, self.room, self.seats)

    def after(self, action: int) -> Dealing | PlayedNode:
        """This deal after an outcome, or the hand once all cards are dealt. ValueError: there is no such outcome."""
        if action not in self.legal:
            raise ValueError(f"{action} is not an outcome here: {', '.join(map(str, self.legal))}")
        if self.dealer == DRAWN:
            return Dealing(self.game, action, self.game.room(action), ())
        left = self.room[action] - 1
        if not left and len(self.legal) == 1:
            return self.game.dealt(self.dealer, (*self.seats, action))
        self.seats.append(action)
        self.room[action] = left
        if not left:
            self.legal.remove(action)
        return self


class Begun(NamedTuple):
    """Data shared by the positions of one hand. seats: the receiver of each card. desk: compiled code; None if the
    engine plays.
    """

    game: GameTree
    dealer: int
    seats: tuple[int, ...]
    desk: Desk | None

    def hand(self) -> State:
        """The engine's first state."""
        game = self.game
        dealt: list[list[Card]] = [[] for _ in range(game.rules.players + 1)]
        for place, card in zip(self.seats, game.deck, strict=True):
            dealt[place].append(card)
        drawn = self.dealer if draws_opener(game.rules) else None
        return begin(game.rules, Deal(1, self.dealer, tuple(map(tuple, dealt[:-1])), tuple(dealt[-1]), opener=drawn))


class PlayedNode:
    """A position of a hand. Immutable, so that clones and deep copies share it.

    before, action: the position before and the move that led here. row: the position in compiled code, None if the
    engine plays. player: the seat to act. legal: action ids, ascending. Set on demand: _hand, the engine's state;
    _moves, by id, if the engine plays; known, a cache of strings; children, visited positions of small games.
    """

    __slots__ = ("_hand", "_moves", "action", "before", "begun", "children", "known", "legal", "player", "row")
    _hand: State
    _moves: dict[int, Move]
    known: dict[tuple[int, bool, bool], str]
    children: dict[int, PlayedNode]
    over = False

    def __init__(
        self, begun: Begun, before: PlayedNode | None, action: int, row: bytes | None, player: int, legal: list[int]
    ) -> None:
        self.begun, self.before, self.action = begun, before, action
        self.row, self.player, self.legal = row, player, legal

    def __deepcopy__(self, memo: object) -> PlayedNode:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        begun, actions, node = self.begun, [], self
        while node.before is not None:
            actions.append(node.action)
            node = node.before
        return _again, (begun.game, begun.dealer, begun.seats, actions[::-1])

    @property
    def game(self) -> GameTree:
        return self.begun.game

    @property
    def dealer(self) -> int:
        return self.begun.dealer

    @property
    def seats(self) -> tuple[int, ...]:
        return self.begun.seats

    @property
    def hand(self) -> State:
        """The engine's state, after replaying the moves since the last call."""
        later: list[PlayedNode] = []
        node = self
        while not hasattr(node, "_hand"):
            if node.before is None:
                node._hand = node.begun.hand()
                break
            later.append(node)
            node = node.before
        state = node._hand
        for node in reversed(later):
            held = state.hands[state.mover]
            state = node._hand = accepted(state, self.game.ids.pick(node.action, held, state.called))
        return state

    def move(self, action: int) -> Move | None:
        """The legal move with this id."""
        if action not in self.legal:
            return None
        if self.row is None:
            return self._moves[action]
        state = self.hand
        return self.game.ids.pick(action, state.hands[state.mover], state.called)

    def after(self, action: int) -> PlayedNode:
        """The position after a move. ValueError: it is not legal."""
        if action not in self.legal:
            raise ValueError(f"action {action} is not legal now")
        if self.row is not None:
            begun = self.begun
            row, player, legal, returns = begun.desk.step(self.row, action)  # type: ignore[union-attr]
            if player is None:
                return Over(begun, self, action, row, returns)
            return PlayedNode(begun, self, action, row, player, legal)
        if not self.game.remembers:
            return by_engine(self.begun, self, action, self.hand.play(self._moves[action]))
        if not hasattr(self, "children"):
            self.children = {}
        if action not in self.children:
            self.children[action] = by_engine(self.begun, self, action, self.hand.play(self._moves[action]))
        return self.children[action]


class Over(PlayedNode):
    """A hand that is over. returns: payments or points by seat."""

    __slots__ = ("returns",)
    over = True

    def __init__(
        self, begun: Begun, before: PlayedNode | None, action: int, row: bytes | None, returns: list[float]
    ) -> None:
        super().__init__(begun, before, action, row, TERMINAL, [])
        self.returns = returns


def by_engine(begun: Begun, before: PlayedNode | None, action: int, hand: State) -> PlayedNode:
    """A position of a hand played by the engine."""
    node: PlayedNode
    if hand.to_act is None:
        node = Over(begun, before, action, None, payoffs(hand))
    else:
        of, called = begun.game.ids.of, hand.called
        moves = {of(move, called): move for move in hand.legal_moves()}
        node = PlayedNode(begun, before, action, None, hand.to_act, sorted(moves))
        node._moves = moves
    node._hand = hand
    return node


def _again(game: GameTree, dealer: int, seats: tuple[int, ...], actions: list[int]) -> PlayedNode:
    """Unpickle a position by replaying it."""
    node = game.dealt(dealer, seats)
    for action in actions:
        node = node.after(action)
    return node
