"""Big Two: D2.16 and D2.17, guarding a neighbour on the last card."""

from __future__ import annotations

import random

import pytest
from tests.playing import Options, play_hands, play_out, refused, say, texts
from tests.rules.big_two import RULES, trick

import dasan
from dasan import IllegalPlay, State

GUARDED = ["5C 9H KD", "AS", "6D 6C 6H TD TC", "4D 7D 7C"]
"""Seat 1 is on the last card; seat 0 guards. Seat 3 leads."""


def test_d2_16_in_a_one_card_round_the_guard_plays_the_highest_card() -> None:
    state = say(trick(*GUARDED, leader=3, guard="enforced"), "4D")
    assert texts(state) == ["KD"]
    for wrong in ("5C", "9H", "pass"):
        refused(state, wrong, "D2.16", IllegalPlay, "your highest card, KD")
    assert str(state.play("KD").table) == "KD"


def test_d2_16_no_duty_where_the_highest_card_cannot_beat_the_table() -> None:
    for guard in ("enforced", "foul"):
        hands = ["5C 9H KD", "AS", "6D 6C", "2D 7D 7C"]
        state = say(trick(*hands, leader=3, guard=guard), "2D")
        assert texts(state) == ["pass"]
        state = say(state, "pass", "pass", "pass")
        assert state.to_act == 3
    king = ["5C 9H KD", "AS", "6D 6C", "KC 7D 7C"]
    state = say(trick(*king, leader=3, guard="enforced"), "KC")
    assert texts(state) == ["pass"], "KD is not higher than KC"


def test_d2_16_leading_the_guard_may_lead_more_cards_but_no_lower_single() -> None:
    hands = ["5C 5H 9H KD 3D 4H 6S 7S", "AS", "6D 6C 6H", "2D 7D 7C"]
    state = trick(*hands, guard="enforced")
    assert [t for t in texts(state) if " " not in t] == ["KD"]
    assert "5C 5H" in texts(state)
    assert "3D 4H 5C 6S 7S" in texts(state)
    refused(state, "9H", "D2.16", IllegalPlay, "lead your highest card, KD, or more than one card")
    alone = refused(trick("5C 9H KD", *hands[1:], guard="enforced"), "9H", "D2.16")
    assert alone.message == "your neighbour has one card left: play your highest card, KD"
    assert state.play("5C 5H").table is not None
    free = trick(*hands, guard="foul")
    assert len([t for t in texts(free) if " " not in t]) == 8
    more: Options = {"triples": True, "fours": True, "two_pairs": True, "guard": "enforced"}
    many = trick("4D 4C 4H 4S 5D 5C KS", "AS", "6D 6C", "7D 7C", **more)
    assert {len(t.split()) for t in texts(many)} == {1, 2, 3, 4, 5}


def test_d2_16_no_duty_in_a_round_of_more_cards() -> None:
    state = trick("5C 5H KD KC 2S", "AS", "6D 6C", "4D 4C 7C", leader=3, guard="enforced")
    state = say(state, "4D 4C")
    assert texts(state) == ["5C 5H", "KD KC", "pass"]


def test_d2_16_no_duty_where_the_neighbour_has_two_cards() -> None:
    state = say(trick("5C 9H KD", "AS AD", "6D 6C", "4D 7D 7C", leader=3, guard="enforced"), "4D")
    assert texts(state) == ["5C", "9H", "KD", "pass"]
    state = say(trick("5C 9H KD", "AS AD", "6D", "4D", leader=3, guard="enforced").play("4D"))
    assert state.phase == "over"


def test_d2_16_each_on_the_last_card_binds_only_the_own_left_neighbour() -> None:
    hands = ["5C 9H KD", "AS", "6D 6C 8D", "QD"]
    state = trick(*hands, guard="enforced")
    assert texts(state) == ["KD"]
    state = trick(*hands, leader=2, guard="enforced")
    assert texts(state) == ["8D", "6D 6C"], "seat 2 guards seat 3"
    for free in (1, 3):
        unbound = trick("5C 9H KD", "AS 3D", "6D 6C 8D", "QD QC", leader=free, guard="enforced")
        assert len(texts(unbound)) > 1
    row = trick("5C 9H KD", "6S", "6D 6C 8D 8H", "QD QC", leader=1, guard="enforced")
    assert say(row, "6S").phase == "over"


