"""Action ids: a whole number for each possible move, the same in every program and every release.

In this order: the pass (0); the bids from low to high; the cards that may be called, by rank then suit; the rows of
the catalogue; and, where hands follow one another and cards change hands between them (W.20), every card that may be
given, every pair that may be offered (in H.40: given), every card that may be taken. A game has no ids for moves that
it does not have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import combinations, combinations_with_replacement

from dasan.arguments import WrongType, instance, shown, whole
from dasan.cards import Card, format_cards
from dasan.play.moves import PASS, Move, MoveType, check_form
from dasan.play.state import State
from dasan.play.view import View
from dasan.ruleset.cache import cached_by_rules
from dasan.ruleset.catalogue import Catalogue, Row
from dasan.ruleset.rules import Rules

PASS_ID = 0
LAYOUT = 0
"""The version of this order. Within a version no id of any rules changes its meaning."""

_Key = tuple[str, tuple[int, ...]]
"""A kind of combination, and the rank of each card, low to high."""


class Unsaid(Enum):
    """The default of an argument for which None has a meaning."""

    UNSAID = "unsaid"


@dataclass(frozen=True)
class ActionIds:
    """The action ids of `rules`. exchange: whether they include the exchange between hands.

    >>> import dasan
    >>> ids = action_ids(dasan.rules("big-three"))
    >>> ids.count, ids.text(2), ids.text(ids.rows + 13)
    (175, 'bid 2', '4 4')
    """

    rules: Rules
    exchange: bool

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and pickles share the ids of equal rules, instead of a catalogue of their own."""
        return action_ids, (self.rules, self.exchange)

    @cached_property
    def deck(self) -> tuple[Card, ...]:
        """Every different card, low to high."""
        return tuple(dict.fromkeys(self.rules.order.hand(self.rules.pack)))

    @cached_property
    def callable_cards(self) -> tuple[Card, ...]:
        call = self.rules.call
        return () if call is None else tuple(c for c in self.deck if c.rank in call.ranks)

    @cached_property
    def offers(self) -> tuple[tuple[Card, Card], ...]:
        pairs = combinations(self.deck, 2) if self.rules.decks == 1 else combinations_with_replacement(self.deck, 2)
        return tuple((a, b) for a, b in pairs) if self.exchange else ()

    @property
    def bids(self) -> int:
        """The id of bidding 1; the first id after the pass."""
        return 1

    @cached_property
    def calls(self) -> int:
        """The id of calling the lowest card."""
        return self.bids + (self.rules.auction.top if self.rules.auction is not None else 0)

    @cached_property
    def rows(self) -> int:
        """The id of row 0 of the catalogue."""
        return self.calls + len(self.callable_cards)

    @cached_property
    def gives(self) -> int:
        """The id of giving the lowest card."""
        return self.rows + len(self.rules.catalogue.rows)

    @cached_property
    def pairs(self) -> int:
        """The id of offering the first of `offers`."""
        return self.gives + (len(self.deck) if self.exchange else 0)

    @cached_property
    def takes(self) -> int:
        """The id of taking the lowest card."""
        return self.pairs + len(self.offers)

    @cached_property
    def count(self) -> int:
        return self.takes + (len(self.deck) if self.exchange and not self.rules.double_exchange else 0)

    @property
    def _paired(self) -> MoveType:
        """The move that names two cards: an offer, or a gift of two (H.40)."""
        return MoveType.GIVE if self.rules.double_exchange else MoveType.OFFER

    @property
    def version(self) -> str:
        """The name of the rules with the version of the order, like `big-three-v0`."""
        return f"{self.rules.name}-v{LAYOUT}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the texts of all ids, one a line, in hexadecimal: store it with weights, and compare it when you load them.

        Equal digests mean that every id has the same meaning. Options that add plays change it; options that only change
        payments or who leads do not.
        """
        return hashlib.sha256("".join(f"{self.text(i)}\n" for i in range(self.count)).encode()).hexdigest()

    def text(self, action: int) -> str:
        """The move as `State.play` reads it, if the id determines its cards; else the pattern in words.

        Ranks alone (`4 4`) if suits make no difference. IndexError: there is no such id.
        """
        action = self._known(action)
        if action == PASS_ID:
            return "pass"
        if action < self.calls:
            return f"bid {action - self.bids + 1}"
        if action < self.rows:
            return f"call {self.callable_cards[action - self.calls]}"
        if action < self.gives:
            return self._row_text(self.rules.catalogue.rows[action - self.rows])
        if action < self.pairs:
            return f"give {self.deck[action - self.gives]}"
        if action < self.takes:
            return f"{self._paired} {format_cards(self.offers[action - self.pairs])}"
        return f"take {self.deck[action - self.takes]}"

    def _known(self, action: int) -> int:
        """`action`, checked to be an id."""
        action = whole(action, "an action id")
        if not 0 <= action < self.count:
            raise IndexError(f"action ids go from 0 to {self.count - 1}, not {action}")
        return action

    def _row_text(self, row: Row) -> str:
        if row.cards is not None:
            return format_cards(row.cards)
        names = [*self.rules.ranks, "BJ", "RJ"]
        pattern = row.pattern
        if pattern.flush:
            return " ".join(names[rank] + self.rules.suits[pattern.suit] for rank, _ in pattern.counts)
        if row.size == 1 and pattern.decider >= 0 and pattern.decider < len(self.rules.ranks):
            return f"{names[pattern.decider]}{self.rules.suits[pattern.suit]}"
        text: str = " ".join(names[rank] for rank, n in pattern.counts for _ in range(n))
        if pattern.decider >= 0 and pattern.decider < len(self.rules.ranks):
            text += f" ({row.kind}, decided by {names[pattern.decider]}{self.rules.suits[pattern.suit]})"
        if row.called:
            text += " (with the called card)"
        return text

    @cached_property
    def _catalogue(self) -> Catalogue:
        return self.rules.catalogue

    @cached_property
    def _rows_by_ranks(self) -> dict[_Key, list[Row]]:
        out: dict[_Key, list[Row]] = {}
        for row in self.rules.catalogue.rows:
            ranks = tuple(rank for rank, n in sorted(row.pattern.counts) for _ in range(n))
            out.setdefault((row.kind, ranks), []).append(row)
        return out

    @cached_property
    def _index(self) -> dict[tuple[Card, ...], int]:
        return {pair: i for i, pair in enumerate(self.offers)}

    @cached_property
    def _by_cards(self) -> dict[tuple[Card, ...], int]:
        return {row.cards: row.id for row in self.rules.catalogue.rows if row.cards is not None}

    def of(self, move: Move, called: Card | Unsaid | None = Unsaid.UNSAID) -> int:
        """The id of a `move`. called: the card that has been called (`state.called`), None before the call.

        Plays that differ only in suits that no row distinguishes share an id. In games with a called card, a play
        with it and one without it have different ids, so `called` is required for plays, even if it is None.
        ValueError: the rules have no id for this move. TypeError: `called` is missing.
        """
        instance(move, Move, "ids are of moves, such as state.legal_moves() lists")
        if called is Unsaid.UNSAID:
            if self.rules.call is not None and move.type is MoveType.PLAY:
                raise WrongType("pass the called card: ids.of(move, state.called)")
            called = None
        check_form(move)
        try:
            action = self._of(move, called)
        except (KeyError, ValueError):
            action = -1
        if not 0 <= action < self.count:
            raise ValueError(f"{move} has no id in {self.rules.name}{'' if self.exchange else ' without an exchange'}")
        return action

    def _of(self, move: Move, called: Card | None) -> int:
        match move.type:
            case MoveType.PASS:
                return PASS_ID
            case MoveType.BID:
                top = self.calls - self.bids
                return self.bids + (move.bid or 0) - 1 if 1 <= (move.bid or 0) <= top else -1
            case MoveType.CALL:
                return self.calls + self.callable_cards.index(move.cards[0])
            case MoveType.GIVE | MoveType.TAKE | MoveType.OFFER if not self.exchange:
                return -1
            case MoveType.GIVE if len(move.cards) == 1:
                return self.gives + self.deck.index(move.cards[0])
            case MoveType.TAKE:
                return self.takes + self.deck.index(move.cards[0])
            case MoveType.OFFER | MoveType.GIVE if move.type is not self._paired:
                return -1
            case MoveType.OFFER | MoveType.GIVE:
                return self.pairs + self._index[tuple(self.rules.order.hand(move.cards))]
            case MoveType.PLAY:
                return self.rows + self._row_of(move, called)

    def _row_of(self, move: Move, called: Card | None) -> int:
        if self._by_cards:
            listed = self._by_cards.get(tuple(self.rules.order.hand(move.cards)))
            if listed is not None:
                return listed
        combination = move.combination or self.rules.combination(move.cards)
        place = self.rules.order.place
        places = sorted([place[c] for c in move.cards])
        for row in self._rows_by_ranks[combination.kind, tuple([rank for rank, _ in places])]:
            pattern = row.pattern
            if row.called is None and pattern.decider < 0 and not pattern.flush:
                return row.id
            if row.called is not None and row.called != (called in move.cards):
                continue
            if pattern.flush and any(suit != pattern.suit for _, suit in places):
                continue
            deciding = [suit for rank, suit in places if rank == pattern.decider]
            if not deciding or max(deciding) == pattern.suit:
                return row.id
        raise ValueError(f"{move} is not in the catalogue")

    def move(self, action: int, view: View | State) -> Move:
        """The legal move of `view` that has this id: the inverse of `of`. ValueError: there is no such legal move.

        >>> import dasan
        >>> state = dasan.deal(dasan.rules("big-three"), seed=7)
        >>> str(action_ids(state.rules).move(2, state.view(state.to_act)))
        'bid 2'
        """
        if not isinstance(view, View | State):
            raise WrongType(f"a move is looked up in a view or a state, not {shown(view)}")
        if view.rules != self.rules:
            raise ValueError(
                f"these are the ids of {self.rules.name}, and the view is of {_other(view.rules, self.rules)}"
            )
        self._known(action)
        if view.to_act is None or (view.seat if isinstance(view, View) else view.to_act) != view.to_act:
            raise ValueError("it is not this seat's turn")
        hand = view.hand if isinstance(view, View) else view.hands[view.to_act]
        move = self.pick(action, hand, view.called)
        if move not in view.legal_moves():
            raise ValueError(f"{move} is not legal now")
        return move

    def pick(self, action: int, hand: Sequence[Card], called: Card | None = None) -> Move:
        """The move of an id with this hand, legal or not: a play takes the lowest suits that form it.

        called: the card that has been called, if any. ValueError: the hand does not hold the cards. IndexError: there is no
        such id.
        """
        action = self._known(action)
        if action == PASS_ID:
            return PASS
        if action < self.calls:
            return Move(MoveType.BID, bid=action - self.bids + 1)
        if action < self.rows:
            return Move(MoveType.CALL, (self.callable_cards[action - self.calls],))
        if action < self.gives:
            row = self._catalogue.rows[action - self.rows]
            cards = self._catalogue.pick(hand, row, called if called in hand else None)
            if cards is None:
                raise ValueError(f"the hand does not hold {self.text(action)}")
            return Move(MoveType.PLAY, cards, None, row.played(cards))
        if action < self.pairs:
            return Move(MoveType.GIVE, (self.deck[action - self.gives],))
        if action < self.takes:
            return Move(self._paired, self.offers[action - self.pairs])
        return Move(MoveType.TAKE, (self.deck[action - self.takes],))


def _other(rules: Rules, than: Rules) -> str:
    return rules.name if rules.name != than.name else f"other rules of {rules.name}"


@cached_by_rules()
def action_ids(rules: Rules, exchange: bool = False) -> ActionIds:
    """The ids of `rules`; the same object for equal arguments. `exchange` has no effect if the rules have none."""
    return ActionIds(rules, exchange and rules.exchange)
