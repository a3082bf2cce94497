"""Big Three for three: B3.01 to B3.23."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, permutations

import pytest
from tests.playing import fill, play_hands, refused, say, texts, types
from tests.rules.auctions import compare

import dasan
from dasan import Ambiguous, IllegalPlay, Malformed, State
from dasan.play import fairness
from dasan.play.dealing import Deal, draw_value, drawn_dealer
from dasan.play.events import Event, EventType

THREE = ("big-three", "big-three-denexa", "big-three-fr")
three = pytest.mark.parametrize("preset", THREE)
RULES = dasan.rules("big-three")
DENEXA = dasan.rules("big-three-denexa")

RANKS = "456789TJQKA23"
RUN = "456789TJQK"


def kind(text: str) -> str:
    return RULES.combination(text).kind


def beats(mine: str, theirs: str) -> bool:
    return RULES.combination(mine).beats(RULES.combination(theirs))


def auction(opener: int = 0, rules: dasan.Rules = RULES, kitty: str = "") -> State:
    """A dealt hand in which `opener` holds the 4 of hearts."""
    hands = ["", "", ""]
    hands[opener] = "4H"
    return dasan.start(rules, fill(rules, hands, 16, leave=kitty), kitty=kitty or None)


def trick(*hands: str, leader: int = 0, bidder: int = 0, bid: int = 1, **options: bool) -> State:
    """In the middle of a hand: these cards are left, and `leader` leads."""
    return dasan.start(dasan.rules("big-three", **options), hands, bidder=bidder, bid=bid, leader=leader)


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
    """Who deals by these draws (seat, card), if they can go like that and the last one named deals."""
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
    """The highest number deals; who ties for it draws again, from the cards that are left."""
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
    for said, higher in ((1, ["bid 2", "bid 3", "pass"]), (2, ["bid 3", "pass"])):
        after = say(state, f"bid {said}")
        assert after.to_act == 1
        assert texts(after) == higher
        for lower in range(1, said + 1):
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
    """All auctions that can be, against the clauses said over again.

    After a bid of 3 there is 1 way to go on; after a 2 there are 3 (3; pass, 3; pass, pass); after a 1 there are 9.
    Where who passed is out, 1, pass, 2, pass ends at once, which takes one way away.
    """
    rules = dasan.rules("big-three", passed_bidder_may_return=may_return)
    ended = compare(auction(opener, rules), may_return=may_return, opener_may_pass=False)
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
    if len(text.split()) > RULES.most_cards:
        return
    assert caught.value.clause == "B3.14"
    assert "4-5-6-7-8-9-T-J-Q-K" in caught.value.message


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
    assert state.events[-1].to_json() == {"seq": 6, "seat": 1, "type": "trick"} | {"seq": state.events[-1].seq}
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


def example() -> State:
    """B3.23 from the deal: A, B and C are seats 0, 1 and 2; A opens and bids 3."""
    hands = ["4H 5D 5C KD KC JD QD AD", "2D 2C 5H 6H 7H", "9D 9C JS QS KS 4S"]
    return say(dasan.start(RULES, fill(RULES, hands, 16)), "bid 3")


EXAMPLE = [
    (0, "5D 5C"),
    (1, "pass"),
    (2, "9D 9C"),
    (0, "KD KC"),
    (1, "2D 2C"),
    (2, "pass"),
    (0, "pass"),
    (1, "5H 6H 7H"),
    (2, "JS QS KS"),
    (0, "pass"),
    (1, "pass"),
    (2, "4S"),
]


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
    """Suits decide nothing, so ranks are enough; a rank that is not there is said to be missing (G.05)."""
    state = trick("4D 9D 9C 9H TD JD", "5D 2D", "6D 3D")
    assert str(state.play("9 9").table) == "9D 9C"
    assert str(state.play("9 t J").table) == "9D TD JD"
    assert str(state.play("9H 9").table) == "9D 9H"
    refused(state, "9 9 9 9", "G.05", IllegalPlay, "do not hold 4 cards of rank 9")
    refused(state, "5", "G.05")
    assert not issubclass(Ambiguous, Malformed)
