"""Kinds of mistakes in a finished hand, whose moves have no combinations of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dasan
from dasan.records.retrace import moves_of
from dasan.review.expected import Habit, MoveEstimate, _plain

LEAD = dasan.start(dasan.rules("big-three"), ["4H 4S 5D 6C 7H", "5H 6H", "7S 8C"], bidder=0, bid=2, leader=0)
FOLLOW = dasan.start(
    dasan.rules("big-three"), ["5H 8H 9S", "5C 6H", "7S 8C"], bidder=0, bid=2, table="4D", table_seat=2, to_act=0
)


@pytest.mark.parametrize(
    ("state", "made", "best", "habit"),
    [
        (LEAD, "4H", "4H 4S", "lead-kind"),
        (LEAD, "4S", "7H", "lead-rank"),
        (LEAD, "4S", "4H", None),
        (FOLLOW, "5H", "8H", "follow"),
        (FOLLOW, "5H", "pass", "spend"),
        (FOLLOW, "pass", "5H", "pass"),
        (FOLLOW, "pass", "pass", None),
    ],
)
def test_a_habit_is_named_from_the_moves_of_a_record(
    state: dasan.State, made: str, best: str, habit: Habit | None
) -> None:
    [(now, move)] = moves_of(state.play(made))
    view = now.view(now.mover)
    better = next(one for one in view.legal_moves() if str(one) == best)
    assert replace(_plain(view, now, move), estimates=(MoveEstimate(better, 1.0, 0.5),)).habit == habit
