"""Compare rules with the presets: which preset and options they equal, or how they differ from the closest one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any

from dasan.games import PRESETS
from dasan.games.option import Preset
from dasan.ruleset.fields import WORDS
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Shape

MOST_TEXT = 60
"""The most characters of a value to show."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of comparing rules with the presets.

    preset: the equal or the closest one. options: by name, those that differ from the preset's default. differences:
    a phrase for each difference that preset and options do not explain; empty for a preset.

    >>> import dasan
    >>> str(verdict(dasan.rules("big-two", triples=True)))
    'big-two with triples=on'
    """

    preset: str
    options: tuple[tuple[str, OptionValue], ...]
    differences: tuple[str, ...]

    @property
    def unchanged(self) -> bool:
        """Whether these are the rules of the preset, every option at its default."""
        return not self.options and not self.differences

    def __str__(self) -> str:
        chosen = ", ".join(f"{name}={_value(value)}" for name, value in self.options)
        named = f"{self.preset} with {chosen}" if chosen else self.preset
        if self.differences:
            return f"rules of its own, unlike {named}: {'; '.join(self.differences)}"
        return named if chosen else f"{named}, unchanged"

    def to_json(self) -> dict[str, Any]:
        return {
            "preset": self.preset,
            "unchanged": self.unchanged,
            "options": dict(self.options),
            "differences": list(self.differences),
        }


@lru_cache(maxsize=64)
def verdict(rules: Rules) -> Verdict:
    """Compare `rules` with the presets by the fields that affect play; wording and clauses are ignored."""
    likely = PRESETS.get(rules.name)
    differences = (
        [] if likely is None else [_compared(rules, likely, dict(rules.settings)), _compared(rules, likely, {})]
    )
    if not any(one is not None for one in differences):
        differences = [_compared(rules, preset, {}) for preset in PRESETS.values()]
    return min((one for one in differences if one is not None), key=lambda one: len(one.differences))


def _compared(rules: Rules, preset: Preset, options: dict[str, OptionValue]) -> Verdict | None:
    """The comparison with one preset and these options; None if the preset cannot have them."""
    try:
        theirs = preset.rules(options)
    except ValueError:
        return None
    usual = {option.name: option.default for option in preset.options}
    usual = usual | preset.rules({}).options
    chosen = tuple((name, value) for name, value in theirs.settings if value != usual[name])
    return Verdict(preset.name, chosen, tuple(_differences(rules, theirs)))


def _differences(ours: Rules, theirs: Rules) -> Iterator[str]:
    if ours.digest == theirs.digest:
        return
    for field in fields(Rules):
        if field.name in WORDS:
            continue
        mine, other = getattr(ours, field.name), getattr(theirs, field.name)
        if field.name == "shapes":
            yield from _shapes(mine, other)
        else:
            yield from _changed(field.name, mine, other)


def _changed(name: str, mine: object, other: object) -> Iterator[str]:
    """The differences in one field; in a policy, field by field."""
    if mine == other:
        return
    if is_dataclass(mine) and type(mine) is type(other):
        for field in fields(mine):
            if field.name not in WORDS:
                yield from _changed(f"{name}.{field.name}", getattr(mine, field.name), getattr(other, field.name))
    else:
        yield f"{name} is {_value(mine)}, not {_value(other)}"


def _shapes(mine: tuple[Shape, ...], other: tuple[Shape, ...]) -> Iterator[str]:
    """Which kinds of combination are added, missing, defined differently, or in another order."""
    known = {shape.kind: shape for shape in other}
    kinds = [shape.kind for shape in mine]
    for shape in mine:
        if shape.kind in known:
            yield from _changed(f"the kind {_text(shape.kind)}", shape, known[shape.kind])
        else:
            yield f"there is a kind {_text(shape.kind)}"
    yield from (f"there is no kind {_text(kind)}" for kind in known if kind not in kinds)
    if len(set(kinds)) < len(kinds) or [kind for kind in known if kind in kinds] != [k for k in kinds if k in known]:
        yield f"the kinds are ranked {', '.join(map(_text, kinds))}"


def _value(value: object) -> str:
    """A value as a person would write it, cut to `MOST_TEXT` characters."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "nothing"
    if is_dataclass(value):
        held = {field.name: getattr(value, field.name) for field in fields(value) if field.name not in WORDS}
        return _text(" ".join(f"{name}={_value(one)}" for name, one in held.items()))
    return _text(str(value))


def _text(text: str) -> str:
    """Untrusted text, with every invisible character escaped."""
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= MOST_TEXT else shown[:MOST_TEXT] + "…"
