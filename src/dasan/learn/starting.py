"""Begin a run with the weights of a network in the package, of the same game or of one that shares features with it."""

from __future__ import annotations

from dasan.bots.trained import adapted, catalogue, load
from dasan.learn.trainer import Trainer


def start_from(trainer: Trainer, name: str) -> None:
    """Copy the weights of the network `name` to `trainer`, which has not learnt yet, for the features that both have.

    ValueError: there is no such network, or its layers have other sizes.
    """
    found = next((one for one in catalogue() if one.name == name), None)
    if found is None:
        raise ValueError(f"there is no network {name!r}; there are {', '.join(one.name for one in catalogue())}")
    network = adapted(load(found), found, trainer.config.rules())
    learner, weights = trainer.learner, network.weights
    if weights["w_second"].shape != learner.parts["w_second"].shape:
        raise ValueError(f"the layers of {name} have other sizes: {weights['w_second'].shape}")
    known = (weights["w_obs"].any(axis=1), weights["w_move"].any(axis=1))
    for part, scale, rows in zip(("w_obs", "w_move"), (learner.scale_obs, learner.scale_move), known, strict=True):
        learner.parts[part][rows] = (weights[part] / scale[:, None])[rows]
    for part in ("bias", "w_second", "b_second"):
        learner.parts[part][:] = weights[part]
    ratio = network.unit / trainer.config.unit
    for part in ("w_last", "b_last"):
        learner.parts[part][:] = weights[part] * ratio
    learner.average[:] = learner.flat
