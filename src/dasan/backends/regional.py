"""Backend for the regional rules of Big Two: the encoding of `cardsets`, with bombs, hands of kinds of their own, play to the
last player, and penalties. Rules without these have the faster `cardsets`.
"""

from __future__ import annotations

from dasan.backends.cardsets import CARDSETS, LISTED, exact_sets, sizes_of
from dasan.backends.contract import Backend, Purpose, anything, only
from dasan.ruleset.policies import CardScoring, Ending, OpeningLead
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Flush, Groups, Run, Same

_PLAIN = CARDSETS.honours or {}
_SHAPE = {"power": anything, "also_beats": anything}


def _family(shape: AnyShape) -> str:
    return shape.family or shape.kind


def levels(rules: Rules) -> dict[str, int] | None:
    """By kind, its level: a play beats plays of every lower level, and of its own family and size those with less strength.
    With bombs the sizes of two levels may differ, otherwise a play and the one it beats have as many cards. None if the rules
    compare plays in another way.
    """
    bombs = any(shape.power for shape in rules.shapes)
    if any(shape.power and sizes_of(shape) & {1, 2} for shape in rules.shapes):
        return None  # kernels look for bombs among plays of three cards or more
    level_of: dict[str, int] = {}
    for shape in rules.shapes:
        below = [level_of.get(kind, 0) for kind, _ in shape.also_beats]
        level_of[shape.kind] = shape.power if bombs else 1 + max(below) if below else 0
    for a in rules.shapes:
        beaten = {kind for kind, least in a.also_beats if least == ""}
        for b in rules.shapes:
            if a is b:
                continue
            if bombs or _family(a) != _family(b):
                beats = a.power > b.power or (a.power == b.power and b.kind in beaten)
                comparable = bombs or sizes_of(a) == sizes_of(b)
                if beats != (comparable and level_of[a.kind] > level_of[b.kind]):
                    return None
            elif level_of[a.kind] != level_of[b.kind]:
                return None
    return level_of


def _compared_by_level(rules: Rules) -> str | None:
    shape = next((s for s in rules.shapes if any(least for _, least in s.also_beats)), None)
    if shape is not None or levels(rules) is None:
        return "shapes beat others in another way than all of every lower level"
    return None


REGIONAL = Backend(
    name="regional",
    purposes=(Purpose.ENVIRONMENTS, Purpose.WORLDS),
    summary="compiled: as cardsets, with bombs, kinds of their own, play to the last player and penalties",
    compiled=True,
    honours={
        **_PLAIN,
        Rules: {**_PLAIN[Rules], "ending": only(Ending.FIRST_OUT, Ending.LAST_IN), "guard_pays": anything},
        CardScoring: {**_PLAIN[CardScoring], "twos_double": anything},
        OpeningLead: {**_PLAIN[OpeningLead], "in_the_lead": anything},
        **{shape: {**_PLAIN[shape], **_SHAPE} for shape in (Same, Groups, Run, Flush)},
    },
    together=(*LISTED, _compared_by_level, exact_sets),
)
