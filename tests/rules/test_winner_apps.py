"""Winner as apps play it: H.34 to H.42."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.playing import lively, play_hands, play_out, refused, say, texts
from tests.rules.winner import beats, kind, trick

import dasan
from dasan import IllegalPlay, Session


def cites(text: str, **options: dasan.OptionValue) -> str | None:
    with pytest.raises(IllegalPlay) as caught:
        dasan.rules("winner", **options).combination(text)
    return caught.value.clause


def test_h_34_a_pass_is_final() -> None:
    hands = ["3D 8D", "4D 9D", "5D TD", "6D JD"]
    state = say(trick(*hands, pass_is_final=True), "3D", "pass", "5D", "6D")
    assert say(state, "8D").to_act == 2, "seat 1 is out of the trick"
    over = say(state, "pass", "pass")
    assert (over.table, over.to_act) == (None, 3)
    free = say(trick(*hands), "3D", "pass", "5D", "6D", "8D")
    assert free.to_act == 1
    refused(trick(*hands, pass_is_final=True), "pass", "W.16")


@pytest.mark.parametrize("choice", ["when-unbeatable", "when-known-unbeatable"])
def test_h_34_whoever_has_passed_counts_when_a_two_of_spades_may_end_the_trick(choice: str) -> None:
    """W.17: seat 1 cannot play any more in this trick, but its hand of five is as good as any other's."""
    for held, ends in (("5D 5C 5H 5S 6D", False), ("5D 5C 5H 5S", True)):
        hands = ["4D 2S 9D", held, "8D 9C", "TD JC"]
        state = say(trick(*hands, pass_is_final=True, two_of_spades_restart=choice), "4D", "pass", "8D", "TD", "2S")
        assert (state.table is None, state.to_act) == ((True, 0) if ends else (False, 2))


def test_h_35_no_twos_in_runs() -> None:
    for gone in ("AD 2C 3H 4S 5D", "2D 3C 4H 5S 6D", "AD AC 2D 2C", "2D 2C 2H 3D 3C 3H"):
        assert kind(gone) is not None
        assert kind(gone, twos_in_runs=False) is None
        assert cites(gone, twos_in_runs=False) == "H.35"
        with pytest.raises(IllegalPlay) as caught:
            dasan.rules("zheng-shangyou").combination(gone)
        assert caught.value.clause == "H.35"
    assert cites("3D 4C 5H 6S 8D", twos_in_runs=False) == "W.09"
    assert kind("TD JC QH KS AD", twos_in_runs=False) == "straight"
    assert beats("TD JC QH KS AD", "9D TC JH QS KD", twos_in_runs=False)
    assert kind("KD KC AD AC", twos_in_runs=False) == "pair-run"


@pytest.mark.parametrize(
    ("option", "short", "long"),
    [
        ("min_pair_run", "5D 5C 6D 6C", "5D 5C 6D 6C 7D 7C"),
        ("min_triplet_run", "5D 5C 5H 6D 6C 6H", "5D 5C 5H 6D 6C 6H 7D 7C 7H"),
    ],
)
def test_h_36_the_shortest_runs(option: str, short: str, long: str) -> None:
    longer: dict[str, Any] = {option: 3}
    assert kind(short) is not None
    assert kind(short, **longer) is None
    assert kind(long, **longer) == kind(long)
    if option == "min_pair_run":
        refused(trick(short, "9D", "TD", "JD", min_pair_run=3), short, "H.36")
    assert cites(short, **longer) == "H.36"
    assert cites("5D 5C 6D 6C 8D 8C", min_pair_run=3) == "H.36"
    assert cites("5D 5C 8D 8C", min_pair_run=3) == "W.06"
    assert cites(short, **longer, twos_in_runs=False) == "H.36", "there is no 2 in it"


