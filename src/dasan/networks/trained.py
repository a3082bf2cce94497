"""Trained networks, those of the package, and the choice of one of these for given rules.

A network of the package is a file of weights, `weights/NAME.npz`, with a model card beside it, `weights/NAME.json`. A file
that `dasan train` wrote contains its card, see `dasan.networks.source`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dasan.arguments import amount, shown
from dasan.features import Feature, by_rank, kinds
from dasan.features.cards import eights
from dasan.games import changed_options, make_rules
from dasan.games.option import value_text
from dasan.networks.derived import Reads, layouts
from dasan.networks.shared import Labels, SharedInputs, labels_of, shared_inputs
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.networks.network import Network

WEIGHTS = files("dasan.networks") / "weights"


@dataclass(frozen=True, eq=False)
class Trained:
    """A network's metadata. reads: what it reads; for sessions, if it was trained with exchanges of cards. card: its
    model card. also: further rules that it was trained for, each with the payment that a score of 1 represents. own: the
    network, None if it is one of the package.
    """

    name: str
    rules: Rules
    reads: Reads
    card: Mapping[str, Any]
    also: tuple[tuple[Rules, float], ...] = ()
    own: Network | None = None

    def __repr__(self) -> str:
        return f"<Trained {self.name}>"

    @property
    def session(self) -> bool:
        """Whether it reads observations for sessions."""
        return self.reads.session

    @property
    def shared(self) -> SharedInputs | None:
        """What the network reads if it was trained for several rule sets."""
        if not self.also:
            return None
        return shared_inputs(self.every, self.reads)

    @property
    def continues(self) -> bool:
        """Whether its training began with the weights of another network of the package, for the same rules."""
        start = self.card["config"]["start"]
        return known(start) and named(start).every == self.every

    @property
    def every(self) -> tuple[Rules, ...]:
        """All rules that it was trained for."""
        return self.rules, *(rules for rules, _ in self.also)

    def nearest(self, rules: Rules) -> Rules:
        """The rule set it was trained for that is nearest to `rules`: first in cards and phases, then in players."""
        frame = _frame(rules)

        def distance(own: Rules) -> tuple[int, ...]:
            differ = sum(a != b for a, b in zip(_frame(own), frame, strict=True))
            return differ, abs(own.players - rules.players), *_distance(own, rules)

        return min(self.every, key=distance)

    @property
    def labels(self) -> Labels:
        """What the network reads."""
        shared = self.shared
        return labels_of(self.rules, self.reads) if shared is None else shared.labels


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network for some rules. exact: whether it was trained for exactly these."""

    trained: Trained
    network: Network
    exact: bool


@lru_cache(maxsize=1)
def catalogue() -> tuple[Trained, ...]:
    """All networks of the package, by name."""
    return tuple(
        described(file.name.removesuffix(".json"), json.loads(file.read_text(encoding="utf-8")))
        for file in sorted(WEIGHTS.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".json")
    )


def described(name: str, card: Mapping[str, Any], own: Network | None = None) -> Trained:
    """The network with this model card. ValueError: the card describes games that cannot be played. KeyError, TypeError,
    AttributeError: it is malformed.
    """
    config = card["config"]
    reads = Reads(*(bool(config.get(one)) for one in Reads._fields))
    also = tuple(
        (make_rules(one["preset"], **one["options"]), amount(one["unit"], "unit", 10**9))
        for one in config.get("also", ())
    )
    if not all(unit for _, unit in also):
        raise ValueError("unit is more than 0")
    return Trained(name, make_rules(config["preset"], **config["options"]), reads, card, also, own)


@lru_cache(maxsize=32)
def fitted(rules: Rules, sighted: bool = False) -> Fitted | None:
    """The best network that `suits` the rules; None if there is none. The candidates are ordered by:

    1. the list `plays` of the model card (`changed` texts of the rule sets that the network plays at least as well as
       others do): first networks whose nearest rule set is listed and differs from `rules` in one option at most, then
       networks without a list, then the others;
    2. the distance of the nearest rule set: equal rules first, then those with the same kind of payments, then those
       with the fewest differing combinations;
    3. networks for one rule set before those for several, and continuations before others.

    A network that continues the best one replaces it, wherever it stands in this order, and so on to the last.

    sighted: only networks whose model card has the sight of levels.
    """
    near = [one for one in catalogue() if suits(one, rules) and ("sight" in one.card or not sighted)]

    def order(one: Trained) -> tuple[object, ...]:
        nearest, plays = one.nearest(rules), one.card.get("plays")
        listed = plays is not None and changed(nearest) in plays and _options_apart(nearest, rules) <= 1
        place = 0 if listed else 1 if plays is None else 2
        return place, *_distance(nearest, rules), bool(one.also), not one.continues

    if not near:
        return None
    best = min(near, key=order)
    for _ in near:
        best = next((one for one in near if one.card["config"]["start"] == best.name and one.continues), best)
    return fit(best, rules)


