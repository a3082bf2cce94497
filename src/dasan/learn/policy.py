"""Policy gradients: one network draws its moves at random, in every seat or among opponents, and a move becomes
likelier if it earned more than expected (proximal policy optimisation, arXiv:1707.06347).

The probabilities (*chances*) of moves are a softmax of the network's scores. The expected payment comes from a critic,
a second network that also sees the hidden cards and is used only in training. A further term of the loss keeps the mean
score of the moves near the payments, so that a score still estimates the expected payment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dasan import vector
from dasan.arrays import Bytes, Doubles, Flags, Floats, Ints, Longs
from dasan.features.cards import eights
from dasan.kernels.network.targets import link, settle
from dasan.learn.config import Config
from dasan.learn.learner import Learner, Weights
from dasan.learn.pool import Pool
from dasan.learn.selfplay import PlayCounts
from dasan.networks.derived import input_sizes
from dasan.networks.network import LayerSizes
from dasan.networks.scoring import Scorer, Scores
from dasan.networks.shared import SharedInputs
from dasan.vector import VectorEnv
from dasan.vector.earnings import earned

MOST, LEAST = 4, 0.01
"""A move is drawn from the at most `MOST` likeliest moves, each with a chance of at least `LEAST`."""
CLIP = 0.2
"""Once the ratio of a chance to its old value leaves 1 ± CLIP, the move is pushed no further in that direction."""
ENTROPY = 0.01
"""The weight of the entropy of the chances, relative to advantages of standard deviation 1."""
CALIBRATION = 2.0
"""The weight of the squared error of the mean score."""
CRITIC = 128, 32
"""The sizes of the critic's layers."""
CRITIC_RATE, CRITIC_DECAY = 1e-3, 0.1
"""The critic's learning rate at the start, and its factor over the run."""
ALIKE = 1e-6
"""Advantages whose standard deviation is smaller are not scaled."""
WARM_UP = 200
"""The number of first steps of a run in which only the critic learns."""
SESSION = 2
"""The number of hands of a session in a round. In games with an exchange, all but the first begin with one (W.20)."""


@dataclass(frozen=True, eq=False)
class PolicyRound:
    """Decisions of a round of hands, without those that had one likely move.

    obs: uint8 [n, features]. hidden: uint8 [n, hidden features]. moves: uint8 [rows, features of a move], the likely
    moves of each decision; num: int32 [n], their number. chances: float32 [rows]. chosen: int32 [n], which of its moves
    each decision made. values: float32 [n], the critic's estimates. targets: float32 [n], see `_targets`. advantages:
    float32 [n], targets minus values, divided by their standard deviation in the game, see `_advantages`.
    """

    obs: Bytes
    hidden: Bytes
    moves: Bytes
    num: Ints
    chances: Floats
    chosen: Ints
    values: Floats
    targets: Floats
    advantages: Floats
    counts: PlayCounts

    @property
    def begin(self) -> Longs:
        """int64 [n + 1]: the first row of each decision's moves."""
        return _bounds(self.num)

    @staticmethod
    def of(rounds: Sequence[PolicyRound]) -> PolicyRound:
        """The decisions of several games."""
        if len(rounds) == 1:
            return rounds[0]
        arrays = [field.name for field in fields(PolicyRound) if field.name != "counts"]
        together = {name: np.concatenate([getattr(one, name) for one in rounds]) for name in arrays}
        counts = PlayCounts(*(sum(each) for each in zip(*(astuple(one.counts) for one in rounds), strict=True)))
        return PolicyRound(**together, counts=counts)


class PolicyPlay:
    """The environments of each game of `config`. sizes: the lengths of the network's input rows; hidden: that of the hidden
    cards. The critic shares weights between the hidden cards of several games by their places only.

    ValueError: the pool names an unknown member, or has no network for a game.
    """

    def __init__(self, config: Config) -> None:
        shared = config.shared()
        self._games = [_Game(one, shared) for one in config.games()]
        self.sizes = self._games[0].sizes
        self.hidden = max(one.hidden for one in self._games)

    def play(self, random: np.random.Generator, learner: PolicyLearner) -> PolicyRound:
        """A new hand in every environment to its end, or in sessions the first `SESSION` hands of a new one."""
        return PolicyRound.of([one.play(random, learner) for one in self._games])


