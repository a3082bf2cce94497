"""Big Three for four: B4.01 to B4.07."""

from __future__ import annotations

import random
from itertools import product

import pytest
from tests.playing import fill, play_hands, play_out, refused, say, texts
from tests.rules.auctions import Bidding, compare

import dasan
from dasan import Ambiguous, IllegalPlay, Malformed, State
from dasan.play.events import EventType

RULES = dasan.rules("big-three-4p")
STRICT = dasan.rules("big-three-4p", passed_bidder_may_return=False)


def auction(opener: int = 0, rules: dasan.Rules = RULES) -> State:
    hands = ["", "", "", ""]
    hands[opener] = "4H"
    return dasan.start(rules, fill(rules, hands, 13))


def before_the_call(*hands: str, bidder: int = 0, leader: int = 0) -> State:
    """The auction is over; `bidder` has to call, and `leader` opened."""
    return dasan.start(RULES, fill(RULES, hands, 13), bidder=bidder, bid=2, leader=leader)


def trick(*hands: str, called: str, leader: int = 0, bid: int = 1, partner: int | None = None, **options: bool) -> State:
    rules = dasan.rules("big-three-4p", **options)
    return dasan.start(rules, hands, bidder=0, bid=bid, called=called, leader=leader, partner=partner)


@pytest.mark.parametrize("dealer", range(4))
def test_b4_01_thirteen_cards_each_and_no_kitty(dealer: int) -> None:
    state = dasan.deal(RULES, seed=3, dealer=dealer)
    assert RULES.players == 4
    assert state.hand_sizes == (13, 13, 13, 13)
    assert state.kitty == ()
    assert len({c for hand in state.hands for c in hand}) == 52
    assert state.dealer == dealer
    over = say(state, "bid 3")
    assert "kitty" not in [e.type for e in over.events]
    assert over.hand_sizes == (13, 13, 13, 13)


def test_b4_01_what_is_not_named_is_as_for_three() -> None:
    three = dasan.rules("big-three")
    assert RULES.shapes == three.shapes
    assert (RULES.ranks, RULES.direction, RULES.first_dealer, RULES.cut) == (
        three.ranks,
        three.direction,
        three.first_dealer,
        three.cut,
    )
    options = set(three.options) - {"reveal_kitty", "pack"} | {"pay_each_winner", "auction_ends_after"}
    assert set(RULES.options) == options
    with pytest.raises(ValueError, match="no option 'reveal_kitty'"):
        dasan.rules("big-three-4p", reveal_kitty=True)
    state = trick("4D 9D", "5D 5C", "6D", "8C", called="8C")
    refused(state, "pass", "B3.16", IllegalPlay, "leader must play")
    refused(state.play("9D"), "5D", "B3.15")


@pytest.mark.parametrize("opener", range(4))
def test_b4_02_the_holder_of_the_four_of_hearts_opens(opener: int) -> None:
    state = auction(opener)
    assert (state.to_act, state.opener) == (opener, opener)
    assert state.events[0].cards == (dasan.card("4H"),)
    refused(state, "pass", "B3.08")


def test_b4_02_it_takes_three_passes_in_a_row() -> None:
    state = say(auction(), "bid 1", "pass", "pass")
    assert (state.phase, state.to_act) == ("auction", 3)
    assert say(state, "pass").phase == "call"
    state = say(state, "bid 2", "pass", "pass")
    assert (state.phase, state.to_act, texts(state)) == ("auction", 2, ["bid 3", "pass"])
    over = say(state, "bid 3")
    assert (over.phase, over.bidder) == ("call", 2)


def test_b4_02_where_a_pass_is_final_the_last_one_in_is_the_bidder() -> None:
    state = say(auction(0, STRICT), "bid 1", "pass", "pass", "bid 2")
    assert (state.phase, state.to_act, state.passed) == ("auction", 0, (1, 2))
    over = say(state, "pass")
    assert (over.phase, over.bidder) == ("call", 3), "one pass after the bid, and the auction is over"
    state = say(auction(0, STRICT), "bid 1", "pass", "bid 2", "pass")
    assert (state.phase, state.to_act) == ("auction", 0)
    refused(say(state, "bid 3"), "bid 3", "B4.02")


