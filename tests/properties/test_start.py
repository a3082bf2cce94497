"""`start` with the contents of a state gives a state that continues and pays as that one does, for every preset and
drawn options.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from tests.playing import lively
from tests.vector.covering import drawn_options

import dasan
from dasan import Rules, State
from dasan.cards import parse_cards
from dasan.records.retrace import move_of
from dasan.ruleset.policies import Leftover

MOST = 10
"""The number of positions of a hand that are played to the end."""


def shown(state: State) -> dict[str, Any] | None:
    """The arguments of `start` that describe `state`; None if `start` cannot describe it."""
    rules = state.rules
    dealt = {"hands": state.begun.hands, "kitty": state.begun.kitty, "dealer": state.dealer}
    if state.phase == "auction":
        beginning = all(e.type == "open" for e in state.events)
        return {**dealt, "leader": _drawn(state)} if beginning else None
    if state.phase == "call":
        return {**dealt, "bidder": state.bidder, "bid": state.bid, "leader": state.opener}
    if state.phase != "play":
        return None
    if rules.auction is None and not state.played:
        return dealt
    out: dict[str, Any] = {
        "hands": state.hands,
        "dealer": state.dealer,
        "bidder": state.bidder,
        "bid": state.bid,
        "called": state.called,
        "partner": state.partner,
        "to_act": state.to_act,
        "finished": state.finished,
        "watching": state.watching if can_foul(state) else None,
        "foul": state.foul,
    }
    if state.table is not None:
        out |= {"table": state.table.cards, "table_seat": state.table_seat, "passed": state.passed}
    if rules.doubles:
        out |= {"bombs": state.bombs, "bidder_plays": state.bidder_plays}
    if state.finished:
        out["payments"] = state.payments
    if rules.leftover is Leftover.LOWEST:
        out["has_played"] = state.has_played
    return out


def can_foul(state: State) -> bool:
    """Whether the guard who has just disobeyed commits a foul if the guarded player goes out now (D2.17)."""
    guard, mover = state.watching, state.to_act
    near = guard is not None and (guard + 1) % state.rules.players == mover
    return near and mover is not None and len(state.hands[mover]) == 1 and not state.finished


def _drawn(state: State) -> int | None:
    auction = state.rules.auction
    return state.opener if auction is not None and auction.opener == "random" else None


def hand_of(rules: Rules, seed: int, source: random.Random) -> list[State]:
    """Every state of a random hand."""
    states = [dasan.deal(rules, seed=seed, dealer=seed % rules.players)]
    while states[-1].result is None:
        states.append(states[-1].play(lively(states[-1], source)))
    return states


def check_hand(rules: Rules, seed: int, source: random.Random) -> Counter[str]:
    """Restart a random hand from some of its positions, and continue as the hand did."""
    states, done = hand_of(rules, seed, source), Counter[str]()
    moves = [b.events[len(a.events)] for a, b in pairwise(states)]
    described = [(k, shown(state)) for k, state in enumerate(states)]
    known = [(k, given) for k, given in described if given is not None and states[k].to_act is not None]
    done["hands"] += 1
    for k, given in source.sample(known, min(MOST, len(known))):
        again = dasan.start(rules, **given)
        for state, event in zip(states[k:], moves[k:], strict=False):
            assert again.to_act == state.to_act
            assert again.legal_moves() == state.legal_moves()
            again = again.play(move_of(event))
        assert again.result == states[-1].result
        assert set(again.has_played) == set(states[-1].has_played)
        done["positions"] += 1
        done["doubled"] += states[-1].bombs > 0
        done["fouls"] += states[-1].foul is not None
        done["finished"] += bool(states[k].finished)
    return done


def check_preset(preset: str, settings: int, hands: int) -> Counter[str]:
    done = Counter[str]()
    for number, options in enumerate(drawn_options(preset, settings)):
        rules, source = dasan.rules(preset, **options), random.Random(f"{preset} {number}")
        for seed in range(hands):
            try:
                done += check_hand(rules, seed, source)
            except (AssertionError, ValueError) as error:
                raise AssertionError(f"{options}, hand {seed}: {error}") from error
    return done


def test_positions_of_random_hands_begin_again() -> None:
    assert check_preset("wa-keng", 1, 1)["positions"] == MOST


@pytest.mark.sampled(0, 8)
@pytest.mark.full
@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_positions_of_random_hands_begin_again_in_every_game(preset: str) -> None:
    done = check_preset(preset, 6, 3)
    assert done["positions"] > 150
    print(preset, dict(done))  # `pytest -s` shows the counts


def spring(hands: list[str], **given: Any) -> State:
    return dasan.start(dasan.rules("dou-dizhu"), hands, bidder=0, bid=1, **given)


def rest(*left: str) -> list[str]:
    """Hands of 17 for the peasants, without these cards."""
    cards = [c for c in map(str, dasan.rules("dou-dizhu").pack) if c not in " ".join(left).split()]
    return [" ".join(cards[:17]), " ".join(cards[17:34])]


def test_a_landlord_of_fewer_than_20_cards_has_played() -> None:
    """H.16: the landlord takes up the kitty, so 17 to 19 cards are not a hand that nobody has played from."""
    cards = list(map(str, parse_cards("3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D 3C 4C 5C 6C 7C 8C 9C")))
    for held, plays in ((20, 0), (19, 1), (18, 2), (17, 2), (16, 2)):
        mine = " ".join(cards[:held])
        state = spring([mine, *rest(" ".join(cards))])
        assert (state.has_played, state.bidder_plays) == ((0,) if plays else (), plays)
    four = dasan.start(dasan.rules("wa-keng-4", spring=True), [" ".join(cards[1:16]), "4S", "5S", "6S"], bidder=0, bid=1)
    assert four.has_played == (0, 1, 2, 3)
    once = spring([" ".join(cards[1:]), "2S", "4S"], table="3D", table_seat=0, to_act=1).play("2S").result
    twice = spring([" ".join(cards[2:]), "2S", "4S"], to_act=1).play("2S").result
    assert once is not None
    assert twice is not None
    assert (once.payments[0], twice.payments[0]) == (-4, -2)


def test_a_bomb_on_the_table_is_one_of_the_bombs() -> None:
    """H.15, DD.08: the payment counts a bomb that lies on the table."""
    given: dict[str, Any] = {"table": "4D 4C 4H 4S", "table_seat": 0, "to_act": 1}
    state = spring(["3D 5D", "6D 7D", "8D 9D"], **given)
    assert state.bombs == 1
    assert spring(["3D 5D", "6D 7D", "8D 9D"], bombs=2, **given).bombs == 2
    assert spring(["3D 5D", "6D 7D", "8D 9D"], table="3C", table_seat=0, to_act=1).bombs == 0
    with pytest.raises(ValueError, match="bombs must include the bomb on the table"):
        spring(["3D 5D", "6D 7D", "8D 9D"], bombs=0, **given)
    over = state.play("pass").play("pass").play("3D").play("pass").play("pass").play("5D")
    assert over.result is not None
    assert over.result.payments == (4, -2, -2)


def big_two(hands: list[str], **options: dasan.OptionValue) -> Any:
    """A function that begins hands of Big Two in which seat 0 has gone out first."""
    rules = dasan.rules("big-two", ending="last-in", scoring="cards", **options)
    return lambda **given: dasan.start(rules, ["", *hands], finished=[0], to_act=1, has_played=(0, 1, 2, 3), **given)


def test_h_29_h_32_payments_count_the_twos_that_were_held() -> None:
    begin = big_two(["2S 3D", "4D", "5D"], unplayed_twos="double")
    assert begin(payments=[6, -4, -1, -1]).payments == (6, -4, -1, -1)
    assert begin(payments=[7, -4, -2, -1]).payments == (7, -4, -2, -1)  # seat 2 has played a 4, or a 2
    with pytest.raises(ValueError, match="seat 1 cannot have paid 2"):
        begin(payments=[4, -2, -1, -1])


def test_h_28_h_32_the_guard_who_fouled_pays_for_all() -> None:
    begin = big_two(["2S 3D", "4D", "5D"], guard_pays=True)
    state = begin(payments=[4, 0, 0, -4], foul=3)
    assert state.payments == (4, 0, 0, -4)
    while state.result is None:
        state = state.play(state.legal_moves()[0])
    assert (state.result.foul, state.result.next_dealer, state.result.payments) == (3, 3, (4, 0, 0, -4))
    assert dasan.replay(state.record()) == state
    for wrong in ({"payments": [4, 0, 0, -4]}, {"payments": [3, 0, 0, -3], "foul": 3}):
        with pytest.raises(ValueError, match="cannot have paid"):
            begin(**wrong)
    with pytest.raises(ValueError, match="seat 2 did not guard seat 0"):
        begin(payments=[4, 0, 0, -4], foul=2)
    with pytest.raises(ValueError, match="foul need finished"):
        dasan.start(dasan.rules("big-two"), ["2S 3D", "4D", "5D", "6D"], foul=3)
    wins = dasan.rules("big-two", ending="last-in", scoring="wins", guard_pays=True)
    assert dasan.start(wins, ["", "2S 3D", "4D", "5D"], finished=[0], to_act=1, foul=3).payments == (3, 0, 0, -3)


def test_h_27_the_first_lead_of_two_contains_the_lowest_card_that_was_dealt() -> None:
    """Also if the leader is named; with three players the leftover card is taken up first."""
    two = dasan.rules("big-two", players=2)
    of_two = ["4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D 4C", "5C 6C 7C 8C 9C TC JC QC KC AC 2C 4H 5H"]
    state = dasan.start(two, of_two, leader=0)
    assert str(state.must_include) == "4D"
    three = dasan.rules("big-two", players=3)
    dealt = dasan.deal(three, seed=1)
    hands, kitty = (
        [[c for c in cards if c is not None] for cards in held] for held in (dealt.begun.hands, [dealt.begun.kitty])
    )
    again = dasan.start(three, hands, kitty=kitty[0], to_act=dealt.to_act)
    assert (again.hands, again.must_include, again.kitty) == (dealt.hands, dealt.must_include, ())
