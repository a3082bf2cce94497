"""Initialize a run from another network, for the same rules or for others that share features with them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dasan.arrays import Floats
from dasan.learn.config import Config
from dasan.learn.learner import Learner
from dasan.networks.network import Network
from dasan.networks.source import find
from dasan.networks.trained import adapted, unit_in

NOISE = 0.05
"""The standard deviation of the noise on copies of a unit, relative to each weight: identical copies would learn the
same."""


def start_from(learner: Learner, config: Config) -> str:
    """Copy the weights of the network `config.start` to `learner`; weights of features new to it are 0. Returns the
    SHA-256 of that network's file.

    Layers may be integer multiples of the network's: units are duplicated, and scores stay almost the same.

    ValueError: there is no such network, its layer sizes do not match, or it is not the one with the digest `config.started`.
    OSError: its file cannot be read.
    """
    source = find(config.start)
    if config.started not in ("", source.digest):
        raise ValueError(
            f"{config.start} is not the network that these settings began with: its SHA-256 is {source.digest[:8]}…, and was"
            f" {config.started[:8]}…"
        )
    name, trained, shared = config.start, source.trained(config.rules()), config.shared()
    network = source.network
    if shared is None:
        network = adapted(network, trained, config.rules(), config.reads)
    else:
        weights = shared.spread(network.weights, trained.labels)
        everywhere = set.intersection(*(set(rules.settings) for rules in shared.rules))
        for label, place in trained.labels[0].items():
            if label[0] == "rule" and label[1:] in everywhere and label not in shared.labels[0]:
                weights["bias"] = weights["bias"] + network.weights["w_obs"][place]
        network = Network(weights, unit_in(network, trained, config.rules()))
    first, second = network.weights["w_second"].shape
    if config.first % first or config.second % second:
        raise ValueError(f"the layers of {name} have other sizes: {first} and {second}, or whole multiples")
    weights = widened(network.weights, config.first // first, config.second // second, config.seed)
    for part, scale in (("w_obs", learner.scale_obs), ("w_move", learner.scale_move)):
        learner.parts[part][:] = weights[part] / scale[:, None]
    for part in ("bias", "w_second", "b_second"):
        learner.parts[part][:] = weights[part]
    ratio = network.unit / config.unit
    for part in ("w_last", "b_last"):
        learner.parts[part][:] = weights[part] * ratio
    learner.average[:] = learner.flat
    return source.digest


def widened(weights: Mapping[str, Floats], first: int, second: int, seed: int) -> dict[str, Floats]:
    """The weights of a network with `first` and `second` times as many units and almost the same scores."""
    random = np.random.default_rng(seed)

    def copies(part: Floats, times: int) -> list[Floats]:
        return [part, *(part * random.normal(1, NOISE, part.shape).astype(np.float32) for _ in range(times - 1))]

    from_first = np.vstack(copies(weights["w_second"], first)) / np.float32(first)
    return {
        "w_obs": np.hstack(copies(weights["w_obs"], first)),
        "w_move": np.hstack(copies(weights["w_move"], first)),
        "bias": np.tile(weights["bias"], first),
        "w_second": np.hstack(copies(from_first, second)),
        "b_second": np.tile(weights["b_second"], second),
        "w_last": np.tile(weights["w_last"], second) / np.float32(second),
        "b_last": weights["b_last"],
    }
