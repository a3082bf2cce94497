"""Begin one game with what was learnt of another: weights of features that both have, by name."""

from __future__ import annotations

from dasan.bots.trained import same_features
from dasan.features import layout, move_layout
from dasan.learn.trainer import Trainer


def transfer(source: Trainer, target: Trainer) -> None:
    """Give `target`, which has not learnt yet, the averaged weights of `source`. ValueError: their layers differ in size.

    Flags that stand for kinds go by the name of the kind; other features by their name, if they are equally many. What
    `source` does not have keeps the weights it has.
    """
    old, new = source.learner, target.learner
    if (old.shape.first, old.shape.second) != (new.shape.first, new.shape.second):
        raise ValueError("weights go to a network with layers of the same sizes")
    before, after = old.shape.views(old.average), new.parts
    a, b = source.config, target.config
    rules = a.rules(), b.rules()
    for name, pairs in (
        ("w_obs", same_features(rules, layout(rules[0], a.session), layout(rules[1], b.session))),
        ("w_move", same_features(rules, move_layout(rules[0], a.session), move_layout(rules[1], b.session))),
    ):
        for i, j in pairs:
            after[name][j] = before[name][i]
    for name in ("bias", "w_second", "b_second"):
        after[name][:] = before[name]
    for name in ("w_last", "b_last"):
        after[name][:] = before[name] * (a.unit / b.unit)
    new.average[:] = new.flat
