"""The tools of training loops: the best of ragged rows, returns of finished hands, duels, score functions as bots."""

from __future__ import annotations

import copy
import pickle
import runpy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dasan
from dasan.bots.net import NetBot
from dasan.features import move_layout
from dasan.ruleset.policies import FixedScoring
from dasan.vector.earnings import earned

pytestmark = pytest.mark.full

BY_PLACE = {1: 1, 2: 1 / 3, 3: -1 / 3, 4: -1}
"""The return of each of four places if nothing is paid."""
EXAMPLES = Path(__file__).parents[2] / "examples"


def cheapest(obs: npt.NDArray[Any], moves: npt.NDArray[Any], starts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A score function for Big Two: as many cards as possible, the weakest on ties."""
    features = {f.name: f for f in move_layout(dasan.rules("big-two"))}
    size, strength = (moves[:, features[name].start].astype(np.float64) for name in ("size", "strength"))
    return 256 * size - strength


def _out(env: dasan.vector.VectorEnv) -> int:
    """The index of the first feature of a move that depends on the hand."""
    return next(f.start for f in env.move_features if f.name == "out")


@pytest.mark.parametrize("game", ["big-three", "winner"])  # a seat of Winner may have as many moves as there are ids
@pytest.mark.parametrize("moves", [False, True, "ragged"])
def test_argmax_is_the_first_of_the_best(moves: Any, game: str) -> None:
    env = dasan.vector.make(game, 37, seed=3, moves=moves)
    source = np.random.default_rng(1)
    for _ in range(30):
        if moves == "ragged":
            assert env.move_starts is not None
            scores = source.integers(0, 4, env.move_starts[-1] + 5).astype(np.float32)
            rows = [scores[a:b] for a, b in zip(env.move_starts, env.move_starts[1:], strict=False)]
        elif moves:
            scores = source.integers(0, 4, env.legal.shape).astype(np.float32)
            rows = [scores[i, : env.num_legal[i]] for i in range(37)]
        else:
            scores = source.integers(0, 4, (37, env.num_actions)).astype(np.float32)
            rows = [np.where(env.mask[i], scores[i], -1) for i in range(37)]
        best = [int(row.argmax()) for row in rows]
        wanted = [int(env.legal[i, k]) for i, k in enumerate(best)] if moves else best
        actions = env.argmax(scores)
        assert actions.tolist() == wanted
        if moves:
            assert env.moves is not None
            flat = env.moves.reshape(-1, env.num_move_features)
            assert (flat[env.row_of(actions)][:, : _out(env)] == env.action_features[actions][:, : _out(env)]).all()
        env.step(actions)


def test_a_score_function_chooses_in_all_environments() -> None:
    env = dasan.vector.make("big-three", 6, seed=3, moves="ragged")

    def score(obs: Any, moves: Any, starts: Any) -> Any:
        return moves @ np.arange(moves.shape[1], dtype=np.float32)

    for _ in range(5):
        assert env.moves is not None
        assert env.move_starts is not None
        wanted = env.argmax(score(env.obs, env.moves, env.move_starts))
        assert env.best(score).tolist() == env.best(score, np.arange(6)).tolist() == wanted.tolist()
        env.step(wanted)
    function: Any = score
    with pytest.raises(TypeError, match=r"env\.best takes a score function"):
        env.argmax(function)


def test_argmax_explores_and_refuses() -> None:
    env = dasan.vector.make("big-two", 400, seed=3)
    scores = -np.arange(env.num_actions, dtype=np.float32) * np.ones((400, 1), np.float32)
    plain = env.argmax(scores)
    drawn = env.argmax(scores, eps=0.5)
    several = env.num_legal > 1
    assert 0.2 < (plain != drawn)[several].mean() < 0.5
    assert env.mask[np.arange(400), drawn].all()
    for wrong in (scores[:, :5], scores[0], scores[:3]):
        with pytest.raises(ValueError, match="scores are"):
            env.argmax(wrong)
    with pytest.raises(ValueError, match="a probability, is a number from 0 to 1"):
        env.argmax(scores, eps=1.5)
    with pytest.raises(ValueError, match="ragged"):
        env.best(cheapest, np.arange(3))


def test_a_reset_starts_exploration_over() -> None:
    def explored(env: dasan.vector.VectorEnv) -> list[list[int]]:
        out = []
        for _ in range(5):
            out.append(env.argmax(np.zeros((30, env.num_actions)), eps=0.5).tolist())
            env.step(np.array(out[-1]))
        return out

    env = dasan.vector.make("big-two", 30, seed=3)
    first = explored(env)
    env.reset(seed=4)
    assert explored(env) != first
    for seed in (3, None):
        env.reset(seed)
        assert explored(env) == first
    assert explored(env) != first
    env.reset(list(range(30)))
    assert explored(env) == explored(dasan.vector.make("big-two", 30, seed=list(range(30))))


def test_places_count_from_1_to_minus_1_where_nothing_is_paid() -> None:
    """The same numbers as the arena's, for every place and number of seats (W.18, W.22)."""
    for players in (3, 4, 8):
        env = dasan.vector.make("winner", 4, seed=players, players=players, decks=2 if players == 8 else 1)
        ended = 0
        while ended < 6:
            env.step(env.sample())
            for i in np.flatnonzero(env.done):
                wanted = [1 - 2 * (int(place) - 1) / (players - 1) for place in env.places[i]]
                assert earned(env)[i].tolist() == pytest.approx(wanted)
                assert sum(wanted) == pytest.approx(0)
                ended += 1


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.int8, np.float32, np.bool_, np.uint64])
@pytest.mark.parametrize("moves", [False, True, "ragged"])
def test_argmax_has_one_answer(moves: Any, kind: type[np.generic]) -> None:
    """Scores of all ids, of padded and of ragged rows: differences of any size count, and -inf is a score."""
    env = dasan.vector.make("big-three", 64, seed=3, moves=moves)
    env.step(env.sample())
    top = {np.float64: 1.0, np.int64: 1 << 53, np.int8: 127, np.float32: 1.0, np.bool_: True, np.uint64: 1 << 60}[kind]
    step = {np.float64: 1e-12, np.float32: 1e-6}.get(kind, 1)
    below = kind(top - step if kind is not np.bool_ else False)
    legal = [env.legal[i, : env.num_legal[i]] for i in range(64)]
    wanted = np.array([max(ids) for ids in legal])
    plain = np.full((64, env.num_actions), below)
    plain[np.arange(64), wanted] = top
    rows = plain
    if moves == "ragged":
        rows = np.concatenate([plain[i, ids] for i, ids in enumerate(legal)])
    elif moves:
        rows = np.full(env.legal.shape, kind(top))
        for i, ids in enumerate(legal):
            rows[i, : len(ids)] = plain[i, ids]
    assert env.argmax(rows).tolist() == wanted.tolist()
    if np.issubdtype(kind, np.floating):
        first = [ids[0] if moves else ids.min() for ids in legal]
        assert env.argmax(np.full_like(rows, -np.inf)).tolist() == first
        spoilt = rows.copy()
        spoilt[(0,) * (spoilt.ndim - 1) + (legal[0][0] if not moves else 0,)] = np.nan
        with pytest.raises(ValueError, match="not a number"):
            env.argmax(spoilt)
        if moves is False:
            beside = rows.copy()
            beside[~env.mask] = np.nan
            assert env.argmax(beside).tolist() == wanted.tolist()


