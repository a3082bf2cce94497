"""Positions for search: hands as compiled rows that can be copied, stepped by action ids and played out.

>>> import dasan
>>> from dasan import worlds
>>> state = dasan.deal(dasan.rules("big-two"), seed=7)
>>> positions = worlds.Positions(state.rules, 2)
>>> positions.put(0, state)
>>> positions.copy(0, 1)
>>> positions.text(positions.legal(1).tolist()[0])
'3D'
>>> positions.step(1, positions.legal(1).tolist()[0])
>>> positions.to_act(1) == (positions.to_act(0) + 1) % 4
True
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dasan.arguments import MOST_WORKERS, instance, quantity, shown, whole
from dasan.backends import Backend, Purpose, Wanted, choose
from dasan.memory import require_memory
from dasan.play.action_ids import action_ids
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.ruleset.rules import Rules
from dasan.worlds.deals import Deals

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dasan.arrays import Bytes, Flags, Ints
    from dasan.kernels.env.one_hand import OneHand
    from dasan.kernels.env.playouts import PlayoutPlan

MOST_POSITIONS, MOST_TIMES = (1 << 31) - 1, (1 << 31) - 1
OWN = -1
"""No opening action: the policy chooses the first move."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Results of playouts. payments: int32, places: uint8 (1 the first out, 0 for seats with cards at the end), both
    [positions, times, seats]. plies: the total number of moves.
    """

    payments: Ints
    places: Bytes
    plies: int

    def __repr__(self) -> str:
        return f"<Outcomes of {self.payments.shape[0]} positions, each played {self.payments.shape[1]} times>"


class Positions:
    """An array of `size` positions of one game, numbered from 0. Ids are those of `dasan.play.action_ids`, with the exchange.

    backend: as for `dasan.vector.make`; the attribute is the chosen one's name. A copy or a pickle has its own arrays.
    ValueError: size is below 1, or no such backend honours the rules.
    """

    def __init__(self, rules: Rules, size: int, *, backend: Wanted = "auto") -> None:
        import numpy as np

        self.rules = instance(rules, Rules, "positions take rules, such as those from dasan.rules")
        self.size = size = whole(size, "size", 1, MOST_POSITIONS)
        require_memory(13 * size * rules.players, f"{quantity(size, 'position')} of {rules.name}")
        self.ids = action_ids(rules, True)
        chosen = choose(rules, Purpose.WORLDS, backend)
        self._wanted, self.backend = backend, chosen.name
        self._game = _Game(rules, chosen)
        self._rows = self._game.memory(size)
        self._work = self._game.work()
        self.over: Flags = np.ones(size, np.bool_)
        """Positions whose hand is over, or that are empty."""
        self.payments: Ints = np.zeros((size, rules.players), np.int32)
        self.places: Bytes = np.zeros((size, rules.players), np.uint8)

    def __repr__(self) -> str:
        return f"<Positions of {self.rules.name}, {self.size} of them, played by {self.backend}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _empty, (self.rules, self.size, self._wanted), (self.backend, *self._arrays())

    def __setstate__(self, held: tuple[Any, ...]) -> None:
        backend, *arrays = held
        if backend != self.backend:
            raise ValueError(f"these positions were pickled where {backend} plays them, and not {self.backend}")
        for mine, copied in zip(self._arrays(), arrays, strict=True):
            mine[...] = copied

    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return (*self._game.arrays(self._rows), self.over, self.payments, self.places)

    def put(self, i: int, state: State) -> None:
        """Write `state` to position `i`. ValueError: the state has other rules, or its hand is over."""
        i = self._number(i)
        if instance(state, State, "a position is a state, such as one from dasan.deal").rules != self.rules:
            raise ValueError("the positions are of another game")
        if state.phase is Phase.OVER:
            raise ValueError("the hand is over")
        self._game.put(state, self._rows, i)
        self.over[i] = False
        self.payments[i] = self.places[i] = 0

    def put_worlds(self, first: int, state: State, deals: Deals) -> None:
        """Write `state` to positions from `first` on, each with the hidden cards of one world of `deals`.

        state: any world of the same view; all positions have its payments for going out first (H.32). ValueError: there is
        not enough space, or cards on offer are hidden from the view (W.20): they differ between worlds, so that each must
        be `put`.
        """
        first = whole(first, "the first position", 0)
        instance(state, State, "a position is a state, such as one from dasan.deal")
        if instance(deals, Deals, "worlds are drawn by dasan.worlds.deals").rules != self.rules:
            raise ValueError("the worlds are of another game")
        last = first + len(deals)
        if last > self.size:
            raise ValueError("there are more worlds than positions from there on")
        if not _hold_offers(state, deals):
            raise ValueError("the offered cards differ from world to world: put each state")
        if last > first:
            self.put(first, state)
            self.copy(first, slice(first, last))
            self._game.fill(self._rows, first, deals.one, deals.two)

    def copy(self, source: Any, target: Any) -> None:
        """Copy positions `source` to `target`: numbers, slices or index arrays, as in NumPy assignment."""
        try:
            if isinstance(source, bool) or isinstance(target, bool):
                raise TypeError
            self.over[target] = self.over[source]
        except (IndexError, TypeError, ValueError):
            places = f"{shown(source)} to {shown(target)}"
            raise ValueError(
                f"copy takes numbers, slices or arrays of positions below {self.size}, not {places}"
            ) from None
        for array in (*self._game.arrays(self._rows), self.payments, self.places):
            array[target] = array[source]

    def copy_rows(self, target: Any) -> None:
        """Write all positions into `target`, the memory of as many environments of the game."""
        for theirs, mine in zip(self._game.arrays(target), self._game.arrays(self._rows), strict=True):
            theirs[:] = mine

    def to_act(self, i: int) -> int:
        """The seat to act in position `i`. ValueError: the hand is over."""
        self._show(i)
        return int(self._work.buffers.to_act[0])

    def legal(self, i: int) -> npt.NDArray[np.int16 | np.int32]:
        """The ids of the legal actions in position `i`, ascending; empty if the hand is over."""
        import numpy as np

        if self.over[self._number(i)]:
            return np.zeros(0, np.int16)
        self._show(i)
        buffers = self._work.buffers
        return np.array(buffers.legal[0, : buffers.num_legal[0]])

    def text(self, action: int) -> str:
        """The text of an action id; see `dasan.play.action_ids.ActionIds.text`."""
        return self.ids.text(action)

    def thrifty(self, i: int) -> int:
        """The action id that the bot `thrifty` chooses in position `i`. ValueError: the hand is over."""
        self._show(i)
        return self._game.choose(self._work)

    def step(self, i: int, action: int) -> None:
        """Carry out an action id in position `i`; at the end of the hand this sets `over`, `payments` and `places`.

        ValueError, changing nothing: it is not legal, or the hand is over.
        """
        i, action = self._number(i), whole(action, "an action")
        self._show(i)
        buffers = self._work.buffers
        if not 0 <= action < self.ids.count or not buffers.mask[0, action]:
            raise ValueError(f"action {action} is not legal in position {i}")
        over = bool(self._game.step(self._work, action))
        for mine, theirs in zip(self._game.arrays(self._rows), self._game.arrays(self._work.states), strict=True):
            mine[i] = theirs[0]
        self.over[i] = over
        if over:
            self.payments[i], self.places[i] = buffers.rewards[0], buffers.places[0]

    def play_out(
        self,
        *,
        policy: str = "thrifty",
        times: int = 1,
        seed: int = 0,
        first: int = 0,
        last: int | None = None,
        opening: int = OWN,
        threads: int = 1,
    ) -> Outcomes:
        """Play positions `first` to `last - 1` (default: all) to the end, each `times` times, without changing them.

        policy: "random" (uniform) or "thrifty" (deterministic, so once is enough). opening: the id of the first action.
        The outcome of a position depends on the position, its number and the seed, never on `threads`. ValueError:
        there is no such policy, a hand is over, or `opening` is not legal in a position.
        """
        import numpy as np

        from dasan.kernels.env.playout_policies import POLICIES
        from dasan.kernels.env.playouts import PlayoutPlan

        first, last = whole(first, "first"), self.size if last is None else whole(last, "last")
        times, threads = whole(times, "times", None, MOST_TIMES), whole(threads, "threads", None, MOST_WORKERS)
        seed, opening = whole(seed, "a seed"), whole(opening, "opening")
        if instance(policy, str, "a policy is named by a text") not in POLICIES:
            raise ValueError(f"there is no policy {shown(policy)}; there are {', '.join(POLICIES)}")
        if not OWN <= opening < self.ids.count:
            raise ValueError(f"action ids go from 0 to {self.ids.count - 1}, not {opening}")
        if not 0 <= first <= last <= self.size or times < 1 or threads < 1:
            raise ValueError("play_out takes a range of positions that exist, and at least one time and one thread")
        if self.over[first:last].any():
            raise ValueError("a hand that is over cannot be played out")
        payments = np.zeros((last * times, self.rules.players), np.int32)
        places = np.zeros((last * times, self.rules.players), np.uint8)

        def share(bounds: tuple[int, int]) -> int:
            plan = PlayoutPlan(*bounds, times, opening, POLICIES[policy], np.uint64(seed % (1 << 64)))
            plies = self._game.play_out(self._rows, plan, payments, places)
            if plies < 0:
                raise ValueError(f"action {opening} is not legal in position {-1 - plies}")
            return plies

        bounds = list(pairwise(first + (last - first) * k // threads for k in range(threads + 1)))
        if threads == 1:
            plies = share(bounds[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                plies = sum(pool.map(share, bounds))
        shape = (last - first, times, self.rules.players)
        return Outcomes(payments[first * times :].reshape(shape), places[first * times :].reshape(shape), plies)

    def _number(self, i: int) -> int:
        """`i`, checked to be the number of a position."""
        return whole(i, "a position", 0, self.size - 1)

    def _show(self, i: int) -> None:
        """Copy position `i` to the scratch buffers, with its legal actions. ValueError: the hand is over."""
        i = self._number(i)
        if self.over[i]:
            raise ValueError("the hand is over")
        for mine, theirs in zip(self._game.arrays(self._rows), self._game.arrays(self._work.states), strict=True):
            theirs[0] = mine[i]
        self._game.publish(self._work)


def _empty(rules: Rules, size: int, wanted: Wanted) -> Positions:
    return Positions(rules, size, backend=wanted)


def _hold_offers(state: State, deals: Deals) -> bool:
    """Whether the cards on offer are the winner's in every world."""
    offer = state.exchange
    if offer is None or state.phase is not Phase.EXCHANGE or not offer.offered:
        return True
    from dasan.kernels.cards import words_of

    one, two = words_of(state.rules, offer.offered)
    held, twice = deals.one[:, offer.winner], deals.two[:, offer.winner]
    return bool((held & one == one).all() and (twice & two == two).all())


