"""The rules of a game as one value.

A preset builds a `Rules`; `dataclasses.replace` makes a variant of it. Nothing here knows a game by name: `games/` fills in the
fields, which are declared in `fields`, and everything else reads them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from dasan.arguments import fill_in
from dasan.cards import Card, cards_of, format_cards
from dasan.errors import IllegalPlay, Malformed
from dasan.reasons import reason
from dasan.ruleset import catalogue
from dasan.ruleset.fields import RulesFields
from dasan.ruleset.shapes import Combination, Kickers, Run, recognise
from dasan.ruleset.validation import objection

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True)
class Rules(RulesFields):
    """The rules of a game: every field that affects play. Immutable; equal rules have equal digests.

    ValueError: the rules are unplayable (see `validation`). TypeError: a field has another type.

    >>> import dasan
    >>> dasan.rules("big-two").combination("3D 4S 5D 6C 7H").kind
    'straight'
    """

    def __post_init__(self) -> None:
        fill_in(self)
        wrong = objection(self)
        if wrong is not None:
            raise ValueError(wrong)

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self.__dict__[f.name] for f in fields(self)))

    def __repr__(self) -> str:
        return f"<Rules {self.name} {self.digest[:8]}>"

    def __hash__(self) -> int:
        """Computed once, because rules are the key of every cache of derived data."""
        return self._hash

    @cached_property
    def catalogue(self) -> catalogue.Catalogue:
        """Every play of the game; the same object for equal rules."""
        return catalogue.compile(self)

    def to_json(self) -> dict[str, Any]:
        """The whole value as plain JSON data; `Rules.from_json` is its inverse."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @staticmethod
    def from_json(data: object) -> Rules:
        """The inverse of `to_json`; `Malformed` if `data` is something else."""
        from pydantic import ValidationError

        try:
            return _reader().validate_json(json.dumps(data), strict=True)
        except (ValidationError, TypeError, ValueError) as error:
            raise Malformed("that is not a set of rules") from error

    def combination(self, cards: str | Sequence[Card]) -> Combination:
        """The combination that these cards form.

        Raises `Malformed` for text that names no cards of this pack, `IllegalPlay` (with the clause) for cards that do
        not form a combination of this game, TypeError for a sequence of anything other than cards.
        """
        chosen = cards_of(cards)
        self.check_in_pack(chosen)
        if len(chosen) > self.most_cards:
            raise IllegalPlay(reason("too-many", n=len(chosen)), clause=self.cite["combination"])
        combination = recognise(self.shapes, self.order, chosen)
        if combination is None:
            raise _refusal(self, chosen)
        return combination


@cache
def _reader() -> TypeAdapter[Rules]:
    """The reader of rules from JSON, built once because building it takes far longer than reading."""
    from pydantic import TypeAdapter

    return TypeAdapter(Rules)


def _refusal(rules: Rules, cards: Sequence[Card]) -> IllegalPlay:
    """The most helpful refusal for cards that are no combination."""
    text = format_cards(rules.order.hand(cards))
    counts = Counter(c.rank for c in cards)
    places = Counter(rules.order.place[c][0] for c in cards)
    excluded = [s.clause for s in rules.excluded if s.strength(cards, places, rules.order) is not None]
    kickers = [s.clause for s in rules.shapes if isinstance(s, Kickers) and s.has_groups(places, rules.order)]
    for clause in (*excluded, *kickers):
        return IllegalPlay(reason("combination", cards=text), clause=clause)
    if len(counts) > 1 and any(c.is_joker for c in cards):
        return IllegalPlay(reason("joker", cards=text), clause=rules.cite["joker"])
    if len(counts) > 2 and len(set(counts.values())) == 1:
        runs = [s for s in rules.shapes if isinstance(s, Run) and s.copies == max(counts.values()) and not s.flush]
        for run in runs:
            id = "run" if run.longest > run.shortest else "run.exact"
            return IllegalPlay(
                reason(id, cards=text, kind=run.kind, n=run.shortest, ranks="-".join(run.sequence)),
                clause=run.clause,
            )
    return IllegalPlay(reason("combination", cards=text), clause=rules.cite["combination"])
