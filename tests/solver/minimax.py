"""Plain minimax of Big Three with open hands, on counts of ranks: nothing shared with the engine or the kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

Counts = tuple[int, ...]
Play = tuple[int, int, int]
"""Copies, length, lowest rank."""
RUN_RANKS = 10


def plays(hand: Counts, most_copies: int = 4) -> list[Play]:
    """Every play that can be led (B3.13, B3.14). most_copies: cards of a rank in a run (H.18)."""
    out = [(k, 1, r) for r, n in enumerate(hand) for k in range(1, n + 1)]
    for first in range(RUN_RANKS):
        for length in range(3, RUN_RANKS - first + 1):
            fewest = min(hand[first : first + length])
            out += [(k, length, first) for k in range(1, min(fewest, most_copies) + 1)]
    return out


def less(hand: Counts, play: Play) -> Counts:
    copies, length, first = play
    return tuple(n - copies if first <= r < first + length else n for r, n in enumerate(hand))


@lru_cache(maxsize=2_000_000)
def wins(
    hands: tuple[Counts, ...], side: frozenset[int], seat: int, to_beat: Play | None, owner: int, most_copies: int = 4
) -> bool:
    """Whether `side` goes out first with best play; `seat` is to act, after `owner` has played `to_beat`. most_copies: as
    for `plays`.
    """
    results = _results(hands, side, seat, to_beat, owner, most_copies)
    return any(results) if seat in side else all(results)


def _results(
    hands: tuple[Counts, ...], side: frozenset[int], seat: int, to_beat: Play | None, owner: int, most_copies: int
) -> Iterator[bool]:
    """The position after each move."""
    after = (seat + 1) % len(hands)
    for play in plays(hands[seat], most_copies):
        if to_beat is not None and (play[:2] != to_beat[:2] or play[2] <= to_beat[2]):
            continue
        left = less(hands[seat], play)
        if not any(left):
            yield seat in side
        else:
            yield wins((*hands[:seat], left, *hands[seat + 1 :]), side, after, play, seat, most_copies)
    if to_beat is not None:
        won = after == owner
        yield wins(hands, side, after, None if won else to_beat, owner, most_copies)
