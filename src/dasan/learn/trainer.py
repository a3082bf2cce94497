"""Deep Monte Carlo by self-play: one network plays every seat, and learns what its decisions led to (arXiv:2106.06135).

Training goes by epochs. An epoch begins with new hands in all environments and ends when every hand that was begun in it
is over, so what it does depends on the configuration, on its number and on the weights it starts with: a run that was
stopped goes on exactly from the last epoch that was saved.
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
from dasan.bots.network import Floats, Network, Shape
from dasan.bots.scoring import Scorer
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
        self._pool = Pool(rules, config.session, config.pool, config.share, config.envs)
        self.env: VectorEnv = vector.make(rules, config.envs, seed=self._seed(0), session=config.session, moves="ragged")
        env = self.env
        self.learner = Learner(config, Shape(env.num_features, env.num_move_features, config.first, config.second))
        if config.start:
            start_from(self.learner, config)
        self.returns = Returns(config.envs, rules.players, env.num_features, env.num_move_features, trace=config.trace)
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
        env.reset(self._seed(progress.epoch))
        self.returns.clear()
        t = progress.epoch / max(1, config.epochs)
        rate = config.rate * (config.rate_end / config.rate) ** t
        self._weights = self.learner.scaled(self.learner.flat)
        self._past = self.learner.scaled(self.learner.average.copy())
        open_ = np.ones(env.num_envs, np.bool_)
        closing = False
        losses: list[float] = []
        for step in range(1, MOST_STEPS):
            self._step(random, open_, closing)
            closing = closing or step >= config.steps * config.rounds
            if step % config.steps == 0 or not open_.any():
                losses += self._learn(random, rate)
            if not open_.any():
                break
        progress.epoch += 1
        progress.loss = float(np.mean(losses)) if losses else 0.0
        progress.seconds += process_time() - begun

    def _step(self, random: np.random.Generator, open_: npt.NDArray[np.bool_], closing: bool) -> None:
        """Make one move in every environment; decisions of hands that count are kept until the hand ends."""
        config, env, progress = self.config, self.env, self.progress
        actions = env.legal[:, 0].astype(np.int32)
        envs = np.flatnonzero((env.num_legal > 1) & open_)
        if config.share:
            foreign = self._pool.others(envs, env.to_act[envs])
            others, envs = envs[foreign], envs[~foreign]
            actions[others] = self._pool.choose(env, others, self._past, self._scorer)
        if len(envs):
            assert env.obs is not None
            assert env.moves is not None
            assert env.move_starts is not None
            scores = self._scorer(env, envs, self._weights)
            begin, best = scores.begin, scores.best()
            values = scores.rows[best]
            explored = random.random(len(envs)) < config.explore
            lots = np.flatnonzero(explored)
            best[lots] = begin[lots] + random.integers(0, env.num_legal[envs[lots]])
            chosen = best - begin[:-1]
            actions[envs] = env.legal[envs, chosen]
            rows_chosen = env.moves[env.move_starts[envs] + chosen]
            self.returns.add(envs, env.to_act[envs], env.obs[envs], rows_chosen, values, explored)
        env.step(actions)
        over = np.flatnonzero(env.done & open_)
        if len(over):
            self.returns.finish(over, earned(env) / np.float32(config.unit))
        progress.plies += int(open_.sum())
        progress.decisions += len(envs)
        progress.hands += len(over)
        if closing:
            open_[over] = False

    def _learn(self, random: np.random.Generator, rate: float) -> list[float]:
        """Learn from the hands that are over."""
        obs, moves, targets = self.returns.take(self.config.keep, random)
        learner, progress = self.learner, self.progress
        losses = []
        parts = max(1, len(targets) // self.config.batch) if len(targets) else 0
        for part in np.array_split(np.arange(len(targets)), parts) if parts else []:
            progress.updates += 1
            losses.append(learner.update(obs[part], moves[part], targets[part], rate, progress.updates))
        progress.samples += len(targets) if parts else 0
        if parts:
            learner.average += np.float32(self.config.average) * (learner.flat - learner.average)
            self._weights = learner.scaled(learner.flat)
        return losses

    def _seed(self, epoch: int) -> int:
        return self.config.seed * 1_000_003 + epoch
