"""The tables of regional Big Two: those of `cardsets`, with strengths that say what a play beats in rules with bombs."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dasan.backends import REGIONAL
from dasan.backends.regional import levels
from dasan.kernels.cardsets.env import CardsetTables, tables_of
from dasan.kernels.cardsets.tables import CardsetCatalogue, arrays_of, bit_of_card
from dasan.ruleset.catalogue import Row
from dasan.ruleset.policies import Ending
from dasan.ruleset.rules import Rules

LEVEL, FAMILY = 24, 16
"""A strength is level << LEVEL | family << FAMILY | place among the strengths of its family and size. A play beats plays of lower
levels, and those of its own level and family with less strength (see `backends.regional.levels`).
"""


class RegionalTables(NamedTuple):
    """The tables that these kernels read.

    sets: as in `cardsets`, with the strengths above. opener: the bit of the card whose holder leads, -1 if the dealer leads.
    bombs: whether a play of a higher level beats plays of any size. last_in: whether play goes on to the last player.
    twos: the cards of the highest rank.
    """

    sets: CardsetTables
    opener: int
    bombs: bool
    last_in: bool
    twos: np.uint64


def keyed(rules: Rules) -> list[Row]:
    """The catalogue's rows, with strengths as in LEVEL."""
    rows = rules.catalogue.rows
    level = levels(rules) or {}
    families = sorted({row.family for row in rows})
    among = {family: sorted({row.strength for row in rows if row.family == family}) for family in families}
    place = {(family, strength): i for family in families for i, strength in enumerate(among[family])}
    number = {family: i for i, family in enumerate(families)}
    return [
        replace(
            row,
            strength=level[row.kind] << LEVEL | number[row.family] << FAMILY | place[row.family, row.strength],
        )
        for row in rows
    ]


@lru_cache(maxsize=16)
def regional_catalogue(rules: Rules) -> CardsetCatalogue:
    """The catalogue of `rules` as arrays. ValueError: the backend `regional` does not honour the rules."""
    REGIONAL.require(rules)
    return arrays_of(rules, keyed(rules))


def regional_tables(rules: Rules, session: bool) -> RegionalTables:
    """The tables of `rules`."""
    return RegionalTables(
        sets=tables_of(rules, regional_catalogue(rules), session),
        opener=-1 if rules.opening is None else bit_of_card(rules, rules.opening.card),
        bombs=any(shape.power for shape in rules.shapes),
        last_in=rules.ending is Ending.LAST_IN,
        twos=np.uint64(15 << 4 * (len(rules.ranks) - 1)),
    )
