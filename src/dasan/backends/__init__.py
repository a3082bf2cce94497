"""The backends, and the choice of one for given rules.

Every backend declares which fields and values of `Rules` it honours (see `contract`). Importing this package loads neither
NumPy nor Numba.

>>> import dasan
>>> from dasan import backends
>>> backends.choose(dasan.rules("winner"), backends.Purpose.ENVIRONMENTS).name
'patterns'
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from dasan.arguments import word
from dasan.backends.cardsets import CARDSETS
from dasan.backends.contract import Backend, Purpose
from dasan.backends.kickers import KICKERS
from dasan.backends.patterns import PATTERNS
from dasan.backends.ranks import GPU, OPEN_HANDS, RANKS
from dasan.backends.regional import REGIONAL
from dasan.backends.states import ENDGAME, ENGINE
from dasan.ruleset.rules import Rules

Wanted: TypeAlias = Literal["auto", "compiled", "engine"]
"""The fastest backend that honours the rules; the fastest compiled one; the interpreted engine."""

BACKENDS: tuple[Backend, ...] = (RANKS, CARDSETS, REGIONAL, PATTERNS, KICKERS, ENGINE, GPU, OPEN_HANDS, ENDGAME)
"""All backends; among those with the same purpose the fastest comes first."""


def choose(rules: Rules, purpose: Purpose, wanted: Wanted = "auto") -> Backend:
    """The first backend of `purpose` that plays `rules`.

    ValueError: `wanted` is another word, or no such backend plays the rules; the message names the first field that
    each of them does not honour.
    """
    word(wanted, get_args(Wanted), "backend")
    able = [backend for backend in BACKENDS if purpose in backend.purposes]
    if wanted != "auto":
        able = [backend for backend in able if backend.compiled is (wanted == "compiled")]
    refusals = []
    for backend in able:
        refusal = backend.unsupported(rules)
        if refusal is None:
            return backend
        refusals.append(f"{backend.name}: {refusal}")
    which = "compiled backend" if wanted == "compiled" else "backend"
    raise ValueError(f"no {which} plays these rules ({purpose.value}): {'; '.join(refusals)}")


def report(rules: Rules) -> tuple[tuple[Backend, str | None], ...]:
    """Every backend with the first field of `rules` that it does not honour, or None."""
    return tuple((backend, backend.unsupported(rules)) for backend in BACKENDS)


__all__ = [
    "BACKENDS",
    "CARDSETS",
    "ENDGAME",
    "ENGINE",
    "GPU",
    "KICKERS",
    "OPEN_HANDS",
    "PATTERNS",
    "RANKS",
    "REGIONAL",
    "Backend",
    "Purpose",
    "Wanted",
    "choose",
    "report",
]
