"""The rules that a backend honours: conditions on the fields of `Rules` and of the policies and shapes inside it.

A backend without a condition for a field plays rules that leave the field at its default, because a default means "as
before the field existed", and refuses every other value. So a backend lists the fields that may differ from their
defaults, and a new field does not cost existing rules their compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cached_property, lru_cache
from typing import Any

from dasan.ruleset.fields import WORDS
from dasan.ruleset.policies import BidScoring, CardScoring
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import fewest_cards


class Purpose(StrEnum):
    """A use of a backend: environments, positions, a solver …"""

    ENVIRONMENTS = "environments"
    WORLDS = "worlds"
    GPU = "gpu"
    SOLVER = "solver"
    ENDGAME = "endgame"


Condition = Callable[[Any, Rules], str | None]
"""(value, rules): the values that the backend requires instead, in words, or None if it honours this one."""

Honoured = Mapping[type, Mapping[str, Condition]]
"""Conditions on the fields of each dataclass (`Rules`, a policy, a shape)."""

Check = Callable[[Rules], str | None]
"""A condition on several fields: a refusal that begins with the field's name, or None."""


def anything(value: object, rules: Rules) -> None:
    """A condition that honours every value."""


def only(*allowed: object) -> Condition:
    """A condition that honours only these values."""
    text = " or ".join(_shown(value) for value in allowed)
    return lambda value, rules: None if value in allowed else text


def kind_of(*types: type) -> Condition:
    """A condition that honours values of these types; their own fields have conditions too."""
    text = " or ".join("None" if t is type(None) else t.__name__ for t in types)
    return lambda value, rules: None if isinstance(value, types) else text


def between(least: int, most: int) -> Condition:
    """A condition that honours numbers from `least` to `most`."""
    return lambda value, rules: None if least <= value <= most else f"{least} to {most}"


@dataclass(frozen=True)
class Backend:
    """One way to play or to solve.

    name: what `env.backend` says. summary: how it works, in a few words. compiled: whether it runs as machine code.
    honours: conditions field by field, or None if there are none. together: conditions on several fields, checked
    afterwards.
    """

    name: str
    purposes: tuple[Purpose, ...]
    summary: str
    compiled: bool
    honours: Honoured | None = None
    together: tuple[Check, ...] = ()

    def unsupported(self, rules: Rules) -> str | None:
        """The first field of `rules` that this backend does not honour, with the values it requires; None if it plays
        the rules.

        >>> import dasan
        >>> from dasan import backends
        >>> backends.RANKS.unsupported(dasan.rules("big-three")), backends.RANKS.unsupported(dasan.rules("big-two"))
        (None, 'suits_ranked is True, not False')
        """
        return self._unsupported(rules)

    @cached_property
    def _unsupported(self) -> Check:
        """`_look`, cached by rules: it takes half a millisecond, and every call of the solver needs it."""
        return lru_cache(maxsize=256)(self._look)

    def _look(self, rules: Rules) -> str | None:
        conflict = None if self.honours is None else self._first(rules, rules, "")
        if conflict is not None:
            return conflict
        return next((refusal for check in self.together if (refusal := check(rules)) is not None), None)

    def require(self, rules: Rules) -> None:
        """ValueError unless this backend plays `rules`."""
        refusal = self.unsupported(rules)
        if refusal is not None:
            raise ValueError(f"backend {self.name} does not play these rules: {refusal}")

    def _first(self, part: Any, rules: Rules, path: str) -> str | None:
        known = self._conditions(type(part))
        if known is None:
            return f"{path} is {type(part).__name__}, which {self.name} does not know"
        for field in fields(part):
            if field.name in WORDS:
                continue
            name = f"{path}.{field.name}" if path else field.name
            value = getattr(part, field.name)
            condition = known.get(field.name)
            if condition is None and field.default is MISSING:
                return f"{name} is {_shown(value)}, and {self.name} does not know this field"
            if condition is None:
                condition = only(field.default)
            wanted = condition(value, rules)
            if wanted is not None:
                return f"{name} is {_shown(value)}, not {wanted}"
            inside = [(name, value)]
            if isinstance(value, tuple):
                inside = [(f"{name}[{i}]", entry) for i, entry in enumerate(value)]
            for deeper, entry in inside:
                if is_dataclass(entry) and (refusal := self._first(entry, rules, deeper)) is not None:
                    return refusal
        return None

    def _conditions(self, kind: type) -> Mapping[str, Condition] | None:
        """The conditions of the nearest base class that has any: of a subclass, only the fields that it adds are
        unknown.
        """
        honours = self.honours or {}
        return next((honours[base] for base in kind.__mro__ if base in honours), None)


def _shown(value: object) -> str:
    """A value for a refusal, short and on one line, because rules may come from an untrusted record."""
    if isinstance(value, Enum):
        return str(value.value)
    if is_dataclass(value):
        return type(value).__name__
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


MOST_IDS = 32_767
"""The most action ids of compiled code, which keeps them in int16."""


def payable(rules: Rules) -> str | None:
    """A condition: payments fit into 32 bits, however many bombs or twos double them."""
    scoring = rules.scoring
    if isinstance(scoring, CardScoring) and scoring.twos_double:
        each = max(1, scoring.unplayed, *(times for _, times in scoring.tiers))
        twos = sum(c.rank == rules.ranks[-1] for c in rules.pack)
        if len(rules.pack) * each << twos >= 1 << 31:
            return f"scoring.twos_double is True, too much where {twos} twos double {each} a card"
    if not isinstance(scoring, BidScoring) or not scoring.bombs_double or scoring.most_doublings:
        return None
    least = min((fewest_cards(shape) for shape in rules.shapes if shape.power), default=rules.most_cards)
    times = len(rules.pack) // least + scoring.spring_doubles
    top = 1 if rules.auction is None else rules.auction.top
    if top * (rules.players - 1) << times < 1 << 31:
        return None
    return f"scoring.most_doublings is 0, not a limit where bombs have {least} cards"


DESCRIBES: Mapping[str, Condition] = {
    "name": anything,
    "direction": anything,
    "first_dealer": anything,
    "cut": anything,
    "announce_last_card": anything,
    "stake_chips": anything,
    "show_played": anything,
    "show_hands_after": anything,
}
"""Fields of `Rules` that affect neither the play of a dealt hand nor its observations."""

SHAPE: Mapping[str, Condition] = {
    "type": anything,
    "kind": anything,
    "family": anything,
    "tier": anything,
}
"""Conditions for the fields that every shape has."""

BY_BID: Mapping[str, Condition] = {
    "type": anything,
    "pay_each_winner": anything,
    "bombs_double": anything,
    "spring_doubles": anything,
    "most_doublings": anything,
}
"""Conditions for the fields of `BidScoring`; all kernels share the payments in `kernels.env.settlement`."""
