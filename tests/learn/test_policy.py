"""Policy gradients: chances, gradients, runs that resume, and that they win something."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import output, refusal

from dasan.kernels.network.policy import draw, sums
from dasan.learn.config import Config, RuleSet
from dasan.learn.duel import duel
from dasan.learn.policy import (
    CALIBRATION,
    CLIP,
    ENTROPY,
    LEAST,
    MOST,
    SESSION,
    Likely,
    PolicyLearner,
    PolicyPlay,
    _Step,
)
from dasan.learn.pool import Pool
from dasan.learn.trainer import Trainer
from dasan.networks.network import LayerSizes
from dasan.networks.scoring import Scorer, Scores
from dasan.networks.shared import labels_of
from dasan.vector import VectorEnv
from dasan.vector.earnings import earned

pytestmark = pytest.mark.full

SMALL = Config("big-two-tiny", first=16, second=8, derived=True).by_policy(
    envs=64, rounds=2, epochs=3, batch=64, heat=0.3
)


def begun(config: Config) -> tuple[PolicyPlay, PolicyLearner]:
    play = PolicyPlay(config)
    return play, PolicyLearner(config, LayerSizes(*play.sizes, config.first, config.second), play.hidden)


def test_moves_are_drawn_by_their_chances() -> None:
    scores = np.array([0.0, 1.0, 0.9, -9.0, 0.5, 0.5], np.float32)
    begin = np.array([0, 4, 6], np.int64)
    heat, num, chosen = 0.5, np.empty(2, np.int32), np.empty(2, np.int32)
    drawn = np.zeros((2, 3), np.int64)
    for luck in np.linspace(0, 1, 2000, endpoint=False):
        rows, chances = np.empty(2 * MOST, np.int64), np.empty(2 * MOST, np.float32)
        total = draw(scores, begin, heat, LEAST, np.array([luck, luck]), num, rows, chances, chosen)
        drawn[0, chosen[0]] += 1
        drawn[1, chosen[1]] += 1
    assert (total, num.tolist(), rows[:total].tolist()) == (5, [3, 2], [1, 2, 0, 4, 5])
    expected = np.exp(np.array([1.0, 0.9, 0.0]) / heat)
    expected /= expected.sum()
    assert chances[:3] == pytest.approx(expected, rel=1e-5)
    assert drawn[0] / 2000 == pytest.approx(expected, abs=1e-3)
    assert drawn[1].tolist() == [1000, 1000, 0]
    rows, chances = np.empty(2, np.int64), np.empty(2, np.float32)
    assert draw(scores, begin, heat, LEAST, np.array([0.99, 0.99]), num, rows, chances, chosen) == 2
    assert (rows.tolist(), chances.tolist(), chosen.tolist()) == ([1, 4], [1, 1], [0, 0])


def test_scores_that_are_not_finite_list_the_first_move() -> None:
    scores, begin = np.array([np.nan, 1.0, 2.0, 3.0], np.float32), np.array([0, 2, 4], np.int64)
    num, chosen, rows, chances = (
        np.empty(2, np.int32),
        np.empty(2, np.int32),
        np.empty(8, np.int64),
        np.empty(8, np.float32),
    )
    assert draw(scores, begin, 1.0, LEAST, np.array([0.5, 0.0]), num, rows, chances, chosen) == 3
    assert (num.tolist(), rows[:3].tolist(), chances[0], chosen.tolist()) == ([1, 2], [0, 3, 2], 1, [0, 0])


def test_sums_are_those_of_each_decision() -> None:
    rows = np.arange(10, dtype=np.float32).reshape(5, 2)
    out = np.empty((2, 2), np.float32)
    sums(rows, np.array([0, 2, 5], np.int64), out)
    assert out.tolist() == [[2, 4], [18, 21]]


def test_slopes_are_those_of_finite_differences() -> None:
    _, learner = begun(SMALL)
    random = np.random.default_rng(3)
    begin = np.array([0, 3, 5, 9], np.int64)
    scores = random.normal(size=9).astype(np.float32)
    chosen, advantages = np.array([1, 0, 3], np.int32), np.array([1.3, -0.7, 0.4], np.float32)
    owner = np.repeat(np.arange(3), np.diff(begin))

    def probabilities(values: np.ndarray) -> np.ndarray:
        weight = np.exp(values / learner.heat)
        return weight / np.add.reduceat(weight, begin[:-1])[owner]

    fixed = probabilities(scores.astype(np.float64))
    # A chance that has grown far already, with a positive advantage, is pushed no further.
    chances = (fixed * np.where(owner == 2, 0.5, 1.05)).astype(np.float32)
    targets = np.add.reduceat(fixed * scores, begin[:-1]) - np.array([0.3, 0.0, -0.2])

    def loss(values: np.ndarray) -> float:
        p = probabilities(values)
        made = begin[:-1] + chosen
        ratio = p[made] / chances[made]
        gained = np.minimum(ratio * advantages, np.clip(ratio, 1 - CLIP, 1 + CLIP) * advantages)
        entropy = -np.add.reduceat(p * np.log(p), begin[:-1])
        error = np.add.reduceat(fixed * values, begin[:-1]) - targets
        return float((-gained - ENTROPY * entropy + CALIBRATION * error**2).sum())

    slopes = learner.slopes(scores, begin, chances, chosen, advantages, targets.astype(np.float32))
    for k in range(9):
        nudge = np.zeros(9)
        nudge[k] = 1e-5
        apart = loss(scores + nudge) - loss(scores - nudge)
        assert slopes[k] == pytest.approx(apart / 2e-5, abs=2e-3), k


def test_the_gradient_reaches_every_layer() -> None:
    """A step along it lowers what is minimised; rows that share an observation count for it together."""
    play, learner = begun(SMALL)
    played = play.play(np.random.default_rng(1), learner)
    part = np.arange(len(played.num))
    before = learner.flat.copy()
    flat, average = before.astype(np.float64), learner.average.copy()
    advantages = (played.targets - played.values).astype(np.float32)
    learner.push(played, part, advantages, 0.0, 1)
    assert np.array_equal(learner.flat, before)
    gradient = learner._gradient.copy()
    rows, begin = np.arange(len(played.moves)), played.begin
    owner = np.repeat(part, played.num)

    def loss() -> float:
        scores = learner.scores(played.obs[owner], played.moves[rows])[2].astype(np.float64)
        weight = np.exp((scores - scores.max()) / learner.heat)
        p = weight / np.add.reduceat(weight, begin[:-1])[owner]
        made = begin[:-1] + played.chosen
        ratio = p[made] / played.chances[made]
        gained = np.minimum(ratio * advantages, np.clip(ratio, 1 - CLIP, 1 + CLIP) * advantages)
        entropy = -np.add.reduceat(p * np.log(p), begin[:-1])
        error = np.add.reduceat(fixed * scores, begin[:-1]) - played.targets
        return float((-gained - ENTROPY * entropy + CALIBRATION * error**2).mean())

    fixed = played.chances
    for name, slope in learner.shape.views(gradient).items():
        along = np.zeros_like(gradient)
        learner.shape.views(along)[name][:] = slope
        size = float((slope.astype(np.float64) ** 2).sum())
        assert size > 0, name
        step = 1e-3 / max(1.0, size**0.5)
        learner.flat[:] = flat + step * along
        above = loss()
        learner.flat[:] = flat - step * along
        assert (above - loss()) / (2 * step) == pytest.approx(size, rel=0.1), name
    learner.flat[:] = before
    assert np.array_equal(learner.average, average)


def test_a_round_has_every_decision_with_a_choice() -> None:
    play, learner = begun(SMALL)
    played = play.play(np.random.default_rng(1), learner)
    assert played.counts.hands == SMALL.envs
    assert 0 < len(played.num) <= played.counts.decisions <= played.counts.plies
    assert len(played.moves) == len(played.chances) == played.begin[-1]
    assert (played.num > 1).all()
    assert (played.num <= MOST).all()
    assert (played.chosen < played.num).all()
    assert np.add.reduceat(played.chances, played.begin[:-1]) == pytest.approx(1, abs=1e-5)
    assert (played.obs.shape[1], played.moves.shape[1]) == play.sizes


@pytest.mark.parametrize("preset", ["winner", "zheng-shangyou"])
def test_each_hand_of_a_session_pays_its_own_decisions(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round has two hands of each session; in Winner the second begins with an exchange (W.20)."""
    config = replace(SMALL, preset=preset, session=True, trace=1.0, envs=16)
    play, learner = begun(config)
    game = play._games[0]
    env, add = game.env, game._step
    step, ended = env.step, np.zeros(config.envs, np.int64)
    paid: dict[tuple[int, int], np.ndarray] = {}
    made: list[tuple[int, int, int]] = []

    def recorded(scores: Scores, likely: Likely, hands: np.ndarray) -> _Step:
        envs = scores.envs[likely.num > 1].tolist()
        made.extend((i, int(ended[i]), int(env.to_act[i])) for i in envs)
        return add(scores, likely, hands)

    def stepped(actions: np.ndarray) -> None:
        step(actions)
        for i in np.flatnonzero(env.done).tolist():
            paid[i, int(ended[i])] = earned(env)[i].copy()
            ended[i] += 1

    monkeypatch.setattr(game, "_step", recorded)
    monkeypatch.setattr(env, "step", stepped)
    played = play.play(np.random.default_rng(1), learner)
    assert played.counts.hands == SESSION * config.envs
    assert {hand for _, hand, _ in made} == set(range(SESSION))
    wanted = [paid[i, hand][seat] for i, hand, seat in made]
    assert played.targets == pytest.approx(np.array(wanted), abs=1e-6)
    observed, _ = labels_of(config.rules(), config.reads)
    exchanged = played.obs[:, [observed[label] for label in observed if label[0] == "giving"]].any(axis=1)
    assert exchanged.tolist() == [hand == 1 and preset == "winner" for _, hand, _ in made]


