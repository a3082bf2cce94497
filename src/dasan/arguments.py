"""Checks for the arguments of public functions: integers, numbers, flags, seats, and values of a declared type.

A wrong type raises `WrongType`, a TypeError; a wrong value raises ValueError. The message is one sentence. NumPy's
integers count as integers; bools and floats do not.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class WrongType(TypeError, ValueError):
    """An argument of the wrong type. It is also a ValueError, so `except ValueError` catches every wrong argument."""


MOST_SHOWN = 60
MOST_WORKERS = 4096
"""Threads or processes that a caller may ask for."""
MOST_SECONDS = 86_400
"""The longest time limit for a move: a day, in seconds."""


def whole(value: object, what: str, least: int | None = None, most: int | None = None) -> int:
    """`value` as an int from `least` to `most`. what: its name in the sentence.

    >>> whole(3, "players", 2, 8)
    3
    """
    try:
        if _is_bool(value):
            raise TypeError("no integer")
        number: int = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise WrongType(f"{what} is a whole number{_span(least, most)}, not {shown(value)}") from None
    if (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(f"{what} is a whole number{_span(least, most)}, not {shown(number)}")
    return number


def amount(value: object, what: str, most: float = math.inf) -> float:
    """`value` as a number from 0 to `most`, of any numeric type. what: its name in the sentence.

    >>> amount(2, "seconds", 2.5)
    2.0
    """
    end = None if most == math.inf else int(most) if float(most).is_integer() else most
    sentence = f"{what} is a number{_span(0, end)}, not "
    number = math.nan
    try:
        if _is_bool(value) or isinstance(value, str | bytes | bytearray) or getattr(value, "ndim", 0) != 0:
            raise TypeError("no number")
        with suppress(OverflowError):  # a number that is more than any
            number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise WrongType(sentence + shown(value)) from None
    if not 0 <= number <= most:
        raise ValueError(sentence + shown(value))
    return number


def positive(value: object, what: str, most: float = math.inf) -> float:
    """`value` as a number above 0, up to `most`. what: its name in the sentence."""
    number = amount(value, what, most)
    if not number:
        raise ValueError(f"{what} is more than 0")
    return number


def function(value: T, what: str) -> T:
    """`value`, checked to be None or a function. what: its name in the sentence."""
    if value is not None and not callable(value):
        raise WrongType(f"{what} is a function, not {shown(value)}")
    return value


def flag(value: object, what: str) -> bool:
    """`value` as a bool, of Python's type or NumPy's. what: its name in the sentence."""
    if not _is_bool(value):
        raise WrongType(f"{what} is True or False, not {shown(value)}")
    return bool(value)


def seat(value: object, players: int, what: str) -> int:
    """`value` as a seat, 0 to `players` - 1."""
    try:
        return whole(value, what, 0, players - 1)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what} is a seat from 0 to {players - 1}, not {shown(value)}") from None


def word(value: object, choices: Sequence[T], what: str) -> T:
    """`value` as one of `choices`, words or None. what: its name in the sentence.

    >>> word("off", ("on", "off"), "sound")
    'off'
    """
    for choice in choices:
        if value is choice or (isinstance(value, str) and value == choice):
            return choice
    *some, last = (str(choice) for choice in choices)
    raise (ValueError if isinstance(value, str) else WrongType)(
        f"{what} is {', '.join(some)} or {last}, not {shown(value)}"
    )


def items(values: object, what: str) -> tuple[Any, ...]:
    """`values` as a tuple. what: the sentence of the error, such as "agents are a list"."""
    try:
        return tuple(values)  # type: ignore[arg-type]
    except TypeError:
        raise WrongType(f"{what}, not {shown(values)}") from None


def instance(value: object, kind: type[T], what: str) -> T:
    """`value`, checked to be a `kind`. what: the sentence of the error, such as "deal takes rules"."""
    if not isinstance(value, kind):
        raise WrongType(f"{what}, not {shown(value)}")
    return value


def _is_bool(value: object) -> bool:
    """Whether `value` is a bool of Python or NumPy; NumPy 1 and 2 name the type differently."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def shown(value: object) -> str:
    """`value` as text for an error message."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python limits the digits of an int
        text = "a number with thousands of digits"
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


def quantity(number: float, one: str, many: str = "") -> str:
    """A number of things in words, with only its magnitude if it is enormous. many: the plural, unless it ends in s alone.

    >>> quantity(1, "deal"), quantity(2048, "process", "processes"), quantity(10**400, "deal")
    ('1 deal', '2,048 processes', '10^400 deals')
    """
    size = f"{number:,.0f}" if number < 10**15 else f"10^{math.log10(number):.0f}"
    return f"{size} {one if number == 1 else many or one + 's'}"


def fill_in(value: object) -> None:
    """Check and convert the fields of a new frozen dataclass to exactly their declared types.

    NumPy's integers become ints, words become members of their enum, lists become tuples. TypeError or ValueError: a
    field has another type, or a word that is not in its enum.
    """
    kind: type[Any] = type(value)
    for name, (hint, is_exact) in _hints(kind).items():
        given = getattr(value, name)
        if not is_exact(given):
            object.__setattr__(value, name, _typed(given, hint, name))


class Typed:
    """A frozen dataclass whose fields have exactly their declared types: see `fill_in`."""

    __slots__ = ()

    def __post_init__(self) -> None:
        fill_in(self)


_Test = Callable[[object], bool]
_HINTS: dict[type[Any], dict[str, tuple[Any, _Test]]] = {}
"""By dataclass: each field's declared type, and a test for values of exactly that type."""


