"""Single hands in compiled code: `kernels.env.one_hand` takes one address, which makes its calls cheap."""

from __future__ import annotations

from collections.abc import Sequence
from threading import local
from typing import Any

import numpy as np

from dasan.backends import Purpose, choose
from dasan.cards import Card
from dasan.kernels.cards import card_bits
from dasan.kernels.env.buffers import Buffers, Written, new_buffers
from dasan.kernels.env.code import Environments, HandKernels, code_of
from dasan.kernels.env.one_hand import SEATS, DealtHand, OneHand
from dasan.kernels.runtime.compiled import DISABLED
from dasan.kernels.runtime.parcels import bound
from dasan.kernels.runtime.table_cache import load_or_make
from dasan.play.action_ids import action_ids
from dasan.play.auction import opener
from dasan.play.dealing import Deal
from dasan.play.new_hand import begin
from dasan.play.tricks import first_leader
from dasan.ruleset.cache import cached_by_rules
from dasan.ruleset.places import place_points
from dasan.ruleset.rules import Rules

DeskPosition = tuple[bytes, int | None, list[int], list[float]]
"""A position: the words of the backend's memory; the seat to act, None after the end; its legal ids, ascending; and
after the end, payments or points by seat.
"""


class _Place:
    """The memory of one hand. move, deal: kernels bound to it. memory: the bytes of the state. shown: the row that it
    holds.
    """

    __slots__ = ("buffers", "deal", "legal", "memory", "move", "one", "shown", "states", "two")

    def __init__(self, rules: Rules, env: Environments, hands: HandKernels, tables: Any, count: int) -> None:
        self.memory, states = _in_one_piece(env.make_state(rules, 1)[0])
        players = rules.players
        written = Written(mask=False, bits=env.samples_bits(tables), legal=True, obs=False)
        self.buffers = new_buffers(1, players, count, env.most_legal(rules), written)
        self.legal = self.buffers.legal[0]
        self.states = states
        self.one, self.two = np.zeros((2, 1, players + 1), np.uint64)
        hand = OneHand(states, self.buffers, tables, np.zeros(env.SCRATCH, np.uint64))
        self.move = bound(hands.move_hand, hand, 1)
        self.deal = bound(hands.deal_hand, DealtHand(hand, self.one, self.two), 0)
        self.shown: bytes | None = None


class _Places(local):
    """Thread-local memory."""

    def __init__(self, *arguments: Any) -> None:
        self.place = _Place(*arguments)


class Desk:
    """Steps hands of one game. Thread-safe.

    ValueError: no backend honours the rules.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        env, playouts, hands, _ = code_of(choose(rules, Purpose.WORLDS, "compiled"))
        if hands is None:
            raise ValueError("no kernels step single hands of this game")
        self._put = playouts.put
        count = action_ids(rules).count
        tables, _ = load_or_make(rules, False, lambda: (env.tables(rules, False), count))
        self._places = _Places(rules, env, hands, tables, count)
        self._deck = tuple(rules.order.hand(rules.pack))
        self._bits = [card_bits(rules)[c] for c in self._deck]
        self._begun: dict[tuple[object, ...], bytes] = {}

    def deal(self, dealer: int, seats: Sequence[int]) -> DeskPosition:
        """The first position of a hand. seats: the receiver of each card of the pack, low to high; the number of seats
        means the kitty.
        """
        place, n = self._places.place, self._rules.players
        place.shown = None
        hands: list[list[Card]] = [[] for _ in range(n + 1)]
        one, two = [0] * (n + 1), [0] * (n + 1)
        for seat, c, bit in zip(seats, self._deck, self._bits, strict=True):
            hands[seat].append(c)
            two[seat] |= one[seat] & bit
            one[seat] |= bit
        dealt = tuple(map(tuple, hands[:n]))
        leads = opener(self._rules, dealt) if self._rules.auction else first_leader(self._rules, dealer, dealt)
        # Hands with the same opener and opening card differ only in the cards, so the engine sets up just one of them.
        begun = self._begun.get((dealer, leads))
        if begun is None:
            self._put(begin(self._rules, Deal(1, dealer, dealt, tuple(hands[n]))), place.states, 0)
            begun = self._begun[dealer, leads] = bytes(place.memory)
        place.memory[:] = begun
        place.one[0], place.two[0] = one, two
        answer = place.deal()
        place.shown = row = bytes(place.memory)
        return row, answer % SEATS, place.legal[: answer // SEATS].tolist(), []

    def step(self, row: bytes, action: int) -> DeskPosition:
        """The position after a legal action id in the position whose words are `row`."""
        place = self._places.place
        shown, place.shown = place.shown, None  # invalid until the step is complete: an exception may interrupt it
        if shown is not row:
            place.memory[:] = row
        answer = place.move(action)
        place.shown = after = bytes(place.memory)
        if answer < 0:
            return after, None, [], self._returns(place.buffers)
        return after, answer % SEATS, place.legal[: answer // SEATS].tolist(), []

    def _returns(self, buffers: Buffers) -> list[float]:
        if self._rules.pays:
            return [float(amount) for amount in buffers.rewards[0].tolist()]
        return place_points(buffers.places[0].tolist())


@cached_by_rules()
def desk_of(rules: Rules) -> Desk | None:
    """The desk of `rules`, cached; None if no backend honours them."""
    return Desk(rules) if choose(rules, Purpose.WORLDS).compiled and not DISABLED else None


def _in_one_piece(memory: Any) -> tuple[memoryview, Any]:
    """(the bytes of a backend's memory for one hand, with all its arrays in one contiguous block, the memory)."""
    parts = tuple(memory) if isinstance(memory, tuple) else (memory,)
    ends = np.cumsum([-(-part.nbytes // 8) for part in parts]).tolist()
    words = np.zeros(ends[-1], np.uint64)
    moved = [
        words[end - -(-part.nbytes // 8) : end].view(np.uint8)[: part.nbytes].view(part.dtype).reshape(part.shape)
        for part, end in zip(parts, ends, strict=True)
    ]
    return words.view(np.uint8).data, type(memory)(*moved) if isinstance(memory, tuple) else moved[0]