@pytest.mark.parametrize("may_return", [True, False])
@pytest.mark.parametrize("opener", range(4))
def test_b4_02_every_auction(may_return: bool, opener: int) -> None:
    """All possible auctions. After a 3 there is 1 continuation. After a 2 with n players still to speak there are n +
    1: one of them bids 3, or none. After a 1 each of the three may bid 2 or 3, or none does; if a pass is final, n
    shrinks from 3 to 1.
    """
    rules = dasan.rules("big-three-4p", passed_bidder_may_return=may_return)
    ended = compare(auction(opener, rules), Bidding(may_return=may_return, opener_may_pass=False))
    assert ended == 1 + 4 + ((4 + 1) * 3 + 1 if may_return else (4 + 1) + (3 + 1) + (2 + 1) + 1)


def test_b4_03_the_bidder_calls_before_the_lead() -> None:
    state = say(auction(1), "bid 1", "bid 2", "pass", "pass", "pass")
    assert (state.phase, state.to_act, state.bidder) == ("call", 2, 2)
    callable_cards = {r + s for r, s in product("456789T", "DCHS")} - {str(c) for c in state.hands[2]}
    assert {t.removeprefix("call ") for t in texts(state)} == callable_cards
    for move in state.legal_moves():
        after = state.play(move)
        assert (after.phase, after.to_act, after.leader) == ("play", 1, 1)
        assert move.cards == (after.called,)
        assert after.called in after.hands[after.partner or 0]
        for seat in (0, 1, 2, 3, None):
            view = after.view(seat)
            assert view.called == after.called
            assert view.events[-1].to_json()["cards"] == [str(after.called)]


def test_b4_03_anything_else_is_refused() -> None:
    state = before_the_call("4D 8C TD JD 3D", "8D", "", "")
    for own in ("4D", "8C", "TD"):
        refused(state, f"call {own}", "B4.03", IllegalPlay, "you hold")
    for high in ("JS", "QS", "KS", "AS", "2S", "3S", "JD", "3D", "BJ"):
        refused(state, f"call {high}", "B4.03", IllegalPlay, "of rank 4 to 10")
    for other in ("pass", "4D", "8C 8D"):
        refused(state, other, "B3.16")
    refused(state, "bid 3", "B4.02")
    refused(state, "call 8", "B4.03", Ambiguous, "name the suit")
    for malformed in ("call", "call 8C 8D", "call XX", "call 1"):
        refused(state, malformed, "G.01", Malformed)
    assert say(state, "call 10S").called is dasan.card("TS")
    for move in state.legal_moves():
        assert move.cards[0].rank in "456789T"
        assert move.cards[0] not in state.hands[0]


def test_b4_03_nothing_is_called_in_the_game_for_three_or_twice() -> None:
    refused(dasan.deal(dasan.rules("big-three"), seed=1), "call 8C", "G.01")
    state = say(auction(), "bid 3")
    state = state.play(state.legal_moves()[0])
    refused(state, str(say(auction(), "bid 3").legal_moves()[1]), "B4.03")


def known(state: State) -> list[int | None]:
    """The partner as each seat, and then a spectator, knows it."""
    return [state.view(seat).partner for seat in (0, 1, 2, 3, None)]


@pytest.mark.parametrize("holder", [1, 2, 3])
def test_b4_04_only_the_holder_knows(holder: int) -> None:
    hands = ["4D", "", "", ""]
    hands[holder] = "8C"
    state = before_the_call(*hands)
    assert known(state) == [None] * 5
    state = say(state, "call 8C")
    assert state.partner == holder
    assert known(state) == [holder if s == holder else None for s in (0, 1, 2, 3, None)]
    assert known(say(state, "4D")) == known(state)
    for seat in (0, 1, 2, 3, None):
        if seat != holder:
            data = state.view(seat).to_json()
            assert data["partner"] is None
            assert "8C" not in data["hand"]