@lru_cache(maxsize=16)
def fit(trained: Trained, rules: Rules) -> Fitted:
    """The network for `rules`, which it `suits`."""
    network, exact = load(trained), trained.nearest(rules).digest == rules.digest
    return Fitted(trained, network if exact and not trained.also else adapted(network, trained, rules), exact)


def named(name: str) -> Trained:
    """The network of this name. ValueError: the package has none."""
    if not known(name):
        raise ValueError(f"there is no network {shown(name)}; there are {', '.join(one.name for one in catalogue())}")
    return next(one for one in catalogue() if one.name == name)


def known(name: str) -> bool:
    """Whether the package has a network of this name."""
    return any(one.name == name for one in catalogue())


def suits(trained: Trained, rules: Rules) -> bool:
    """Whether each of the cards and phases of `rules` occurs in some rule set that the network was trained for, and the
    number of players lies between the least and the most of them.
    """
    players = [own.players for own in trained.every]
    frames = zip(*(_frame(own) for own in trained.every), strict=True)
    known = all(one in each for one, each in zip(_frame(rules), frames, strict=True))
    return known and min(players) <= rules.players <= max(players)


def check_suits(trained: Trained, rules: Rules, name: str) -> None:
    """ValueError: the network, which the user called `name`, does not suit the rules."""
    if not suits(trained, rules):
        raise ValueError(f"{name} was trained for another game: {', '.join(map(changed, trained.every))}")


def load(trained: Trained) -> Network:
    """The network."""
    from dasan.networks.network import Network

    if trained.own is not None:
        return trained.own
    with (WEIGHTS / f"{trained.name}.npz").open("rb") as stream:
        return Network.load(stream)


def adapted(network: Network, trained: Trained, rules: Rules, reads: Reads | None = None) -> Network:
    """`network` with its weights mapped to the features of other rules; features it does not know get weight 0.

    reads: what the result reads; None: as `network` does. A network for several rule sets counts payments as the nearest of
    these does.
    """
    import numpy as np

    from dasan.networks.network import Network

    weights, shared = dict(network.weights), trained.shared
    if shared is not None:
        alone = Network(shared.folded(weights, rules), unit_in(network, trained, rules))
        return alone if reads is None else adapted(alone, replace(trained, rules=rules, also=()), rules, reads)
    before, after = layouts(trained.rules, trained.reads), layouts(rules, reads or trained.reads)
    for name, old, new in zip(("w_obs", "w_move"), before, after, strict=True):
        size = eights(new[-1].start + new[-1].size)
        out = np.zeros((size, weights[name].shape[1]), np.float32)
        for i, j in same_features((trained.rules, rules), old, new):
            out[j] = weights[name][i]
        weights[name] = out
    return Network(weights, network.unit)


def unit_in(network: Network, trained: Trained, rules: Rules) -> float:
    """The payment that a score of 1 represents in the nearest rule set that `network` was trained for."""
    nearest = trained.nearest(rules)
    return next((unit for own, unit in trained.also if own is nearest), network.unit)


def same_features(rules: tuple[Rules, Rules], old: Iterable[Feature], new: Iterable[Feature]) -> list[tuple[int, int]]:
    """Pairs of indices of equal features in two layouts: kinds match by their names, other features by name and size."""
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


def _frame(rules: Rules) -> tuple[object, ...]:
    """Cards and phases."""
    return (
        rules.decks,
        rules.jokers,
        rules.ranks,
        rules.hand_size,
        rules.kitty_size,
        rules.call is None,
        rules.ending,
        rules.auction is None,
        by_rank(rules),
    )


def changed(rules: Rules) -> str:
    """A preset with the options that are not at their defaults, in their order, such as `winner:players=6,jokers=on`."""
    options = [f"{name}={value_text(value)}" for name, value in changed_options(rules).items()]
    return ":".join([rules.name, ",".join(options)] if options else [rules.name])


def _options_apart(one: Rules, other: Rules) -> int:
    """The number of options that differ."""
    return len({name for name, _ in set(one.settings) ^ set(other.settings)})


def _distance(trained: Rules, rules: Rules) -> tuple[int, int, int]:
    """A sort key for the distance between rules: whether they differ, whether payments are of another kind, and the
    number of combinations that only one has.
    """
    own, other = {repr(s) for s in trained.shapes}, {repr(s) for s in rules.shapes}
    return int(trained.digest != rules.digest), int(type(trained.scoring) is not type(rules.scoring)), len(own ^ other)
