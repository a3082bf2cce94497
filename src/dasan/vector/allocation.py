"""The memory of batched environments that kernels read and write, allocated once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dasan.arguments import quantity
from dasan.arrays import Longs, Words
from dasan.backends import Backend
from dasan.features import layout, observation_size
from dasan.features.cards import eights
from dasan.features.packing import packed_size
from dasan.kernels.env.buffers import Buffers, Written, new_buffers
from dasan.kernels.env.code import Code, code_of
from dasan.kernels.env.optional_outputs import new_optional_outputs
from dasan.kernels.env.threads import Team, Workspace
from dasan.kernels.runtime.table_cache import load_or_make
from dasan.memory import require_memory
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules
from dasan.vector.given import Given
from dasan.vector.history import MoveHistory
from dasan.vector.recipe import Recipe


class Allocation(NamedTuple):
    """states, tables: the game's, see `Environments`. base: the words of the states that seed the hands. number: the
    words that number them.
    """

    code: Code
    tables: Any
    states: Any
    base: Words
    number: Words | Longs
    num_actions: int
    num_features: int
    num_flags: int
    buffers: Buffers
    history: MoveHistory
    team: Team
    workspace: Workspace


def allocate(
    rules: Rules, num_envs: int, backend: Backend, recipe: Recipe, buffers: Mapping[str, npt.NDArray[Any]]
) -> Allocation:
    """Allocate the memory of `num_envs` environments. buffers: the caller's arrays to write in, by name.

    ValueError: one of them does not fit, or is not written. MemoryError: there is not enough.
    """
    session, count = recipe.session, action_ids(rules, recipe.session).count
    code = code_of(backend)
    if backend.compiled:
        tables, count = load_or_make(rules, session, lambda: (code.environments.tables(rules, session), count))
    else:
        tables = code.environments.tables(rules, session)
    num_features = observation_size(rules, session)
    outputs_of_one = num_features * (recipe.observations is True) + count * (recipe.mask is True)
    require_memory(num_envs * outputs_of_one, f"{quantity(num_envs, 'environment')} of {rules.name}")
    states, base, number = code.environments.make_state(rules, num_envs)
    num_flags = eights(sum(f.size for f in layout(rules, session) if f.flags))
    moves, padded = recipe.moves, recipe.moves == "padded"
    most = code.environments.most_legal(rules)
    most += padded and most == count  # so that their shape says whether scores are of rows or of ids
    outputs = _new_buffers(
        rules, num_envs, recipe, buffers, code, tables, count, most, num_features, packed_size(num_features, num_flags)
    )
    optional = new_optional_outputs(
        rules, session, num_envs, perfect=recipe.perfect, moves=moves is not None, most=most if padded else 0
    )
    history = MoveHistory(num_envs, recipe.history, action_ids(rules, session).gives)
    team = Team(num_envs, recipe.threads if backend.compiled else 1)
    workspace = Workspace(
        chosen=np.zeros(num_envs, np.int32),
        choice=np.zeros(num_envs, np.uint64),
        scratch=np.zeros((team.threads, code.environments.SCRATCH), np.uint64),
        observing=bool(recipe.observations),
        optional=optional,
        past=history.past,
    )
    return Allocation(
        code, tables, states, base, number, count, num_features, num_flags, outputs, history, team, workspace
    )


def _new_buffers(
    rules: Rules,
    num_envs: int,
    recipe: Recipe,
    buffers: Mapping[str, npt.NDArray[Any]],
    code: Code,
    tables: Any,
    num_actions: int,
    most: int,
    num_features: int,
    packed_words: int,
) -> Buffers:
    """The outputs: arrays that the caller sees, its own among them, and arrays that only kernels need."""
    given = Given(buffers)
    samples_bits = code.environments.samples_bits(tables)
    mask, observations, legal = recipe.mask, recipe.observations, recipe.legal
    written = Written(
        mask=mask is True,
        bits=mask == "packed" or (samples_bits and not (mask is True and legal)),
        legal=legal or not samples_bits,
        obs=observations is True,
    )
    seen = {
        "mask": written.mask,
        "packed_mask": mask == "packed",
        "obs": written.obs,
        "packed_obs": observations == "packed",
        "legal": legal,
    }

    def take(name: str, shape: tuple[int, ...], kind: type[np.generic]) -> npt.NDArray[Any]:
        return given.take(name, shape, kind) if seen.get(name, True) else np.zeros(shape, kind)

    outputs = new_buffers(
        num_envs,
        rules.players,
        num_actions,
        most,
        written,
        features=num_features,
        packed_words=packed_words if observations else 0,
        take=take,
    )
    given.accept()
    return outputs
