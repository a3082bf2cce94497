"""Big Three for three: B3.13 to B3.23, combinations, tricks and payments."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, permutations

import pytest
from tests.playing import play_hands, refused, say, texts, types
from tests.rules.big_three import EXAMPLE, RANKS, RULES, RUN, beats, example, kind, three, trick

import dasan
from dasan import Ambiguous, IllegalPlay, Malformed, State
from dasan.play.events import EventType


def test_b3_13_the_eight_kinds() -> None:
    named = {
        "4D": "single",
        "4D 4S": "pair",
        "4D 4S 4H": "triplet",
        "4D 4S 4H 4C": "quad",
        "9D TC JD": "straight",
        "4D 5C 6D 7D 8D 9D TD JD QD KD": "straight",
        "6D 6C 7D 7C 8D 8C": "pair-run",
        "4D 4C 4H 5D 5C 5H 6D 6C 6H": "triplet-run",
        "8D 8C 8H 8S 9D 9C 9H 9S TD TC TH TS": "quad-run",
    }
    for text, expected in named.items():
        assert kind(text) == expected
    assert kind("4D 5D 6D 7D 8D") == "straight", "one suit is nothing special"


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("4D 5D", "B3.13"),
        ("4D 4C 5D 5C", "B3.13"),
        ("4D 4C 4H 5D 5C 5H", "B3.13"),
        ("4D 4C 4H 4S 5D", "B3.13"),
        ("4D 4C 4H 5D 5C", "B3.13"),
        ("4D 5D 7D", "B3.14"),
        ("4D 5D 6D 6C", "B3.13"),
        ("4D 4C 4H 4S 5D 5C 5H 5S", "B3.13"),
        ("4D 4C 5D 5C 7D 7C", "B3.14"),
        ("4D 4C 4H 5D 5C 5H 7D 7C 7H", "B3.14"),
    ],
)
def test_b3_13_what_is_no_combination(text: str, clause: str) -> None:
    with pytest.raises(IllegalPlay) as caught:
        RULES.combination(text)
    assert caught.value.clause == clause
    state = trick(text, "6S", "7S")
    refused(state, text, clause)
    assert text not in texts(state)


@pytest.mark.parametrize(
    "ranks", ["QKA", "KA2", "A23", "23A", "234", "345", "JQKA", "TJQKA2", "3456", "KA23", "A234", "A45"]
)
@pytest.mark.parametrize("suits", ["D", "DC", "DCH", "DCHS"])
def test_b3_14_no_run_holds_an_ace_a_two_or_a_three(ranks: str, suits: str) -> None:
    text = " ".join(r + s for r in ranks for s in suits)
    with pytest.raises(IllegalPlay) as caught:
        RULES.combination(text)
    too_many = len(text.split()) > RULES.most_cards
    assert caught.value.clause == ("B3.13" if too_many else "B3.14")
    assert ("no hand holds" if too_many else "4-5-6-7-8-9-T-J-Q-K") in caught.value.message


def test_b3_15_the_example() -> None:
    table = "6D 7D 8D 9D"
    hands = "7C 8C 9C TC JC QC KC JD JH JS 6C QD", f"{table} 5D", "4D"
    state = trick(*hands, leader=1)
    state = say(state, table, "pass")
    for higher in ("7C 8C 9C TC", "TC JC QC KC", "8C 9C TC JC"):
        assert str(state.play(higher).table) == higher
    refused(state, "8C 9C TC JC QC", "B3.15", IllegalPlay, "it takes 4 cards, not 5")
    refused(state, "6C 7C 8C 9C", "B3.15", IllegalPlay, "must be higher")
    refused(state, "JC JD JH JS", "B3.15", IllegalPlay, "not a quad")
    refused(state, "JC JD", "B3.15", IllegalPlay)
    assert texts(state) == ["7C 8C 9C TC", "8C 9C TC JD", "9C TC JD QD", "TC JD QD KC", "pass"]


@pytest.mark.parametrize(
    ("copies", "suits"), [(1, ("D", "C")), (2, ("DC", "HS")), (3, ("DCH", "CHS")), (4, ("DCHS", "DCHS"))]
)
def test_b3_15_higher_rank_same_kind_same_number(copies: int, suits: tuple[str, str]) -> None:
    groups = {rank: " ".join(rank + s for s in suits[0]) for rank in RANKS}
    others = {rank: " ".join(rank + s for s in suits[1]) for rank in RANKS}
    for low, high in combinations(RANKS, 2):
        assert beats(groups[high], others[low])
        assert not beats(others[low], groups[high])
    for rank in RANKS:
        assert not beats(groups[rank], others[rank])
    for length in range(3, 1 + 20 // copies):
        runs = [" ".join(groups[r] for r in RUN[i : i + length]) for i in range(11 - length)]
        for low, high in pairwise(runs):
            assert beats(high, low)
            assert not beats(low, high)
            assert not beats(low, low)
            if length > 3:
                short = " ".join(groups[r] for r in RUN[7:10])
                assert not beats(short, low)
                assert not beats(low, short)


def test_b3_15_no_kind_beats_another() -> None:
    samples = ["3D", "3D 3C", "3D 3C 3H", "3D 3C 3H 3S", "JD QD KD", "JD JC QD QC KD KC", "4D 4C 4H 5D 5C 5H 6D 6C 6H"]
    for mine, theirs in permutations(samples, 2):
        assert not beats(mine, theirs)


def test_b3_16_beat_or_pass() -> None:
    state = trick("4D 9D", "5D 2D", "6D 3D", leader=0)
    refused(state, "pass", "B3.16", IllegalPlay, "the leader must play")
    state = say(state, "4D")
    assert state.to_act == 1
    assert texts(state) == ["5D", "2D", "pass"], "who could play may pass"
    state = trick("4D 9D 2C", "5D 2D", "6D 3D", leader=0)
    state = say(state, "4D", "pass", "6D", "9D")
    assert (state.to_act, texts(state)) == (1, ["2D", "pass"]), "who passed may play later in the trick"
    assert say(state, "2D").to_act == 2
    refused(trick("9D 4D", "5D 5C", "6D", leader=0).play("9D"), "5D", "B3.15")


def test_b3_16_moves_of_other_phases() -> None:
    state = trick("4D 9D", "5D 2D", "6D 3D")
    refused(state, "bid 1", "B3.10")
    refused(state, "call 8C", "G.01")
    refused(state, "take 4D", "G.01")


def test_b3_17_after_two_passes_the_last_to_play_leads_anything() -> None:
    state = trick("4D 9D TD JD", "5D 2D", "6D 3D")
    state = say(state, "4D", "5D", "pass")
    assert state.table is not None
    state = say(state, "pass")
    assert (state.table, state.table_seat, state.leader, state.to_act, state.passed) == (None, None, 1, 1, ())
    assert (state.events[-1].type, state.events[-1].seat) == (EventType.TRICK, 1)
    assert texts(state) == ["2D"]
    state = say(trick("4D 9D TD JD", "5D 2D", "6D 3D"), "4D", "pass", "pass")
    assert texts(state) == ["9D", "TD", "JD", "9D TD JD"]
    assert "pass" not in texts(state)


def test_b3_17_one_pass_is_not_enough_nor_two_that_are_not_in_a_row() -> None:
    state = say(trick("4D 9D 2C", "5D 2D", "6D 3D"), "4D", "pass", "6D", "pass", "2D")
    assert state.table is not None
    state = say(state, "pass")
    assert (str(state.table), state.to_act) == ("2D", 0)


def test_b3_18_the_hand_ends_when_a_player_has_no_cards() -> None:
    state = trick("4D", "5D", "6D")
    over = say(state, "4D")
    assert (over.phase, over.to_act, over.legal_moves()) == ("over", None, ())
    assert over.result is not None
    assert over.result.finish_order == (0,)
    for move in ("5D", "pass", "bid 1"):
        refused(over, move, "B3.18", IllegalPlay, "over")
    assert state.result is None


@pytest.mark.parametrize("bid", [1, 2, 3])
@pytest.mark.parametrize("bidder", [0, 1, 2])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_b3_19_payments(bid: int, bidder: int, first: int) -> None:
    hands = ["4D 5D", "6D 7D", "8D 9D"]
    hands[first] = "TD"
    result = say(trick(*hands, leader=first, bidder=bidder, bid=bid), "TD").result
    assert result is not None
    sign = 1 if first == bidder else -1
    assert result.payments == tuple(sign * (2 * bid if s == bidder else -bid) for s in range(3))
    assert sum(result.payments) == 0
    assert result.winners == ((bidder,) if first == bidder else tuple(s for s in range(3) if s != bidder))


@three
def test_b3_20_the_first_out_deals_next(preset: str) -> None:
    for first in range(3):
        hands = ["4D 5D", "6D 7D", "8D 9D"]
        hands[first] = "TD"
        state = dasan.start(dasan.rules(preset), hands, bidder=0, leader=first, dealer=(first + 1) % 3)
        result = say(state, "TD").result
        assert result is not None
        assert result.next_dealer == first
    session = dasan.session(dasan.rules(preset), seed=5)
    session = play_hands(session, 5, random.Random(3))
    for before, after in pairwise([*session.past, session.state]):
        assert before.result is not None
        assert after.dealer == before.result.finish_order[0]


def test_b3_21_counters() -> None:
    for chips in (0, 3, 1_000_000):
        session = dasan.session(dasan.rules("big-three-denexa", stake_chips=chips), seed=5)
        assert session.balances == (chips,) * 3
        balances = [chips] * 3
        for n in range(6):
            session = session.next_hand() if n else session
            session = play_hands(session, 1, random.Random(n))
            assert session.state.result is not None
            balances = [b + p for b, p in zip(balances, session.state.result.payments, strict=True)]
            assert session.balances == tuple(balances)
            assert sum(session.balances) == 3 * chips
        if chips < 4:
            assert min(session.balances) < 0, "play goes on below zero"
    for wrong in (-1, 1_000_001, True, "3", 2.5):
        with pytest.raises(ValueError, match="stake_chips"):
            dasan.rules("big-three", stake_chips=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("shown", [False, True])
def test_b3_22_whether_earlier_tricks_are_shown(shown: bool) -> None:
    state = trick("4D 9D TD", "5D 2D", "6D 3D", show_played=shown)
    state = say(state, "4D", "5D")
    for seat in (0, 1, 2, None):
        assert state.view(seat).played == (() if shown else None), "the trick is still on the table"
    state = say(state, "pass", "pass")
    for seat in (0, 1, 2, None):
        expected = ["4D", "5D"] if shown else None
        assert state.view(seat).to_json()["played"] == expected
    state = say(state, "2D")
    assert state.view(0).to_json()["played"] == (["4D", "5D"] if shown else None)


def test_b3_22_the_table_of_a_position_has_been_seen_played() -> None:
    rules = dasan.rules("big-three", show_played=True)
    state = dasan.start(rules, ["4D 9D TD", "5D 2D", "6D 8D"], bidder=0, table="7C", table_seat=1, to_act=2)

    def seen(state: State) -> tuple[list[str], dict[str, int]]:
        shown = state.view(2).to_json()
        return shown["played"], {one["rank"]: one["n"] for one in shown["left"] if one["n"] < 4}

    assert seen(state) == ([], {"6": 3, "7": 3, "8": 3})
    state = say(state, "8D", "pass")
    assert seen(state) == ([], {"6": 3, "7": 3, "8": 3})
    state = say(state, "pass")
    assert seen(state) == (["7C", "8D"], {"6": 3, "7": 3, "8": 3})
    state = say(state, "6D")
    assert state.result is not None
    assert state.view(2).played == tuple(map(dasan.card, ("7C", "8D")))


def test_b3_23_the_worked_example() -> None:
    state = example()
    assert (state.bidder, state.to_act) == (0, 0)
    for seat, move in EXAMPLE:
        assert state.to_act == seat
        state = state.play(move)
        if move == "JS QS KS":
            assert texts(state) == ["pass"], "nothing can beat it"
    assert (state.to_act, str(state.table), state.leader) == (0, "4S", 2)
    tricks = [e.seat for e in state.events if e.type is EventType.TRICK]
    assert tricks == [1, 2]
    assert types(state)[2:] == [
        "kitty", "play", "pass", "play", "play", "play", "pass", "pass", "trick",
        "play", "play", "pass", "pass", "trick", "play",
    ]  # fmt: skip
    assert dasan.replay(state.record()).record() == state.record()


def test_b3_23_nothing_can_beat_the_highest_run() -> None:
    top = RULES.combination("JS QS KS")
    for cards in combinations([c for c in RULES.pack if c.suit in "DC"], 3):
        try:
            assert not RULES.combination(cards).beats(top)
        except IllegalPlay:
            continue


def test_shorthand_without_suits() -> None:
    """Suits decide nothing, so ranks are enough; a rank that the hand lacks is reported (G.05)."""
    state = trick("4D 9D 9C 9H TD JD", "5D 2D", "6D 3D")
    assert str(state.play("9 9").table) == "9D 9C"
    assert str(state.play("9 t J").table) == "9D TD JD"
    assert str(state.play("9H 9").table) == "9D 9H"
    refused(state, "9 9 9 9", "G.05", IllegalPlay, "do not hold 4 cards of rank 9")
    refused(state, "5", "G.05")
    assert not issubclass(Ambiguous, Malformed)
