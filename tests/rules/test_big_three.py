"""Big Three for three: B3.01 to B3.12, from the deal to the first lead."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from tests.playing import fill, refused, say, texts
from tests.rules.auctions import Bidding, compare
from tests.rules.big_three import DENEXA, RANKS, RULES, auction, three, trick

import dasan
from dasan import IllegalPlay, Malformed, State
from dasan.play import fairness
from dasan.play.dealing import Deal, draw_value, drawn_dealer
from dasan.play.events import Event, EventType


@three
def test_b3_01_three_players_two_of_them_allied_against_the_bidder(preset: str) -> None:
    assert dasan.rules(preset).players == 3
    state = dasan.start(dasan.rules(preset), ["4D 4C", "5D", "6D 6C"], bidder=0, leader=1)
    over = say(state, "5D")
    assert over.result is not None
    assert over.result.winners == (1, 2)
    for hands in (["4D"], ["4D", "4C"], ["4D", "4C", "4H", "4S"]):
        with pytest.raises(ValueError, match="takes 3 hands"):
            dasan.start(dasan.rules(preset), hands, bidder=0)


@three
def test_b3_02_order_of_the_cards(preset: str) -> None:
    rules = dasan.rules(preset)
    assert len(rules.pack) == len(set(rules.pack)) == 52
    for low, high in combinations(RANKS, 2):
        for a, b in (("D", "S"), ("S", "D")):
            assert rules.combination(high + b).beats(rules.combination(low + a))
            assert not rules.combination(low + a).beats(rules.combination(high + b))
    for rank in RANKS:
        for a, b in permutations("DCHS", 2):
            assert not rules.combination(rank + a).beats(rules.combination(rank + b))


def test_b3_02_no_jokers_and_no_card_twice() -> None:
    state = trick("4D 5D", "6D", "7D")
    for joker in ("BJ", "RJ", "4D RJ"):
        refused(state, joker, "B3.02", Malformed, "no jokers")
    refused(state, "4D 4D", "G.05", Malformed)
    refused(state, "6D", "G.05", IllegalPlay, "do not hold 6D")
    refused(state, "1D", "G.01", Malformed)


@pytest.mark.parametrize(
    ("preset", "direction"),
    [
        ("big-three", "counterclockwise"),
        ("big-three-denexa", "clockwise"),
        ("big-three-fr", "counterclockwise"),
    ],
)
def test_b3_03_direction(preset: str, direction: str) -> None:
    assert dasan.rules(preset).direction == direction
    for choice in ("clockwise", "counterclockwise"):
        assert dasan.rules(preset, direction=choice).direction == choice
    with pytest.raises(ValueError, match="direction is one of"):
        dasan.rules(preset, direction="widdershins")


def test_b3_03_seats_count_in_order_of_play_whatever_the_direction() -> None:
    for direction in ("clockwise", "counterclockwise"):
        state = auction(2, dasan.rules("big-three", direction=direction))
        assert say(state, "bid 1").to_act == 0
        assert say(state, "bid 1", "pass").to_act == 1


def test_b3_04_what_a_drawn_card_counts() -> None:
    numbers = {"A": 1, "2": 2, "3": 3, "9": 9, "T": 10, "J": 0, "Q": 0, "K": 0}
    for rank, number in numbers.items():
        for suit in "DCHS":
            assert draw_value(RULES, dasan.card(rank + suit)) == number


def drawn(*draws: tuple[int, str]) -> int | None:
    """The dealer by these draws (seat, card), whose last seat is to deal; None if they cannot happen so."""
    seats = [*draws, (draws[-1][0], "")]
    events = [
        Event(i, seat, EventType.DRAW if c else EventType.DEALER, (dasan.card(c),) if c else ())
        for i, (seat, c) in enumerate(seats)
    ]
    return drawn_dealer(RULES, events)


def test_b3_04_the_example_of_a_tie() -> None:
    first = ((0, "9C"), (1, "KS"), (2, "9D"))
    assert drawn(*first, (2, "QD"), (0, "AH")) is None, "the tied players draw again in order"
    events = [Event(i, s, EventType.DRAW, (dasan.card(c),)) for i, (s, c) in enumerate(first)]
    again = [Event(3, 0, EventType.DRAW, (dasan.card("AH"),)), Event(4, 2, EventType.DRAW, (dasan.card("QD"),))]
    for dealer, right in ((0, 0), (2, None), (1, None)):
        assert drawn_dealer(RULES, [*events, *again, Event(5, dealer, EventType.DEALER)]) == right
    assert drawn_dealer(RULES, [*events, Event(3, 0, EventType.DEALER)]) is None, "the tie is not settled"


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_b3_04_draws_of_many_sessions(preset: str) -> None:
    """The highest card deals; those who tie for it draw again from the remaining cards."""
    tied, dealers = 0, set()
    for seed in range(300):
        session = dasan.session(dasan.rules(preset), seed=seed)
        events = list(session.opening)
        dealer = events.pop()
        assert (dealer.type, dealer.cards) == (EventType.DEALER, ())
        assert [e.seq for e in session.opening] == list(range(len(events) + 1))
        cards = [c for e in events for c in e.cards]
        assert len(set(cards)) == len(cards) == len(events)
        drawing = list(range(session.rules.players))
        while len(drawing) > 1:
            turn, events = events[: len(drawing)], events[len(drawing) :]
            assert [e.seat for e in turn] == drawing
            numbers = ["JQKA23456789T".index(str(e.cards[0])[0]) for e in turn]
            numbers = [max(0, n - 2) for n in numbers]
            drawing = [s for s, n in zip(drawing, numbers, strict=True) if n == max(numbers)]
            tied += len(drawing) > 1
        assert not events
        assert drawing == [dealer.seat] == [session.dealer]
        dealers.add(session.dealer)
    assert tied > 20
    assert dealers == set(range(session.rules.players))


@pytest.mark.parametrize("preset", ["big-three-denexa", "big-three-fr"])
def test_b3_04_first_dealer_at_random(preset: str) -> None:
    dealers = []
    for seed in range(60):
        session = dasan.session(dasan.rules(preset), seed=seed)
        assert [e.type for e in session.opening] == [EventType.DEALER]
        dealers.append(session.dealer)
    assert min(dealers.count(s) for s in range(3)) > 8


def deck_of(state: State, seed: int) -> list[dasan.Card]:
    """The shuffled pack of `dasan.deal(rules, seed=seed)`, before the cut."""
    secret = fairness.local_seed(seed, "secret", 1)
    stream = fairness.Stream(fairness.deal_seed(secret, (), state.rules.digest, 1))
    return list(fairness.shuffle(stream, state.rules.pack))


@pytest.mark.parametrize(("direction", "step"), [("counterclockwise", -1), ("clockwise", 1)])
def test_b3_05_the_player_on_the_dealers_left_cuts(direction: str, step: int) -> None:
    """Play to the right: the left neighbour plays before the dealer. Play to the left: after."""
    rules = dasan.rules("big-three", direction=direction)
    cuts = set()
    for dealer in range(3):
        for seed in range(40):
            state = dasan.deal(rules, seed=seed, dealer=dealer)
            begun = state.begun
            assert isinstance(begun, Deal)
            assert begun.cutter == (dealer + step) % 3
            assert begun.cut is not None
            assert 1 <= begun.cut <= 51
            cuts.add(begun.cut)
            deck = deck_of(state, seed)
            first = deck[begun.cut]
            assert first in begun.hands[dealer]
            assert f'"cut":{begun.cut},"cutter":{begun.cutter}' in state.record()
    assert len(cuts) > 20


@pytest.mark.parametrize("preset", ["big-three-denexa", "big-three-fr"])
def test_b3_05_no_cut(preset: str) -> None:
    state = dasan.deal(dasan.rules(preset), seed=1)
    assert isinstance(state.begun, Deal)
    assert (state.begun.cut, state.begun.cutter) == (None, None)
    assert '"cut' not in state.record().splitlines()[1]
    assert deck_of(state, 1)[0] in state.hands[0]


@three
@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_b3_06_the_deal(preset: str, dealer: int) -> None:
    state = dasan.deal(dasan.rules(preset), seed=11, dealer=dealer)
    begun = state.begun
    assert isinstance(begun, Deal)
    deck = deck_of(state, 11)
    deck = deck[begun.cut or 0 :] + deck[: begun.cut or 0]
    for i in range(3):
        assert set(state.hands[(dealer + i) % 3]) == set(deck[i:48:3])
    assert set(state.kitty) == set(deck[48:])
    assert state.hand_sizes == (16, 16, 16)
    assert state.dealer == dealer


def test_b3_06_a_player_sees_only_their_own_cards() -> None:
    state = dasan.deal(RULES, seed=11)
    for seat in range(3):
        view = state.view(seat)
        assert view.hand == state.hands[seat]
        assert view.kitty is None
        assert view.hands is None
        hidden = [c for s, h in enumerate(view.begun.hands) if s != seat for c in h]
        assert hidden == [None] * 32
        assert view.begun.kitty == (None,) * 4
    assert not state.view(None).hand


@pytest.mark.parametrize("holder", [0, 1, 2])
def test_b3_07_the_holder_of_the_four_of_hearts_opens(holder: int) -> None:
    state = auction(holder)
    assert (state.phase, state.to_act, state.opener) == ("auction", holder, holder)
    for seat in (0, 1, 2, None):
        (event,) = state.view(seat).events
        assert (event.type, event.seat, event.cards) == (EventType.OPEN, holder, (dasan.card("4H"),))


@pytest.mark.parametrize(
    ("kitty", "lowest"),
    [("4H 4D 5C 6S", "5H"), ("4H 5H 6H 7H", "8H"), ("4H 6H 3H 2H", "5H"), ("AH 2H 3H KH", "4H"), ("4H 5H 7H 8H", "6H")],
)
def test_b3_07_else_the_holder_of_the_lowest_heart_in_a_hand(kitty: str, lowest: str) -> None:
    for holder in range(3):
        hands = ["", "", ""]
        hands[holder] = lowest
        state = dasan.start(RULES, fill(RULES, hands, 16, leave=kitty), kitty=kitty)
        assert state.to_act == holder
        assert state.events[0].cards == (dasan.card(lowest),)
        assert state.view(None).to_json()["events"][0] == {"seq": 1, "seat": holder, "type": "open", "cards": [lowest]}


@three
def test_b3_08_the_opener_bids_one_two_or_three(preset: str) -> None:
    state = auction(1, dasan.rules(preset))
    assert texts(state) == ["bid 1", "bid 2", "bid 3"]
    refused(state, "pass", "B3.08", IllegalPlay, "at least 1")
    for wrong in ("bid 0", "bid 4", "bid 99"):
        refused(state, wrong, "B3.08", IllegalPlay, "from 1 to 3")
    for wrong in ("bid", "bid x", "bid -1", "bid 1.5", "bid 100", "bid ²"):
        refused(state, wrong, "G.01", Malformed)
    for bid in (1, 2, 3):
        assert state.play(f"bid {bid}").bid == bid


def test_b3_09_pass_or_bid_higher() -> None:
    state = auction()
    for texts_of_moves, higher in ((1, ["bid 2", "bid 3", "pass"]), (2, ["bid 3", "pass"])):
        after = say(state, f"bid {texts_of_moves}")
        assert after.to_act == 1
        assert texts(after) == higher
        for lower in range(1, texts_of_moves + 1):
            refused(after, f"bid {lower}", "B3.09", IllegalPlay, "not higher")
    assert say(state, "bid 1", "bid 3").bid == 3


def test_b3_09_nothing_but_bids_and_passes_in_the_auction() -> None:
    state = auction()
    refused(state, "4H", "B3.16", IllegalPlay, "auction")
    refused(state, "call 8C", "G.01")
    refused(state, "give 4H", "G.01")


def test_b3_10_a_bid_of_three_ends_the_auction() -> None:
    for words in (["bid 3"], ["bid 1", "bid 3"], ["bid 1", "bid 2", "bid 3"], ["bid 2", "pass", "bid 3"]):
        over = say(auction(), *words)
        assert (over.phase, over.bid, over.bidder) == ("play", 3, len(words) - 1)
        refused(over, "bid 3", "B3.10")


@pytest.mark.parametrize("preset", ["big-three", "big-three-fr"])
def test_b3_10_a_passed_bidder_may_return(preset: str) -> None:
    state = auction(0, dasan.rules(preset))
    over = say(state, "bid 1", "pass", "bid 2", "pass", "bid 3")
    assert (over.phase, over.bidder, over.bid) == ("play", 1, 3)
    for words, bidder in ((["bid 1", "pass", "pass"], 0), (["bid 1", "pass", "bid 2", "pass", "pass"], 2)):
        almost = say(state, *words[:-1])
        assert almost.phase == "auction"
        over = say(almost, words[-1])
        assert (over.phase, over.bidder) == ("play", bidder)


def test_b3_10_a_passed_bidder_is_out() -> None:
    state = auction(0, DENEXA)
    over = say(state, "bid 1", "pass", "bid 2", "pass")
    assert (over.phase, over.bidder, over.bid) == ("play", 2, 2)
    still = say(state, "bid 1", "pass", "bid 2")
    assert (still.to_act, still.passed) == (0, (1,)), "the passed player is not asked again"
    over = say(state, "bid 1", "bid 2", "pass", "pass")
    assert (over.phase, over.bidder) == ("play", 1)


@pytest.mark.parametrize("may_return", [True, False])
@pytest.mark.parametrize("opener", [0, 1, 2])
def test_b3_08_b3_09_b3_10_every_auction(may_return: bool, opener: int) -> None:
    """All possible auctions, against a second implementation of the clauses. After a bid of 3 there is 1 continuation;
    after a 2 there are 3 (3; pass, 3; pass, pass); after a 1 there are 9. If a player who passed is out, 1, pass, 2,
    pass ends the auction, which leaves one fewer.
    """
    rules = dasan.rules("big-three", passed_bidder_may_return=may_return)
    ended = compare(auction(opener, rules), Bidding(may_return=may_return, opener_may_pass=False))
    assert ended == (9 + 3 + 1 if may_return else 9 + 3)


def test_b3_11_the_bidder_takes_the_kitty() -> None:
    state = auction(1, kitty="5D 6D 7D 8D")
    over = say(state, "bid 1", "bid 2", "pass", "pass")
    assert over.bidder == 2
    assert over.hand_sizes == (16, 16, 20)
    assert set(over.hands[2]) == set(state.hands[2]) | set(state.kitty)
    assert over.kitty == ()
    assert over.hands[2] == RULES.order.hand(over.hands[2])
    (event,) = [e for e in over.events if e.type is EventType.KITTY]
    assert (event.seat, event.cards) == (2, state.kitty)


@pytest.mark.parametrize("reveal", [False, True])
def test_b3_11_who_sees_the_kitty(reveal: bool) -> None:
    rules = dasan.rules("big-three", reveal_kitty=reveal)
    over = say(auction(1, rules, kitty="5D 6D 7D 8D"), "bid 3")
    for seat in (0, 1, 2, None):
        (event,) = [e for e in over.view(seat).events if e.type is EventType.KITTY]
        seen = reveal or seat == 1
        assert event.to_json()["cards"] == (["5D", "6D", "7D", "8D"] if seen else ["?"] * 4)


@three
def test_b3_12_the_opener_leads_whoever_bids(preset: str) -> None:
    state = auction(1, dasan.rules(preset))
    for words, bidder in ((["bid 3"], 1), (["bid 1", "bid 3"], 2), (["bid 1", "pass", "bid 3"], 0)):
        over = say(state, *words)
        assert (over.bidder, over.to_act, over.leader) == (bidder, 1, 1)
        assert over.table is None
        assert "pass" not in texts(over)
