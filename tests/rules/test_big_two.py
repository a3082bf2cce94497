"""Big Two: D2.01 to D2.19."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise, product

import pytest
from tests.playing import Options, fill, play_hands, play_out, refused, say, texts, types

import dasan
from dasan import Ambiguous, IllegalPlay, Malformed, State
from dasan.play import fairness
from dasan.play.dealing import Deal
from dasan.play.events import EventType

RULES = dasan.rules("big-two")
ORDER = [r + s for r in "3456789TJQKA2" for s in "DCHS"]


def kind(text: str, **options: bool | str) -> str | None:
    try:
        return dasan.rules("big-two", **options).combination(text).kind
    except IllegalPlay:
        return None


def beats(mine: str, theirs: str, **options: bool | str) -> bool:
    rules = dasan.rules("big-two", **options)
    return rules.combination(mine).beats(rules.combination(theirs))


def ascending(*plays: str, **options: bool | str) -> None:
    """Every one of these beats exactly those before it."""
    for i, mine in enumerate(plays):
        for j, theirs in enumerate(plays):
            assert beats(mine, theirs, **options) == (i > j), f"{mine} over {theirs}"


def trick(*hands: str, leader: int = 0, **options: bool | str) -> State:
    """In the middle of a hand: these cards are left and `leader` leads."""
    return dasan.start(dasan.rules("big-two", **options), hands, leader=leader)


def opening(*hands: str, **options: bool | str) -> State:
    """A complete deal; these are some of the cards."""
    rules = dasan.rules("big-two", **options)
    return dasan.start(rules, fill(rules, hands, 13))


def test_d2_01_four_players_thirteen_cards_counter_clockwise() -> None:
    state = dasan.deal(RULES, seed=1)
    assert (RULES.players, RULES.direction, RULES.decks, RULES.jokers) == (4, "counterclockwise", 1, False)
    assert state.hand_sizes == (13, 13, 13, 13)
    assert {str(c) for hand in state.hands for c in hand} == set(ORDER)
    assert state.kitty == ()
    for option in ("players", "decks", "jokers", "direction"):
        with pytest.raises(ValueError, match="no option"):
            dasan.rules("big-two", **{option: 1})
    refused(trick("4D", "5D", "6D", "7D"), "BJ", "D2.01", Malformed)


def test_d2_02_order_of_the_cards() -> None:
    ascending(*ORDER)
    assert ORDER[0] == "3D"
    assert ORDER[-1] == "2S"
    assert [str(c) for c in RULES.order.hand(RULES.pack)] == ORDER
    for low, high in (("TS", "QH"), ("AS", "2D"), ("2D", "2S")):
        assert beats(high, low)


def test_d2_03_one_two_or_five_cards() -> None:
    state = trick("4D 4C 4H 4S 5D 5C 6D", "5H", "6C", "7D")
    assert {len(m.cards) for m in state.legal_moves()} == {1, 2, 5}
    for text in ("4D 4C 4H", "4D 4C 4H 4S", "4D 4C 4H 4S 5D 5C", "4D 4C 4H 4S 5D 5C 6D", "4D 5D"):
        refused(state, text, "D2.03")
    refused(state, "4D 5D 6D", "D2.06", IllegalPlay, "it takes 5 consecutive ranks")


def test_d2_03_triples() -> None:
    on: Options = {"triples": True}
    assert kind("4D 4C 4H") is None
    assert kind("4D 4C 4H", **on) == "triplet"
    ascending(*(f"{r}D {r}C {r}S" for r in "3456789TJQKA2"), **on)
    state = trick("4D 4C 4H 9S", "5H 5D 5C 8D", "6C 6S 7C 7H", "7D 7S", triples=True)
    state = say(state, "4D 4C 4H")
    assert texts(state) == ["5D 5C 5H", "pass"]
    refused(say(state, "5H 5D 5C"), "6C 6S", "D2.12", IllegalPlay, "it takes 3 cards")


def test_d2_04_pairs() -> None:
    assert beats("3S 3D", "3H 3C")
    assert not beats("3H 3C", "3S 3D")
    assert not beats("3S 3D", "3S 3C")
    ascending("3C 3D", "3H 3D", "3S 3D", "4C 4D", "KS KH", "AC AD", "2D 2C", "2S 2H")
    for low, high in combinations("3456789TJQKA2", 2):
        assert beats(f"{high}D {high}C", f"{low}S {low}H")
    assert kind("3D 4D") is None


CLASSES = ["3D 4C 5D 6D 7D", "3D 5D 6D 8D 9D", "3D 3C 3H 4D 4C", "3D 3C 3H 3S 4D", "AD 2D 3D 4D 5D"]
LOWEST_AND_HIGHEST = [
    ("AD 2D 3D 4D 5C", "TS JS QS KD AS"),
    ("3D 4D 5D 6D 8D", "2S AS KS QS TS"),
    ("3D 3C 3H 4D 4C", "2D 2C 2H AD AC"),
    ("3D 3C 3H 3S 4D", "2D 2C 2H 2S 3D"),
    ("AD 2D 3D 4D 5D", "TS JS QS KS AS"),
]


def test_d2_05_classes_of_five_cards() -> None:
    assert [kind(c) for c in CLASSES] == ["straight", "flush", "full-house", "four-plus-one", "straight-flush"]
    for i, (lower, higher) in enumerate(LOWEST_AND_HIGHEST):
        for weaker, stronger in LOWEST_AND_HIGHEST[i + 1 :]:
            assert beats(weaker, higher), "the lowest of a higher class beats the highest of a lower one"
            assert not beats(higher, weaker)
            assert beats(stronger, lower)
    for nothing in ("3D 3C 4D 4C 5D", "3D 3C 3H 4D 5C", "3D 4C 5D 6D 8C"):
        assert kind(nothing) is None


def test_d2_05_any_fifth_card_goes_with_four() -> None:
    for fifth in ORDER:
        if fifth[0] != "8":
            assert kind(f"8D 8C 8H 8S {fifth}") == "four-plus-one"


@pytest.mark.parametrize("ranks", ["A2345", "23456", *("3456789TJQKA"[i : i + 5] for i in range(8))])
def test_d2_06_the_ten_straights(ranks: str) -> None:
    assert kind(" ".join(r + s for r, s in zip(ranks, "DCHSD", strict=True))) == "straight"
    assert kind(" ".join(r + "H" for r in ranks)) == "straight-flush"


@pytest.mark.parametrize("ranks", ["JQKA2", "QKA23", "KA234", "34568", "A3456"])
def test_d2_06_no_wrapping(ranks: str) -> None:
    text = " ".join(r + s for r, s in zip(ranks, "DCHSD", strict=True))
    with pytest.raises(IllegalPlay) as caught:
        RULES.combination(text)
    assert caught.value.clause == "D2.06"
    assert kind(" ".join(r + "H" for r in ranks)) == "flush"


def test_d2_06_every_five_ranks() -> None:
    straights = [set("A23456789TJQKA"[i : i + 5]) for i in range(10)]
    for ranks in combinations("3456789TJQKA2", 5):
        text = " ".join(r + s for r, s in zip(ranks, "DCHSD", strict=True))
        assert (kind(text) == "straight") == (set(ranks) in straights)


def test_d2_07_straights_by_their_ending_card() -> None:
    assert beats("3D 4C 5D 6D 7D", "2S 3S 4S 5S 6H")
    assert beats("TD JD QD KC AH", "TS JS QS KS AC")
    windows = ["A23456789TJQKA"[i : i + 5] for i in range(10)]
    mixed = [" ".join(r + s for r, s in zip(w[:4], "HDCS", strict=True)) + " " + w[4] for w in windows]
    plays = [straight + suit for straight in mixed for suit in "DCHS"]
    ascending(*plays)


def test_d2_07_only_the_ending_card_counts() -> None:
    for others in product("CHS", repeat=2):
        text = f"AD 2{others[0]} 3{others[1]} 4D 5D"
        assert not beats(text, "AH 2S 3H 4S 5D")
        assert not beats("AH 2S 3H 4S 5D", text)
        assert beats("AD 2D 3D 4D 5C", text)


def test_d2_08_flushes() -> None:
    assert beats("3H 4H 5H 7H 2H", "8S 9S TS JS KS")
    assert beats("3S 4S 5S 7S 9S", "4C 5C 6C 7C 9C")
    assert not beats("4C 5C 6C 8C 9C", "3C 4C 5C 7C 9C"), "the highest card alone decides"
    ascending(*(f"3{s} 4{s} 5{s} 7{s} {r}{s}" for r in "89TJQKA2" for s in "DCHS"))


def test_d2_08_flush_order_suit() -> None:
    on: Options = {"flush_order": "suit"}
    assert not beats("3H 4H 5H 7H 2H", "8S 9S TS JS KS", **on)
    assert beats("3S 4S 5S 6S 8S", "3H 9H KH AH 2H", **on)
    ascending(*(f"3{s} 4{s} 5{s} 7{s} {r}{s}" for s in "DCHS" for r in "89TJQKA2"), **on)
    ascending(*CLASSES, **on)


def test_d2_09_full_houses_and_fours() -> None:
    ascending(*(f"{r}D {r}C {r}S {'4D 4C' if r != '4' else '3D 3C'}" for r in "3456789TJQKA2"))
    ascending(*(f"{r}D {r}C {r}S {r}H {'4D' if r != '4' else '3D'}" for r in "3456789TJQKA2"))
    assert beats("4D 4C 4H 3D 3C", "3D 3C 3H 2S 2H"), "the pair does not matter"
    assert beats("4D 4C 4H 4S 3D", "3D 3C 3H 3S 2S")


def test_d2_10_straight_flushes() -> None:
    windows = ["A23456789TJQKA"[i : i + 5] for i in range(10)]
    ascending(*(" ".join(r + s for r in w) for w in windows for s in "DCHS"))
    highest = RULES.combination("TS JS QS KS AS")
    assert all(highest.beats(RULES.combination(c)) for c in CLASSES)
    assert not any(RULES.combination(" ".join(r + "S" for r in w)).beats(highest) for w in windows)


@pytest.mark.parametrize("leader", range(4))
def test_d2_11_the_holder_of_the_three_of_diamonds_leads_with_it(leader: int) -> None:
    hands = ["8C 9C", "8H 9H", "8S 9S", "TC TH"]
    hands[leader] = "3D 3C 3H 4D 4C 5D 6D 7D 2S AS KH QS JD"
    state = opening(*hands)
    assert (state.phase, state.to_act, state.leader) == ("play", leader, leader)
    assert state.events[0].to_json() == {"seq": 1, "seat": leader, "type": "open", "cards": ["3D"]}
    assert all("3D" in move.split() for move in texts(state))
    kinds = {m.combination.kind for m in state.legal_moves() if m.combination}
    assert kinds == {"single", "pair", "straight", "flush", "full-house", "straight-flush"}
    for legal in ("3D", "3D 3H", "3D 3C 3H 4D 4C", "3D 4C 5D 6D 7D", "3D 4D 5D 6D 7D"):
        assert state.play(legal).table is not None
    for wrong in ("4D", "3C", "3C 3H", "4D 4C"):
        refused(state, wrong, "D2.11", IllegalPlay, "must include the 3D")
    refused(state, "pass", "D2.12", IllegalPlay, "leader must play")


def test_d2_11_only_the_first_lead_is_bound() -> None:
    state = say(opening("3D 3C 4D", "4C", "5C", "6C"), "3D", "4C", "5C", "6C")
    assert state.must_include is None
    assert "4D" not in texts(state)
    again = say(opening("3D 3C 4D", "", "", ""), "3D", "pass", "pass", "pass")
    assert "4D" in texts(again)
    assert dasan.start(RULES, ["3D 4D", "5D", "6D", "7D"], leader=0).play("4D").table is not None


def test_d2_12_the_same_number_of_cards_and_higher() -> None:
    state = say(trick("8D 9D", "7S 8C 8H TD TC", "3D", "4D"), "8D")
    assert texts(state) == ["8C", "8H", "TD", "TC", "pass"]
    refused(state, "7S", "D2.02", IllegalPlay, "higher")
    refused(state, "TD TC", "D2.12", IllegalPlay, "it takes 1 card, not 2")
    state = say(trick("8D 8S 9D", "8C 8H TD TC JD", "3D", "4D"), "8D 8S")
    assert texts(state) == ["TD TC", "pass"]
    refused(state, "8C 8H", "D2.04")
    refused(state, "JD", "D2.12", IllegalPlay, "it takes 2 cards, not 1")


@pytest.mark.parametrize(
    ("table", "mine", "clause"),
    [
        ("9D", "5D", "D2.02"),
        ("9D", "5D 5C", "D2.12"),
        ("9D 9C", "5D 5C", "D2.04"),
        ("9D 9C 9H", "5D 5C 5H", "D2.03"),
        ("9D 9C 8D 8C", "5D 5C 6D 6C", "H.08"),
        ("9D 9C 9H 9S", "5D 5C 6D 6C", "H.08"),
        ("9D 9C 9H 9S", "5D 5C 5H 5S", "H.07"),
        ("9D TD JD QC KD", "5D 6C 7D 8D 9H", "D2.07"),
        ("9D TD JD QD 2D", "5C 6C 7C 8C TC", "D2.08"),
        ("9D 9C 9H TD TC", "5D 5C 5H 6D 6C", "D2.09"),
        ("9D 9C 9H 9S TC", "5D 5C 5H 5S 6C", "D2.09"),
        ("9D TD JD QD KD", "4D 5D 6D 7D 8D", "D2.10"),
        ("9D 9C 9H TD TC", "5D 6C 7D 8D 9S", "D2.05"),
        ("9D TD JD QD KD", "5D 5C 5H 5S 6C", "D2.05"),
    ],
)
def test_d2_12_what_is_not_higher(table: str, mine: str, clause: str) -> None:
    """The refusal names the clause by which such plays are ranked."""
    rules = dasan.rules("big-two", triples=True, fours=True, two_pairs=True)
    spare = [c for c in ORDER if c not in (*table.split(), *mine.split())]
    state = dasan.start(rules, [spare[0], f"{mine} {spare[1]}", *spare[2:4]], table=table, table_seat=0)
    refused(state, mine, clause)


def test_d2_12_a_pass_does_not_bar_a_later_play() -> None:
    state = say(trick("4D 9D", "5D 2D", "6D 6C", "7D 7C"), "4D", "pass", "6D", "7D", "9D")
    assert state.phase == "over"
    state = say(trick("4D 9D TC", "5D 2D", "6D 6C", "7D 7C"), "4D", "pass", "6D", "7D", "9D")
    assert (state.to_act, texts(state)) == (1, ["2D", "pass"])
    refused(trick("4D 9D", "5D", "6D", "7D"), "pass", "D2.12", IllegalPlay, "leader must play")


def test_d2_12_pass_is_final() -> None:
    state = trick("4D 9D TC JC", "5D 2D", "6D 6C", "7D 7C", pass_is_final=True)
    state = say(state, "4D", "pass", "6D", "7D", "9D")
    assert (state.to_act, state.passed) == (2, (1,)), "seat 1 has passed and is not asked again"
    state = say(state, "pass", "pass")
    assert (state.table, state.to_act, state.passed) == (None, 0, ())
    state = say(state, "TC")
    assert texts(state) == ["2D", "pass"], "in the next round everybody is in again"


def test_d2_13_three_passes_in_a_row_end_the_round() -> None:
    state = say(trick("4D 9D TC 3S 3H", "5D 2D 4S", "6D 6C", "7D 7C"), "4D", "5D", "pass", "pass")
    assert str(state.table) == "5D"
    state = say(state, "pass")
    assert (state.table, state.leader, state.to_act, state.events[-1].type) == (None, 1, 1, EventType.TRICK)
    assert texts(state) == ["4S", "2D"]
    state = say(trick("4D 9D TC", "5D 2D 4S", "6D 6C", "7D 7C"), "4D", "pass", "pass", "7D", "pass", "pass")
    assert state.table is not None, "passes before a play do not count"
    assert say(state, "pass").to_act == 3


def test_d2_13_with_final_passes_the_round_ends_when_all_others_have_passed() -> None:
    state = trick("4D 9D TC 2C", "5D 2D 4S", "6D 6C", "7D 7C", pass_is_final=True)
    state = say(state, "4D", "pass", "pass", "7D", "9D")
    assert (state.table is not None, state.to_act) == (True, 3)
    state = say(state, "pass")
    assert (state.table, state.to_act) == (None, 0), "one pass was enough: the two others had passed before"


def test_d2_14_the_first_without_cards_wins() -> None:
    state = trick("4D 8D", "5D", "6D 6C", "7D")
    over = say(state, "4D", "5D")
    assert over.phase == "over"
    assert over.result is not None
    assert (over.result.winners, over.result.finish_order) == ((1,), (1,))
    refused(over, "6D", "D2.14", IllegalPlay, "over")


def test_d2_15_last_card_is_told_to_every_seat() -> None:
    state = trick("4D 8D", "5D 6D 7H", "6C 9D TD", "7D TS JD", guard="off")
    after = say(state, "4D")
    for seat in (0, 1, 2, 3, None):
        events = [e.to_json() for e in after.view(seat).events]
        assert events[-1] == {"seq": events[-1]["seq"], "seat": 0, "type": "last-card"}
    after = say(after, "5D", "6C", "7D")
    assert [e.seat for e in after.events if e.type is EventType.LAST_CARD] == [0]
    over = say(after, "8D")
    assert [e.seat for e in over.events if e.type is EventType.LAST_CARD] == [0], "out is not last card"
    pair = say(trick("4D 4C 8D", "5D 6D", "6C 9D TD", "7D TS JD"), "4D 4C")
    assert types(pair) == ["play", "last-card"]


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
    refused(state, "9H", "D2.16", IllegalPlay)
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
    """Who fouled, after moves that end the hand."""
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
    """Seat 1 has passed; seat 0 disobeys, and seat 2 goes out on the next turn: that is nobody's foul."""
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
    found = 0
    for seed in range(200):
        session = play_hands(dasan.session(RULES, seed=seed), 1, random.Random(seed))
        result = session.state.result
        assert result is not None
        if result.foul is not None:
            found += 1
            assert result.foul == (result.winners[0] - 1) % 4
            assert session.next_hand().dealer == result.foul
        if found == 2:
            return
    raise AssertionError("no foul in 200 random hands")


