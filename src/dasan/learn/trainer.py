"""A training run: one network plays every seat and learns from the outcomes of its decisions, by deep Monte Carlo
(arXiv:2106.06135) or by policy gradients, see `dasan.learn.policy`.

With branches, environments that share a deal also show the outcomes of other moves.

An epoch, or with branches each of its rounds, begins with new hands in all environments and plays every hand to its
end. It depends only on the configuration, its number and its initial weights, so that a stopped run resumes exactly
from the last saved epoch.

With actors, the actors play a round while the network learns from the previous one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any
from zipfile import is_zipfile

import numpy as np

from dasan.arena.contest import OF_A_DEAL
from dasan.arguments import amount, instance, quantity, whole
from dasan.arrays import Floats
from dasan.learn import CHANGEABLE
from dasan.learn.actors import ActorOrder, ActorResult, Actors, here
from dasan.learn.config import Config
from dasan.learn.decisions import Samples
from dasan.learn.in_torch import TorchLearner
from dasan.learn.learner import Learner
from dasan.learn.policy import CRITIC_DECAY, CRITIC_RATE, WARM_UP, PolicyLearner, PolicyPlay
from dasan.learn.pool import Pool, from_copies, keep_copies, noted
from dasan.learn.selfplay import PlayCounts, SelfPlay
from dasan.learn.sizes import described, learner_memory, play_memory
from dasan.learn.starting import start_from
from dasan.memory import require_memory
from dasan.networks.archive import arrays_of, claims_of
from dasan.networks.derived import input_sizes
from dasan.networks.network import MOST_WEIGHT, LayerSizes, Network
from dasan.version import __version__
from dasan.whole_file import whole_file

MOST_ABOUT = 2**24
"""The most bytes that the settings and totals of a run may take in its file."""
COPIES = "pool"
"""The folder, beside the file of a run, of copies of the networks in its pool."""
MOST_COUNTED = 2**62
"""The upper limit of every total of a run."""


class Diverged(ArithmeticError):
    """The weights of a run have grown beyond all numbers."""

    def __init__(self, message: str = "the weights grew beyond all numbers") -> None:
        super().__init__(message)


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

    @staticmethod
    def from_json(data: object) -> Progress:
        """The inverse of `asdict`. ValueError or TypeError: a field is unknown, has the wrong type or an invalid value."""
        progress = Progress(**instance(data, dict, "totals are a dictionary"))
        for name in ("epoch", "plies", "decisions", "hands", "samples", "updates"):
            whole(getattr(progress, name), name, 0, MOST_COUNTED)
        amount(progress.seconds, "seconds")
        amount(progress.loss, "loss")
        return progress


class Trainer:
    """A training run of `config`, before its first epoch. `load` resumes a run that `save` wrote.

    ValueError: there is no network `config.start`, it is not that of `config.started`, its layer sizes do not match, there is
    no device `config.device`, two games of `config` have the same options, the pool has no network for one of them, or a member's
    is not that of `config.pooled`.
    ImportError: a device is named, and PyTorch is not installed or does not load. MemoryError: there is not enough for so many
    environments, steps and actors, for layers of these sizes, or for the results of so many deals.
    """

    def __init__(self, config: Config) -> None:
        instance(config, Config, "a training run has a configuration")
        self.shared = config.shared()
        sizes = input_sizes(config.rules(), config.reads) if self.shared is None else self.shared.sizes
        shape = LayerSizes(*sizes, config.first, config.second)
        require_memory(config.deals * OF_A_DEAL, f"measurements over {quantity(config.deals, 'deal')}")
        require_memory(learner_memory(config, shape) + play_memory(config), described(config))
        config = self.config = noted(config)
        playing = PolicyPlay(config) if config.method == "policy" else SelfPlay(config)
        if isinstance(playing, SelfPlay):
            for game in config.games()[1:]:
                Pool(game)
        self.learner: Learner
        self._policy: tuple[PolicyPlay, PolicyLearner] | None = None
        if isinstance(playing, PolicyPlay):
            self._policy = playing, PolicyLearner(config, shape, playing.hidden)
            self.learner = self._policy[1]
        else:
            self.hands = playing
            self.learner = TorchLearner(config, shape) if config.device else Learner(config, shape)
        if config.start:
            self.config = replace(config, started=start_from(self.learner, config))
        self.progress = Progress()
        self._copies: dict[str, str] = {}

    def network(self) -> Network:
        """The network of the averaged weights; with several games it reads what they share, see `networks`."""
        return Network(self.learner.scaled(self.learner.average), self.config.unit, self._card(self.config))

    def networks(self) -> list[Network]:
        """The network for each game, of the averaged weights."""
        weights = self._for_games(self.learner.average)
        games = zip(weights, self.config.games(), strict=True)
        return [Network(own, game.unit, self._card(game)) for own, game in games]

    def _card(self, config: Config) -> dict[str, Any]:
        """The model card of a network of this run."""
        progress = self.progress
        done = {
            "epochs": progress.epoch,
            "hands": progress.hands,
            "moves": progress.plies,
            "decisions": progress.decisions,
        }
        return {"config": config.to_json(), **done, "dasan": __version__}

    def _for_games(self, flat: Floats) -> list[dict[str, Floats]]:
        """The weights for each game."""
        weights = self.learner.scaled(flat)
        if self.shared is None:
            return [weights]
        return [self.shared.folded(weights, rules) for rules in self.shared.rules]

    def save(self, file: Path) -> None:
        """Write everything that the next epoch depends on, atomically. Copies of the pool's networks come first, in the folder
        `pool` beside `file`.
        """
        self._copies = keep_copies(self.config, file.parent / COPIES, self._copies)
        arrays: dict[str, Any] = dict(self.learner.arrays())
        about = json.dumps({"config": self.config.to_json(), "progress": asdict(self.progress), "copies": self._copies})
        with whole_file(file) as stream:
            np.savez(stream, about=np.array(about), **arrays)

    @staticmethod
    def load(file: Path, **changes: Any) -> Trainer:
        """The run that `save` wrote. changes: new values of `epochs`, `every` or `deals`. ValueError: the file is not a
        saved run, or a change is not allowed. `MemberFailed`: a network of the pool has changed, or is gone, and the run has no
        copy of it, or the copy has changed too.
        """
        if refused := sorted(set(changes).difference(CHANGEABLE)):
            raise ValueError(f"a resumed run cannot change {refused[0]}")
        otherwise = f"{file} is not a saved training run"
        if not is_zipfile(file):
            raise ValueError(otherwise)
        claims = claims_of(file, otherwise)
        text = arrays_of(file, otherwise, ["about"], MOST_ABOUT)["about"]
        try:
            about = json.loads(str(text))
            config, progress = Config.from_json(about["config"]), Progress.from_json(about["progress"])
            copies = instance(about.get("copies", {}), dict, "copies are a dictionary of digests")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(otherwise) from error
        # The initial network may have changed since, or be gone.
        config = replace(from_copies(config, file.parent / COPIES, copies), **changes)
        trainer = Trainer(replace(config, start="", started=""))
        trainer.config = replace(trainer.config, start=config.start, started=config.started)
        own = trainer.learner.arrays()
        if not own.keys() <= claims.keys():
            raise ValueError(otherwise)
        if any(claims[name] != (weights.shape, weights.dtype) for name, weights in own.items()):
            raise ValueError(f"{file} is a training run of a network with another size")
        for name, array in arrays_of(file, otherwise, own).items():
            if not np.isfinite(array).all():
                raise ValueError(f"{otherwise}: {name} is not finite")
            own[name][:] = array
        trainer.progress, trainer._copies = progress, copies
        return trainer

    def epoch(self, actors: Actors = here) -> None:
        """One epoch: play and learn. actors: the actors, if the configuration has any; without a GPU they do not affect the
        result.

        The epoch is lost, and the last saved one can be loaded, if this raises an error. DeviceFailed: PyTorch failed. Diverged:
        a weight is no longer a number, or too large for the file of a network.
        """
        try:
            # Other threads do not see this, so their results are checked too.
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                self._epoch(actors)
            sound = all(np.isfinite(array).all() for array in self.learner.arrays().values())
            largest = max(float(np.abs(part).max()) for part in self.network().weights.values())
        except FloatingPointError as error:
            raise Diverged from error
        if not sound or largest > MOST_WEIGHT:
            raise Diverged

    def _epoch(self, actors: Actors) -> None:
        config, progress = self.config, self.progress
        begun = process_time()
        t = progress.epoch / max(1, config.epochs)
        rate = config.rate * (config.rate_end / config.rate) ** t
        if self._policy:
            losses = self._by_policy(*self._policy, rate, t)
        else:
            losses = self._from_actors(actors, rate) if config.actors else self._alone(rate)
        progress.epoch += 1
        progress.loss = float(np.mean(losses)) if losses else 0.0
        progress.seconds += process_time() - begun

    def _by_policy(self, hands: PolicyPlay, learner: PolicyLearner, rate: float, t: float) -> list[float]:
        """Play and learn by policy gradients; returns the critic's errors. t: the part of the run before this
        epoch.
        """
        config, progress = self.config, self.progress
        random = np.random.default_rng([config.seed, progress.epoch])
        losses: list[float] = []
        for _ in range(config.rounds):
            played = hands.play(random, learner)
            self._count(played.counts)
            rates = rate if progress.updates >= WARM_UP else 0.0, CRITIC_RATE * CRITIC_DECAY**t
            errors = learner.learn_round(played, *rates, random, progress.updates)
            progress.updates += len(errors)
            progress.samples += len(played.num)
            losses += errors
        return losses

    def _alone(self, rate: float) -> list[float]:
        """Play and learn alternately; returns the errors."""
        config, hands, epoch = self.config, self.hands, self.progress.epoch
        random = np.random.default_rng([config.seed, epoch])
        hands.counts = PlayCounts()
        hands.decisions.clear()
        hands.weights = self.learner.scaled(self.learner.flat)
        hands.past = self.learner.scaled(self.learner.average.copy())
        losses: list[float] = []

        def learn() -> None:
            errors = self._learn(hands.decisions.take(config.keep, random), rate)
            losses.extend(errors)
            if errors:
                hands.weights = self.learner.scaled(self.learner.flat)

        if config.branches > 1:
            for _ in range(config.rounds):
                hands.env.reset(hands.branches.begin(random))
                hands.play(random, 0)
                learn()
        else:
            hands.env.reset(config.seed * 1_000_003 + epoch)
            hands.play(random, config.steps * config.rounds, lambda step: None if step % config.steps else learn())
            learn()
        self._count(hands.counts)
        return losses

    def _from_actors(self, actors: Actors, rate: float) -> list[float]:
        """Learn from each round while actors play the next one with the weights from before it; returns the errors."""
        config, epoch = self.config, self.progress.epoch
        games = config.games()
        past = self._for_games(self.learner.average.copy()) if "past" in config.pool else [{} for _ in games]
        losses: list[float] = []

        def begin(number: int) -> Callable[[], list[ActorResult]]:
            weights = self._for_games(self.learner.flat.copy())  # a copy, because learning changes the weights in place
            every = [(k, k % len(games)) for k in range(config.actors)]
            return actors([ActorOrder(games[i], (epoch, number, k), weights[i], past[i]) for k, i in every])

        following = begin(0)
        for number in range(config.rounds):
            waiting, following = following, begin(number + 1) if number + 1 < config.rounds else following
            losses += self._learn(self._together(waiting()), rate)
        return losses

    def _together(self, played: Sequence[ActorResult]) -> Samples:
        """The decisions of all actors of a round; group numbers are made unique across actors."""
        deals = self.config.envs // self.config.branches
        for one in played:
            self._count(one.counts)
            self.progress.seconds += one.seconds
        samples = [one.samples for one in played]
        groups = [np.where(one.groups < 0, -1, one.groups + np.int32(k * deals)) for k, one in enumerate(samples)]
        rows = [(one.obs, one.moves) for one in samples]
        if self.shared is not None:
            rules = self.shared.rules
            rows = [self.shared.rows(rules[k % len(rules)], *own) for k, own in enumerate(rows)]
        return Samples(
            np.concatenate([obs for obs, _ in rows]),
            np.concatenate([moves for _, moves in rows]),
            np.concatenate([one.targets for one in samples]),
            np.concatenate(groups),
        )

    def _count(self, counts: PlayCounts) -> None:
        self.progress.plies += counts.plies
        self.progress.decisions += counts.decisions
        self.progress.hands += counts.hands

    def _learn(self, samples: Samples, rate: float) -> list[float]:
        """Learn from these decisions; returns the errors."""
        progress = self.progress
        losses = self.learner.learn(samples, rate, progress.updates)
        progress.updates += len(losses)
        progress.samples += len(samples.targets)
        return losses