def test_scores_that_are_none_are_refused() -> None:
    env: Any = dasan.vector.make("big-two", 4, seed=3, moves="ragged")
    rows = int(env.move_starts[-1])
    for wrong in (np.zeros(rows, complex), np.zeros(rows, object), ["a"] * rows, [[1], [1, 2]], None, "x"):
        with pytest.raises(TypeError, match=r"^scores are "):
            env.argmax(wrong)
    for eps in ("0.5", True, None, b"1", np.array([0.5]), float("nan"), -0.1):
        with pytest.raises(ValueError, match=r"^eps, a probability, is a number from 0 to 1, not ") as caught:
            env.argmax(np.zeros(rows), eps=eps)
        assert isinstance(caught.value, TypeError) == (type(eps) is not float)
    for envs in ([4], [-1], "x", [[0]], [0.5], [True]):
        with pytest.raises(ValueError, match="best takes numbers of environments"):
            env.best(cheapest, envs)
    for actions in (None, "x", [1.0] * 4, [0] * 5):
        with pytest.raises(ValueError, match="row_of takes 4 action ids"):
            env.row_of(actions)
    for player in ("greedy", None, 5):
        with pytest.raises(TypeError, match=r"^a player is a score function"):
            env.duel(player, "random", 2)
        with pytest.raises(TypeError, match=r"^a player is a score function"):
            env.duel("random", player, 2)


