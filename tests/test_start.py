"""`dasan.start`: positions from the middle of a hand, and impossible ones."""

from __future__ import annotations

from typing import Any

import pytest
from tests.playing import refused, say

import dasan

LONG = "4C 5C 6C 7C 8C 9C TC JC QC KC AC 2C 3C 4S 5S 6S 7S 8S 9S TS"
SIX = ["5D 9D", "6D 4D", "7D 4C"]


def three(hands: list[str] | None = None, **given: Any) -> dasan.State:
    return dasan.start(dasan.rules("big-three"), hands or SIX, bidder=0, **given)


def test_the_seat_after_the_one_that_played_is_to_act() -> None:
    state = three(table="5C", table_seat=0)
    assert (state.to_act, state.table_seat, state.leader, state.passed) == (1, 0, 0, ())
    assert str(state.table) == "5C"


def test_those_between_have_passed() -> None:
    """A seat's turn means that everybody before it has had one: nobody has to beat their own play."""
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
    with pytest.raises(ValueError, match="only the players between seat 0 and seat 1"):
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


@pytest.mark.parametrize(
    ("preset", "hands", "given", "said"),
    [
        ("big-three", ["5D", "6D", "7D"], {"bidder": 0, "partner": 1}, "no card is called"),
        ("big-three", ["5D", "6D", "7D"], {"leader": 1, "to_act": 2, "bidder": 0}, "the leader must act"),
        ("big-three", ["5D", "6D", "7D"], {"kitty": "8D 9D TD JD QD", "bidder": 0}, "the kitty has 4 cards, not 5"),
        ("big-three", ["5D", "6D", "7D"], {"kitty": "8D 9D TD JD", "bidder": 0}, "every hand must be complete"),
        ("big-three", ["5D", LONG, "7D"], {"bidder": 0}, "seat 1 has at most 16 cards, not 20"),
        ("big-two", [LONG[:38], "6H", "7H", "8H"], {"table": "9H", "table_seat": 0}, "not 13 and 1 on the table"),
        ("winner", ["5D", "6D", "", "8D"], {"finished": (2,), "payments": (1, 0, -1, 0)}, "which pays"),
        ("winner", ["5D", "6D", "7D", "8D"], {"payments": (0, 0, 0, 0)}, "foul need finished"),
        ("winner", ["5D", "6D", "", "8D"], {"finished": (2,), "foul": 1}, "seat 1 did not guard seat 2"),
        (
            "big-three-4p",
            ["5D", "6D", "7D", "8D"],
            {"bidder": 0, "called": "9D", "table": "4D", "table_seat": 1},
            "say who is the partner",
        ),
        (
            "big-two",
            ["5D", "6D", "7D", "8D"],
            {"table": "4D", "table_seat": 0, "passed": (1, 2), "to_act": 2},
            "seat 2 cannot act",
        ),
        ("big-two", ["5D", "6D", "7D", "8D"], {"watching": 4}, "watching is a seat"),
        ("big-two", ["5D KD", "6D", "7D", "8D"], {"table": "9D", "table_seat": 0, "watching": 1}, "needs seat 2 to act"),
        ("big-two", ["5D", "6D", "7D", "8D"], {"table": "9D", "table_seat": 0, "watching": 0}, "neglected no duty"),
    ],
    ids=str,
)
def test_what_cannot_be_is_said_in_a_sentence(preset: str, hands: list[str], given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dasan.start(dasan.rules(preset), hands, **given)


def test_nothing_is_played_before_the_auction() -> None:
    dealt = dasan.deal(dasan.rules("big-three"), seed=2)
    for given in ({"leader": 1}, {"to_act": 1}, {"passed": (1,)}, {"watching": 0}):
        with pytest.raises(ValueError, match=r"begins with the auction|with no cards on the table"):
            dasan.start(dealt.rules, dealt.hands, kitty=dealt.kitty, **given)


def test_w_18_payments_are_fixed_where_somebody_is_out_already() -> None:
    hands = ["5D", "6D", "", "8D"]
    plain = dasan.start(dasan.rules("winner"), hands, finished=(2,), leader=0)
    assert plain.payments == (0, 0, 0, 0)
    over = say(plain, "5D", "6D")
    assert over.result is not None
    assert over.result.payments == (0, 0, 0, 0)
    assert dasan.replay(over.record()) == over


def test_w_22_what_was_paid_must_be_said_where_it_depends_on_the_cards_held_then() -> None:
    """Seats 0, 1 and 3 held 3, 11 and 8 cards when seat 2 went out."""
    rules, hands = dasan.rules("winner", scoring="cards"), ["5D", "6D", "", "8D"]
    with pytest.raises(ValueError, match="give the payments"):
        dasan.start(rules, hands, finished=(2,), leader=0)
    state = dasan.start(rules, hands, finished=(2,), leader=0, payments=(-3, -22, 33, -8))
    over = say(state, "5D", "6D")
    assert over.result is not None
    assert over.result.payments == (-3, -22, 33, -8)
    assert dasan.replay(over.record()) == over
    two_left = ["5D 5C", "6D", "", "8D"]
    with pytest.raises(ValueError, match="seat 0 cannot have paid 1"):
        dasan.start(rules, two_left, finished=(2,), leader=0, payments=(-1, -22, 31, -8))
    for wrong in ((-3, -22, 33), (-3, -22, 32, -8), (0, -22, 30, -8), (-3, -21, 32, -8), (-3, -80, 91, -8)):
        with pytest.raises(ValueError, match=r"cannot have paid|sum to zero"):
            dasan.start(rules, hands, finished=(2,), leader=0, payments=wrong)


def test_d2_17_a_foul_that_is_pending() -> None:
    """Seat 0 has just played 5C over 4D, with KD in hand and seat 1 on the last card."""
    rules, hands = dasan.rules("big-two"), ["9H KD", "AS", "6D 6C", "7D 7C"]
    state = dasan.start(rules, hands, table="5C", table_seat=0, watching=0)
    played = dasan.start(rules, ["5C 9H KD", "AS", "6D 6C", "7D 7C"], table="4D", table_seat=3, leader=3).play("5C")
    assert (state.watching, state.to_act) == (played.watching, played.to_act) == (0, 1)
    for over in (state.play("AS"), played.play("AS")):
        assert over.result is not None
        assert (over.result.foul, over.result.next_dealer) == (0, 0)
        assert dasan.replay(over.record()) == over
    assert state.play("pass").watching is None
    seen = state.view(2).begun
    assert getattr(seen, "watching", 0) is None, "that seat 0 holds more than the 5C is not public"
    led = dasan.start(rules, hands, leader=1, watching=0)
    assert led.play("AS").result is not None, "after the pass that ended the round"


def test_the_call_comes_before_the_lead() -> None:
    """With cards gone, nobody might hold the called card; so the call needs a complete deal."""
    rules = dasan.rules("big-three-4p")
    dealt = dasan.deal(rules, seed=2)
    for leader, leads in ((3, 3), (None, 0)):
        state = dasan.start(rules, dealt.hands, bidder=1, bid=2, leader=leader)
        assert (state.phase, state.to_act) == ("call", 1)
        for move in state.legal_moves():
            called = state.play(move)
            assert called.partner not in (None, 1)
            assert called.to_act == leads
        refused(state, "pass", "B3.16")


def test_only_the_holder_of_the_opening_card_must_lead_it() -> None:
    dealt = dasan.deal(dasan.rules("big-two"), seed=2)
    for seat in range(4):
        state = dasan.start(dealt.rules, dealt.hands, leader=seat)
        assert (state.must_include is not None) is (seat == dealt.leader)
        assert state.legal_moves()


def test_two_may_be_out_already() -> None:
    state = dasan.start(dasan.rules("winner"), ["5D 6D", "", "", "8D"], finished=(2, 1))
    assert (state.finished, state.to_act) == ((2, 1), 0)


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
    dealt = dasan.deal(dasan.rules("big-three"))
    taken_up = [(*dealt.hands[0], *dealt.kitty), *dealt.hands[1:]]
    for held, played in ((20, ()), (18, (0,))):
        assert dasan.start(dealt.rules, [taken_up[0][:held], *taken_up[1:]], bidder=0).has_played == played
    big_two = dasan.deal(dasan.rules("big-two"))
    three_have_played = [*(hand[:12] for hand in big_two.hands[:3]), big_two.hands[3]]
    assert dasan.start(big_two.rules, three_have_played, leader=0).has_played == (0, 1, 2)


def test_to_act_leads_where_the_table_is_empty() -> None:
    state = three(to_act=2)
    assert (state.to_act, state.leader, state.table) == (2, 2, None)
    assert three(leader=1).to_act == 1
    assert three().to_act == 0
