"""Begin one game with what was learnt of another: weights of features that both have, by name."""

from __future__ import annotations

from collections.abc import Iterable

from dasan.features import Feature, kinds, layout, move_layout
from dasan.learn.trainer import Trainer
from dasan.ruleset.rules import Rules


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
        ("w_obs", _same(rules, layout(rules[0], a.session), layout(rules[1], b.session))),
        ("w_move", _same(rules, move_layout(rules[0], a.session), move_layout(rules[1], b.session))),
    ):
        for i, j in pairs:
            after[name][j] = before[name][i]
    for name in ("bias", "w_second", "b_second"):
        after[name][:] = before[name]
    for name in ("w_last", "b_last"):
        after[name][:] = before[name] * (a.unit / b.unit)
    new.average[:] = new.flat


def _same(rules: tuple[Rules, Rules], old: Iterable[Feature], new: Iterable[Feature]) -> list[tuple[int, int]]:
    """Where features of one layout stand in the other."""
    by_name = {f.name: f for f in old}
    out: list[tuple[int, int]] = []
    for f in new:
        was = by_name.get(f.name)
        if was is None:
            continue
        if f.name == "kind":
            names = kinds(rules[0])
            out += [
                (was.start + names.index(kind), f.start + k) for k, kind in enumerate(kinds(rules[1])) if kind in names
            ]
        elif was.size == f.size:
            out += [(was.start + k, f.start + k) for k in range(f.size)]
    return out
