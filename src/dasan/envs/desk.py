"""One hand in compiled code, stepped by one cheap call.

Kernels take tuples of arrays, and Numba takes every array of every tuple apart at each call, which costs more than the step. Here
that happens once: the arguments are kept in memory as Numba lays them out, and a call passes two numbers, the address and the
action.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from threading import local
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import extending, types
from numba.core.registry import cpu_target
from numba.core.typing.typeof import typeof as type_of

from dasan.backends import Purpose, choose
from dasan.cards import Card
from dasan.kernels.env import buffers as env_buffers
from dasan.kernels.runtime.compiled import DISABLED, belonging_to, lean
from dasan.kernels.runtime.table_cache import load_or_make
from dasan.kernels.worlds.deal import bit_of
from dasan.play.action_ids import action_ids
from dasan.play.auction import opener
from dasan.play.begin import begin
from dasan.play.dealing import Deal
from dasan.play.tricks import first_leader
from dasan.ruleset.remembered import remembered
from dasan.ruleset.rules import Rules
from dasan.ruleset.worth import place_points

intrinsic: Callable[[Callable[..., Any]], Any] = extending.intrinsic
typeof: Any = type_of
OVER = -1
"""What a step answers when the hand is over."""
SEATS = 16
"""A step answers the number of legal actions × SEATS + the seat to act."""


class Kept(NamedTuple):
    """The arguments of a backend's functions. one, two: [1, seats + 1], the cards of a deal, and those that are there twice."""

    states: Any
    buffers: Any
    tables: Any
    scratch: npt.NDArray[np.uint64]
    one: npt.NDArray[np.uint64]
    two: npt.NDArray[np.uint64]


Told = tuple[bytes, int | None, list[int], list[float]]
"""A position: the words of the backend's memory; the seat to act, None when the hand is over; its legal ids, ascending; and when
the hand is over, payments or points by seat.
"""


class _Place:
    """The memory of one hand. kept: what `address` leads to. memory: the bytes of kept.states. shown: the row that is there."""

    __slots__ = ("address", "kept", "legal", "memory", "room", "shown")

    def __init__(self, rules: Rules, env: Any, tables: Any, count: int) -> None:
        self.memory, states = _in_one_piece(env.make_state(rules, 1)[0])
        buffers, width = _buffers(rules, env, tables, count), rules.players + 1
        scratch, one, two = (np.zeros(shape, np.uint64) for shape in (env.SCRATCH, (1, width), (1, width)))
        self.kept = Kept(states, buffers, tables, scratch, one, two)
        self.legal = buffers.legal[0]
        self.room = np.zeros(_words(typeof(self.kept)), np.uint64)
        self.address = int(self.room.ctypes.data)
        _keep(self.address, self.kept)
        self.shown: bytes | None = None


class _Places(local):
    """Each thread's own place."""

    def __init__(self, *arguments: Any) -> None:
        self.place = _Place(*arguments)


