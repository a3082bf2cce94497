"""Environments that make forced moves themselves, store the last moves, and offer thrifty's action."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import dasan
from dasan.bots import bot
from dasan.vector import VectorEnv

pytestmark = pytest.mark.full

GAMES: list[tuple[str, dict[str, Any], bool]] = [
    ("big-three", {}, False),
    ("big-three-4p", {}, True),
    ("big-two", {}, False),
    ("winner", {}, True),
]
OUTPUTS: list[dict[str, Any]] = [
    {"moves": "padded", "perfect": True},
    {"mask": "packed", "legal": False, "observations": "packed"},
]
K = 5


def legal_of(env: VectorEnv, i: int) -> list[int]:
    if env.packed_mask is None:
        return np.flatnonzero(env.mask[i]).tolist()
    return np.flatnonzero(dasan.vector.unpack(env.packed_mask, env.num_actions)[i]).tolist()


def shown(env: VectorEnv, i: int) -> dict[str, Any]:
    """All outputs of environment `i`, with its moves in the order of their ids."""
    n = int(env.num_legal[i])
    out = {
        "legal": legal_of(env, i),
        "to_act": int(env.to_act[i]),
        "done": bool(env.done[i]),
        "rewards": env.rewards[i].tolist(),
        "places": env.places[i].tolist(),
        "obs": None if env.obs is None else env.obs[i].tolist(),
        "packed": None if env.packed_obs is None else env.packed_obs[i].tolist(),
        "perfect": None if env.perfect is None else env.perfect[i].tolist(),
        "moves": None if env.moves is None else env.moves[i, np.argsort(env.legal[i, :n])].tolist(),
    }
    assert n == len(out["legal"])
    return out


class Reference:
    """One environment without the two options; this class makes forced moves and stores the history."""

    def __init__(self, game: tuple[str, dict[str, Any], bool], seed: int, outputs: dict[str, Any]) -> None:
        preset, options, session = game
        self.env = dasan.vector.make(preset, 1, [seed], session=session, backend="engine", **outputs, **options)
        self.past: list[tuple[int, int]] = []
        self.skipped = 0

    def step(self, action: int) -> None:
        self._move(action)
        while self.env.num_legal[0] == 1 and not self.env.done[0]:
            self._move(legal_of(self.env, 0)[0])
            self.skipped += 1

    def _move(self, action: int) -> None:
        seat = int(self.env.to_act[0])
        self.env.step(np.array([action]))
        if action < self.env.ids.gives:
            self.past.insert(0, (action, seat))
        if self.env.done[0]:
            self.past.clear()


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("outputs", OUTPUTS, ids=["bytes", "packed"])
@pytest.mark.parametrize("game", GAMES, ids=[game[0] for game in GAMES])
@pytest.mark.parametrize("backend", ["auto", "engine"])
def test_forced_moves_and_the_history_are_those_of_single_steps(
    backend: Any, game: tuple[str, dict[str, Any], bool], outputs: dict[str, Any]
) -> None:
    preset, options, session = game
    seeds = [3, 1, 4]
    env = dasan.vector.make(
        preset,
        len(seeds),
        seeds,
        session=session,
        backend=backend,
        threads=2,
        skip_forced=True,
        history=K,
        **outputs,
        **options,
    )
    alone = [Reference(game, seed, outputs) for seed in seeds]
    rng = np.random.default_rng(7)
    ended = 0
    for _ in range(150):
        actions = np.array([rng.choice(legal_of(env, i)) for i in range(len(seeds))])
        env.step(actions)
        for i, reference in enumerate(alone):
            reference.step(int(actions[i]))
            assert shown(env, i) == shown(reference.env, 0)
            known = [*reference.past[:K], *[(-1, -1)] * K][:K]
            assert list(zip(env.history[i].tolist(), env.history_seats[i].tolist(), strict=True)) == known
        ended += int(env.done.sum())
        assert (env.num_legal[~env.done] > 1).all()
    assert ended > 0
    assert sum(reference.skipped for reference in alone) > 0


@pytest.mark.parametrize("backend", ["auto", "engine"])
def test_the_past_as_features(backend: Any) -> None:
    env = dasan.vector.make("big-three", 3, seed=2, history=2, backend=backend)
    assert not env.past().any()
    first, seats = env.sample().copy(), env.to_act.copy()
    env.step(first)
    past = env.past()
    assert past.shape == (3, 2, env.num_move_features + 3)
    assert not past[:, 1].any()
    for i in range(3):
        assert (past[i, 0, :-3] == env.action_features[first[i]]).all()
        assert past[i, 0, -3:].tolist() == [int((seats[i] - env.to_act[i]) % 3 == k) for k in range(3)]
    env.reset()
    assert (env.history == -1).all()
    assert (env.history_seats == -1).all()


def test_a_pickle_keeps_the_settings() -> None:
    env = dasan.vector.make("winner", 2, seed=5, skip_forced=True, history=3)
    again = pickle.loads(pickle.dumps(env))
    for _ in range(30):
        env.step(env.sample())
        again.step(again.sample())
    assert again.history.tolist() == env.history.tolist()
    assert (again.num_legal[~again.done] > 1).all()


@pytest.mark.parametrize("game", GAMES, ids=[game[0] for game in GAMES])
def test_thrifty_is_the_bot(game: tuple[str, dict[str, Any], bool]) -> None:
    preset, options, session = game
    env = dasan.vector.make(preset, 4, seed=6, session=session, **options)
    engine = dasan.vector.make(preset, 4, seed=6, session=session, backend="engine", **options)
    states = [env.dealt(i) for i in range(4)]
    player = bot("thrifty")
    checked = 0
    for _ in range(60):
        actions = env.thrifty()
        assert actions.tolist() == engine.thrifty().tolist()
        for i, state in enumerate(states):
            seat = state.to_act
            assert seat is not None
            move = player.choose(state.view(seat))
            assert env.ids.of(move, state.called) == actions[i]
            states[i] = state.play(move)
            checked += 1
        env.step(actions)
        engine.step(actions)
        for i in np.flatnonzero(env.done).tolist():
            states[i] = env.dealt(i)
    assert checked == 240


def test_thrifty_beats_random_in_a_duel() -> None:
    env = dasan.vector.make("big-two", 1)
    match = env.duel("thrifty", "random", 60, seed=1)
    assert match.low > 0
    assert dasan.vector.make("big-two", 1, skip_forced=True).duel("thrifty", "random", 60, seed=1) == match
    again = env.duel("thrifty", "thrifty", 20, seed=1)
    assert abs(again.mean) < 1e-6


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"history": -1}, "history is a whole number from 0 to 1024, not -1"),
        ({"history": 1025}, "history is a whole number from 0 to 1024, not 1025"),
        ({"history": 2.0}, "history"),
        ({"history": True}, "history"),
        ({"skip_forced": 1}, "skip_forced"),
        ({"skip_forced": None}, "skip_forced"),
    ],
)
def test_other_settings_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        dasan.vector.make("big-two", 1, **settings)


def test_thrifty_needs_the_list_of_legal_actions() -> None:
    with pytest.raises(ValueError, match="legal=True"):
        dasan.vector.make("big-two", 1, legal=False).thrifty()