@pytest.mark.parametrize(
    ("play", "hand"),
    [("8C", "8C 9D"), ("8D 8C", "8D 8C 9D"), ("7D 8C 9D", "7D 8C 9D KD"), ("7D 7C 8D 8C 9D 9C", "7D 7C 8D 8C 9D 9C KD")],
)
def test_b4_04_shown_when_the_card_is_played_alone_or_with_others(play: str, hand: str) -> None:
    state = trick("4D 5D", "JD JC", hand, "QD QC", called="8C", leader=2)
    assert known(state) == [None, None, 2, None, None]
    state = say(state, play)
    assert known(state) == [2] * 5
    assert [e.to_json() for e in state.events[-1:]] == [
        {"seq": state.events[-1].seq, "seat": 2, "type": "partner", "cards": ["8C"]}
    ]


def test_b4_04_another_card_of_the_rank_shows_nothing() -> None:
    state = say(trick("4D 5D", "JD JC", "8D 8C 8S 9D", "QD QC", called="8C", leader=2), "8D 8S")
    assert known(state) == [None, None, 2, None, None]
    assert EventType.PARTNER not in [e.type for e in state.events]


def test_b4_04_never_played_it_is_shown_at_the_settlement() -> None:
    state = trick("4D", "5D 5C", "8C 9D", "QD QC", called="8C")
    over = say(state, "4D")
    assert over.phase == "over"
    assert known(over) == [2] * 5
    assert [(e.type, e.seat) for e in over.events] == [(EventType.PLAY, 0), (EventType.PARTNER, 2)]
    hidden = say(trick("4D", "5D", "8C", "QD", called="8C", show_hands_after=False), "4D")
    assert known(hidden) == [2] * 5, "even where the cards left are not shown"
    assert hidden.view(None).hands is None


def test_b4_04_shown_once_only() -> None:
    over = say(trick("4D 5D", "5C 6C", "8C", "QD QC", called="8C", leader=2), "8C")
    assert [e.type for e in over.events] == [EventType.PLAY, EventType.PARTNER]


def test_b4_04_on_whole_hands() -> None:
    """Until the event, only the holder's view names a partner; afterwards every view does."""
    for seed in range(8):
        rng, state = random.Random(seed), dasan.deal(RULES, seed=seed)
        while state.phase != "over":
            state = state.play(rng.choice(state.legal_moves()))
            shown = EventType.PARTNER in [e.type for e in state.events]
            for seat in (0, 1, 2, 3, None):
                knows = shown or (seat is not None and seat == state.partner)
                assert state.view(seat).partner == (state.partner if knows else None)
        assert EventType.PARTNER in [e.type for e in state.events]


def test_b4_05_three_passes_clear_the_trick() -> None:
    state = say(trick("4D 9D TD", "5D 2D", "6D 3D", "8C 7C", called="8C"), "4D", "5D", "pass", "pass")
    assert state.table is not None
    state = say(state, "pass")
    assert (state.table, state.leader, state.to_act) == (None, 1, 1)
    assert texts(state) == ["2D"]
    refused(state, "pass", "B3.16")
    state = say(trick("4D 9D 2C", "5D 2D", "6D 3D", "8C 7C", called="8C"), "4D", "pass", "pass", "8C", "pass", "pass")
    assert state.to_act == 2, "two passes, then a play, then two more: the trick goes on"
    assert texts(state) == ["3D", "pass"]


@pytest.mark.parametrize("opener", range(4))
def test_b4_05_the_opener_of_the_auction_leads(opener: int) -> None:
    for words in (["bid 3"], ["bid 1", "bid 3"], ["bid 1", "pass", "pass", "bid 3"]):
        state = say(auction(opener), *words)
        state = state.play(state.legal_moves()[0])
        assert (state.phase, state.to_act, state.leader) == ("play", opener, opener)


@pytest.mark.parametrize("bid", [1, 2, 3])
@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("first", range(4))
def test_b4_06_payments(bid: int, each: bool, first: int) -> None:
    """Bidder 0 and partner 2 against 1 and 3: ±bid, or with `pay_each_winner` ±2 × bid."""
    hands = ["4D 5D", "6D 7D", "8D 8C", "TD TC"]
    hands[first] = "8C" if first == 2 else "JD"
    result = say(trick(*hands, called="8C", leader=first, bid=bid, pay_each_winner=each), hands[first]).result
    assert result is not None
    side = (0, 2) if first in (0, 2) else (1, 3)
    amount = bid * (2 if each else 1)
    assert result.payments == tuple(amount if s in side else -amount for s in range(4))
    assert result.winners == side
    assert result.finish_order == (first,)
    assert result.next_dealer == first


