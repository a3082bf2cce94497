"""A network that scores a move: two hidden layers over an observation and the features of the move.

    first  = relu(bias + observation @ w_obs + move @ w_move)
    second = relu(first @ w_second + b_second)
    score  = second @ w_last + b_last

The score is the expected payment to the seat to act, in multiples of `unit`. NumPy computes single scores; Numba
computes derived features and batches.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dasan.arguments import instance
from dasan.arrays import Bytes, Floats
from dasan.bots.protocol import choices
from dasan.features import Feature, encode, encode_moves
from dasan.networks.archive import arrays_of
from dasan.networks.derived import every_reads, fitting, input_sizes
from dasan.play.action_ids import action_ids
from dasan.play.view import View
from dasan.ruleset.rules import Rules
from dasan.strict_json import parse

MOST_BYTES = 2**30
"""The most memory that the arrays of a network's file may take."""
MOST_WEIGHT = 65504.0
"""The largest number of half precision, in which a network is saved."""
NAMES = ("w_obs", "w_move", "bias", "w_second", "b_second", "w_last", "b_last")
"""The names of the weights, in the order of the flat array."""
NUMBERS = {"strength": 255.0, "said": 4.0}
"""The divisors of features that are numbers, by feature, if not 16."""


def scales(features: Iterable[Feature], size: int) -> Floats:
    """float32 [size]: the factor of each feature, which scales all of them to about 1."""
    out = np.ones(size, np.float32)
    for f in features:
        if not f.flags:
            out[f.start : f.start + f.size] = 1 / NUMBERS.get(f.name, 16.0)
    return out


@dataclass(frozen=True)
class LayerSizes:
    """Sizes: features of an observation and of a move, and the two hidden layers."""

    observation: int
    move: int
    first: int
    second: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each of the weights."""
        return {
            "w_obs": (self.observation, self.first),
            "w_move": (self.move, self.first),
            "bias": (self.first,),
            "w_second": (self.first, self.second),
            "b_second": (self.second,),
            "w_last": (self.second,),
            "b_last": (1,),
        }

    @property
    def size(self) -> int:
        """The number of weights."""
        return sum(int(np.prod(shape)) for shape in self.shapes().values())

    def views(self, flat: Floats) -> dict[str, Floats]:
        """The parts of one flat array of weights, by name; they share its memory."""
        out: dict[str, Floats] = {}
        at = 0
        for name, shape in self.shapes().items():
            n = int(np.prod(shape))
            out[name] = flat[at : at + n].reshape(shape)
            at += n
        return out


def fresh(shape: LayerSizes, random: np.random.Generator) -> Floats:
    """Random initial weights, flat."""
    flat = np.zeros(shape.size, np.float32)
    parts = shape.views(flat)
    parts["w_obs"][:] = random.normal(0, 0.03, parts["w_obs"].shape)
    parts["w_move"][:] = random.normal(0, 0.1, parts["w_move"].shape)
    parts["w_second"][:] = random.normal(0, (2 / shape.first) ** 0.5, parts["w_second"].shape)
    parts["w_last"][:] = random.normal(0, (1 / shape.second) ** 0.5, parts["w_last"].shape)
    return flat


@dataclass(frozen=True, eq=False)
class Network:
    """A network whose weights include the scales, so that it takes unscaled features.

    unit: the payment that a score of 1 stands for. card: its model card, JSON data with the `config` of its training run; None if
    it has none.
    """

    weights: Mapping[str, Floats]
    unit: float = 1.0
    card: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<Network of {sum(part.size for part in self.weights.values())} weights>"

    def inputs(self, view: View, session: bool) -> tuple[Bytes, Bytes]:
        """The network's input: uint8 [features], the observation of the seat of `view`, and uint8 [moves, features of
        a move], its legal moves in the order of `choices`. session: as for `encode`.

        Derived features are included if the network reads them.
        """
        ids, rows = action_ids(view.rules, session), encode_moves(view, session)
        observation = encode(view, session)
        moves = [rows[ids.of(move, view.called)] for move in choices(view)]
        size = len(self.weights["w_obs"])
        if size == len(observation):
            return np.array(observation, np.uint8), np.array(moves, np.uint8)
        longer, longer_moves = fitting(view.rules, session, size).of(observation, moves)
        return longer[0], longer_moves

    def fits(self, rules: Rules, session: bool) -> bool:
        """Whether the network reads observations and moves of `rules`, with or without derived features. session: as for
        `encode`.
        """
        return self.sizes in [input_sizes(rules, reads) for reads in every_reads(session)]

    @property
    def sizes(self) -> tuple[int, int]:
        """The lengths of the rows that it reads: of observations, and of moves."""
        return len(self.weights["w_obs"]), len(self.weights["w_move"])

    def of_view(self, view: View, session: bool) -> Floats:
        """float32 [moves]: the expected payment of each legal move of `view`, see `score` and `inputs`."""
        return self.score(*self.inputs(view, session))

    def score(self, observation: npt.ArrayLike, moves: npt.ArrayLike) -> Floats:
        """float32 [moves]: the expected payment of each move, in units of payment."""
        w = self.weights
        base = w["bias"] + np.asarray(observation, np.float32) @ w["w_obs"]
        first = np.maximum(base + np.asarray(moves, np.float32) @ w["w_move"], 0)
        second = np.maximum(first @ w["w_second"] + w["b_second"], 0)
        out: Floats = (second @ w["w_last"] + w["b_last"]) * np.float32(self.unit)
        return out

    def save(self, file: Any) -> None:
        """Write the weights as a compressed `.npz` of half-precision numbers, with the model card. ValueError: half precision
        cannot hold a weight, `unit` is not positive and finite in single precision, or a number of the card is not finite.
        """
        weights_fit = all((np.abs(w) <= MOST_WEIGHT).all() for w in self.weights.values())
        with np.errstate(over="ignore"):
            unit = np.float32(self.unit)
        if not (weights_fit and 0 < unit < np.inf):
            raise ValueError(f"a network is saved with weights up to {MOST_WEIGHT:,.0f} and a positive unit")
        half: dict[str, Any] = {name: w.astype(np.float16) for name, w in self.weights.items()}
        if self.card is not None:
            half["card"] = np.array(json.dumps(dict(self.card), allow_nan=False))
        np.savez_compressed(file, unit=unit, **half)

    @staticmethod
    def load(file: Any) -> Network:
        """Read a network written by `save`. ValueError: the file contains something else."""
        arrays = arrays_of(file, "the file does not contain a network", most=MOST_BYTES)
        try:
            with np.errstate(over="ignore"):
                parts = {name: arrays[name].astype(np.float32) for name in NAMES}
            unit = float(arrays["unit"])
            sizes = LayerSizes(len(parts["w_obs"]), len(parts["w_move"]), *parts["w_second"].shape)
            fit = {name: part.shape for name, part in parts.items()} == sizes.shapes() and min(
                parts["w_second"].shape
            ) > 0
            card = instance(parse(str(arrays["card"])), dict, "a model card is an object") if "card" in arrays else None
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise ValueError("the file does not contain a network") from error
        if not fit:
            raise ValueError("the file does not contain a network: its layers do not fit together")
        if not (0 < unit < np.inf and all(np.isfinite(part).all() for part in parts.values())):
            raise ValueError("the file does not contain a network: its weights are not finite")
        return Network(parts, unit, card)
