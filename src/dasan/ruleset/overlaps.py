"""Find kinds of combination that overlap: with such rules the kind of a play would be ambiguous."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from dasan.ruleset.shapes import AllJokers, AnyShape, Flush, Groups, Kickers, Run, Same

_Form = tuple[int, ...]
"""The number of cards of each rank, in descending order."""


def overlaps(shapes: tuple[AnyShape, ...], copies: int) -> Iterator[tuple[AnyShape, AnyShape]]:
    """Pairs of shapes that fit the same cards, in a pack with `copies` cards of each rank.

    A flush and a run of one suit may overlap, and so may plays with kickers and others: there the later shape counts.
    """
    for a, b in combinations(shapes, 2):
        shared = _forms(a, copies) & _forms(b, copies)
        if shared and _suits_agree(a, b) and _ranks_agree(a, b, {len(form) for form in shared}):
            yield a, b


def _forms(shape: AnyShape, copies: int) -> set[_Form]:
    forms: set[_Form]
    match shape:
        case Same(count=n):
            forms = {(n,)}
        case Groups(main=a, side=b, any_side=any_side):
            forms = {(max(a, b), min(a, b))} | ({(a + b,)} if any_side else set())
        case Run(copies=n, shortest=least, longest=most):
            forms = {(n,) * length for length in range(least, most + 1)}
        case Flush(size=n):
            forms = {(1,) * n}
        case Kickers() | AllJokers():
            forms = set()
    return {form for form in forms if form[0] <= copies}


def _suits_agree(a: AnyShape, b: AnyShape) -> bool:
    one, other = _suits(a), _suits(b)
    exact = one == other == "one" and isinstance(a, Flush) is not isinstance(b, Flush)
    return not exact and (one == other or "any" in (one, other))


def _suits(shape: AnyShape) -> str:
    if isinstance(shape, Flush) or (isinstance(shape, Run) and shape.flush):
        return "one"
    return "mixed" if isinstance(shape, Run) and shape.plain else "any"


def _ranks_agree(a: AnyShape, b: AnyShape, lengths: set[int]) -> bool:
    """Whether two runs of one of these lengths can have the same ranks; True for other shapes, which take any."""
    if not isinstance(a, Run) or not isinstance(b, Run):
        return True
    return any(_windows(a, n) & _windows(b, n) for n in lengths)


def _windows(run: Run, length: int) -> set[frozenset[str]]:
    return {frozenset(run.sequence[i : i + length]) for i in range(len(run.sequence) - length + 1)}