def test_d2_18_the_first_shuffler_is_random_and_deals_singly() -> None:
    dealers = Counter[int]()
    for seed in range(80):
        session = dasan.session(RULES, seed=seed)
        assert [e.type for e in session.opening] == [EventType.DEALER]
        dealers[session.dealer] += 1
    assert min(dealers[s] for s in range(4)) > 8
    for dealer in range(4):
        state = dasan.deal(RULES, seed=5, dealer=dealer)
        secret = fairness.local_seed(5, "secret", 1)
        deck = fairness.shuffle(fairness.deal_seed(secret, (), RULES.digest, 1), RULES.pack)
        for i in range(4):
            assert set(state.hands[(dealer + i) % 4]) == set(deck[i::4])
        assert isinstance(state.begun, Deal)
        assert state.begun.cut is None


@pytest.mark.parametrize("later_lead", ["three-of-diamonds", "winner"])
def test_d2_18_later_hands(later_lead: str) -> None:
    rules = dasan.rules("big-two", later_lead=later_lead, guard="off")
    session = play_hands(dasan.session(rules, seed=6), 4, random.Random(6))
    hands = [*session.past, session.state]
    free = 0
    for n, (before, after) in enumerate(pairwise(hands), 1):
        assert before.result is not None
        winner = before.result.winners[0]
        assert after.dealer == winner
        first = next(e for e in after.events if e.type is EventType.PLAY)
        if later_lead == "winner":
            assert (after.opener, first.seat) == (winner, winner)
            assert after.events[0].cards == ()
            assert isinstance(after.begun, Deal)
            free += dasan.card("3D") not in first.cards
        else:
            assert dasan.card("3D") in first.cards
            assert after.begun.hands[first.seat].count(dasan.card("3D")) == 1
        assert n < 4
    assert free == 3 or later_lead != "winner"
    first_hand = dasan.session(rules, seed=6).state
    assert all("3D" in t.split() for t in texts(first_hand)), "the first hand is always opened with the 3D"


