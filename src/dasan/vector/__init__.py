"""Batched environments: many hands in parallel in NumPy buffers, stepped by compiled code if a kernel honours the
rules.

>>> import dasan
>>> env = dasan.vector.make("big-three", num_envs=2, seed=0)
>>> env.mask.shape, env.to_act.shape
((2, 175), (2,))
>>> env.step(env.sample())

Environment `i` depends on the seed, on `i`, and on the actions it is given; never on how many environments or threads
there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt

from dasan.arguments import WrongType, flag, shown, whole
from dasan.backends import Purpose, Wanted, choose
from dasan.features.packing import unpack, unpack_torch
from dasan.games import rules_of
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules
from dasan.vector.duel import Duel
from dasan.vector.env import VectorEnv
from dasan.vector.functional import BatchState, Functional
from dasan.vector.playouts import Playouts, playouts
from dasan.vector.recipe import Moves, Output, Recipe
from dasan.vector.returns import Batch, Returns

if TYPE_CHECKING:
    from dasan.kernels.ranks.cuda.env import GpuEnv


def make(
    preset: str | Rules,
    num_envs: int,
    seed: int | Sequence[int] = 0,
    *,
    session: bool = False,
    threads: int = 1,
    observations: Output = True,
    mask: Output = True,
    legal: bool = True,
    moves: bool | Moves = False,
    perfect: bool = False,
    skip_forced: bool = False,
    history: int = 0,
    buffers: Mapping[str, npt.NDArray[Any]] | None = None,
    backend: Wanted = "auto",
    **options: OptionValue,
) -> VectorEnv:
    """Batched environments of `preset` with `options`, their first hands dealt.

    - preset: the name of a preset, or a `Rules` value.
    - num_envs: the number of parallel hands, at least 1.
    - seed: one for all environments, or one for each; an environment with its own seed plays the hands of environment 0
      of that seed. Seeds are taken modulo 2 ** 64.
    - session: whether hands form sessions, in which the last hand decides who deals, leads and exchanges cards (B3.20,
      D2.18, W.19–W.21); otherwise every hand is a first hand, with a random dealer.
    - threads: the number of threads that step the environments, at least 1.
    - observations, mask: whether to write them; "packed" writes their flags as bits.
    - legal: whether to write the list of legal actions.
    - moves: whether to write the features of every legal action, padded (True or "padded") or "ragged".
    - perfect: whether to write the hidden cards.
    - skip_forced: whether `step` also makes the moves of seats that have one legal action. A hand begins with its first move,
      even if that is forced.
    - history: how many of the last moves to write, see `VectorEnv.history`; at most 1,024.
    - buffers: the caller's arrays, by name, in which the environments write instead of their own: any of mask, obs, legal,
      packed_mask, packed_obs (those that are written), rewards, places, done, to_act and num_legal, each with the shape and
      type in `VectorEnv`, at a multiple of 8 bytes.
    - backend: "auto" takes the fastest that honours the rules, "compiled" the fastest kernel, "engine" the interpreted engine,
      which plays all rules in one thread; see `dasan.backends`.
    - options: the preset's options, as for `dasan.rules`.

    ValueError: as for `dasan.rules`; a count below 1; seeds that are not whole numbers, or the wrong number of them;
    buffers that do not fit or that share memory; "compiled" where no kernel honours the rules (the message names the
    field).
    """
    rules = rules_of(preset, options)
    recipe = Recipe(
        session=session,
        threads=threads,
        observations=observations,
        mask=mask,
        legal=legal,
        moves=_layout(moves),
        perfect=perfect,
        skip_forced=skip_forced,
        history=history,
        backend=backend,
    )
    return VectorEnv(rules, num_envs, seed, recipe=recipe, buffers={} if buffers is None else buffers)


def functional(
    preset: str | Rules,
    num_envs: int,
    *,
    session: bool = False,
    threads: int = 1,
    backend: Wanted = "auto",
    **options: OptionValue,
) -> Functional:
    """Batched environments as pure functions, as in pgx; see `Functional`. Arguments and ValueError as for `make`."""
    return Functional(make(rules_of(preset, options), num_envs, session=session, threads=threads, backend=backend))


def on_gpu(
    preset: str | Rules, num_envs: int, seed: int = 0, *, session: bool = False, **options: OptionValue
) -> GpuEnv:
    """Experimental: batched environments of Big Three in the memory of a GPU. Arguments as for `make`, with one seed for all.

    ValueError: as for `make`, or the rules are not Big Three's. RuntimeError: no GPU can be used; the message says why.
    """
    from dasan.kernels.ranks.cuda.env import GpuEnv, why_not

    rules = rules_of(preset, options)
    num_envs, seed, session = whole(num_envs, "num_envs", 1), whole(seed, "a seed"), flag(session, "session")
    choose(rules, Purpose.GPU)
    if reason := why_not():
        raise RuntimeError(f"no GPU: {reason}")
    return GpuEnv(rules, num_envs, seed, session=session)


def _layout(moves: object) -> Moves | None:
    """The layout of the rows of moves; None if they are not written."""
    if moves is None or (isinstance(moves, str) and moves in ("padded", "ragged")):
        return cast("Moves | None", moves)
    try:
        return "padded" if flag(moves, "moves") else None
    except WrongType:
        raise WrongType(f'moves is True, False, "padded" or "ragged", not {shown(moves)}') from None


__all__ = [
    "Batch",
    "BatchState",
    "Duel",
    "Functional",
    "Moves",
    "Output",
    "Playouts",
    "Returns",
    "VectorEnv",
    "functional",
    "make",
    "on_gpu",
    "playouts",
    "unpack",
    "unpack_torch",
]