class _Game:
    """The kernels of a game."""

    def __init__(self, rules: Rules, backend: Backend) -> None:
        from dasan.kernels.env import playout_policies
        from dasan.kernels.env.code import code_of

        self._rules = rules
        self._environments, self._playouts, *_ = code_of(backend)
        self._tables = self._environments.tables(rules, True)
        self._thrifty: Any = playout_policies.thrifty_tables(rules) if backend.compiled else None
        self.put, self.publish, self.step = self._playouts.put, self._playouts.publish, self._playouts.step

    def memory(self, size: int) -> Any:
        return self._environments.make_state(self._rules, size)[0]

    def arrays(self, rows: Any) -> tuple[Any, ...]:
        """The arrays of the memory, with a row for each position."""
        return tuple(rows) if isinstance(rows, tuple) else (rows,)

    def work(self) -> OneHand:
        """Scratch buffers for the position being read, stepped or played out."""
        import numpy as np

        from dasan.kernels.env.buffers import Written, new_buffers
        from dasan.kernels.env.one_hand import OneHand

        count, most = action_ids(self._rules, True).count, self._environments.most_legal(self._rules)
        written = Written(mask=True, bits=False, legal=True, obs=False)
        buffers = new_buffers(1, self._rules.players, count, most, written)
        return OneHand(self.memory(1), buffers, self._tables, np.zeros(self._environments.SCRATCH, np.uint64))

    def fill(self, rows: Any, first: int, one: Any, two: Any) -> None:
        self._playouts.fill(rows, first, one, two, self._tables)

    def choose(self, hand: OneHand) -> int:
        return int(self._playouts.choose(hand, self._thrifty))

    def play_out(self, rows: Any, plan: PlayoutPlan, payments: Any, places: Any) -> int:
        return int(self._playouts.play_out(rows, plan, self.work(), self._thrifty, payments, places))