def test_b4_06_the_partner_wins_with_the_bidder_though_nobody_knew() -> None:
    result = say(trick("4D 5D", "6D", "7D 8C", "9D", called="8C", leader=1), "6D").result
    assert result is not None
    assert result.winners == (1, 3)
    result = say(trick("4D", "6D", "7D 8C", "9D", called="8C", leader=0), "4D").result
    assert result is not None
    assert result.winners == (0, 2)


def test_b4_07_the_example() -> None:
    state = trick("4D 5D", "JD JC", "8D 8C 8S", "QD QC", called="8C", leader=2)
    assert texts(state) == ["8D", "8C", "8D 8S", "8D 8C", "8D 8C 8S"]
    for legal in ("8C 8S", "8D 8C", "8S", "8D 8S", "8S 8C 8D"):
        assert set(str(state.play(legal).table).split()) == set(legal.split())


def test_b4_07_the_other_players_list_each_choice_of_ranks_once() -> None:
    state = trick("4D 5D", "JD JC JH", "8D 8C 8S", "QD QC", called="8C", leader=1)
    assert texts(state) == ["JD", "JD JC", "JD JC JH"]


def test_b4_07_in_runs_and_where_every_card_of_the_rank_is_needed() -> None:
    state = trick("4D 5D", "JD", "7D 8D 8C 9D", "QD QC", called="8C", leader=2)
    runs = [t for t in texts(state) if len(t.split()) == 3]
    assert runs == ["7D 8D 9D", "7D 8C 9D"]
    state = trick("4D 5D", "JD", "7D 7C 8D 8C 9D 9C", "QD QC", called="8C", leader=2)
    assert [t for t in texts(state) if len(t.split()) == 6] == ["7D 7C 8D 8C 9D 9C"]


def test_b4_07_shorthand_says_which_only_where_it_matters() -> None:
    state = trick("4D 5D", "JD JC JH", "8D 8C 8S 9D", "QD QC", called="8C", leader=2)
    refused(state, "8", "B4.07", Ambiguous, "called card 8C")
    refused(state, "8 8", "B4.07", Ambiguous)
    assert str(state.play("8 8 8").table) == "8D 8C 8S"
    assert str(state.play("9").table) == "9D"
    assert str(state.play("8C 8 8").table) == "8D 8C 8S"
    other = trick("4D 5D", "JD JC JH", "8D 8C 8S 9D", "QD QC", called="8C", leader=1)
    assert str(other.play("J J").table) == "JD JC"


def test_b4_07_after_the_card_is_gone_suits_decide_nothing() -> None:
    state = trick("4D 5D", "JD", "8D 8C 8S 9D", "QD QC", called="8C", leader=2)
    state = say(state, "8C", "pass", "pass", "pass")
    assert texts(state) == ["8D", "9D", "8D 8S"]
    assert str(state.play("8").table) == "8D"


def test_whole_sessions_of_four() -> None:
    session = play_hands(dasan.session(RULES, seed=8), 3, random.Random(8))
    assert sum(session.balances) == 0
    assert play_out(dasan.deal(STRICT, seed=1), random.Random(1)).result is not None


def test_b4_04_g_02_the_plays_of_a_hidden_partner_are_not_counted_in_views() -> None:
    """With spring (H.16) the plays of the bidder's side matter; a count that grew with the partner's play would name it."""
    rules = dasan.rules("big-three-4p", spring=True)
    hands = ["4C 5C", "4D 8C", "6D 7D", "9C TC"]
    before = dasan.start(rules, hands, bidder=0, bid=2, called="8C", leader=1, has_played=(1, 2, 3), bidder_plays=1)
    state = before.play("4D")
    assert state.bidder_plays == 2
    for seat in (0, 2, 3, None):
        view = state.view(seat)
        assert (view.partner, view.bidder_plays) == (None, 0)
        assert getattr(view.begun, "bidder_plays", None) is None
        assert '"bidder_plays": 1' not in state.record(view=seat)
    assert state.view(1).bidder_plays == 2
    shown = state.play("pass").play("pass").play("pass").play("8C")
    assert {shown.view(seat).bidder_plays for seat in (0, 1, 2, 3, None)} == {shown.bidder_plays}
