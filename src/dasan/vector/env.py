"""`VectorEnv`: the buffers of batched environments, and the kernels that fill them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from dasan.arguments import WrongType, amount, instance, shown, whole
from dasan.arrays import Bytes, Flags, Ints, Longs, Words
from dasan.backends import Purpose, choose
from dasan.features import Feature, action_features, layout, move_layout, move_size, perfect_layout, perfect_size
from dasan.interpreted.dealing import deal_hand
from dasan.play.action_ids import action_ids
from dasan.play.new_hand import begin
from dasan.play.state import State
from dasan.ruleset.rules import Rules
from dasan.vector.choosing import best_of_rows, for_rows
from dasan.vector.duel import Duel, Player, Score, duel
from dasan.vector.given import seeds_of
from dasan.vector.legal import LegalActions
from dasan.vector.recipe import Recipe

if TYPE_CHECKING:
    from dasan.kernels.env.one_hand import OneHand
    from dasan.kernels.runtime.parcels import Bound
    from dasan.vector.allocation import Allocation
    from dasan.worlds.positions import Positions

MOST_ENVS = (1 << 31) - 1
"""The most environments accepted: more than fit into any machine's memory."""
_INT32 = np.dtype(np.int32)


class VectorEnv:
    """`num_envs` hands of one game. The buffers are allocated once, or are the caller's; `reset` and `step` write in
    place.

    All arrays are **live buffers**: the next `step` or `reset` overwrites them, even if NumPy, PyTorch or JAX share
    their memory. Copy what must last. In shapes, n is `num_envs`, and `most` an upper bound on the legal actions of one seat.

    - mask: live, bool [n, num_actions], the legal actions of the seat to act. Reading it is a ValueError if it was left
      out.
    - obs: live, uint8 [n, num_features], what the seat to act sees, see `features`; None without observations.
    - to_act: live, int8 [n], the seat to act.
    - done: live, bool [n], whether the last step ended a hand. The next hand is then already dealt: mask, obs and
      to_act belong to the new hand, rewards and places to the old one. Hands decided by the deal are skipped, see
      `hand_numbers`.
    - rewards: live, int32 [n, num_players], payments in units by seat; 0 during a hand.
    - places: live, uint8 [n, num_players], 1 for the first seat out, 2 …; in games played to the end (Winner) the last
      seat has the last place, in others seats that still hold cards have 0. 0 during a hand.
    - legal: live, int16 [n, most] (int32 if there are more than 32,767 ids), the legal ids, ascending, of which the first
      num_legal[i] count in row i. Reading it is a ValueError where it was left out.
    - num_legal: live, int32 [n], the number of legal ids.
    - packed_mask: live; None, or uint64 [n, words], the mask as bits: id a is bit a % 64 of word a // 64.
    - packed_obs: live; None, or uint64 [n, words], the first num_flags features as bits, in words of their own, then the others
      as bytes. See `dasan.vector.unpack`.
    - moves: live; None, or the features of every legal action, in the order of `legal`. Padded: uint8 [n, most,
      num_move_features], of which row k of environment i counts if k < num_legal[i]. Ragged: uint8 [rows,
      num_move_features], those of environment i from row move_starts[i] up to move_starts[i + 1]; `step` and `reset`
      replace the array by a larger one if it is too small, so read the attribute again after every step.
    - move_starts: live; None, or int64 [n + 1], with ragged moves.
    - perfect: live; None, or uint8 [n, num_perfect_features], the cards hidden from the seat to act.
    - history: live; int32 [n, k], the ids of the last k bids, calls, plays and passes of each hand, the latest first, -1 where
      there are fewer; without those of an exchange (W.20), which two seats see. See `past`.
    - history_seats: live; int8 [n, k], the seats that made them, -1 where there are fewer.
    - backend: the name of the code that plays, "ranks", "cardsets", "regional", "patterns", "kickers" or
      "engine"; see `dasan.backends`.

    Never write to the arrays: the next step reads them. Not thread-safe. A pickle or a copy continues from the same
    position, with its own buffers.
    """

    def __repr__(self) -> str:
        return f"<VectorEnv {self.rules.name}, {self.num_envs} environments, played by {self.backend}>"

    def __init__(
        self,
        rules: Rules,
        num_envs: int,
        seed: int | Sequence[int] = 0,
        *,
        recipe: Recipe,
        buffers: Mapping[str, npt.NDArray[Any]],
    ) -> None:
        from dasan.kernels.env import buffers as env_buffers
        from dasan.kernels.env import threads as worker_threads
        from dasan.kernels.runtime import parcels
        from dasan.vector.allocation import allocate

        self.rules = rules = instance(rules, Rules, "environments take rules, such as those from dasan.rules")
        self.num_envs = num_envs = whole(num_envs, "num_envs", 1, MOST_ENVS)
        if not isinstance(buffers, Mapping):
            raise WrongType(f"buffers are a dictionary of arrays, not {shown(buffers)}")
        self._recipe = recipe
        self.num_players = rules.players
        self.session = recipe.session
        self.seed = seeds_of(seed, num_envs)
        self.ids = action_ids(rules, recipe.session)
        chosen = choose(rules, Purpose.ENVIRONMENTS, recipe.backend)
        self.backend = chosen.name
        self._env_buffers, self._orders, self._bind = env_buffers, worker_threads, parcels.bound
        self._bound: Bound | None = None
        self._expose(allocate(rules, num_envs, chosen, recipe, buffers))
        # Not at exit: code that runs then may still step, and the workers are daemon threads.
        finalize(self, self._team.dismiss).atexit = False
        self.reset()

    def _expose(self, made: Allocation) -> None:
        """Set the attributes for the caller's arrays."""
        recipe, buffers, optional = self._recipe, made.buffers, made.workspace.optional
        self._code, self._tables, self._states = made.code, made.tables, made.states
        self._base, self._number = made.base, made.number
        self._buffers, self._history, self._team, self._workspace = made.buffers, made.history, made.team, made.workspace
        self.num_actions, self.num_features, self.num_flags = made.num_actions, made.num_features, made.num_flags
        self.num_perfect_features = perfect_size(self.rules)
        self._mask: Flags | None = buffers.mask.view(np.bool_) if recipe.mask is True else None
        self.packed_mask: Words | None = buffers.bits if recipe.mask == "packed" else None
        self.obs: Bytes | None = buffers.obs.view(np.uint8) if recipe.observations is True else None
        self.packed_obs: Words | None = buffers.packed if recipe.observations == "packed" else None
        self.done: Flags = buffers.done.view(np.bool_)
        self.rewards, self.places = buffers.rewards, buffers.places
        self.to_act, self.num_legal = buffers.to_act, buffers.num_legal
        self._padded, self._ragged = recipe.moves == "padded", recipe.moves == "ragged"
        self.perfect: Bytes | None = optional.hidden.view(np.uint8) if recipe.perfect else None
        self.moves: Bytes | None = None if recipe.moves is None else self._as_moves(optional.rows)
        self.move_starts: Longs | None = None if recipe.moves is None else optional.starts
        self.history, self.history_seats = made.history.actions, made.history.seats
        self._legal_actions = LegalActions(
            buffers,
            made.num_actions,
            mask=self._mask,
            listed=recipe.legal,
            starts=optional.starts if self._ragged else None,
            padded=self._padded,
        )

    def __reduce__(self) -> tuple[object, ...]:
        moment = (self.backend, self.live_arrays(), self.__dict__.get("_explorer"))
        return _from_recipe, (self.rules, self.num_envs, self.seed, self._recipe), moment

    def __setstate__(self, moment: tuple[str, tuple[npt.NDArray[Any], ...], np.random.Generator | None]) -> None:
        backend, arrays, explorer = moment
        mine = self.live_arrays()
        if backend != self.backend or [_form(array) for array in arrays] != [_form(array) for array in mine]:
            raise ValueError(
                f"these environments were pickled by another version of dasan, or played by {backend} and not by {self.backend}"
            )
        for array, copied in zip(mine, arrays, strict=True):
            array[...] = copied
        if explorer is not None:
            self._explorer = deepcopy(explorer)  # copy.copy passes the original's
        self._write_optional()

    def anew(self) -> VectorEnv:
        """New environments with the same rules, seeds and settings, at their first hands."""
        return _from_recipe(self.rules, self.num_envs, self.seed, self._recipe)

    @property
    def mask(self) -> Flags:
        """bool [n, num_actions], a live buffer: the legal actions. ValueError: it was left out, or is packed."""
        if self._mask is None:
            raise ValueError("these environments write no mask of bytes; make them with mask=True")
        return self._mask

    @property
    def legal(self) -> npt.NDArray[Any]:
        """int16 or int32 [n, most], a live buffer: the legal ids, num_legal of them. ValueError: it was left out."""
        return self._legal_actions.ids

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The meaning of an observation's numbers, in order."""
        return layout(self.rules, self.session)

    @cached_property
    def num_move_features(self) -> int:
        """The length of a row of `moves`."""
        return move_size(self.rules, self.session)

    @cached_property
    def move_features(self) -> tuple[Feature, ...]:
        """The meaning of the numbers in a row of `moves`, in order."""
        return move_layout(self.rules, self.session)

    @cached_property
    def perfect_features(self) -> tuple[Feature, ...]:
        """The meaning of the numbers in a row of `perfect`, in order."""
        return perfect_layout(self.rules)

    @cached_property
    def action_features(self) -> Bytes:
        """uint8 [num_actions, num_move_features]: the row of every id, in which `out` and `left` are 0."""
        rows = action_features(self.rules, self.session)
        return np.frombuffer(b"".join(rows), np.uint8).reshape(self.num_actions, -1)

    def reset(self, seed: int | Sequence[int] | None = None) -> None:
        """Restart every environment with its first hand, and the random numbers of `sample` and `argmax`. seed: one for
        all or one for each; None keeps the current ones.

        ValueError, changing nothing: seeds are not whole numbers, or not one for each environment.
        """
        if seed is not None:
            self.seed = seeds_of(seed, self.num_envs)
        if isinstance(self.seed, int):
            self._env_buffers.seed_environments(
                0, self.num_envs, np.uint64(self.seed), self._base, self._workspace.choice
            )
        else:
            self._env_buffers.seed_each(np.array(self.seed, np.uint64), self._base, self._workspace.choice)
        for buffer in (self._buffers.done, self._buffers.rewards, self._buffers.places):
            buffer[:] = 0
        self._history.clear()
        self.__dict__.pop("_explorer", None)
        self._command(self._orders.START)
        self._write_optional()

    def load(self, positions: Positions) -> None:
        """Continue from `positions`, one unfinished hand for each environment, in place of the current hands. The hands after
        them are those that would have come next, and `history` is cleared.

        ValueError, changing nothing: the positions differ from the environments in rules, backend or number; a hand among
        them is over, or in an exchange (W.20) where hands form no sessions; or the environments write no observations.
        """
        from dasan.worlds.positions import Positions

        instance(positions, Positions, "load takes positions, see dasan.worlds.Positions")
        if positions.rules != self.rules or positions.size != self.num_envs:
            raise ValueError("load takes one position of the same game for each environment")
        if not self._workspace.observing or positions.over.any():
            raise ValueError("load takes hands under way, and environments with observations")
        if positions.backend != self.backend:
            raise ValueError("load takes positions and environments of one backend")
        if self.rules.exchange and not self.session:
            for i in range(self.num_envs):
                if positions.legal(i)[-1] >= self.num_actions:
                    raise ValueError("load takes hands in an exchange only where hands form sessions")
        base, number = self._base.copy(), self._number.copy()
        positions.copy_rows(self._states)
        self._base[:], self._number[:] = base, number
        self._history.clear()
        self._code.environments.show(self._states, self._buffers, self._tables, self._workspace.scratch[0])
        self._write_optional()

    def step(self, actions: npt.NDArray[Any]) -> None:
        """Carry out one action (an id) in every environment. ValueError, changing nothing: an action is not legal.

        actions: integers [n]; int32 needs no conversion. With `skip_forced` forced moves are made in the same step,
        until a seat has a choice or the hand is over.
        """
        if type(actions) is np.ndarray and actions.dtype is _INT32 and actions.shape == (self.num_envs,):
            self._workspace.chosen[:] = actions
        else:
            self._choose(actions)
        seats = self.to_act.copy() if self._history else self.to_act
        bad = self._command(self._orders.STEP)
        if bad >= 0:
            raise ValueError(f"action {self._workspace.chosen[bad]} is not legal in environment {bad}")
        if self._history:
            self._history.enter(self._workspace.chosen, seats, self._buffers)
        if self._recipe.skip_forced:
            self._command(self._orders.FORCED)
        optional = self._workspace.optional
        if optional.listing or optional.showing:
            self._write_optional()

    def _choose(self, actions: npt.NDArray[Any]) -> None:
        """Validate and copy the actions of a step; errors as for `step`."""
        try:
            given = np.asarray(actions)
        except (TypeError, ValueError, RuntimeError):
            raise WrongType(f"step takes {self.num_envs} actions, whole numbers, not {shown(actions)}") from None
        if given.dtype.kind not in "iu" and given.size:
            raise WrongType(f"step takes action ids, whole numbers, not {shown(actions)}")
        if given.shape != (self.num_envs,):
            raise ValueError(f"step takes {self.num_envs} actions, not an array of shape {given.shape}")
        self._workspace.chosen[:] = given
        if given.dtype != _INT32 and (self._workspace.chosen != given).any():
            raise ValueError("step takes action ids, whole numbers below 2 ** 31")

    def sample(self) -> Ints:
        """int32 [n]: a uniformly random legal action for every environment, from the environments' own random numbers.

        Every call writes into the same array.
        """
        self._command(self._orders.SAMPLE)
        return self._buffers.actions

    def thrifty(self) -> Ints:
        """int32 [n]: the actions that the bot `thrifty` chooses, in every environment. A new array.

        ValueError: the list of legal actions was left out.
        """
        if not self._recipe.legal:
            raise ValueError("thrifty chooses from the list of legal actions; make the environments with legal=True")
        actions = np.zeros(self.num_envs, np.int32)
        choose_all, hands, thrifty = self._thrifty
        choose_all(hands, thrifty, actions)
        return actions

    @cached_property
    def _thrifty(self) -> tuple[Any, OneHand, Any]:
        """The backend's kernel for `thrifty`, and its arguments."""
        from dasan.kernels.env.one_hand import OneHand
        from dasan.kernels.env.playout_policies import thrifty_tables

        hands = OneHand(self._states, self._buffers, self._tables, self._workspace.scratch[0])
        return self._code.playouts.choose_all, hands, None if self.backend == "engine" else thrifty_tables(self.rules)

    def past(self) -> Bytes:
        """uint8 [n, k, num_move_features + num_players]: the moves of `history` as features, for a network. A new array.

        Each has the row of `action_features`, and then one flag for the seat that made it, the first for the seat to act, the
        second for the seat after it …; zeros where there is no move.
        """
        return self._history.encode(self.action_features, self.to_act, self.num_players)

    def argmax(self, scores: npt.NDArray[Any], *, eps: float = 0.0) -> Ints:
        """int32 [n]: the legal action with the highest score in each environment; ties go to the first. A new array.

        scores: [n, num_actions], of which only legal ids are read; or with `moves="ragged"` one for each row of `moves`
        (further ones are ignored); or with padded moves [n, most]. eps: the probability of a uniformly random legal
        action instead. ValueError: `scores` has another shape, is not real, or has NaN for a legal action; or eps is
        not from 0 to 1.
        """
        if callable(scores):
            raise WrongType("argmax takes an array of scores; env.best takes a score function")
        eps, actions = amount(eps, "eps, a probability,", 1), self._legal_actions.best(scores)
        if eps:
            drawn = self._explorer.random(self.num_envs) < eps
            actions[drawn] = self.sample()[drawn]
        return actions

    def best(self, score: Score, envs: Longs | None = None) -> Ints:
        """int32 [k]: the actions that a score function chooses in the environments `envs`, without scoring the others. None: all.

        ValueError: the environments write no observations, their moves are not ragged, `envs` are not numbers of environments,
        or the function does not give one real number for each row.
        """
        if not callable(score):
            raise WrongType(f"a player is a score function, not {shown(score)}")
        if self.obs is None or self.moves is None or not self._ragged:
            raise ValueError('score functions take environments with observations and moves="ragged"')
        envs = np.arange(self.num_envs) if envs is None else _array(envs)
        if envs.ndim != 1 or envs.dtype.kind not in "iu" or ((envs < 0) | (envs >= self.num_envs)).any():
            raise ValueError(f"best takes numbers of environments, 0 to {self.num_envs - 1}, in one dimension")
        rows, starts = self._legal_actions.rows(envs)
        scores = for_rows(score(self.obs[envs], self.moves[rows], starts), len(rows))
        return self._legal_actions.at(envs, best_of_rows(scores, starts))

    def duel(self, one: Player, others: Player, deals: int, seed: int = 0) -> Duel:
        """Play `one` alone among `others`, in every seat of each of `deals` deals. These environments do not change.

        Deal k is the first hand of seed `seed * 1_000_003 + k` in which somebody is asked for a move (H.31). "random" draws
        uniformly, "thrifty" is the bot; see `Score` for the others. ValueError: a player is none of them, or does not give one
        real number for each row.
        """
        return duel(self.like, self.rules, one, others, deals, seed)

    def row_of(self, actions: npt.NDArray[Any]) -> Longs:
        """int64 [n]: the rows of `moves` with the features of these legal actions, one for each environment.

        Padded moves are counted in `moves.reshape(-1, num_move_features)`. ValueError: an action is not legal.
        """
        actions = _array(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(f"row_of takes {self.num_envs} action ids, one for each environment")
        return self._legal_actions.row_of(actions)

    def live_arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The live arrays that determine the future of the environments: memory, random states and outputs."""
        memory = tuple(self._states) if isinstance(self._states, tuple) else (self._states,)
        working = (self._workspace.choice, self.history, self.history_seats)
        return (*memory, *working, *(part for part in self._buffers if isinstance(part, np.ndarray)))

    def like(self, num_envs: int, seed: int | Sequence[int]) -> VectorEnv:
        """New environments with the same rules, with observations and ragged moves, in one thread."""
        return _from_recipe(self.rules, num_envs, seed, self._recipe.for_scores())

    @cached_property
    def _explorer(self) -> np.random.Generator:
        """The random generator of `argmax`'s exploration; recreated after a reset."""
        return np.random.default_rng(self.seed)

    def action_text(self, action: int) -> str:
        """The text of an action id; see `ActionIds.text`."""
        return self.ids.text(action)

    @property
    def hand_numbers(self) -> Longs:
        """int64 [n], a new array: the number of the current hand in each environment since the last reset, from 0.
        Hands decided by the deal count (H.31), though nobody acts in them.
        """
        return self._number.astype(np.int64)

    def dealt(self, i: int) -> State:
        """The engine's first state of the hand that environment `i` is playing."""
        i = whole(i, "an environment", 0, self.num_envs - 1)
        return begin(self.rules, self._code.environments.dealt(self.rules, self._states, i, self.session))

    def first_state(self, i: int, number: int) -> Callable[[], State]:
        """A function that returns the engine's first state of hand `number` (from 0, since the last reset) of
        environment `i`, even after that hand is over and the environments have been reset.

        ValueError: hands form sessions, so that the previous one decides how it begins.
        """
        if self.session:
            raise ValueError("how a hand of a session begins follows from the hand before")
        i, number = whole(i, "an environment", 0, self.num_envs - 1), whole(number, "a hand", 0)
        return partial(_first_state, self.rules, int(self._base[i]), number)

    def _command(self, order: int) -> int:
        """Let all threads carry out a command; returns the first environment whose action is not legal, or -1."""
        me = self._team.threads - 1
        if me == 0:
            return self._serve(me, order)
        return self._team.command(order, self._serve, lambda: self._serve(me, order))

    def _serve(self, me: int, order: int) -> int:
        """Run thread `me`, which carries out `order` first."""
        own, posts = self._workspace, self._team.posts
        bound = self._bound
        if bound is None or bound.parcel[0] is not posts or bound.parcel[1] is not own:
            parcel = (posts, own, self._states, self._buffers, self._tables)
            bound = self._bound = self._bind(self._code.environments.serve, parcel, 2)
        return bound(me, order)

    def _write_optional(self) -> None:
        """Write the optional outputs: features of moves, and hidden cards."""
        optional = self._workspace.optional
        if optional.listing and not self._padded:
            np.cumsum(self._buffers.num_legal, out=optional.starts[1:])
            rows = int(optional.starts[-1])
            if rows > len(optional.rows):
                optional = optional._replace(rows=np.zeros((2 * rows, optional.rows.shape[1]), np.uint64))
                own, moves = self._workspace._replace(optional=optional), self._as_moves(optional.rows)
                self._team.renew()  # before the assignment: an interrupt must not leave workers with the smaller array
                self._workspace, self.moves = own, moves
        if optional.listing or optional.showing:
            self._command(self._orders.WRITE)

    def _as_moves(self, rows: Words) -> Bytes:
        """The bytes of `rows`, one per feature: [rows, features], or if padded [n, most, features]."""
        features = rows.view(np.uint8)
        return features.reshape(self.num_envs, -1, features.shape[1]) if self._padded else features


def _first_state(rules: Rules, base: int, number: int) -> State:
    return begin(rules, deal_hand(rules, base, number))


def _form(array: npt.NDArray[Any]) -> tuple[object, ...]:
    return array.dtype, array.shape


def _array(value: object) -> npt.NDArray[Any]:
    """`value` as an array; one without numbers if it cannot be one."""
    try:
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        return np.array(None)


def _from_recipe(rules: Rules, num_envs: int, seed: int | Sequence[int], recipe: Recipe) -> VectorEnv:
    return VectorEnv(rules, num_envs, seed, recipe=recipe, buffers={})
