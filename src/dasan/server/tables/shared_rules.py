"""A cache of rules: tables with equal presets and options share one value."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import dasan
from dasan.games import PRESETS, make_rules
from dasan.ruleset.catalogue import Catalogue
from dasan.server.refusals import Refused
from dasan.server.workers.process import MOST_RULES

MOST_CATALOGUES = 128
"""The number of catalogues in memory beyond which idle tables make room for others."""


def rules_of(preset: str, options: Mapping[str, object]) -> dasan.Rules:
    """The rules of a listed preset with options. ValueError: there are no such rules.

    >>> rules_of("big-two", {}) is rules_of("big-two", {})
    True
    """
    return _asked(preset, *_flat(options))


async def chosen_rules(preset: str, options: Mapping[str, object]) -> dasan.Rules:
    """As ``rules_of``, off the event loop: the rules that a player has chosen. ``Refused``: there are no such rules."""
    try:
        return await asyncio.to_thread(rules_of, preset, options)
    except ValueError as error:
        raise Refused("malformed", str(error)) from None


def kept_rules(preset: str, options: Mapping[str, object]) -> dasan.Rules:
    """The rules of a stored table, whose options are words. ValueError: as for ``make_rules``."""
    return _cached(preset, *_flat(options))


def is_compiled(rules: dasan.Rules) -> bool:
    """Whether the catalogue of these rules has been compiled, so that their first state is made as fast as later ones."""
    return "catalogue" in vars(rules)


def compile_rules(rules: dasan.Rules) -> None:
    """Compile the rules to a catalogue with everything that the first legal moves need. This takes up to a second."""
    rules.catalogue.fits(())
    _catalogues.add(rules.catalogue)


_catalogues: WeakSet[Catalogue] = WeakSet()


def catalogues() -> int:
    """The number of catalogues in memory: those of open tables, and of the rules in caches."""
    return len(_catalogues)


def _flat(options: Mapping[str, object]) -> list[object]:
    """The options as positional arguments, for which the cache also compares types, because True equals 1."""
    return [part for item in sorted(dict(options).items()) for part in item]


@lru_cache(MOST_RULES, typed=True)
def _asked(preset: str, *flat: object) -> dasan.Rules:
    known = PRESETS.get(preset)
    if known is None:
        raise ValueError(f"there is no preset {preset!r}; there are {', '.join(PRESETS)}")
    return known.rules(_options(flat))


@lru_cache(MOST_RULES, typed=True)
def _cached(preset: str, *flat: object) -> dasan.Rules:
    return make_rules(preset, **_options(flat))


def _options(flat: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(flat[::2], flat[1::2], strict=True))
