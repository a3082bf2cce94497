"""The weights of a training run, and the update step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dasan.arrays import Bytes, Floats, Ints, Longs
from dasan.learn.branches import batches
from dasan.learn.config import Config
from dasan.learn.decisions import Samples
from dasan.networks.derived import layouts
from dasan.networks.network import LayerSizes, fresh, scales


class Weights:
    """The weights of a network that learns, its gradient, and Adam's moments: flat float32 arrays.

    scale_obs, scale_move: the factors of the features. parts: the weights by name.
    """

    def __init__(self, shape: LayerSizes, scale_obs: Floats, scale_move: Floats, seed: int) -> None:
        self.shape = shape
        self.scale_obs, self.scale_move = scale_obs, scale_move
        self.flat = fresh(shape, np.random.default_rng(seed))
        self.mean = np.zeros_like(self.flat)
        self.square = np.zeros_like(self.flat)
        self._gradient = np.zeros_like(self.flat)
        self.parts = shape.views(self.flat)
        self._slopes = shape.views(self._gradient)

    def scaled(self, flat: Floats) -> dict[str, Floats]:
        """The weights rescaled to unscaled features."""
        parts = dict(self.shape.views(flat))
        parts["w_obs"] = parts["w_obs"] * self.scale_obs[:, None]
        parts["w_move"] = parts["w_move"] * self.scale_move[:, None]
        return parts

    def scores(self, obs: Bytes, moves: Bytes) -> tuple[Floats, Floats, Floats]:
        """Both hidden layers, and the score, of each pair of rows of `obs` and `moves`."""
        from dasan.kernels.network import layers

        w = self.parts
        first = np.empty((len(obs), self.shape.first), np.float32)
        layers.forward(
            obs,
            obs.view(np.uint64),
            moves,
            moves.view(np.uint64),
            self.scale_obs,
            self.scale_move,
            w["w_obs"],
            w["w_move"],
            w["bias"],
            first,
        )
        return first, *self.above(first)

    def above(self, first: Floats) -> tuple[Floats, Floats]:
        """The second hidden layer and the score of each row of the first."""
        w = self.parts
        second = first @ w["w_second"]
        second += w["b_second"]
        np.maximum(second, 0, out=second)
        return second, (second @ w["w_last"] + w["b_last"]).astype(np.float32, copy=False)

    def back(self, first: Floats, second: Floats, slope: Floats) -> Floats:
        """Set the gradient of the upper layers, and that of the first to 0; returns the gradient of each row before the
        relu of the first. slope: float32 [rows], the gradient of the scores.
        """
        w, g = self.parts, self._slopes
        self._gradient[:] = 0
        g["b_last"][:] = slope.sum()
        np.matmul(slope, second, out=g["w_last"])
        back = np.outer(slope, w["w_last"])
        back *= second > 0
        back.sum(axis=0, out=g["b_second"])
        np.matmul(first.T, back, out=g["w_second"])
        down = back @ w["w_second"].T
        down *= first > 0
        return down

    def back_to_inputs(self, obs: Bytes, moves: Bytes, down: Floats) -> None:
        """Add the gradient of the first layer's weights. down: what `back` returned, for pairs of rows."""
        from dasan.kernels.network import layers

        g = self._slopes
        layers.backward(obs, moves, self.scale_obs, self.scale_move, down, g["w_obs"], g["w_move"], g["bias"])

    def adam(self, rate: float, step: int) -> None:
        """One step of Adam; `step` counts from 1."""
        from dasan.kernels.network import layers

        layers.adam(self.flat, self._gradient, self.mean, self.square, rate, 0.9, 0.999, step)


class Learner(Weights):
    """The weights of a run, which learn the targets of decisions, and their running average."""

    def __init__(self, config: Config, shape: LayerSizes) -> None:
        shared = config.shared()
        if shared is None:
            observation, move = layouts(config.rules(), config.reads)
            factors = scales(observation, shape.observation), scales(move, shape.move)
        else:
            factors = shared.scales()
        super().__init__(shape, *factors, config.seed)
        self.contrast = np.float32(config.contrast)
        self.batch = config.batch
        self._pace = np.float32(config.average)
        self.average = self.flat.copy()

    def arrays(self) -> dict[str, Floats]:
        """Everything that changes, by name: the arrays themselves."""
        return {"flat": self.flat, "average": self.average, "mean": self.mean, "square": self.square}

    def learn(self, samples: Samples, rate: float, step: int) -> list[float]:
        """Learn from decisions in batches of about `batch`, and update the average; returns the error before each step.
        step: the number of earlier steps.
        """
        if not len(samples.targets):
            return []
        parts = batches(samples.groups, max(1, len(samples.targets) // self.batch))
        losses = self._steps(samples, parts, rate, step)
        self.average += self._pace * (self.flat - self.average)
        return losses

    def _steps(self, samples: Samples, parts: Sequence[Longs], rate: float, step: int) -> list[float]:
        """One step of Adam for each part of the rows."""
        return [self.update(samples.part(part), rate, step + k + 1) for k, part in enumerate(parts)]

    def update(self, samples: Samples, rate: float, step: int) -> float:
        """One step of Adam on the mean squared error, see `contrasted`; returns the error before it. step: from 1."""
        obs, moves, targets, groups = samples
        first, second, scores = self.scores(obs, moves)
        error = scores - targets
        slope = contrasted(error, groups, self.contrast) * np.float32(2 / len(targets))
        self.back_to_inputs(obs, moves, self.back(first, second, slope))
        self.adam(rate, step)
        return float((error * error).mean())


def contrasted(error: Floats, groups: Ints, weight: np.float32) -> Floats:
    """`error` with deviations from the group's mean multiplied by `weight`; rows of group -1 are unchanged.

    Branches of one decision differ only in the move: their cards, which decide most of a payment, are the same. So
    their differences say more about the moves than their values do.
    """
    out = error.copy()
    rows = np.flatnonzero(groups >= 0)
    if len(rows):
        _, group = np.unique(groups[rows], return_inverse=True)
        mean = (np.bincount(group, error[rows]) / np.bincount(group))[group].astype(np.float32)
        out[rows] = mean + weight * (error[rows] - mean)
    return out