def test_d2_16_all_in_a_row_on_one_card() -> None:
    state = trick("5C 9H KD", "QS", "AD", "JD", guard="enforced")
    assert texts(state) == ["KD"]
    state = say(state, "KD")
    assert texts(state) == ["pass"], "the only card cannot beat it"
    state = dasan.start(dasan.rules("big-two", guard="enforced"), ["5C 9H", "QS", "AD", "JD"], table="TD", table_seat=0)
    assert texts(state) == ["QS"], "who guards with an only card has to play it"
    refused(state, "pass", "D2.16")


def test_d2_16_a_guard_who_is_barred_has_no_duty() -> None:
    hands = ["5C 9H KD", "AS", "6D 6C QD", "4D 7D 7C"]
    state = dasan.start(
        dasan.rules("big-two", pass_is_final=True, guard="enforced"), hands, table="8D", table_seat=2, passed=(0,)
    )
    state = say(state, "pass")
    assert state.to_act == 1, "the guard passed before and is not asked"
    fouled = dasan.start(
        dasan.rules("big-two", pass_is_final=True, guard="foul"), hands, table="8D", table_seat=2, passed=(0,)
    )
    result = say(fouled, "pass", "AS").result
    assert result is not None
    assert result.foul is None


@pytest.mark.parametrize("guard", ["enforced", "foul"])
def test_d2_16_no_duty_while_the_guarded_player_is_barred(guard: str) -> None:
    """Seat 1 is on the last card and has passed for good: it cannot go out in this round, so seat 0 is free in it."""
    rules = dasan.rules("big-two", pass_is_final=True, guard=guard)
    hands = ["5C 9H KD 2S", "AS", "6D 6C QD", "4D 7D 7C"]
    state = dasan.start(rules, hands, table="4C", table_seat=3, passed=(1,))
    assert (state.to_act, texts(state)) == (0, ["5C", "9H", "KD", "2S", "pass"])
    low = say(state, "5C")
    assert (low.to_act, low.watching) == (2, None), "nobody has neglected a duty"
    led = say(low, "pass", "pass")
    assert (led.to_act, led.passed) == (0, ()), "seat 0 leads the next round, and seat 1 is in it"
    refused_or_fouls = [t for t in texts(led) if " " not in t]
    assert refused_or_fouls == (["2S"] if guard == "enforced" else ["9H", "KD", "2S"])


def foul(state: State, *moves: str) -> int | None:
    """The seat that fouled, after moves that end the hand."""
    over = say(state, *moves)
    assert over.result is not None, over.to_act
    if over.result.foul is not None:
        assert over.result.next_dealer == over.result.foul
        for seat in (0, 1, 2, 3, None):
            assert over.view(seat).to_json()["result"]["foul"] == over.result.foul
    else:
        assert over.result.next_dealer == over.result.winners[0]
    assert dasan.replay(over.record()) == over
    return over.result.foul


def test_d2_17_a_lower_single_and_the_guarded_player_goes_out() -> None:
    state = say(trick(*GUARDED, leader=3), "4D")
    assert texts(state) == ["5C", "9H", "KD", "pass"], "the guard may disobey"
    assert foul(state, "5C", "AS") == 0
    assert foul(state, "9H", "AS") == 0
    assert foul(state, "KD", "AS") is None, "the duty was done; it did not help"


def test_d2_17_it_does_not_matter_whether_the_highest_card_would_have_helped() -> None:
    helpless = say(trick("5C KD", "AS", "6D 6C", "4D 7D"), "5C")
    assert foul(helpless, "AS") == 0
    helpful = say(trick("5C 2D", "AS", "6D 6C", "4D 7D"), "5C")
    assert foul(helpful, "AS") == 0


def test_d2_17_a_pass_and_the_guarded_player_beats_the_table() -> None:
    state = say(trick(*GUARDED, leader=3), "4D")
    assert foul(state, "pass", "AS") == 0


def test_d2_17_a_pass_that_ends_the_round_and_the_guarded_player_leads() -> None:
    state = trick("5C 9H KD", "8D AS", "6D 6C", "4D 7D 7C", leader=1)
    state = say(state, "8D", "pass", "pass")
    assert (state.to_act, state.hand_sizes[1]) == (0, 1)
    ended = say(state, "pass")
    assert (ended.table, ended.to_act) == (None, 1)
    assert foul(ended, "AS") == 0
    assert foul(state, "KD", "AS") is None
    low = trick("5C 6H", "8D AS", "6D 6C", "4D 7D 7C", leader=1)
    assert foul(low, "8D", "pass", "pass", "pass", "AS") is None, "the highest card could not beat the table"


def test_d2_17_a_pass_that_gives_the_lead_to_another_is_no_foul() -> None:
    state = trick("5C 9H KD", "AS", "8D 6C 3D", "4D 7D 7C", leader=2)
    state = say(state, "8D", "pass", "pass", "pass", "6C", "pass", "KD")
    assert foul(state, "AS") is None, "seat 0 passed a round ago, and now has played the highest"