@pytest.mark.parametrize("member", ["thrifty", "past", "net"])
def test_opponents_have_all_seats_but_one_and_are_not_learnt_from(member: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(SMALL, preset="big-two", envs=400, pool=(member,), share=0.5)
    play, learner = begun(config)
    learner.average[:] = learner.flat * np.float32(0.5)
    game = play._games[0]
    add, choose, step = game._step, game._pool.choose, game.env.step
    mine: list[tuple[int, int]] = []
    given: list[Mapping[str, np.ndarray]] = []
    theirs: list[tuple[np.ndarray, np.ndarray]] = []

    def recorded(scores: Scores, likely: Likely, hands: np.ndarray) -> _Step:
        mine.extend(zip(hands.tolist(), game.env.to_act[scores.envs].tolist(), strict=True))
        return add(scores, likely, hands)

    def chosen(env: VectorEnv, envs: np.ndarray, past: Mapping[str, np.ndarray], scorer: Scorer) -> np.ndarray:
        given.append(past)
        theirs.append((envs, choose(env, envs, past, scorer)))
        return theirs[-1][1]

    def stepped(actions: np.ndarray) -> None:
        envs, wanted = theirs[-1]
        assert np.array_equal(actions[envs], wanted)
        step(actions)

    monkeypatch.setattr(game, "_step", recorded)
    monkeypatch.setattr(game._pool, "choose", chosen)
    monkeypatch.setattr(game.env, "step", stepped)
    played = play.play(np.random.default_rng(1), learner)
    assert {(hand, seat) for hand, seat in mine if hand < 200} == {(hand, hand % 4) for hand in range(200)}
    assert {(hand, seat) for hand, seat in mine if hand >= 200} == {(k, s) for k in range(200, 400) for s in range(4)}
    assert played.counts.decisions == len(mine)
    own = learner.scaled(learner.average)
    assert all(np.array_equal(past[name], own[name]) for past in given for name in own)


def test_the_past_of_several_games_plays_by_the_rules_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(TWO, pool=("past",), share=1.0)
    play, learner = begun(config)
    learner.average[:] = learner.flat * np.float32(0.5)
    shared = config.shared()
    assert shared is not None
    given: list[Mapping[str, np.ndarray]] = []
    for game in play._games:

        def chosen(
            env: VectorEnv, envs: np.ndarray, past: Mapping[str, np.ndarray], scorer: Scorer, pool: Pool = game._pool
        ) -> np.ndarray:
            given.append(past)
            return Pool.choose(pool, env, envs, past, scorer)

        monkeypatch.setattr(game._pool, "choose", chosen)
    play.play(np.random.default_rng(1), learner)
    both = [shared.folded(learner.scaled(learner.average), rules) for rules in shared.rules]
    assert not np.array_equal(both[0]["bias"], both[1]["bias"])
    for past, own in ((given[0], both[0]), (given[-1], both[1])):
        assert all(np.array_equal(past[name], own[name]) for name in own)


@pytest.mark.parametrize("calling", [0, 1])
def test_random_bids_and_calls_need_one_game_that_has_them(calling: int) -> None:
    games = [RuleSet("big-three"), RuleSet("big-three-4p")]
    first, second = games if calling else games[::-1]
    config = replace(SMALL, preset=first.preset, also=(second,), envs=16, random_bids=0.5, random_calls=0.5)
    assert [one.random_calls for one in config.games()] == [0.5 * (k == calling) for k in (0, 1)]
    assert [one.random_bids for one in config.games()] == [0.5, 0.5]
    play, learner = PolicyPlay(config), Trainer(config)._policy
    assert learner is not None
    assert play.play(np.random.default_rng(1), learner[1]).counts.hands == 32
    bids = replace(SMALL, preset="big-two", also=(RuleSet("big-three"),), random_bids=0.5)
    assert [one.random_bids for one in bids.games()] == [0, 0.5]


def test_random_bids_are_not_learnt_from() -> None:
    """In those hands bids and passes of the auction are equally likely; the plays after it are learnt from."""
    config = replace(SMALL, preset="dou-dizhu", envs=400, random_bids=1.0)
    play, learner = begun(config)
    observed, _ = labels_of(config.rules(), config.reads)
    auction = observed["phase", "auction"]
    played = play.play(np.random.default_rng(1), learner)
    assert not played.obs[:, auction].any()
    bids = {bid: float(played.obs[:, observed["bid", bid - 1]].mean()) for bid in (1, 2, 3)}
    # Of the hands with a bid: the first who speaks bids 3 in a quarter of them, and a bid of 1 stays if two others pass.
    assert 0.02 < bids[1] < 0.2 < bids[2] < 0.4 < bids[3] < 0.9
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="random_bids"):
            replace(config, random_bids=wrong)
    with pytest.raises(ValueError, match="only policy gradients have random bids and calls"):
        replace(config, method="values")
    with pytest.raises(ValueError, match="random bids need an auction"):
        replace(config, preset="big-two")


