"""Deep Monte Carlo by self-play: one network plays every seat, and learns what its decisions led to (arXiv:2106.06135).

Where a deal has branches, environments that share it also show what other moves would have led to.

Training goes by epochs. An epoch, or with branches each of its rounds, begins with new hands in all environments and ends when
every hand that was begun in it is over, so what it does depends on the configuration, on its number and on the weights it
starts with: a run that was stopped goes on exactly from the last epoch that was saved.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time
from zipfile import BadZipFile, is_zipfile

import numpy as np
import numpy.typing as npt

from dasan import vector
from dasan.arguments import instance
from dasan.bots.derived import derived
from dasan.bots.network import Floats, Network, Shape
from dasan.bots.scoring import Scorer, Scores
from dasan.learn.branches import NOTHING, Branches, Longs, batches
from dasan.learn.config import Config
from dasan.learn.learner import Learner
from dasan.learn.pool import Pool
from dasan.learn.returns import Returns
from dasan.learn.starting import start_from
from dasan.vector import VectorEnv
from dasan.vector.earnings import earned

MOST_STEPS = 100_000
"""More steps than any hand takes: a bound for loops that wait for the end of every hand."""


@dataclass
class Progress:
    """Totals of a run. decisions: moves with a choice; plies: all moves; seconds: processor time."""

    epoch: int = 0
    plies: int = 0
    decisions: int = 0
    hands: int = 0
    samples: int = 0
    updates: int = 0
    seconds: float = 0.0
    loss: float = 0.0


class Trainer:
    """A training run of `config`, before its first epoch. `load` goes on with one that `save` wrote.

    ValueError: there is no network of the name `config.start`, or its layers have other sizes.
    """

    def __init__(self, config: Config) -> None:
        self.config = instance(config, Config, "a training run has a configuration")
        rules = config.rules()
        self._pool = Pool(rules, config.session, config.pool, config.share, config.envs, config.branches)
        self._branches = Branches(config.envs, config.branches, config.span, config.heat)
        self.env: VectorEnv = vector.make(rules, config.envs, seed=self._seed(0), session=config.session, moves="ragged")
        env = self.env
        sizes = env.num_features, env.num_move_features
        if config.derived:
            longer = derived(rules, config.session)
            sizes = longer.observation_size, longer.move_size
        self.learner = Learner(config, Shape(*sizes, config.first, config.second))
        if config.start:
            start_from(self.learner, config)
        self.returns = Returns(config.envs, rules.players, *sizes, trace=config.trace)
        self.progress = Progress()
        self._scorer = Scorer()
        self._weights: Mapping[str, Floats] = {}
        self._past: Mapping[str, Floats] = {}

    def network(self) -> Network:
        """The average of the weights, as a player."""
        return Network(self.learner.scaled(self.learner.average), self.config.unit)

    def save(self, file: Path) -> None:
        """Write everything that the next epoch depends on; an interrupted write leaves the old file."""
        learner = self.learner
        part = file.with_name(file.name + ".part")
        about = json.dumps({"config": self.config.to_json(), "progress": asdict(self.progress)})
        with part.open("wb") as stream:
            np.savez(
                stream,
                about=np.array(about),
                flat=learner.flat,
                average=learner.average,
                mean=learner.mean,
                square=learner.square,
            )
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)

    @staticmethod
    def load(file: Path, epochs: int | None = None) -> Trainer:
        """The run that `save` wrote. epochs: a new number of epochs to train for. ValueError: the file holds something else."""
        if not is_zipfile(file):
            raise ValueError(f"{file} is no saved training run")
        try:
            with np.load(file, allow_pickle=False) as held:
                about = json.loads(str(held["about"]))
                config, progress = Config.from_json(about["config"]), Progress(**about["progress"])
                arrays = {name: held[name] for name in ("flat", "average", "mean", "square")}
        except (ValueError, KeyError, TypeError, EOFError, BadZipFile, zlib.error) as error:
            raise ValueError(f"{file} is no saved training run") from error
        # The network that the run began with may have changed since, or be gone.
        trainer = Trainer(replace(config, start=""))
        trainer.config = config if epochs is None else replace(config, epochs=epochs)
        for name, array in arrays.items():
            weights = getattr(trainer.learner, name)
            if array.shape != weights.shape or array.dtype != weights.dtype:
                raise ValueError(f"{file} is a training run of a network of another size")
            weights[:] = array
        trainer.progress = progress
        return trainer

    def epoch(self) -> None:
        """One epoch: play and learn."""
        config, env, progress = self.config, self.env, self.progress
        begun = process_time()
        random = np.random.default_rng([config.seed, progress.epoch])
        self.returns.clear()
        t = progress.epoch / max(1, config.epochs)
        rate = config.rate * (config.rate_end / config.rate) ** t
        self._weights = self.learner.scaled(self.learner.flat)
        self._past = self.learner.scaled(self.learner.average.copy())
        losses: list[float] = []
        if config.branches > 1:
            for _ in range(config.rounds):
                env.reset(self._branches.begin(random))
                losses += self._play(random, 0, rate)
        else:
            env.reset(self._seed(progress.epoch))
            losses += self._play(random, config.steps * config.rounds, rate)
        progress.epoch += 1
        progress.loss = float(np.mean(losses)) if losses else 0.0
        progress.seconds += process_time() - begun

    def _play(self, random: np.random.Generator, steps: int, rate: float) -> list[float]:
        """Play until every hand that was begun in the first `steps` steps is over; learn after every round of steps, and at the
        end.
        """
        open_ = np.ones(self.env.num_envs, np.bool_)
        losses: list[float] = []
        for step in range(1, MOST_STEPS):
            self._step(random, open_, closing=step > steps)
            over = not open_.any()
            if over or (steps and step % self.config.steps == 0):
                losses += self._learn(random, rate)
            if over:
                break
        return losses

    def _step(self, random: np.random.Generator, open_: npt.NDArray[np.bool_], closing: bool) -> None:
        """Make one move in every environment; decisions of hands that count are kept until the hand ends."""
        config, env, progress = self.config, self.env, self.progress
        actions = env.legal[:, 0].astype(np.int32)
        envs = np.flatnonzero((env.num_legal > 1) & open_ & self._branches.chooses)
        if config.share:
            foreign = self._pool.others(envs, env.to_act[envs])
            others, envs = envs[foreign], envs[~foreign]
            actions[others] = self._pool.choose(env, others, self._past, self._scorer)
        if len(envs):
            scores = self._scorer(env, envs, self._weights)
            best = scores.best()
            values = scores.rows[best]
            parting = self._part(scores, values, random, actions, open_) if config.branches > 1 else NOTHING
            explored = random.random(len(envs)) < config.explore
            explored[parting] = False
            lots = np.flatnonzero(explored)
            best[lots] = scores.begin[lots] + random.integers(0, env.num_legal[envs[lots]])
            which = np.delete(np.arange(len(envs)), parting)
            self._decide(scores, which, envs[which], best[which], values, explored[which], actions)
        self._branches.follow(actions)
        mine = open_ & self._branches.chooses
        env.step(actions)
        over = np.flatnonzero(env.done & mine)
        if len(over):
            self.returns.finish(over, earned(env) / np.float32(config.unit))
        progress.plies += int(mine.sum())
        progress.hands += len(over)
        if closing:
            open_ &= ~env.done

    def _decide(
        self,
        scores: Scores,
        which: Longs,
        envs: Longs,
        rows: Longs,
        values: Floats,
        explored: npt.NDArray[np.bool_],
        actions: npt.NDArray[np.int32],
        groups: npt.NDArray[np.int32] | None = None,
    ) -> None:
        """Keep decisions, and enter them in `actions`: those of `scores.envs[which]`, for the environments `envs`."""
        env, seen = self.env, scores.envs[which]
        actions[envs] = env.legal[seen, rows - scores.begin[which]]
        self.returns.add(envs, env.to_act[seen], *scores.read(which, rows), values[which], explored, groups)
        self.progress.decisions += len(envs)

    def _part(
        self,
        scores: Scores,
        values: Floats,
        random: np.random.Generator,
        actions: npt.NDArray[np.int32],
        open_: npt.NDArray[np.bool_],
    ) -> Longs:
        """Make the moves of environments that part now; those for which there is no move are closed. Returns which of the
        decisions of `scores` these were.
        """
        which, envs, rows = self._branches.part(scores, self.env.num_legal, random)
        group = self._branches.group
        self._decide(scores, which, envs, rows, values, rows != scores.best()[which], actions, group[envs])
        used = np.zeros(len(open_), np.bool_)
        used[envs] = True
        open_ &= used | ~np.isin(group, group[envs])
        return np.unique(which)

    def _learn(self, random: np.random.Generator, rate: float) -> list[float]:
        """Learn from the hands that are over."""
        obs, moves, targets, groups = self.returns.take(self.config.keep, random)
        learner, progress = self.learner, self.progress
        losses = []
        parts = max(1, len(targets) // self.config.batch) if len(targets) else 0
        for part in batches(groups, parts) if parts else []:
            progress.updates += 1
            losses.append(learner.update(obs[part], moves[part], targets[part], rate, progress.updates, groups[part]))
        progress.samples += len(targets) if parts else 0
        if parts:
            learner.average += np.float32(self.config.average) * (learner.flat - learner.average)
            self._weights = learner.scaled(learner.flat)
        return losses

    def _seed(self, epoch: int) -> int:
        return self.config.seed * 1_000_003 + epoch
