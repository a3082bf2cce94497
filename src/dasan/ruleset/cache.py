"""A cache decorator for functions of rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

from dasan.arguments import WrongType, instance, shown
from dasan.ruleset.rules import Rules

P = ParamSpec("P")
R = TypeVar("R")


def cached_by_rules(most: int = 64) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache the last `most` results of a function of rules and flags, such as `session`.

    WrongType: an argument is something else.
    """

    def around(function: Callable[P, R]) -> Callable[P, R]:
        cached = cast("Callable[P, R]", lru_cache(maxsize=most)(function))

        @wraps(function)
        def checked(*arguments: P.args, **named: P.kwargs) -> R:
            for place, value in enumerate(arguments):
                _check(value, place == 0)
            for name, value in named.items():
                _check(value, name == "rules")
            return cached(*arguments, **named)

        return checked

    return around


def _check(value: object, is_rules: bool) -> None:
    if is_rules:
        instance(value, Rules, "rules are what dasan.rules gives")
    elif not isinstance(value, bool):
        raise WrongType(f"whether hands follow one another is True or False, not {shown(value)}")
