"""The duties of the seat to act, which its view states, so that no screen has to derive them."""

from __future__ import annotations

from typing import Any

import pytest

import dasan

FOUR = ["4D 9D 2S", "5D", "6D 6C", "7D 8D"]


@pytest.mark.parametrize(
    ("options", "position", "guarding"),
    [
        ({}, {"table": "8C", "table_seat": 3}, 1),
        ({}, {"leader": 0}, 1),
        # Out of the round for good, the neighbour cannot go out in it.
        ({"pass_is_final": True}, {"table": "8C", "table_seat": 3, "passed": [1]}, None),
        ({}, {"table": "8C 8S", "table_seat": 3}, None),
        ({"guard": "off"}, {"table": "8C", "table_seat": 3}, None),
    ],
)
def test_d2_16_the_view_names_the_guarded_neighbour(
    options: dict[str, Any], position: dict[str, Any], guarding: int | None
) -> None:
    state = dasan.start(dasan.rules("big-two", **options), FOUR, to_act=0, **position)
    assert state.view(0).guarding == guarding
    assert state.view(0).to_json()["guarding"] == guarding
    assert [state.view(seat).guarding for seat in (1, 2, 3, None)] == [None] * 4


def test_d2_16_a_highest_card_that_cannot_beat_guards_nobody() -> None:
    state = dasan.start(dasan.rules("big-two"), ["4D 9D", "5D", "6D 6C", "7D 8D"], table="TC", table_seat=3, to_act=0)
    assert state.view(0).guarding is None


def test_h_32_the_guarded_neighbour_is_the_next_who_holds_cards() -> None:
    """D2.16: seat 1 is out, so seat 0 guards seat 2, also where a position names the guard who neglected it."""
    hands = ["5S 9D 2C", "", "4D", "6S 7S"]
    position: dict[str, Any] = {"table": "3C", "table_seat": 3, "finished": [1]}
    for guard in ("enforced", "foul"):
        rules = dasan.rules("big-two", ending="last-in", guard=guard)
        assert dasan.start(rules, hands, to_act=0, **position).view(0).guarding == 2
    again = dasan.start(rules, hands, to_act=2, watching=0, **position)
    assert again.watching == dasan.start(rules, hands, to_act=0, **position).play("pass").watching == 0


def test_d2_11_the_view_names_the_card_that_the_lead_must_contain() -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    leader = state.mover
    assert str(state.view(leader).must_include) == "3D"
    assert state.view(leader).to_json()["must_include"] == "3D"
    assert state.view((leader + 1) % 4).must_include is None
    after = state.play(state.legal_moves()[0])
    assert after.view(after.mover).must_include is None