@pytest.mark.parametrize("count", [lambda n: 0, lambda n: n - 1, lambda n: n + 1], ids=["none", "too few", "too many"])
def test_score_functions_score_every_row_once(count: Callable[[int], int]) -> None:
    """Nothing is read outside the array that a score function returns."""
    env = dasan.vector.make("big-two", 4, seed=3, moves="ragged")

    def wrong(obs: npt.NDArray[Any], moves: npt.NDArray[Any], starts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.zeros(count(len(moves)), np.float32)

    with pytest.raises(ValueError, match="one score for each of"):
        env.best(wrong, np.arange(4))
    with pytest.raises(ValueError, match="one score for each of"):
        env.duel(wrong, "random", 4)
    state = env.dealt(0)
    while len(state.legal_moves()) < 2:
        state = state.play(state.legal_moves()[0])
    with pytest.raises(ValueError, match="one score for each of"):
        NetBot(wrong).choose(state.view(state.to_act))
    for bad in (np.nan, 1j):
        with pytest.raises(ValueError, match=r"scores? "):
            env.best(lambda o, m, s, bad=bad: np.full(len(m), bad), np.arange(4))  # type: ignore[misc]


@pytest.mark.parametrize("moves", [False, "ragged"])
def test_returns_refuse_what_environments_refuse(moves: Any) -> None:
    env: Any = dasan.vector.make("big-three", 4, seed=3, moves=moves)
    returns: Any = dasan.vector.Returns(env)
    before = env.obs.copy()
    for wrong in (None, [0] * 5, [300] * 4, [-1] * 4, [1 << 40] * 4, [1.0] * 4, "x", [[1, 2], [3]]):
        with pytest.raises(ValueError, match=r"step takes|not legal"):
            returns.step(wrong)
    assert (env.obs == before).all()
    assert len(returns.take().obs) == returns.waiting == 0
    returns.step(env.sample())
    for again in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="middle of hands"):
            again(returns)
    with pytest.raises(ValueError, match="not packed"):
        dasan.vector.Returns(dasan.vector.make("big-three", 2, observations="packed"))
    no_envs: tuple[Any, ...] = (None, "x", returns)
    for no_env in no_envs:
        with pytest.raises(TypeError, match="returns take environments"):
            dasan.vector.Returns(no_env)


@pytest.mark.parametrize(("preset", "forced"), [("big-three", False), ("winner", True)])
def test_returns_are_those_of_a_loop_over_hands(preset: str, forced: bool) -> None:
    """Every decision once, with its seat's payment in that hand; none of unfinished hands."""
    env = dasan.vector.make(preset, 5, seed=8, moves="ragged")
    twin = dasan.vector.make(preset, 5, seed=8)
    returns = dasan.vector.Returns(env, forced=forced)
    open_hands: list[list[tuple[Any, ...]]] = [[] for _ in range(5)]
    wanted: list[tuple[Any, ...]] = []
    got: list[tuple[Any, ...]] = []
    for step in range(300):
        actions = twin.sample().copy()
        assert twin.obs is not None
        for i in range(5):
            if forced or twin.num_legal[i] > 1:
                open_hands[i].append((twin.obs[i].tobytes(), int(actions[i]), int(twin.to_act[i])))
        twin.step(actions)
        for i in np.flatnonzero(twin.done).tolist():
            units = twin.rewards[i].tolist()
            paid = units if preset == "big-three" else [BY_PLACE[place] for place in twin.places[i].tolist()]
            wanted += [(*decision, float(np.float32(paid[decision[2]]))) for decision in open_hands[i]]
            open_hands[i] = []
        returns.step(actions)
        if step % 70 == 69:
            batch = returns.take()
            assert (batch.moves[:, : _out(env)] == env.action_features[batch.actions][:, : _out(env)]).all()
            columns = (batch.obs, batch.actions, batch.seats, batch.payments)
            got += [(o.tobytes(), int(a), int(s), float(p)) for o, a, s, p in zip(*columns, strict=True)]
            assert returns.waiting == sum(map(len, open_hands))
    batch = returns.take()
    columns = (batch.obs, batch.actions, batch.seats, batch.payments)
    got += [(o.tobytes(), int(a), int(s), float(p)) for o, a, s, p in zip(*columns, strict=True)]
    assert sorted(got) == sorted(wanted)
    assert len(got) > 300
    assert len(returns.take().obs) == 0
    with pytest.raises(ValueError, match="observations"):
        dasan.vector.Returns(dasan.vector.make(preset, 2, observations=False))


