"""The settings of a training run: a value that goes to JSON and back, kept beside the weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from dasan.games import make_rules
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules


@dataclass(frozen=True)
class Config:
    """A training run.

    - preset, options: the game. session: hands follow one another, so that cards are exchanged in Winner.
    - first, second: the sizes of the hidden layers.
    - envs: environments side by side. steps: steps of each in a round, after which the network learns. rounds: rounds in an
      epoch. epochs: how many there are.
    - rate, rate_end: the learning rate of Adam at the start and the end, decaying exponentially. batch: decisions in one step
      of Adam.
    - explore: the probability of a random move. keep: the share of the decisions that is learnt from. trace: see `Returns`.
    - unit: the payment that a score of 1 stands for.
    - average: the weight of each round's weights in their running average.
    - start: a network of the package whose weights the run begins with, see `start_from`; "" for random weights.
    - pool, share: in this share of the environments a member of the pool plays all seats but one, see `Pool`.
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
    pool: tuple[str, ...] = ()
    share: float = 0.0

    def rules(self) -> Rules:
        """The rules that are learnt."""
        return make_rules(self.preset, **self.options)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Config:
        """The configuration of `to_json`. ValueError: an unknown or a missing field."""
        try:
            return Config(**{**data, "pool": tuple(data.get("pool", ()))})
        except TypeError as error:
            raise ValueError(f"not a training configuration: {error}") from error