class Desk:
    """Steps hands of one game. Threads may share a desk.

    ValueError: no compiled code plays the rules.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        package = choose(rules, Purpose.WORLDS, "compiled").package
        env: Any = import_module(f"{package}.env")
        playout: Any = import_module(f"{package}.playout")
        self._put = playout.put
        count = action_ids(rules).count
        tables, _ = load_or_make(rules, False, lambda: (env.tables(rules, False), count))
        self._places = _Places(rules, env, tables, count)
        self._step, self._deal = _functions(package, playout, typeof(self._places.place.kept))
        self._deck = tuple(rules.order.hand(rules.pack))
        self._bits = [bit_of(rules, c) for c in self._deck]
        self._begun: dict[tuple[object, ...], bytes] = {}

    def deal(self, dealer: int, seats: Sequence[int]) -> Told:
        """The first position of a hand. seats: who gets each card of the pack, low to high; the number of seats is the kitty."""
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
        # Of hands with the same opener and card all but the cards is the same; the engine begins one of them.
        begun = self._begun.get((dealer, leads))
        if begun is None:
            self._put(begin(self._rules, Deal(1, dealer, dealt, tuple(hands[n]))), place.kept.states, 0)
            begun = self._begun[dealer, leads] = bytes(place.memory)
        place.memory[:] = begun
        place.kept.one[0], place.kept.two[0] = one, two
        answer = self._deal(place.address)
        place.shown = row = bytes(place.memory)
        return row, answer % SEATS, sorted(place.legal[: answer // SEATS].tolist()), []

    def step(self, row: bytes, action: int) -> Told:
        """The position after a legal action, an id, in the position whose words are `row`."""
        place = self._places.place
        shown, place.shown = place.shown, None  # until the step is whole: an exception may come in between
        if shown is not row:
            place.memory[:] = row
        answer = self._step(place.address, action)
        place.shown = after = bytes(place.memory)
        if answer < 0:
            return after, None, [], self._returns(place.kept.buffers)
        legal: list[int] = place.legal[: answer // SEATS].tolist()
        legal.sort()
        return after, answer % SEATS, legal, []

    def _returns(self, buffers: env_buffers.Buffers) -> list[float]:
        if self._rules.pays:
            return [float(amount) for amount in buffers.rewards[0].tolist()]
        return place_points(buffers.places[0].tolist())


@remembered()
def desk_of(rules: Rules) -> Desk | None:
    """The desk of `rules`, the same for equal rules; None where only the engine plays them."""
    return Desk(rules) if choose(rules, Purpose.WORLDS).compiled and not DISABLED else None


def _in_one_piece(memory: Any) -> tuple[memoryview, Any]:
    """A backend's memory for one hand, all its arrays one after the other, and the bytes of them all."""
    parts = tuple(memory) if isinstance(memory, tuple) else (memory,)
    ends = np.cumsum([-(-part.nbytes // 8) for part in parts]).tolist()
    words = np.zeros(ends[-1], np.uint64)
    moved = [
        words[end - -(-part.nbytes // 8) : end].view(np.uint8)[: part.nbytes].view(part.dtype).reshape(part.shape)
        for part, end in zip(parts, ends, strict=True)
    ]
    return words.view(np.uint8).data, type(memory)(*moved) if isinstance(memory, tuple) else moved[0]


def _buffers(rules: Rules, env: Any, tables: Any, count: int) -> env_buffers.Buffers:
    """What one hand writes: who acts, the list of legal ids, and at its end the result."""
    drawn, n = env.drawn(tables), rules.players
    bits = len(drawn) > 0
    return env_buffers.Buffers(
        mask=np.zeros((1, 0), np.uint8),
        bits=np.zeros((1, env_buffers.words_for(count) if bits else 0), np.uint64),
        obs=np.zeros((1, 0), np.uint64),
        packed=np.zeros((1, 0), np.uint64),
        rewards=np.zeros((1, n), np.int32),
        places=np.zeros((1, n), np.uint8),
        done=np.zeros(1, np.uint8),
        to_act=np.zeros(1, np.int8),
        legal=np.zeros((1, env.most_legal(rules)), env_buffers.id_type(count)),
        num_legal=np.zeros(1, np.int32),
        actions=np.zeros(1, np.int32),
        drawn=drawn,
        written=env_buffers.Written(mask=False, bits=bits, legal=True, obs=False),
    )


def _words(kind: Any) -> int:
    """The number of 64-bit words that a value of a Numba type takes."""
    context = cpu_target.target_context
    return -(-int(context.get_abi_sizeof(context.get_value_type(kind))) // 8)


@intrinsic
def _store(typing: Any, address: Any, value: Any) -> Any:
    """Write a value at an address as Numba lays it out. Arrays are not copied: the caller keeps them alive."""

    def generated(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at, stored = args
        builder.store(stored, builder.inttoptr(at, stored.type.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.intp, value), generated


@lean
def _keep(address: int, value: Any) -> None:
    """Write `value` at `address`, for `_functions`."""
    _store(address, value)


def _functions(package: str, playout: Any, kind: Any) -> tuple[Callable[[int, int], int], Callable[[int], int]]:
    """Step, and deal, of a backend whose arguments, a value of the Numba type `kind`, are kept at an address."""
    step, publish, fill = playout.step, playout.publish, playout.fill

    @intrinsic
    def recalled(typing: Any, address: Any) -> Any:
        def generated(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(builder.inttoptr(args[0], context.get_value_type(kind).as_pointer()))

        return kind(types.intp), generated

    # Two kinds of arguments have two places in the cache of machine code, and so has other code here.
    seen = hashlib.sha256(f"{kind} {Path(__file__).read_text(encoding='utf-8')}".encode()).hexdigest()[:16]

    def named(function: Any) -> Any:
        function.__qualname__ = f"desk-{function.__name__}-{seen}"
        return lean(belonging_to(playout.__name__)(function))

    def carry_out(address: int, action: int) -> Any:
        k = recalled(address)
        if step(k.states, action, k.buffers, k.tables, k.scratch):
            return OVER
        publish(k.states, k.buffers, k.tables, k.scratch)
        return k.buffers.num_legal[0] * SEATS + k.buffers.to_act[0]

    def spread(address: int) -> Any:
        k = recalled(address)
        fill(k.states, 0, k.one, k.two, k.tables)
        publish(k.states, k.buffers, k.tables, k.scratch)
        return k.buffers.num_legal[0] * SEATS + k.buffers.to_act[0]

    return named(carry_out), named(spread)


__all__ = ["Desk", "Told", "desk_of"]
