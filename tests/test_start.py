"""`dasan.start`: positions from the middle of a hand, and those that cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from tests.playing import refused, say

import dasan

SIX = ["5D 9D", "6D 4D", "7D 4C"]


def three(hands: list[str] | None = None, **given: Any) -> dasan.State:
    return dasan.start(dasan.rules("big-three"), hands or SIX, bidder=0, **given)


def test_the_seat_after_the_one_that_played_is_to_act() -> None:
    state = three(table="5C", table_seat=0)
    assert (state.to_act, state.table_seat, state.leader, state.passed) == (1, 0, 0, ())
    assert str(state.table) == "5C"


def test_those_between_have_passed() -> None:
    """To act means that everybody before has had a turn: nobody is asked about what they played themselves."""
    state = three(table="5C", table_seat=0, to_act=2)
    assert state.passed == (1,)
    assert state.play("pass").to_act == 0
    assert state.play("pass").table is None
    assert three(table="5C", table_seat=0, passed=(1,)).to_act == 2
    assert three(table="5C", table_seat=0, passed=(1,), to_act=2).passed == (1,)


def test_when_all_have_passed_the_trick_is_over() -> None:
    state = three(table="5C", table_seat=0, passed=(1, 2))
    assert (state.to_act, state.table, state.passed) == (0, None, ())


def test_where_a_pass_is_final_others_may_have_passed_too() -> None:
    hands = ["5D 9D", "6D 4D", "7D 4C", "8D 8C"]
    final = dasan.rules("big-two", pass_is_final=True)
    state = dasan.start(final, hands, table="5C", table_seat=0, to_act=1, passed=(3,))
    assert (state.to_act, state.passed) == (1, (3,))
    assert say(state, "pass").to_act == 2
    assert say(state, "pass", "pass").to_act == 0
    with pytest.raises(ValueError, match="only the players before seat 1"):
        dasan.start(dasan.rules("big-two"), hands, table="5C", table_seat=0, to_act=1, passed=(3,))


@pytest.mark.parametrize(
    "given",
    [
        {"table": "5C"},
        {"table": "5C", "table_seat": 3},
        {"table": "5C", "table_seat": 0, "to_act": 0},
        {"table": "5C", "table_seat": 0, "passed": (0,)},
        {"table": "5C", "table_seat": 0, "passed": (2,), "to_act": 1},
        {"table": "5C", "table_seat": 0, "passed": (1,), "to_act": 1},
        {"table": "5C", "table_seat": 0, "passed": (2,), "to_act": 2},
        {"table": "5C", "table_seat": 0, "passed": (1, 1)},
        {"table": "5C", "table_seat": 0, "passed": (3,)},
        {"table": "5C 6C", "table_seat": 0},
        {"table": "5D", "table_seat": 0},
        {"table_seat": 0},
        {"passed": (1,)},
        {"leader": 3},
        {"leader": True},
        {"dealer": -1},
        {"bid": 0},
        {"bid": 4},
        {"called": "8C"},
        {"kitty": "5D"},
        {"finished": (0,)},
        {"table": "XX", "table_seat": 0},
    ],
    ids=str,
)
def test_positions_that_cannot_be(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        three(**given)


@pytest.mark.parametrize(
    ("preset", "hands", "given"),
    [
        ("big-three", ["5D", "6D"], {"bidder": 0}),
        ("big-three", ["5D", "6D", ""], {"bidder": 0}),
        ("big-three", ["5D", "6D", "5D"], {"bidder": 0}),
        ("big-three", ["5D", "6D", "BJ"], {"bidder": 0}),
        ("big-three", ["5D", "6D", "7D"], {}),
        ("big-three", ["5D", "6D", "7D"], {"bidder": 3}),
        ("big-two", ["5D", "6D", "7D", "8D"], {"bidder": 0}),
        ("big-two", ["5D", "6D", "7D", "8D"], {"kitty": "9D"}),
        ("big-two", ["5D", "6D", "7D", "8D"], {"bid": 1}),
        ("big-two", ["5D", "6D", "7D", "8D"], {"called": "8C"}),
        ("big-three-4p", ["5D", "6D", "7D", "8D"], {"bidder": 0, "called": "5D"}),
        ("big-three-4p", ["5D", "6D", "7D", "8D"], {"bidder": 0, "called": "2D"}),
        ("big-three-4p", ["5D", "6D", "7D", "8D"], {"bidder": 0, "called": "9D"}),
        ("big-three-4p", ["5D", "6D", "7D", "8D"], {"bidder": 0, "called": "9D", "partner": 0}),
        ("big-three-4p", ["5D", "6D", "7D", "8D"], {"bidder": 0, "called": "6D", "partner": 2}),
        ("big-three-4p", ["5D", "6D", "7D", "8D"], {"bidder": 0}),
        ("winner", ["5D", "6D", "", "8D"], {}),
        ("winner", ["5D", "", "", ""], {"finished": (1, 2, 3)}),
        ("winner", ["5D", "6D", "", "8D"], {"finished": (2, 2)}),
        ("winner", ["5D", "6D", "", "8D"], {"finished": (1,)}),
        ("winner", ["5D", "6D", "", "8D"], {"finished": (2,), "leader": 2}),
        ("winner", ["5D", "6D", "", "8D"], {"finished": (2,), "table": "4D", "table_seat": 1, "to_act": 2}),
        ("winner", ["5D", "6D", "", "8D"], {"finished": (2,), "table": "4D", "table_seat": 1, "passed": (2,)}),
    ],
    ids=str,
)
def test_hands_that_cannot_be(preset: str, hands: list[str], given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        dasan.start(dasan.rules(preset), hands, **given)


def test_the_call_comes_before_the_lead() -> None:
    """With cards gone nobody might hold the card that is called; so the call takes a complete deal."""
    rules = dasan.rules("big-three-4p")
    dealt = dasan.deal(rules, seed=2)
    state = dasan.start(rules, dealt.hands, bidder=1, bid=2, leader=0)
    assert (state.phase, state.to_act) == ("call", 1)
    for move in state.legal_moves():
        assert state.play(move).partner not in (None, 1)
    refused(state, "pass", "B3.16")


def test_who_has_played_nothing_is_told_by_the_size_of_the_hand() -> None:
    """W.04: with three players the dealer is dealt 18, the others 17."""
    rules = dasan.rules("winner", players=3, scoring="cards")
    hands = [h.split() for h in map(str, dasan.deal(rules, seed=1, dealer=1).hands)]
    assert [len(h) for h in hands] == [17, 18, 17]
    whole = [" ".join(h) for h in hands]
    evened = [" ".join(h[:17]) for h in hands]
    assert dasan.start(rules, whole, dealer=1).has_played == ()
    assert dasan.start(rules, evened, dealer=1).has_played == (1,)
    assert dasan.start(rules, evened, dealer=1, has_played=()).has_played == ()


def test_to_act_leads_where_the_table_is_empty() -> None:
    state = three(to_act=2)
    assert (state.to_act, state.leader, state.table) == (2, 2, None)
    assert three(leader=1).to_act == 1
    assert three().to_act == 0