class _Game:
    """The environments of one game. shared: what a network for several games reads. sizes, hidden: as in `PolicyPlay`.
    hands: the hands that an environment plays in a round.
    """

    def __init__(self, config: Config, shared: SharedInputs | None) -> None:
        self.config, self.shared, self.rules = config, shared, config.rules()
        self.env: VectorEnv = vector.make(
            self.rules, config.envs, seed=config.seed, session=config.session, moves="ragged", perfect=True
        )
        self.sizes = input_sizes(config.rules(), config.reads) if shared is None else shared.sizes
        self.hidden = eights(self._perfect.shape[1])
        self.hands = SESSION if config.session else 1
        self._pool = Pool(config)
        self._scorer = Scorer()

    @property
    def _perfect(self) -> Bytes:
        if self.env.perfect is None:
            raise AssertionError("the environments show hidden cards")
        return self.env.perfect

    def play(self, random: np.random.Generator, learner: PolicyLearner) -> PolicyRound:
        """As `PolicyPlay.play`, in this game."""
        config, env = self.config, self.env
        env.reset(random.integers(0, 2**40, env.num_envs).tolist())
        weights, past = self._weights(learner, learner.flat), self._weights(learner, learner.average)
        ended = np.zeros(env.num_envs, np.int64)
        payments = np.zeros((env.num_envs, self.hands, self.rules.players), np.float32)
        counts = PlayCounts(hands=env.num_envs * self.hands)
        steps = [self._empty(weights)]
        random_bids, random_calls = (
            random.random(env.num_envs) < share if share else np.zeros(env.num_envs, np.bool_)
            for share in (config.random_bids, config.random_calls)
        )
        while (open_ := ended < self.hands).any():
            actions = env.legal[:, 0].astype(np.int32)
            envs = np.flatnonzero((env.num_legal > 1) & open_)
            counts.plies += int(open_.sum())
            if random_bids.any() or random_calls.any():
                drawn = (random_bids[envs] & self._bidding(envs)) | (random_calls[envs] & self._calling(envs))
                which, envs = envs[drawn], envs[~drawn]
                actions[which] = env.legal[which, random.integers(0, env.num_legal[which])]
            if config.share:
                foreign = self._pool.others(envs, env.to_act[envs])
                others, envs = envs[foreign], envs[~foreign]
                actions[others] = self._pool.choose(env, others, past, self._scorer)
            counts.decisions += len(envs)
            if len(envs):
                scores = self._scorer(env, envs, weights)
                likely = Likely.of(scores, config.heat, random)
                actions[envs] = env.legal[envs, likely.made - scores.begin[:-1]]
                steps.append(self._step(scores, likely, envs * self.hands + ended[envs]))
            env.step(actions)
            over = np.flatnonzero(env.done & open_)
            payments[over, ended[over]] = earned(env)[over] / np.float32(config.unit)
            ended[over] += 1
        played = _Step(*(np.concatenate(parts) for parts in zip(*steps, strict=True)))
        del steps
        return self._round(played, payments, learner, counts)

    def _round(self, played: _Step, payments: Floats, learner: PolicyLearner, counts: PlayCounts) -> PolicyRound:
        """The decisions of a round with their values and targets. payments: [environments, hands, seats]."""
        obs, moves = played.obs, played.moves
        if self.shared is not None:
            obs, moves = self.shared.rows(self.rules, obs, moves)
        hidden = np.zeros((len(obs), learner.critic.shape.move), np.uint8)
        hidden[:, : played.perfect.shape[1]] = played.perfect
        values = learner.critic.scores(obs, hidden)[2]
        targets = _targets(
            played.hands, played.seats, values, payments.reshape(-1, self.rules.players), self.config.trace
        )
        return PolicyRound(
            obs=obs,
            hidden=hidden,
            moves=moves,
            num=played.num,
            chances=played.chances,
            chosen=played.chosen,
            values=values,
            targets=targets,
            advantages=_advantages(values, targets),
            counts=counts,
        )

    def _weights(self, learner: PolicyLearner, flat: Floats) -> Mapping[str, Floats]:
        """The weights that score moves of this game."""
        weights = learner.scaled(flat)
        return weights if self.shared is None else self.shared.folded(weights, self.rules)

    def _bidding(self, envs: Longs) -> Flags:
        """bool [envs]: which of these environments are in the auction. envs: with several legal moves each."""
        return self.env.legal[envs, self.env.num_legal[envs] - 1] < self.env.ids.calls

    def _calling(self, envs: Longs) -> Flags:
        """bool [envs]: which of these environments are in the call (B4.03). envs: with several legal moves each."""
        ids, first = self.env.ids, self.env.legal[envs, 0]
        calling: Flags = (first >= ids.calls) & (first < ids.rows)
        return calling

    def _step(self, scores: Scores, likely: Likely, hands: Longs) -> _Step:
        """The decisions of a step with more than one likely move. hands: int64 [decisions], the hand of each."""
        which = np.flatnonzero(likely.num > 1)
        wide = np.repeat(likely.num > 1, likely.num)
        owner = np.repeat(np.arange(len(likely.num)), likely.num)[wide]
        obs, _ = scores.read(which, scores.begin[which])
        _, moves = scores.read(owner, likely.rows[wide])
        envs = scores.envs[which]
        chosen = likely.num[which], likely.chances[wide], likely.chosen[which]
        return _Step(hands[which], self.env.to_act[envs], obs, self._perfect[envs], moves, *chosen)

    def _empty(self, weights: Mapping[str, Floats]) -> _Step:
        sizes = len(weights["w_obs"]), self._perfect.shape[1], len(weights["w_move"])
        obs, perfect, moves = (np.zeros((0, size), np.uint8) for size in sizes)
        whole, floats = np.zeros(0, np.int32), np.zeros(0, np.float32)
        return _Step(np.zeros(0, np.int64), np.zeros(0, np.int8), obs, perfect, moves, whole, floats, whole)


