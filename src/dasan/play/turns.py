"""Who may still act in a trick, and whom a player must guard, for states and for views.

`held`: by seat, its hand or the number of its cards; falsy for a seat that is out.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from dasan.ruleset.policies import Guard, Restart
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination


def in_turn(held: Sequence[object], seat: int, out_of: Container[object]) -> Iterator[int]:
    """The other seats that hold cards and are not in `out_of`, in order of play from the one after `seat`."""
    for following in (*range(seat + 1, len(held)), *range(seat)):
        if held[following] and following not in out_of:
            yield following


def neighbour(held: Sequence[object], seat: int) -> int:
    """The next seat after `seat` that holds cards; `seat` itself if no other does."""
    return next(in_turn(held, seat, ()), seat)


def barred(rules: Rules, passed: tuple[int, ...]) -> tuple[int, ...]:
    """The passed seats that may not answer another play of the trick (D2.12)."""
    return passed if rules.pass_is_final else ()


def guarded(rules: Rules, sizes: Sequence[int], seat: int, passed: tuple[int, ...]) -> int | None:
    """The neighbour on the last card whom `seat`, who is to act, must guard; None if there is none, or it may not act
    (D2.16).
    """
    if rules.guard is Guard.OFF:
        return None
    following = neighbour(sizes, seat)
    return following if sizes[following] == 1 and following != seat and following not in barred(rules, passed) else None


def ends_trick(rules: Rules, play: Combination) -> bool:
    """Whether a play always ends its trick at once: the highest two, alone or in a pair (W.17)."""
    return rules.restart is Restart.ALWAYS and has_highest_two(rules, play)


def has_highest_two(rules: Rules, play: Combination) -> bool:
    """Whether a play of one or two cards contains the highest two (W.17)."""
    return len(play.cards) <= 2 and rules.order.at[len(rules.ranks) - 1, len(rules.suits) - 1] in play.cards
