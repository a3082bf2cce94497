"""JSON from untrusted sources: no repeated keys, only finite numbers, and only text that UTF-8 can encode."""

from __future__ import annotations

import json
from collections import Counter
from math import isinf
from typing import Any

BOM = "\ufeff"


class NotJson(ValueError):
    """The text is not JSON, or parsers would disagree about it. The message completes a sentence: "the body …"."""


def parse(text: str | bytes) -> Any:
    """The value of a JSON text; a byte order mark in front of it is skipped.

    NotJson: bytes that are not UTF-8, a syntax error, a repeated key, a constant that JSON does not have, a number with a
    fraction or an exponent that is too large for a float, a lone surrogate, or nesting that is too deep.

    >>> parse('{"a": [1]}')
    {'a': [1]}
    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    dasan.strict_json.NotJson: says 'a' twice
    """
    try:
        if isinstance(text, bytes):
            text = text.decode()
        value = json.loads(
            text.removeprefix(BOM), object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite
        )
        # A lone surrogate can only come from the text itself or from an escape: search the value only then.
        text.encode()
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except NotJson:
        raise
    except UnicodeError:
        raise NotJson("has text that UTF-8 cannot write") from None
    except (ValueError, RecursionError):
        raise NotJson("is not JSON") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; repeated keys are refused, because parsers disagree about them."""
    out = dict(pairs)
    if len(out) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        key = next(key for key, count in counts.items() if count > 1)
        raise NotJson(f"says {key[:40]!r} twice")
    return out


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise NotJson(f"has a number that is too large: {text[:40]}")
    return number


def _constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