def test_random_bids_fill_whole_auctions_and_leave_calls_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(SMALL, preset="big-three-4p", envs=300, random_bids=1.0)
    play, learner = begun(config)
    observed, _ = labels_of(config.rules(), config.reads)
    played = play.play(np.random.default_rng(1), learner)
    assert played.obs[:, observed["phase", "call"]].any()

    play, learner = begun(replace(config, random_bids=0.5))
    game = play._games[0]
    step, add = game.env.step, game._step
    scored: list[set[int]] = [set()]
    bidding: list[set[int]] = []

    def recorded(scores: Scores, likely: Likely, hands: np.ndarray) -> _Step:
        scored[-1] = set(scores.envs.tolist())
        return add(scores, likely, hands)

    def stepped(actions: np.ndarray) -> None:
        choosing = np.flatnonzero(game.env.num_legal > 1)
        bidding.append(set(choosing[game._bidding(choosing)].tolist()))
        scored.append(set())
        step(actions)

    monkeypatch.setattr(game, "_step", recorded)
    monkeypatch.setattr(game.env, "step", stepped)
    play.play(np.random.default_rng(1), learner)
    own = scored[0]
    assert bidding[0] == set(range(300))
    assert 120 < len(own) < 180
    for k in range(1, 5):  # no hand has ended
        assert scored[k] & bidding[k] == own & bidding[k]


