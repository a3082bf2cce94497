"""What a training run is made of: a value that goes to JSON and back, kept beside the weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from dasan.games import make_rules
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules


@dataclass(frozen=True)
class Config:
    """A training run.

    preset, options: the game. session: hands follow one another, so that cards are exchanged in Winner. first, second:
    the hidden layers. envs: environments side by side. steps: how many steps each makes between two updates; rounds: how
    many such stretches an epoch has; epochs: how many there are. rate, rate_end: the learning rate of Adam at the start
    and the end, falling by equal factors. batch: decisions in a step of Adam. explore: how often a random move is made.
    keep: the part of the decisions that is learnt from. trace: see `Returns`. unit: the payment that a score of 1 stands
    for. average: how much the average of the weights takes from each round. start: a run whose weights are taken over
    where features have the same names, or "". pool, share: in this share of the environments a member of the pool has all
    seats but one, see `Pool`.
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