class _Step(NamedTuple):
    """Decisions of one step. hands: the numbers of their hands in the round; seats: who made them; obs, moves: as the game
    alone has them; perfect: uint8 [n, hidden features]; the rest as in `PolicyRound`.
    """

    hands: Longs
    seats: npt.NDArray[np.int8]
    obs: Bytes
    perfect: Bytes
    moves: Bytes
    num: Ints
    chances: Floats
    chosen: Ints


@dataclass(frozen=True, eq=False)
class Likely:
    """The likely moves of some decisions, see `draw`. rows, chances: [moves], rows of the scores. num, chosen: int32
    [decisions], the number of moves, and which of them is made.
    """

    rows: Longs
    chances: Floats
    num: Ints
    chosen: Ints

    @staticmethod
    def of(scores: Scores, heat: float, random: np.random.Generator) -> Likely:
        """The likely moves of each decision, by score, and one drawn from them."""
        from dasan.kernels.network.policy import draw

        n = len(scores.envs)
        num, chosen = np.empty(n, np.int32), np.empty(n, np.int32)
        rows, chances = np.empty(n * MOST, np.int64), np.empty(n * MOST, np.float32)
        total = draw(scores.rows, scores.begin, heat, LEAST, random.random(n), num, rows, chances, chosen)
        return Likely(rows[:total], chances[:total], num, chosen)

    @property
    def made(self) -> Longs:
        """int64 [decisions]: the row of the move that is made."""
        made: Longs = self.rows[np.cumsum(self.num) - self.num + self.chosen]
        return made


def _targets(hands: Longs, seats: npt.NDArray[np.int8], values: Floats, payments: Floats, trace: float) -> Floats:
    """float32 [decisions]: the payment, mixed with the critic's values of the seat's later decisions in the hand (TD(trace)).
    hands: the row of payments [hands, seats] of each decision.
    """
    n = len(hands)
    before, last = np.empty(n, np.int32), np.full(payments.shape, -1, np.int32)
    link(np.arange(n, dtype=np.int32), hands, seats, before, last)
    targets, ready = np.empty(n, np.float32), np.empty(n, np.int32)
    every, explored = np.arange(len(payments)), np.zeros(n, np.bool_)
    settle(every, payments, trace, before, last, values, explored, targets, ready, 0)
    return targets


def _advantages(values: Floats, targets: Floats) -> Floats:
    """float32 [decisions]: targets minus values, with standard deviation 1 unless they are almost equal."""
    advantages: Floats = targets - values
    spread = float(advantages.std()) if len(advantages) else 0.0
    return advantages / np.float32(spread) if spread > ALIKE else advantages