def test_random_calls_are_any_and_not_learnt_from() -> None:
    """B4.03: every card of rank 4-10 that the bidder lacks is as likely; the network bids and plays itself."""
    config = replace(SMALL, preset="big-three-4p", envs=800, random_calls=1.0)
    play, learner = begun(config)
    observed, _ = labels_of(config.rules(), config.reads)
    played = play.play(np.random.default_rng(1), learner)
    assert not played.obs[:, observed["phase", "call"]].any()
    assert played.obs[:, observed["phase", "auction"]].any()
    called = [label for label in observed if label[0] == "called"]
    each = played.obs[:, [observed[label] for label in called]].sum(axis=0)
    assert len(each) == 28
    assert each.min() > each.sum() / 28 / 3
    assert each.max() < each.sum() / 28 * 3

    play, learner = begun(replace(config, random_calls=0.5))
    shares = play.play(np.random.default_rng(1), learner).obs[:, observed["phase", "call"]].sum()
    play, learner = begun(replace(config, random_calls=0.0))
    assert 0.3 < shares / play.play(np.random.default_rng(1), learner).obs[:, observed["phase", "call"]].sum() < 0.7
    with pytest.raises(ValueError, match="random_calls"):
        replace(config, random_calls=1.1)
    with pytest.raises(ValueError, match="only policy gradients have random bids and calls"):
        replace(config, method="values")
    with pytest.raises(ValueError, match="random calls need a call"):
        replace(config, preset="big-three")


