"""Packed masks and observations equal the plain ones, on every backend; omitted outputs are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.features.packing import pack

pytestmark = pytest.mark.full

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three-4p", {}),
    ("big-two", {}),
    ("winner", {"players": 6, "decks": 2, "jokers": True, "session": True}),
    ("dou-dizhu", {}),
]


def plain_of(env: vector.VectorEnv) -> tuple[Any, Any]:
    assert env.packed_mask is not None
    assert env.packed_obs is not None
    mask = vector.unpack(env.packed_mask, env.num_actions)
    return mask, vector.unpack(env.packed_obs, env.num_features, env.num_flags)


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_packed_outputs_are_the_plain_ones(game: str, options: dict[str, Any]) -> None:
    plain = vector.make(game, 64, seed=3, **options)
    packed = vector.make(game, 64, seed=3, mask="packed", observations="packed", legal=False, **options)
    bare = vector.make(game, 64, seed=3, mask=False, observations=False, legal=False, **options)
    hands = 0
    for _ in range(120 if game != "winner" else 320):
        mask, seen = plain_of(packed)
        assert (mask == plain.mask).all()
        assert plain.obs is not None
        assert (seen == plain.obs).all()
        assert (packed.num_legal == plain.num_legal).all()
        actions = plain.sample().copy()
        assert (packed.sample() == actions).all()
        assert (bare.sample() == actions).all()
        for env in (plain, packed, bare):
            env.step(actions)
            assert (env.rewards == plain.rewards).all()
            assert (env.to_act == plain.to_act).all()
        hands += int(plain.done.sum())
    assert hands > 20


@pytest.mark.parametrize("outputs", [{"mask": "packed"}, {"mask": False}, {"mask": False, "legal": False}])
@pytest.mark.parametrize("game", ["big-three", "big-two"])
def test_an_illegal_action_is_refused_whatever_is_written(game: str, outputs: dict[str, Any]) -> None:
    env = vector.make(game, 8, seed=1, observations=False, **outputs)
    twin = vector.make(game, 8, seed=1, observations=False)
    for _ in range(20):
        legal = twin.sample().copy()
        for wrong in (int(np.flatnonzero(~twin.mask[5])[-1]), env.num_actions, -1, 1 << 30):
            actions = legal.copy()
            actions[5] = wrong
            with pytest.raises(ValueError, match=f"action {wrong} is not legal in environment 5"):
                env.step(actions)
        env.step(legal)
        twin.step(legal)
    assert (env.to_act == twin.to_act).all()


def test_the_engine_packs_too() -> None:
    env = vector.make("big-three", 2, seed=5, mask="packed", observations="packed", backend="engine")
    compiled = vector.make("big-three", 2, seed=5)
    for _ in range(30):
        mask, seen = plain_of(env)
        assert (mask == compiled.mask).all()
        assert compiled.obs is not None
        assert (seen == compiled.obs).all()
        actions = compiled.sample().copy()
        env.step(actions)
        compiled.step(actions)


def test_the_best_action_is_found_without_a_plain_mask() -> None:
    scores = np.random.default_rng(1).random((16, 175))
    actions = [
        vector.make("big-three", 16, seed=2, **outputs).argmax(scores)
        for outputs in ({}, {"mask": "packed", "legal": False}, {"mask": False})
    ]
    assert (actions[0] == actions[1]).all()
    assert (actions[0] == actions[2]).all()


def test_buffers_of_the_caller_are_packed_too() -> None:
    own = np.zeros((4, 3), np.uint64)
    env = vector.make("big-three", 4, seed=1, mask="packed", buffers={"packed_mask": own})
    assert env.packed_mask is own
    assert own.any()
    with pytest.raises(ValueError, match="no buffer mask here"):
        vector.make("big-three", 4, mask="packed", buffers={"mask": np.zeros((4, 175), np.bool_)})


def test_what_is_left_out_is_refused_by_name() -> None:
    env = vector.make("big-two", 2, mask=False, legal=False, observations=False)
    with pytest.raises(ValueError, match="no mask of bytes"):
        _ = env.mask
    with pytest.raises(ValueError, match="no list of legal actions"):
        _ = env.legal
    assert env.obs is None
    assert env.packed_obs is None
    with pytest.raises(ValueError, match='mask is True, False or "packed"'):
        vector.make("big-two", 2, mask="bits")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="leave legal=True"):
        vector.make("big-two", 2, legal=False, moves=True)


def test_rows_that_do_not_fit_are_not_unpacked() -> None:
    words = pack(np.eye(5, dtype=np.uint8))
    assert (vector.unpack(words, 5) == np.eye(5)).all()
    for given, size, flags in ((words, 65, None), (words.astype(np.int64), 5, None), (words[0], 5, None), (words, 5, 6)):
        with pytest.raises(ValueError, match=r"features|flags"):
            vector.unpack(given, size, flags)  # type: ignore[arg-type]


def test_torch_unpacks_where_the_words_are() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    env = vector.make("big-three", 16, seed=1, mask="packed", observations="packed")
    for _ in range(40):
        env.step(env.sample())
    mask, seen = plain_of(env)
    words = torch.from_numpy(env.packed_obs)
    for given in (words, words.view(torch.int64)):
        unpacked = vector.unpack_torch(given, env.num_features, env.num_flags)
        assert unpacked.dtype == torch.uint8
        assert (unpacked.numpy() == seen).all()
    assert (vector.unpack_torch(torch.from_numpy(env.packed_mask), env.num_actions).numpy() == mask).all()
    with pytest.raises(ValueError, match="uint64 or int64 words"):
        vector.unpack_torch(torch.zeros(2, 3), 175)


def test_dasan_knows_the_names() -> None:
    assert {"unpack", "unpack_torch"} <= set(dasan.vector.__all__)