def scored(scoring: str, *left: int) -> tuple[int, ...]:
    """Payments when seat 0 goes out and the others hold so many cards."""
    rules = dasan.rules("big-two", scoring=scoring)
    hands = ["2S", *(" ".join(ORDER[i * 13 : i * 13 + n]) for i, n in enumerate(left))]
    over = say(dasan.start(rules, hands, leader=0), "2S")
    assert over.result is not None
    return over.result.payments


def test_d2_19_scores() -> None:
    assert scored("wins", 1, 13, 10) == (3, -1, -1, -1)
    assert scored("cards", 1, 13, 10) == (24, -1, -13, -10)
    assert scored("cards-multiplied", 4, 11, 13) == (65, -4, -22, -39)
    for held, cost in ((1, 1), (9, 9), (10, 20), (12, 24), (13, 39)):
        assert scored("cards-multiplied", held, 1, 1) == (cost + 2, -cost, -1, -1)
    with pytest.raises(ValueError, match="scoring is one of wins, cards, cards-multiplied"):
        dasan.rules("big-two", scoring="off")


def test_shorthand_is_ambiguous_where_suits_count() -> None:
    state = trick("4D 4C 9H", "5H", "6C", "7D")
    refused(state, "4", "D2.02", Ambiguous, "which 4")
    assert str(state.play("4 4").table) == "4D 4C"
    assert str(state.play("9").table) == "9H"
    refused(state, "4 4 4", "G.05", IllegalPlay)
    refused(state, "4D 4D", "G.05", Malformed)
    refused(state, "5H", "G.05", IllegalPlay, "do not hold 5H")