def test_duels() -> None:
    env = dasan.vector.make("big-two", 2, seed=1, moves="ragged")
    before = env.mask.copy()
    same = env.duel(cheapest, cheapest, 20)
    assert (same.mean, same.deals) == (0, 20)
    won = env.duel(cheapest, "random", 60)
    assert won.low > 0
    assert env.duel(cheapest, "random", 60) == won
    lost = env.duel("random", cheapest, 60)
    assert lost.high < 0
    assert (env.mask == before).all()


def test_hands_that_pay_nothing_sum_to_zero() -> None:
    """Winner pays nothing: equal players gain nothing, and every hand sums to zero."""
    env = dasan.vector.make("winner", 64, seed=1, moves="ragged")
    seen = 0
    for _ in range(300):
        env.step(env.sample())
        rows = earned(env)[env.done]
        assert (np.sort(rows) == np.array([-1, -1 / 3, 1 / 3, 1], np.float32)).all()
        seen += len(rows)
    assert seen > 64

    def first(obs: npt.NDArray[Any], moves: npt.NDArray[Any], starts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return -np.arange(len(moves))

    assert abs(env.duel(first, first, 20).mean) < 1e-6
    assert abs(env.duel("random", "random", 64).mean) < 1e-6


def test_every_count_of_a_hand_that_pays_nothing_is_the_same() -> None:
    """Big Two without a stake ends with the first player out: the others share the remaining places."""
    from dasan.arena.hands import earned as in_an_arena
    from dasan.envs.payoff import payoffs

    rules = replace(dasan.rules("big-two"), scoring=FixedScoring(stake=0))
    env, low = dasan.vector.make(rules, 1, seed=1), dasan.bot("low")
    state = env.dealt(0)
    while state.to_act is not None:
        move = low.choose(state.view(state.to_act))
        env.step(np.array([env.ids.of(move, state.called)]))
        state = state.play(move)
    winner = [seat == state.finished[0] for seat in range(4)]
    assert in_an_arena(state) == pytest.approx([1 if won else -1 / 3 for won in winner])
    assert earned(env)[0].tolist() == pytest.approx(in_an_arena(state))
    assert payoffs(state) == [1.5 if won else -0.5 for won in winner]


def test_a_score_function_plays_at_a_table_what_it_plays_in_a_batch() -> None:
    env = dasan.vector.make("big-two", 6, seed=4, moves="ragged")
    bot = NetBot(cheapest)
    states = [env.dealt(i) for i in range(6)]
    for _ in range(12):
        actions = env.best(cheapest, np.arange(6))
        for i, state in enumerate(states):
            move = bot.choose(state.view(int(env.to_act[i])))
            assert env.ids.of(move, state.called) == actions[i]
            states[i] = state.play(move)
        env.step(actions)


def test_the_example_of_deep_monte_carlo() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    path = EXAMPLES / "train_dmc.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
    result = runpy.run_path(str(path))["main"]("big-three", 0.01, num_envs=64, deals=4)
    assert result.deals == 4