def _hints(kind: type[Any]) -> dict[str, tuple[Any, _Test]]:
    if kind not in _HINTS:
        hints = get_type_hints(kind)
        named = [(field.name, hints[field.name]) for field in fields(kind)] if is_dataclass(kind) else []
        _HINTS[kind] = {name: (hint, _test(hint)) for name, hint in named}
    return _HINTS[kind]


def _test(hint: Any) -> _Test:
    """A test for values that already have exactly the type `hint`."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        tests = [_test(one) for one in inner]
        return lambda value: any(test(value) for test in tests)
    if origin is Literal:
        return lambda value: type(value) is str and value in inner
    if origin is tuple and len(inner) == 2 and inner[1] is ...:
        each = _test(inner[0])
        return lambda value: type(value) is tuple and all(map(each, value))
    if origin is tuple:
        tests = [_test(one) for one in inner]
        return lambda value: (
            type(value) is tuple
            and len(value) == len(tests)
            and all(test(one) for test, one in zip(tests, value, strict=True))
        )
    return lambda value: type(value) is hint


def _typed(value: object, hint: Any, what: str) -> Any:
    """`value` converted to the type `hint`, one of the types that rules consist of."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _one_of(value, get_args(hint), what)
    if origin is Literal:
        if not any(value == choice and isinstance(value, type(choice)) for choice in get_args(hint)):
            raise ValueError(f"{what} is {' or '.join(map(repr, get_args(hint)))}, not {shown(value)}")
        return value
    if origin is tuple:
        return _tuple(value, get_args(hint), what)
    if hint is int:
        return whole(value, what)
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            choices = ", ".join(str(choice.value) for choice in hint)
            raise ValueError(f"{what} is one of {choices}, not {shown(value)}") from None
    if isinstance(value, hint):
        return value
    words = {bool: "True or False", str: "text"}
    raise WrongType(f"{what} is {words.get(hint, f'a {hint.__name__}')}, not {shown(value)}")


def _one_of(value: object, hints: tuple[Any, ...], what: str) -> Any:
    """`value` as the first of the types that fits; an exact match comes first."""
    if value is None and NoneType in hints:
        return None
    for hint in hints:
        if isinstance(hint, type) and type(value) is hint:
            return value
    for hint in hints:
        try:
            return _typed(value, hint, what)
        except (TypeError, ValueError):
            continue
    names = " or ".join("None" if hint is NoneType else getattr(hint, "__name__", str(hint)) for hint in hints)
    raise WrongType(f"{what} is {names}, not {shown(value)}")


def _tuple(value: object, hints: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple | list):
        raise WrongType(f"{what} is a tuple, not {shown(value)}")
    if len(hints) == 2 and hints[1] is ...:
        hints = (hints[0],) * len(value)
    if len(hints) != len(value):
        raise WrongType(f"{what} has {len(hints)} entries, not {shown(value)}")
    made = tuple(_typed(one, hint, what) for one, hint in zip(value, hints, strict=True))
    same = isinstance(value, tuple) and all(new is old for new, old in zip(made, value, strict=True))
    return value if same else made  # type: ignore[return-value]


def _span(least: int | None, most: float | None) -> str:
    if least is None:
        return ""
    return f" from {least} on" if most is None else f" from {least} to {most}"
