"""Big Two: D2.01 to D2.15, D2.18 and D2.19."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise, product

import pytest
from tests.playing import Options, play_hands, refused, say, texts, types
from tests.rules.big_two import ORDER, RULES, ascending, beats, kind, opening, trick

import dasan
from dasan import Ambiguous, IllegalPlay, Malformed
from dasan.play import fairness
from dasan.play.dealing import Deal
from dasan.play.events import EventType


def test_d2_01_four_players_thirteen_cards_counter_clockwise() -> None:
    state = dasan.deal(RULES, seed=1)
    assert (RULES.players, RULES.direction, RULES.decks, RULES.jokers) == (4, "counterclockwise", 1, False)
    assert state.hand_sizes == (13, 13, 13, 13)
    assert {str(c) for hand in state.hands for c in hand} == set(ORDER)
    assert state.kitty == ()
    for option in ("decks", "jokers", "direction"):
        with pytest.raises(ValueError, match="no option"):
            dasan.rules("big-two", **{option: 1})
    with pytest.raises(ValueError, match=r"from 2 to 4.*H\.27"):
        dasan.rules("big-two", players=1)
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
    for before, after in pairwise(hands):
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
    assert free == (3 if later_lead == "winner" else 0), "a winner's lead need not contain the 3D"
    first_hand = dasan.session(rules, seed=6).state
    assert all("3D" in t.split() for t in texts(first_hand)), "the first hand is always opened with the 3D"


def scored(scoring: str, *left: int) -> tuple[int, ...]:
    """Payments when seat 0 goes out and the others hold these numbers of cards."""
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


def test_listed_moves_are_as_those_that_are_read() -> None:
    state = dasan.deal(RULES, seed=1)
    for move in state.legal_moves():
        read = dasan.Move(move.type, move.cards)
        assert (repr(read.cards), type(read.cards)) == (repr(move.cards), type(move.cards))