def test_d2_17_only_the_very_next_turn_counts() -> None:
    state = say(trick("5C 9H KD", "AS", "6D 6C QD", "4D 7D 7C", leader=3), "4D", "5C", "pass", "6D", "7D")
    assert foul(state, "KD", "AS") is None, "disobeyed once, not the last time"
    assert foul(state, "9H", "AS") == 0
    later = say(state, "pass", "pass", "QD", "pass")
    assert later.to_act == 0
    assert foul(later, "KD", "AS") is None
    assert foul(later, "pass", "AS") == 0


def test_d2_17_leading_a_lower_single() -> None:
    state = trick(*GUARDED)
    assert foul(state, "5C", "AS") == 0
    assert foul(state, "KD", "AS") is None
    pair = trick("5C 5H KD", "AS", "6D 6C", "4D 7D")
    after = say(pair, "5C 5H")
    assert texts(after) == ["pass"]
    assert foul(say(after, "pass", "6D 6C")) is None


def test_d2_17_no_duty_in_a_round_of_pairs_so_no_foul() -> None:
    state = trick("5C 5H KD KC", "8D 8C AS", "6D 6C", "4D 4C 7C", leader=1)
    state = say(state, "8D 8C", "pass", "pass", "pass")
    assert foul(state, "AS") is None


def test_d2_17_somebody_else_going_out_is_no_foul() -> None:
    state = say(trick("5C 9H KD", "8S", "TD", "4D 7D 7C", leader=3), "4D")
    state = say(state, "9H", "pass")
    assert foul(state, "TD") is None, "seat 0 guards seat 1, and seat 1 had nothing to stop the ten with"
    passed = say(trick("5C 9H KD", "8S", "TD TC", "4D 7D 7C", leader=3), "4D", "9H", "pass", "TD", "pass", "KD", "pass")
    assert passed.result is None


def test_d2_17_several_on_one_card_each_have_their_own_guard() -> None:
    """Seats 1 and 2 are on one card: 0 guards 1, and 1 guards 2 with an only card."""
    state = say(trick("5C 9H KD", "TS", "AD", "4D 7D 7C", leader=3), "4D")
    assert foul(state, "5C", "TS") == 0
    assert foul(state, "5C", "pass", "AD") == 1, "seat 1 could have played the ten"
    assert foul(state, "KD", "pass", "AD") is None, "the ten cannot beat the king"


def test_d2_17_with_final_passes_the_guarded_player_may_be_barred() -> None:
    """Seat 1 has passed; seat 0 disobeys, and seat 2 goes out on the next turn: nobody fouled."""
    rules = dasan.rules("big-two", pass_is_final=True)
    state = dasan.start(rules, ["5C 9H KD", "AS", "TD", "4D 7D 7C"], table="8D", table_seat=3, passed=(1,))
    assert foul(state, "9H", "TD") is None
    assert foul(state, "pass", "TD") is None
    ends = dasan.start(rules, ["5C 9H KD", "AS", "3D 3C", "4D 7D"], table="8D", table_seat=1, passed=(2, 3))
    assert foul(ends, "pass", "AS") == 0


@pytest.mark.parametrize("guard", ["enforced", "off"])
def test_d2_17_no_foul_where_the_guard_is_enforced_or_off(guard: str) -> None:
    for seed in range(12):
        over = play_out(dasan.deal(dasan.rules("big-two", guard=guard), seed=seed), random.Random(seed))
        assert over.result is not None
        assert over.result.foul is None
    state = say(trick(*GUARDED, leader=3, guard=guard), "4D")
    assert ("5C" in texts(state)) == (guard == "off")
    if guard == "off":
        assert foul(state, "5C", "AS") is None


def test_d2_17_the_winner_wins_all_the_same() -> None:
    state = say(trick(*GUARDED, leader=3), "4D", "5C", "AS")
    assert state.result is not None
    assert state.result.winners == (1,)
    assert state.result.payments == (-1, 3, -1, -1)


def test_d2_17_the_fouler_shuffles_the_next_hand() -> None:
    count = 0
    for seed in range(200):
        session = play_hands(dasan.session(RULES, seed=seed), 1, random.Random(seed))
        result = session.state.result
        assert result is not None
        if result.foul is not None:
            count += 1
            assert result.foul == (result.winners[0] - 1) % 4
            assert session.next_hand().dealer == result.foul
        if count == 2:
            return
    raise AssertionError("no foul in 200 random hands")