def test_h_37_bombs_of_any_size() -> None:
    two: dict[str, dasan.OptionValue] = {"bomb": "any-size", "decks": 2, "jokers": True}
    fours = "4D 4C 4H 4S"
    for lower in ("RJ", "2S", "2H 2S", "2D 2H 2S", "TD JC QH KS AD", "TS JS QS KS AS", "2D 2C 2H 3D 3C"):
        assert beats(fours, lower, **two)
        assert not beats(lower, fours, **two)
    assert beats("2D 2C 2H 2S", fours, **two)
    assert beats("3D 3D 3C 3H 3S", "2D 2C 2H 2S", **two)
    assert beats("3D 3D 3C 3C 3H 3H 3S 3S", "2D 2D 2C 2C 2H 2H 2S", **two)
    assert not beats("3D 3D 3C 3H 3S", "3C 3C 3D 3H 3S", **two)
    assert kind("4D 4C 4H 4S 5D", bomb="any-size") is None
    assert cites("4D 4C 4H 4S 5D", bomb="any-size") == "H.37"
    assert cites("4D 4C 4H 4S 5D", bomb="quad") == "W.15"
    assert kind(fours, bomb="any-size") == "bomb"
    state = say(trick("TS JS QS KS AS 3C", f"{fours} 9D", "5D", "6D", bomb="any-size"), "TS JS QS KS AS")
    assert fours in texts(state)
    low = say(trick("5D 5C 5H 5S 3C", f"{fours} 9D", "6C", "6D", bomb="any-size"), "5D 5C 5H 5S")
    refused(low, fours, "H.37", IllegalPlay, "higher")


@pytest.mark.parametrize("decks", [1, 2])
def test_h_38_all_jokers_together(decks: int) -> None:
    rules = dasan.rules("winner", jokers=True, joker_bomb=True, decks=decks, bomb="any-size")
    jokers = "BJ RJ" if decks == 1 else "BJ BJ RJ RJ"
    made = rules.combination(jokers)
    assert made.kind == "joker-bomb"
    for lower in ("2D 2C 2H 2S", "TS JS QS KS AS", "RJ"):
        assert made.beats(rules.combination(lower))
        assert not rules.combination(lower).beats(made)
    if decks == 2:
        assert made.beats(rules.combination("2D 2D 2C 2C 2H 2H 2S 2S"))
        with pytest.raises(IllegalPlay) as caught:
            rules.combination("BJ RJ")
        assert caught.value.clause == "W.12"
    bombs = trick("4D 4C 4H 4S 9D", jokers, "TD", "JD", jokers=True, joker_bomb=True, decks=decks, bomb="any-size")
    refused(say(bombs, "9D", jokers, "pass", "pass"), "4D 4C 4H 4S", "H.38")
    assert kind("BJ RJ", jokers=True) is None
    with pytest.raises(ValueError, match=r"needs jokers=on \(H\.38\)"):
        dasan.rules("winner", joker_bomb=True)


def test_h_39_no_full_houses() -> None:
    house = "5D 5C 5H 9D 9C"
    assert kind(house) == "full-house"
    assert cites(house, full_houses=False) == "H.39"
    refused(trick(house, "TD", "JD", "QD", full_houses=False), house, "H.39")


def exchanging(seed: int, **options: Any) -> Session:
    """A session whose second hand begins with the exchange."""
    return play_hands(dasan.session(dasan.rules("winner", **options), seed=seed), 1, random.Random(seed)).next_hand()


@pytest.mark.parametrize("options", [{}, {"suits_ranked": False}, {"players": 6, "decks": 2, "jokers": True}])
def test_h_40_two_pairs_exchange(options: dict[str, Any]) -> None:
    session = exchanging(3, exchange="double", **options)
    order = session.results[0].finish_order
    winner, second, third, loser = order[0], order[1], order[-2], order[-1]
    value = session.rules.order.value
    for giver, receiver, number in ((loser, winner, 2), (third, second, 1), (winner, loser, 2), (second, third, 1)):
        state = session.state
        assert (state.phase, state.to_act) == ("exchange", giver)
        sizes = list(state.hand_sizes)
        moves = state.legal_moves()
        assert all(move.type == "give" and len(move.cards) == number for move in moves)
        if giver in (loser, third):
            highest = sorted(value[c] for c in state.hands[giver])[-number:]
            assert all(sorted(value[c] for c in move.cards) == highest for move in moves)
            lowest = " ".join(str(c) for c in state.hands[giver][:number])
            refused(
                state, f"give {lowest}", "H.40", IllegalPlay, "2 highest cards" if number > 1 else "your highest card, "
            )
        wrong = " ".join(str(c) for c in state.hands[giver][-(3 - number) :])
        refused(state, f"give {wrong}", "H.40", IllegalPlay, "asks for 2 cards" if number > 1 else "asks for 1 card")
        refused(state, "take 3D", "H.40")
        session = session.play(moves[-1])
        sizes[giver] -= number
        sizes[receiver] += number
        assert list(session.state.hand_sizes) == sizes
        assert set(moves[-1].cards) <= set(session.state.hands[receiver])
        for seat in (None, *range(session.rules.players)):
            assert (
                session.state.view(seat).events[-1 if session.state.phase == "exchange" else -2].cards == moves[-1].cards
            )
    assert (session.state.phase, session.state.to_act) == ("play", winner)
    ended = play_hands(session, 1, random.Random(1))
    assert dasan.replay(ended.record()) == ended


