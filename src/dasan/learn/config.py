"""The settings of a training run, stored as JSON beside the weights."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, cast

from dasan.arguments import WrongType, amount, flag, instance, items, positive, shown, whole
from dasan.features.moves import exact_cards
from dasan.games import make_rules
from dasan.networks.derived import Reads
from dasan.networks.shared import SharedInputs, shared_inputs
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

MOST = 10**9
"""The upper limit of every count; memory sets far lower ones."""
MOST_SEED = 2**32
MOST_ACTORS = 4096
METHODS = ("values", "policy")
POLICY: dict[str, Any] = {
    "envs": 2048,
    "rounds": 10,
    "rate": 1.2e-4,
    "rate_end": 1e-5,
    "batch": 2048,
    "trace": 0.95,
    "average": 0.02,
    "heat": 0.03,
}
"""Settings that suit policy gradients."""


@dataclass(frozen=True)
class RuleSet:
    """A further game of a run: preset and options. unit: the payment that a score of 1 represents in it. ValueError: a
    field has the wrong type or an invalid value.
    """

    preset: str
    options: dict[str, OptionValue] = field(default_factory=dict)
    unit: float = 1.0

    def __post_init__(self) -> None:
        _check_game(self.preset, self.options)
        object.__setattr__(self, "unit", positive(self.unit, "unit", MOST))

    @staticmethod
    def from_json(data: object) -> RuleSet:
        """The inverse of `asdict`. ValueError: a field is unknown, missing or of the wrong type."""
        given = instance(data, dict, "a rule set is a dictionary")
        if unknown := [name for name in given if name not in ("preset", "options", "unit")]:
            raise ValueError(f"a rule set has no field {shown(unknown[0])}")
        if "preset" not in given:
            raise ValueError("a rule set has a field preset")
        return RuleSet(**given)


@dataclass(frozen=True)
class Config:
    """A training run. ValueError: a field has the wrong type or an invalid value.

    - method: "values", deep Monte Carlo; "policy", policy gradients, see `dasan.learn.policy`, which have no
      branches, actors or device. Their `heat` is the temperature of move probabilities, in scores; a round is one hand,
      or with `session` two, in each environment, of which each game has `envs`; `steps`, `explore`, `keep` and `contrast`
      have no effect. random_bids, random_calls: in these shares of hands the moves of the auction, or the call of a
      card, are drawn at random and not learnt from.
    - preset, options: the game. session: whether hands form sessions, in which Winner exchanges cards.
    - first, second: the sizes of the hidden layers.
    - envs: parallel environments. steps: steps of each in a round, after which the network learns. rounds: rounds in an
      epoch. epochs: the number of epochs.
    - rate, rate_end: the learning rate of Adam at the start and the end, decaying exponentially. batch: decisions in one step
      of Adam.
    - explore: the probability of a random move. keep: the share of decisions to learn from. trace: see `Decisions`.
    - unit: the payment that a score of 1 represents.
    - average: the weight of a new round in the running average of weights.
    - start: the network whose weights initialize the run, by its name, file or folder, see `dasan.networks.source.find`; "" for
      random weights. started: the SHA-256 of that network's file, hexadecimal, which a run notes when it starts; a run with other
      weights is refused. "": any.
    - pool, share: in this share of the environments a member of the pool plays all seats but one, see `Pool`. A member that
      is a file is read where hands are played, when a run starts and when it is resumed. pooled: by the name of such a member
      the SHA-256 of its file, hexadecimal, which a run notes when it starts; a run with other weights is refused,
      or goes on against its copies, see `Trainer.load`. Members without one: any. Names that are not in the pool are dropped.
    - derived: whether the network also reads derived features, see `dasan.networks.derived`. answers: whether these
      also say who can answer a play. suits: and what depends on suits, which needs answers, and a game whose
      moves name exact cards.
    - branches: number of environments per deal, which part at one of its decisions, see `Branches`; 1: every
      environment plays its own hands. With branches a round has as many steps as its longest hand, whatever `steps`
      says, and all hands are first hands, without an exchange (W.20). span: they part at one of the first `span`
      decisions. heat: the temperature for sampling other moves, in scores. contrast: the weight of differences between
      branches, see `contrasted`.
    - actors: number of actors, each of which plays a round in its own `envs` environments, see `dasan.learn.actors`; 0:
      none. With actors every round begins with new hands, and uses the weights from before the last update.
    - every, deals: every `every` epochs the network is measured against fixed players over `deals` deals. Training does
      not depend on them.
    - also: further games that the network learns, see `dasan.networks.shared`. Actor k plays game k modulo their number, the
      first of which is `preset` with `options`; so there are at least as many actors as games, unless the method is
      "policy". The pool's `net` and files must be networks for each game.
    - device: PyTorch's device, see `TorchLearner`: "cpu", "cuda", or one of several GPUs, such as "cuda:1"; "": learn
      in compiled code.
    """

    preset: str
    options: dict[str, OptionValue] = field(default_factory=dict)
    session: bool = False
    first: int = 256
    second: int = 128
    envs: int = 1024
    steps: int = 32
    rounds: int = 40
    epochs: int = 100
    rate: float = 1e-3
    rate_end: float = 1e-4
    batch: int = 1024
    explore: float = 0.01
    keep: float = 0.5
    trace: float = 1.0
    unit: float = 1.0
    average: float = 0.01
    seed: int = 0
    start: str = ""
    started: str = ""
    pool: tuple[str, ...] = ()
    pooled: dict[str, str] = field(default_factory=dict)
    share: float = 0.0
    derived: bool = False
    answers: bool = False
    suits: bool = False
    branches: int = 1
    span: int = 22
    heat: float = 0.15
    contrast: float = 3.0
    actors: int = 0
    also: tuple[RuleSet, ...] = ()
    device: str = ""
    every: int = 10
    deals: int = 20
    method: str = "values"
    random_bids: float = 0.0
    random_calls: float = 0.0

    def __post_init__(self) -> None:
        _check_game(self.preset, self.options)
        for name in ("start", "started", "device", "method"):
            instance(getattr(self, name), str, f"{name} is text")
        if not re.fullmatch(r"(cpu|cuda(:[0-9]{1,3})?)?", self.device, re.ASCII):
            raise ValueError(f"a device is cpu, cuda, or one of several GPUs such as cuda:1, not {shown(self.device)}")
        checked: dict[str, object] = {name: flag(getattr(self, name), name) for name in Reads._fields}
        for name in ("first", "second", "envs", "steps", "rounds", "epochs", "batch", "branches", "span", "every"):
            checked[name] = whole(getattr(self, name), name, 1, MOST)
        checked["deals"] = whole(self.deals, "deals", 2, MOST)
        checked["actors"] = whole(self.actors, "actors", 0, MOST_ACTORS)
        checked["seed"] = whole(self.seed, "a seed", 0, MOST_SEED)
        for name in ("explore", "keep", "trace", "average", "share", "random_bids", "random_calls"):
            checked[name] = amount(getattr(self, name), name, 1)
        for name in ("rate", "rate_end", "unit", "heat", "contrast"):
            checked[name] = positive(getattr(self, name), name, MOST)
        if self.answers and not self.derived:
            raise ValueError("answers are derived features: they need derived")
        if self.suits and not self.answers:
            raise ValueError("suits are derived features beside answers: they need answers")
        if int(self.envs) % int(self.branches):
            raise ValueError(f"envs is a multiple of branches, and {self.envs:,} is none of {self.branches:,}")
        pool, given = items(self.pool, "a pool is a list of names"), cast("object", self.pool)
        if isinstance(given, str) or not all(isinstance(name, str) for name in pool):
            raise WrongType(f"a pool is a list of names, not {shown(given)}")
        pooled = instance(self.pooled, dict, "pooled is a dictionary of digests")
        if not all(isinstance(digest, str) for digest in pooled.values()):
            raise WrongType("pooled is a dictionary of digests, each a text")
        pooled = {name: pooled[name] for name in pool if name in pooled}
        also = tuple(
            one if isinstance(one, RuleSet) else RuleSet.from_json(one)
            for one in items(self.also, "further games are a list of rule sets")
        )
        for name, value in {**checked, "pool": pool, "pooled": pooled, "also": also}.items():
            object.__setattr__(self, name, value)
        self._check_method()
        self._check_games()

    def _check_method(self) -> None:
        """Refuse settings that the method does not have."""
        if self.method not in METHODS:
            raise ValueError(f"a method is {' or '.join(METHODS)}, not {shown(self.method)}")
        if self.also and self.method == "values" and self.actors <= len(self.also):
            raise ValueError(f"{1 + len(self.also)} games need as many actors, or more")
        if self.method == "policy" and (self.branches > 1 or self.actors or self.device):
            raise ValueError("policy gradients have no branches, actors or device")
        if self.method != "policy" and (self.random_bids or self.random_calls):
            raise ValueError("only policy gradients have random bids and calls")

    def _check_games(self) -> None:
        """Refuse settings that none of the games has a use for."""
        if not (self.suits or self.random_bids or self.random_calls):
            return
        every = (RuleSet(self.preset, self.options, 1.0), *self.also)
        games = [make_rules(one.preset, **one.options) for one in every]
        if self.random_bids and not any(game.auction for game in games):
            raise ValueError("random bids need an auction, and no game has one")
        if self.random_calls and not any(game.call for game in games):
            raise ValueError("random calls need a call, and no game has one")
        if self.suits and not any(exact_cards(game) for game in games):
            raise ValueError("suits need a game whose moves name exact cards, such as Big Two, and there is none")

    @property
    def reads(self) -> Reads:
        """What the network reads."""
        return Reads(self.session, self.derived, self.answers, self.suits)

    def rules(self) -> Rules:
        """The rules of the game, the first of several."""
        return make_rules(self.preset, **self.options)

    def games(self) -> tuple[Config, ...]:
        """The configuration of each game by itself."""
        return tuple(self._alone(one) for one in (RuleSet(self.preset, self.options, self.unit), *self.also))

    def _alone(self, game: RuleSet) -> Config:
        rules = make_rules(game.preset, **game.options)
        return replace(
            self,
            preset=game.preset,
            options=game.options,
            unit=game.unit,
            also=(),
            suits=self.suits and exact_cards(rules),
            random_bids=self.random_bids if rules.auction else 0.0,
            random_calls=self.random_calls if rules.call else 0.0,
        )

    def shared(self) -> SharedInputs | None:
        """What a network for all games reads; None if there is one. ValueError: two games have the same options."""
        if not self.also:
            return None
        rules = tuple(one.rules() for one in self.games())
        return shared_inputs(rules, self.reads)

    def by_policy(self, **settings: Any) -> Config:
        """The same network and games, by policy gradients, without opponents. Settings are those of `POLICY`, with its
        environments divided among the games; `settings` replace them.
        """
        none = {"pool": (), "share": 0.0, "branches": 1, "actors": 0, "device": ""}
        envs = max(1, POLICY["envs"] // (1 + len(self.also)))
        return replace(self, **{"method": "policy", **none, **POLICY, "envs": envs, **settings})

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Config:
        """The inverse of `to_json`. ValueError: a field is unknown, missing or of the wrong type."""
        known = {one.name for one in fields(Config)}
        given = instance(data, dict, "a training configuration is a dictionary")
        if unknown := [name for name in given if name not in known]:
            raise ValueError(f"a training configuration has no field {shown(unknown[0])}")
        if "preset" not in given:
            raise ValueError("a training configuration has a field preset")
        return Config(**given)


def usual_unit(rules: Rules) -> float:
    """The power of two nearest to the standard deviation of a hand's payments, in 256 hands played at random; 1 where
    nothing is paid. With it, scores of all games are of similar size, so that the same learning rates suit them.
    """
    from dasan.vector import playouts

    deviation = float(playouts(rules, 256).payments.std())
    return 2.0 ** round(math.log2(deviation)) if deviation else 1.0


def _check_game(preset: object, options: object) -> None:
    """WrongType: this is no name of a preset with options, whatever their values."""
    instance(preset, str, "preset is text")
    chosen = instance(options, dict, "options are a dictionary")
    if not all(isinstance(name, str) for name in chosen):
        raise WrongType(f"options are a dictionary by their names, not {shown(chosen)}")
