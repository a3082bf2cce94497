"""The thrifty bot, rule by rule. The tests of playouts compare it with its compiled counterpart."""

from __future__ import annotations

import pytest
from tests.playing import say

import dasan
from dasan import State
from dasan.arena import duplicate

LOW = [rank + suit for rank in "456789" for suit in "DCH"]


def choice(state: State) -> str:
    assert state.to_act is not None
    return str(dasan.bot("thrifty").choose(state.view(state.to_act)))


def big_three(*hands: str, **start: object) -> State:
    return dasan.start(dasan.rules("big-three"), hands, **{"bidder": 0, "leader": 0, **start})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("why", "hand", "wanted"),
    [
        ("goes out", "2S 2H", "2H 2S"),
        ("leads many low cards", "4D 5D 6D 7D 9S 9C KS", "4D 5D 6D 7D"),
        ("leads the lowest pair rather than split it", "5D 5C 9S 9C 9D KS", "5D 5C"),
        ("rather a short run than a broken pair", "5D 6C 7C 8C 8D AS", "5D 6C 7C"),
    ],
)
def test_leads(why: str, hand: str, wanted: str) -> None:
    assert choice(big_three(hand, "4C 4H 5S 5H 6H TD TC", "TS TH JS JH QS QH QD JC")) == wanted


def test_it_does_not_lead_what_an_opponent_could_go_out_on() -> None:
    """An opponent has one card: a pair is safe; with singles alone, the highest."""
    assert choice(big_three("4D 7S 7C KS", "QH", "TS TH JS JH QS")) == "7C 7S"
    assert choice(big_three("4D 7S KS", "QH", "TS TH JS JH QS")) == "KS"


def test_it_follows_with_the_lowest_that_breaks_nothing() -> None:
    leads = big_three("6D TD TC", "7S 7C 8D KS 3H", "TS TH JS JH QS")
    assert choice(say(leads, "6D")) == "8D"
    straight = big_three("4D TD TC", "5C 6C 7C 9S", "TS TH JS JH QS")
    assert choice(say(straight, "4D")) == "9S"


def test_it_leaves_the_trick_to_an_ally_and_goes_out_all_the_same() -> None:
    """Seats 1 and 2 play against the bidder."""
    ally = big_three("4D 4H 9D JD JC KS", "7S KC 5D 5H 5C 6H", "9S TD TC 6S 6D", leader=1, to_act=1)
    assert choice(say(ally, "7S")) == "pass"
    last = big_three("4D 4H 9D JD JC KS", "7S KC 5D 5H 5C 6H", "9S", leader=1, to_act=1)
    assert choice(say(last, "7S")) == "9S"


def test_it_plays_high_when_an_opponent_is_on_the_last_card() -> None:
    leads = big_three("6D KS", "7S 7C 8D KC 3H", "TS TH JS JH QS")
    assert choice(say(leads, "6D")) == "3H"


def test_it_is_never_a_guard_who_fouls() -> None:
    """D2.17: the highest card against a neighbour on the last one, led or followed."""
    rules = dasan.rules("big-two")
    state = dasan.start(rules, ["5D 9C 9H 2D", "KH", "8S 7S 6D", "3D 4H 3S 4D"], to_act=3)
    assert choice(say(state, "4D")) == "2D"
    assert choice(dasan.start(rules, ["5D 9C KD", "KH", "8S 7S 6D", "3D 4H 3S 4D"], to_act=0)) == "KD"


def test_it_bids_what_the_top_cards_are_worth() -> None:
    """Three points for a 3, two for a 2, one for an ace; 6, 9 and 12 for the bids."""
    rules = dasan.rules("big-three")
    for tops, wanted in (("3S 3C 3D 2S AS", "bid 3"), ("3S 3C 3D", "bid 2"), ("3S 2S AS", "bid 1"), ("KS", "bid 1")):
        mine = ["4H", *tops.split(), *(c for c in LOW if c != "4H")][:16]
        left = [str(c) for c in rules.pack if str(c) not in mine]
        assert choice(dasan.start(rules, [" ".join(h) for h in (mine, left[:16], left[16:32])])) == wanted


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_it_beats_random_players(preset: str) -> None:
    rules = dasan.rules(preset)
    match = duplicate(rules, ["thrifty"] + ["random"] * (rules.players - 1), deals=8, seed=1)
    assert match.standings["thrifty"].wins.mean > 1.4 * match.standings["random"].wins.mean