TWO = replace(SMALL, preset="big-two", envs=32, also=(RuleSet("big-two", {"guard": "off"}, 2.0),))


def test_a_round_of_two_games_has_the_decisions_of_both() -> None:
    """They are rows of one network, which plays each game by its house rule; payments count in each game's unit, and hidden
    cards fill as much of a row as the game has.
    """
    config = replace(TWO, preset="winner", trace=1.0, also=(RuleSet("winner", {"players": 3}, 2.0),))
    play, learner = begun(config)
    played, shared = play.play(np.random.default_rng(1), learner), config.shared()
    assert shared is not None
    assert played.counts.hands == 2 * config.envs
    assert (played.obs.shape[1], played.moves.shape[1]) == play.sizes == shared.sizes
    starts, owner = played.begin[:-1], np.repeat(np.arange(len(played.num)), played.num)
    heated = learner.scores(played.obs[owner], played.moves)[2] / config.heat
    weight = np.exp(heated - np.maximum.reduceat(heated, starts)[owner])
    assert weight / np.add.reduceat(weight, starts)[owner] == pytest.approx(played.chances, abs=1e-5)
    second = played.obs[:, shared.labels[0]["rule", "players", 3]] == 1
    assert set(np.round(played.targets[~second] * 3).tolist()) == {-3, -1, 1, 3}
    assert set(np.round(played.targets[second], 3).tolist()) == {-0.5, 0, 0.5}
    three = 2 * 52
    assert played.hidden[~second, three:].any()
    assert played.hidden[second, :three].any(axis=1).all()
    assert not played.hidden[second, three:].any()
    for own in (second, ~second):
        assert played.advantages[own].std() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    "config",
    [
        SMALL,
        replace(TWO, pool=("past", "net"), share=0.5),
        replace(SMALL, preset="winner", session=True, envs=16, pool=("low", "past"), share=0.5),
        replace(SMALL, preset="big-three-4p", envs=32, pool=("thrifty",), share=0.5, random_bids=0.3, random_calls=0.3),
    ],
    ids=["one game", "two games", "sessions", "calls"],
)
def test_a_run_resumes_exactly(config: Config, tmp_path: Path) -> None:
    whole, part = Trainer(config), Trainer(config)
    for _ in range(3):
        whole.epoch()
    part.epoch()
    part.save(tmp_path / "run.npz")
    again = Trainer.load(tmp_path / "run.npz")
    for _ in range(2):
        again.epoch()
    for name, array in whole.learner.arrays().items():
        assert np.array_equal(array, again.learner.arrays()[name]), name
    assert replace(whole.progress, seconds=0) == replace(again.progress, seconds=0)
    assert Config.from_json(json.loads(json.dumps(config.to_json()))) == config


