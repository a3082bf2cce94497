"""Readings of plays by the oracle, for its own tests."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

from .classify import (
    Reading,
    Value,
    beats,
    classify,
)


def read(preset: str, text: str, **options: Value) -> Reading:
    reading = classify(preset, options, text.split())
    assert reading is not None, f"{text} should be a combination in {preset}"
    return reading


def kind(preset: str, text: str, **options: Value) -> str | None:
    reading = classify(preset, options, text.split())
    return reading.kind if reading else None


def over(preset: str, a: str, b: str, **options: Value) -> bool:
    return beats(preset, options, read(preset, a, **options), read(preset, b, **options))


def ascending(preset: str, *texts: str, **options: Value) -> None:
    """Every later play beats every earlier one, and none the other way or itself."""
    for low, high in combinations(range(len(texts)), 2):
        assert over(preset, texts[high], texts[low], **options), f"{texts[high]} over {texts[low]}"
    for low, high in combinations_with_replacement(range(len(texts)), 2):
        assert not over(preset, texts[low], texts[high], **options), f"{texts[low]} over {texts[high]}"


def neither(preset: str, a: str, b: str, **options: Value) -> None:
    assert not over(preset, a, b, **options)
    assert not over(preset, b, a, **options)


def mixed(ranks: str) -> str:
    """Cards of these ranks in several suits."""
    return " ".join(rank + "DCHS"[place % 4] for place, rank in enumerate(ranks))


def suited(ranks: str) -> str:
    return " ".join(rank + "S" for rank in ranks)