def test_h_40_no_exchange() -> None:
    session = exchanging(3, exchange="off")
    assert session.state.phase == "play"
    assert session.state.to_act == session.results[0].finish_order[0]
    refused(session.state, "give 2S", "H.40")
    with pytest.raises(ValueError, match=r"needs players=4 to 8 \(H\.40\)"):
        dasan.rules("winner", players=3, exchange="double")


def test_h_41_zheng_shangyou() -> None:
    rules = dasan.rules("zheng-shangyou")
    assert {"H.10", "H.35", "H.36", "H.37", "H.40", "H.41"} <= set(rules.clauses)
    assert rules.jokers
    assert rules.combination("3D 4D 5D 6D 7D").kind == "straight", "no straight flushes as a kind of their own"
    assert not rules.combination("TS JS QS KS AS").beats(rules.combination("9D 9C 9H"))
    gone = {"5D 5C 6D 6C": "H.36", "AD 2C 3H 4S 5D": "H.35", "AD AC 2D 2C 3D 3C": "H.35", "3D 3C 3H 3S 4D": "H.37"}
    for text, clause in gone.items():
        with pytest.raises(IllegalPlay) as caught:
            rules.combination(text)
        assert caught.value.clause == clause
    assert not rules.combination("9S").beats(rules.combination("9D"))
    session = play_hands(dasan.session(rules, seed=4), 3, random.Random(4))
    assert dasan.replay(session.record()) == session
    assert kind("3D 4D 5D 6D 7D", straight_flushes=False) == "straight"
    assert kind("3D 4D 5D 6D 7D") == "straight-flush"


def test_h_42_seventeen_cards_are_triple() -> None:
    options: dict[str, Any] = {"players": 3, "scoring": "cards", "jokers": False}
    deck = [str(c) for c in dasan.rules("winner", **options).pack]
    rest = [c for c in deck if c != "3D"]
    hands = ["3D", " ".join(rest[:17]), " ".join(rest[17:28])]
    for triple, cost in (("played-none", 34), ("seventeen", 51)):
        rules = dasan.rules("winner", **options, three_player_triple=triple)
        state = dasan.start(rules, hands, leader=0, dealer=1, has_played=(0, 1, 2))
        assert say(state, "3D").payments == (cost + 11, -cost, -11)
    none = dasan.start(
        dasan.rules("winner", **options, three_player_triple="seventeen"),
        ["3D", " ".join(rest[:12]), " ".join(rest[12:23])],
        leader=0,
        has_played=(0,),
    )
    assert say(none, "3D").payments == (24 + 11, -24, -11)
    wrongs: tuple[dict[str, Any], ...] = ({"players": 4, "scoring": "cards"}, {"players": 3})
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"H\.42"):
            dasan.rules("winner", three_player_triple="seventeen", **wrong)


def test_h_34_h_42_random_hands_end() -> None:
    rng = random.Random(5)
    every: tuple[dict[str, Any], ...] = (
        {"pass_is_final": True, "bomb": "any-size", "jokers": True, "joker_bomb": True},
        {"players": 6, "decks": 2, "jokers": True, "joker_bomb": True, "bomb": "any-size", "full_houses": False},
        {"twos_in_runs": False, "min_pair_run": 3, "min_triplet_run": 3, "straight_flushes": False},
    )
    for options in every:
        rules = dasan.rules("winner", **options)
        for seed in range(3):
            hand = play_out(dasan.deal(rules, seed=seed), rng, lively)
            assert hand.result is not None
            assert sorted(hand.result.finish_order) == list(range(rules.players))