def test_a_run_learns() -> None:
    config = Config("big-two-tiny", first=32, second=16, derived=True).by_policy(
        envs=128, rounds=10, epochs=6, rate=2e-3, batch=64, heat=0.3, average=0.1
    )
    trainer, begun_with = Trainer(config), Trainer(config).network()
    for _ in range(config.epochs):
        trainer.epoch()
    match = duel(config.rules(), trainer.network(), begun_with, 400, seed=3)
    assert match.low > 0.01
    played = trainer._policy[0].play(np.random.default_rng(9), trainer._policy[1]) if trainer._policy else None
    assert played is not None
    # The critic explains part of what the payments are, and scores still are expected payments.
    assert ((played.targets - played.values) ** 2).mean() < 0.9 * played.targets.var()


def test_what_policy_gradients_do_not_have_is_refused(tmp_path: Path) -> None:
    for wrong in ({"branches": 4, "envs": 64}, {"actors": 2}, {"device": "cpu"}):
        with pytest.raises(ValueError, match="policy gradients have no"):
            replace(SMALL, **wrong)
    with pytest.raises(ValueError, match="a method is values or policy, not 'ppo'"):
        Config("big-two", method="ppo")
    out = str(tmp_path / "run")
    tiny = "--game", "big-two-tiny", "--envs", "4", "--rounds", "1", "--epochs", "1", "--deals", "2"
    big = "--game", "big-two", *tiny[2:]
    assert "a method is" in refusal("train", "--out", out, *tiny, "--method", "ppo")
    assert "have no branches" in refusal("train", "--out", out, *tiny, "--method", "policy", "--branches", "2")
    values = "--like", "big-three-4p-policy", "--method", "values"
    assert "leave out --method values" in refusal("train", "--out", out, *values)
    two = "--method", "policy", "--also", "big-two-tiny"
    assert "have no branches, actors" in refusal("train", "--out", out, *tiny, *two, "--actors", "1")
    several = json.loads(
        output("train", "--out", f"{out}-2", *big, *two[:2], "--also", "big-two-taiwan", "--actors", "0", "--json")
    )
    assert several["hands"] == 8
    report = json.loads(output("train", "--out", out, *tiny, "--method", "policy", "--pool", "low", "--json"))
    assert report["epoch"] == 1
    kept = Trainer.load(Path(out) / "run.npz").config
    assert (kept.method, kept.pool, kept.share) == ("policy", ("low",), 0.25)
    calls = "--game", "big-three-4p", *tiny[2:], "--method", "policy", "--random-bids", "0.25", "--random-calls", "0.5"
    output("train", "--out", f"{out}-3", *calls)
    kept = Trainer.load(Path(f"{out}-3") / "run.npz").config
    assert (kept.random_bids, kept.random_calls) == (0.25, 0.5)
    assert "leave out --method" in refusal("train", "--out", out, "--resume", "--method", "policy")


def test_a_network_of_the_package_goes_on_by_policy_gradients() -> None:
    """Its layers and game, without its opponents and branches."""
    card = Config("big-two", pool=("low",), share=0.5, branches=4, actors=2, first=64, second=32, derived=True)
    config = card.by_policy(envs=16)
    assert (config.first, config.pool, config.branches, config.actors, config.envs) == (64, (), 1, 0, 16)
    assert config.method == "policy"
    several = replace(card, actors=2, also=(RuleSet("big-two", {"guard": "off"}),)).by_policy()
    assert (len(several.games()), several.actors, several.envs) == (2, 0, 1024)
