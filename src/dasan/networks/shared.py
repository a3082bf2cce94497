"""Inputs of a network for several rule sets: the union of their features, and flags that state the house rules.

Features of two rule sets are the same if they say the same of the same card, kind, seat or number. Each option that
the rule sets vary has a flag for each of its values. Flags do not change during a hand, so `SharedInputs.folded` adds
their weights to the bias: the result is an ordinary network for one rule set.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dasan.features import Feature, card_slots, kinds
from dasan.features.cards import by_rank, copies, eights, ranks
from dasan.networks.derived import Reads, layouts
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.arrays import Bytes, Floats, Longs

Label = tuple[Hashable, ...]
"""The name of a feature and what this place of it says, such as ("kind", "straight") or ("hand", 0, 51)."""
Labels = tuple[dict[Label, int], dict[Label, int]]
"""The places in rows of observations and of moves, by label."""
SETS = frozenset({"hand", "kitty", "played", "table", "offered", "gifts", "exchanged", "cards"})
"""Features that are sets of cards, as `card_flags` encodes them."""
WITHOUT_EFFECT = frozenset({"show_played", "show_hands_after"})
"""Options that affect no move."""


@dataclass(frozen=True, eq=False)
class SharedInputs:
    """The rows that a network for all of `rules` reads.

    labels: the features. Those of house rules are features of observations, labelled ("rule", option, value).
    """

    rules: tuple[Rules, ...]
    reads: Reads
    labels: Labels

    def __repr__(self) -> str:
        return f"<SharedInputs of {len(self.rules)} rule sets>"

    @property
    def sizes(self) -> tuple[int, int]:
        """The lengths of the rows of observations and of moves, multiples of eight."""
        observation, move = self.labels
        return eights(len(observation)), eights(len(move))

    def scales(self) -> tuple[Floats, Floats]:
        """The factor of each feature, see `dasan.networks.network.scales`."""
        import numpy as np

        from dasan.networks.network import scales

        observation, move = (np.ones(size, np.float32) for size in self.sizes)
        for rules in self.rules:
            each = layouts(rules, self.reads)
            for out, features, (own, shared) in zip(
                (observation, move), each, self._pairs(self._own(rules)), strict=True
            ):
                last = features[-1]
                out[shared] = scales(features, eights(last.start + last.size))[own]
        return observation, move

    def rows(self, rules: Rules, obs: Bytes, moves: Bytes) -> tuple[Bytes, Bytes]:
        """Rows of `rules` as the network reads them, with the flags of their house rules: uint8, as many of each as of `obs`
        and of `moves`, which may differ in length.
        """
        import numpy as np

        observations, made = (
            np.zeros((len(own), size), np.uint8) for own, size in zip((obs, moves), self.sizes, strict=True)
        )
        for out, held, (own, shared) in zip(
            (observations, made), (obs, moves), self._pairs(self._own(rules)), strict=True
        ):
            out[:, shared] = held[:, own]
        observations[:, self._flags(rules)] = 1
        return observations, made

    def folded(self, weights: Mapping[str, Floats], rules: Rules) -> dict[str, Floats]:
        """The weights for rows of `rules`, with those of their house rules in the bias.

        Features and values of options that none of the rule sets has get weight 0.
        """
        import numpy as np

        out = dict(weights)
        sizes = (eights(1 + max(places.values())) for places in self._own(rules))
        for name, size, (own, shared) in zip(("w_obs", "w_move"), sizes, self._pairs(self._own(rules)), strict=True):
            out[name] = np.zeros((size, weights[name].shape[1]), np.float32)
            out[name][own] = weights[name][shared]
        out["bias"] = weights["bias"] + weights["w_obs"][self._flags(rules)].sum(axis=0, dtype=np.float32)
        return out

    def spread(self, weights: Mapping[str, Floats], own: Labels) -> dict[str, Floats]:
        """The weights of a network with the features `own` for these rows; features new to it get weight 0."""
        import numpy as np

        out = dict(weights)
        for name, size, (held, shared) in zip(("w_obs", "w_move"), self.sizes, self._pairs(own), strict=True):
            out[name] = np.zeros((size, weights[name].shape[1]), np.float32)
            out[name][shared] = weights[name][held]
        return out

    def _own(self, rules: Rules) -> Labels:
        return labels_of(rules, self.reads)

    def _pairs(self, own: Labels) -> list[tuple[Longs, Longs]]:
        """For observations and moves: the places in `own` of the features that it shares, and their places here."""
        import numpy as np

        pairs = []
        for places, shared in zip(own, self.labels, strict=True):
            both = [(place, shared[label]) for label, place in places.items() if label in shared]
            held, here = np.array(both, np.int64).reshape(-1, 2).T
            pairs.append((held, here))
        return pairs

    def _flags(self, rules: Rules) -> Longs:
        """The places of the flags of house rules that are 1 in `rules`."""
        import numpy as np

        flags = (("rule", name, value) for name, value in rules.settings)
        return np.array([self.labels[0][flag] for flag in flags if flag in self.labels[0]], np.int64)


@lru_cache(maxsize=16)
def shared_inputs(rules: tuple[Rules, ...], reads: Reads) -> SharedInputs:
    """The inputs of a network for these rule sets. ValueError: the options do not tell two of them apart."""
    observation: dict[Label, int] = {}
    move: dict[Label, int] = {}
    for one in rules:
        for all_, own in zip((observation, move), labels_of(one, reads), strict=True):
            for label in own:
                all_.setdefault(label, len(all_))
    chosen = [{name: value for name, value in one.settings if name not in WITHOUT_EFFECT} for one in rules]
    if any(options in chosen[:k] for k, options in enumerate(chosen)):
        raise ValueError("two rule sets of a network have the same options")
    for name in dict.fromkeys(name for options in chosen for name in options):
        values = dict.fromkeys(options[name] for options in chosen if name in options)
        varies = len(values) > 1 or any(name not in options for options in chosen)
        for value in values if varies else ():
            observation.setdefault(("rule", name, value), len(observation))
    return SharedInputs(rules, reads, (observation, move))


@lru_cache(maxsize=64)
def labels_of(rules: Rules, reads: Reads) -> Labels:
    """The places of the features of `rules` by label."""
    observation, move = (
        {label: f.start + k for f in features for k, label in enumerate(_labels(f, rules))}
        for features in layouts(rules, reads)
    )
    return observation, move


def _labels(f: Feature, rules: Rules) -> list[Label]:
    """The label of each number of a feature; numbers without a meaning of their own are counted from 0."""
    every = range(f.size)
    if f.name == "kind":
        return [(f.name, kind) for kind in kinds(rules)]
    if f.name == "phase":
        return [(f.name, phase) for phase in f.text.split()]
    if f.name in ("given", "taken"):
        return [(f.name, str(c)) for c in action_ids(rules).deck]
    if f.name in ("called", "call"):
        return [(f.name, str(c)) for c in action_ids(rules).callable_cards]
    if f.name in SETS:
        slots = card_slots(rules)
        block = ranks(rules) if by_rank(rules) else slots // rules.decks
        name = f"{f.name} by all" if f.name == "played" and f.size == slots else f.name
        return [(name, k // slots, k % slots // block, k % slots % block) for k in every]
    if f.name == "counts":
        return [(f.name, k // ranks(rules), k % ranks(rules)) for k in every]
    if f.name in ("unseen", "kept"):
        size = copies(rules) * (2 if f.name == "kept" else 1)
        return [(f.name, k // size, k % size) for k in every]
    return [(f.name, k) for k in every]