class PolicyLearner(Learner):
    """The weights of the policy, their running average, and a critic. hidden: the length of a row of hidden cards."""

    def __init__(self, config: Config, shape: LayerSizes, hidden: int) -> None:
        super().__init__(config, shape)
        self.heat = config.heat
        sizes = LayerSizes(shape.observation, hidden, *CRITIC)
        self.critic = Weights(sizes, self.scale_obs, np.ones(hidden, np.float32), config.seed)

    def arrays(self) -> dict[str, Floats]:
        critic = self.critic
        return super().arrays() | {"critic": critic.flat, "critic_mean": critic.mean, "critic_square": critic.square}

    def learn_round(
        self, played: PolicyRound, rate: float, critic_rate: float, random: np.random.Generator, step: int
    ) -> list[float]:
        """Learn from each decision once, in batches of about `batch`, and update the average; returns the critic's error
        before each step. step: the number of earlier steps.
        """
        n = len(played.num)
        if not n:
            return []
        parts = np.array_split(random.permutation(n), max(1, n // self.batch))
        losses = []
        for number, part in enumerate(parts, step + 1):
            losses.append(self.expect(played, part, critic_rate, number))
            self.push(played, part, played.advantages[part], rate, number)
        self.average += self._pace * (self.flat - self.average)
        return losses

    def expect(self, played: PolicyRound, part: Longs, rate: float, step: int) -> float:
        """One step of the critic; returns its mean squared error before it."""
        obs, hidden, critic = played.obs[part], played.hidden[part], self.critic
        first, second, scores = critic.scores(obs, hidden)
        error = scores - played.targets[part]
        critic.back_to_inputs(obs, hidden, critic.back(first, second, error * np.float32(2 / len(part))))
        critic.adam(rate, step)
        return float((error * error).mean())

    def push(self, played: PolicyRound, part: Longs, advantages: Floats, rate: float, step: int) -> None:
        """One step of the policy on the decisions `part`."""
        from dasan.kernels.network import layers
        from dasan.kernels.network.policy import sums

        num = played.num[part]
        all_begin, begin = played.begin, _bounds(num)
        rows = np.repeat(all_begin[part] - begin[:-1], num) + np.arange(begin[-1])
        first = np.empty((len(rows), self.shape.first), np.float32)
        w = self.scaled(self.flat)
        layers.score_first(
            played.obs,
            played.obs.view(np.uint64),
            part,
            played.num,
            all_begin[:-1],
            played.moves,
            played.moves.view(np.uint64),
            w["w_obs"],
            w["w_move"],
            w["bias"],
            first,
            np.empty(len(part) + 1, np.int64),
        )
        second, scores = self.above(first)
        slope = self.slopes(scores, begin, played.chances[rows], played.chosen[part], advantages, played.targets[part])
        down = self.back(first, second, (slope / len(part)).astype(np.float32))
        # A decision's moves share its observation: the two parts of the first layer have rows of their own.
        total = np.empty((len(part), self.shape.first), np.float32)
        sums(down, begin, total)
        g, nothing = self._slopes, np.zeros(0, np.float32)
        no_weights, no_bias = np.zeros((0, self.shape.first), np.float32), np.zeros(self.shape.first, np.float32)
        no_rows = np.zeros((max(len(part), len(rows)), 0), np.uint8)
        layers.backward(
            played.obs[part], no_rows[: len(part)], self.scale_obs, nothing, total, g["w_obs"], no_weights, g["bias"]
        )
        layers.backward(
            no_rows[: len(rows)], played.moves[rows], nothing, self.scale_move, down, no_weights, g["w_move"], no_bias
        )
        self.adam(rate, step)

    def slopes(
        self, scores: Floats, begin: Longs, chances: Floats, chosen: Ints, advantages: Floats, targets: Floats
    ) -> Doubles:
        """[moves]: the gradient of the loss, summed over decisions, with respect to the scores of their moves.

        The loss of a decision is minus the clipped product of its advantage and the ratio of its move's chance now to
        that when it was drawn, minus `ENTROPY` times the entropy, plus `CALIBRATION` times the squared error of the
        mean score for these chances. begin: decision e has the moves from begin[e] up to begin[e + 1]. The rest as in
        `PolicyRound`.
        """
        starts, owner = begin[:-1], np.repeat(np.arange(len(chosen)), np.diff(begin))
        heated = scores.astype(np.float64) / self.heat
        p = np.exp(heated - np.maximum.reduceat(heated, starts)[owner])
        p /= np.add.reduceat(p, starts)[owner]
        made = starts + chosen
        ratio = p[made] / chances[made]
        clipped = np.where(advantages > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
        push = np.where(clipped, 0.0, ratio * advantages)
        out: Doubles = p * push[owner]
        out[made] -= push
        logs = np.log(np.maximum(p, 1e-12))
        out += ENTROPY * p * (logs - np.add.reduceat(p * logs, starts)[owner])
        error = np.add.reduceat(p * scores, starts) - targets
        return out / self.heat + 2 * CALIBRATION * p * error[owner]


def _bounds(num: Ints) -> Longs:
    """int64 [n + 1]: the first row of each decision's moves."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(num, dtype=np.int64)])
