"""House rules: H.01 and H.02 of Big Three, H.03 to H.09 of Big Two, H.10 of Winner."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest
from tests.playing import fill, play_hands, refused, say, texts
from tests.rules.auctions import Bidding, compare, standing, walk
from tests.rules.big_two import ascending, kind

import dasan
from dasan import Ambiguous, IllegalPlay, State
from dasan.cards import parse_cards
from dasan.play.dealing import drawn_dealer
from dasan.play.events import Event, EventType
from dasan.ruleset.shapes import recognise

RANKS = "3456789TJQKA2"


def dealt(opener: int, *hands: str, preset: str = "big-three", kitty: str = "", **options: bool) -> State:
    """A complete deal with these cards in the hands and in the kitty, ranks 2 and 3 only where they are named."""
    rules = dasan.rules(preset, **options)
    given = [h.split() for h in hands]
    given[opener].append("4H")
    low = fill(rules, [" ".join(h) for h in given], 0, leave=kitty)
    taken = {c for h in low for c in h.split()} | set(kitty.split())
    spare = [str(c) for c in rules.order.hand(rules.pack) if str(c) not in taken]
    size = rules.hand_size or 0
    out = []
    for hand in given:
        need = size - len(hand)
        out.append(" ".join([*hand, *spare[:need]]))
        spare = spare[need:]
    rest = " ".join([*kitty.split(), *spare]) if rules.kitty_size else None
    return dasan.start(rules, out, kitty=rest)


MUST = ["3D 3C 3H", "3D 3C 3H 3S", "3D 3S 2D 2S", "3D 3S 2D 2C 2H", "3C 3H 2D 2C 2H 2S", "3D 3C 3H 2D"]
NEED_NOT = ["3D 3C 2D", "3D 2D 2C 2H 2S", "3D 3C", "2D 2C 2H 2S", "3D"]
ALL = "3D 3C 3H 3S 2D 2C 2H 2S"


def others(held: str, *, kitty: int = 0) -> tuple[list[str], str]:
    """The remaining 2s and 3s, dealt to the next two seats or the kitty so that nobody else has to dig."""
    left = [c for c in ALL.split() if c not in held.split()]
    return [" ".join(left[kitty::2]), " ".join(left[kitty + 1 :: 2])], " ".join(left[:kitty])


@pytest.mark.parametrize("held", MUST)
def test_h_01_must_bid_three(held: str) -> None:
    state = dealt(0, held, *others(held)[0], must_dig=True)
    assert texts(state) == ["bid 3"]
    for lower in ("bid 1", "bid 2", "pass"):
        refused(state, lower, "H.01", IllegalPlay, "must bid 3")
    assert say(state, "bid 3").phase == "play"
    free = dealt(0, held, *others(held)[0])
    assert texts(free) == ["bid 1", "bid 2", "bid 3"]


@pytest.mark.parametrize("held", NEED_NOT)
def test_h_01_need_not_dig(held: str) -> None:
    left, kitty = others(held, kitty=4)
    state = dealt(0, held, *left, kitty=kitty, must_dig=True)
    assert texts(state) == ["bid 1", "bid 2", "bid 3"]


@pytest.mark.parametrize("said", ["bid 1", "bid 2"])
def test_h_01_at_the_players_own_turn(said: str) -> None:
    state = dealt(2, "3D 3C 3H", "2D 2C", "3S 2H", must_dig=True)
    after = say(state, said)
    assert (after.to_act, texts(after)) == (0, ["bid 3"])
    refused(after, "pass", "H.01")
    over = say(state, "bid 3")
    assert (over.phase, over.bidder) == ("play", 2), "somebody else has bid 3: no duty is left"


def test_h_01_the_kitty_does_not_count() -> None:
    state = dealt(0, "3D 3C 2D", "2C", "2H", kitty="3H 3S 2S", must_dig=True)
    assert texts(state) == ["bid 1", "bid 2", "bid 3"]
    assert say(state, "bid 2", "pass", "pass").phase == "play"


def test_h_01_for_four() -> None:
    state = dealt(1, "3D 3S 2D 2S", "3C", "3H 2C", "2H", preset="big-three-4p", must_dig=True)
    after = say(state, "bid 1", "pass", "pass")
    assert (after.to_act, texts(after)) == (0, ["bid 3"])
    both = dealt(1, "3D 3S 2D 2S", "3C 3H 2C 2H", "", "", preset="big-three-4p", must_dig=True)
    assert texts(both) == ["bid 3"]


@pytest.mark.parametrize("may_return", [True, False])
@pytest.mark.parametrize("opener", [0, 1, 2])
def test_h_02_every_auction_of_three(may_return: bool, opener: int) -> None:
    rules = dasan.rules("big-three", passed_bidder_may_return=may_return, opener_may_pass=True)
    hands = ["", "", ""]
    hands[opener] = "4H"
    ended = compare(dasan.start(rules, fill(rules, hands, 16)), Bidding(may_return=may_return, opener_may_pass=True))
    assert ended == (40 if may_return else 23)


@pytest.mark.parametrize("may_return", [True, False])
def test_h_02_every_auction_of_four(may_return: bool) -> None:
    rules = dasan.rules("big-three-4p", passed_bidder_may_return=may_return, opener_may_pass=True)
    state = dasan.start(rules, fill(rules, ["", "", "4H", ""], 13))
    ended = {words for after, words in walk(state) if after.phase != "auction"}
    assert compare(state, Bidding(may_return=may_return, opener_may_pass=True)) == len(ended)
    assert all(standing(s, 4, Bidding(may_return=may_return, opener_may_pass=True)).bidder is not None for s in ended)
    assert ("pass",) * 4 in ended


def opened(opener: int = 0, **options: bool) -> State:
    rules = dasan.rules("big-three", opener_may_pass=True, **options)
    hands = ["", "", ""]
    hands[opener] = "4H"
    return dasan.start(rules, fill(rules, hands, 16))


def test_h_02_all_pass_and_the_opener_digs_at_one() -> None:
    state = opened(1)
    assert texts(state) == ["bid 1", "bid 2", "bid 3", "pass"]
    state = say(state, "pass", "pass")
    assert (state.phase, state.to_act, state.bid) == ("auction", 0, None), "passes do not end it before a bid"
    over = say(state, "pass")
    assert (over.phase, over.bidder, over.bid, over.to_act) == ("play", 1, 1, 1)
    assert over.hand_sizes == (16, 20, 16)
    off = dasan.start(dasan.rules("big-three"), [str(h) for h in opened().hands])
    refused(off, "pass", "B3.08")


def test_h_02_the_examples() -> None:
    may = say(opened(), "pass", "pass", "bid 1")
    assert (may.phase, may.to_act, texts(may)) == ("auction", 0, ["bid 2", "bid 3", "pass"])
    assert say(may, "bid 2").bidder == 0
    may_not = say(opened(passed_bidder_may_return=False), "pass", "pass", "bid 1")
    assert (may_not.phase, may_not.bidder, may_not.bid) == ("play", 2, 1)
    one_left = say(opened(passed_bidder_may_return=False), "pass", "pass")
    assert (one_left.phase, one_left.to_act) == ("auction", 2), "the last player has a turn too"
    assert say(one_left, "pass").bidder == 0


def test_h_01_the_highest_bid_of_four_is_4() -> None:
    """H.01, H.21: where bids go to 4, that is what a hand that must dig bids."""
    state = dealt(0, "3D 3C 3H", "3S", "2D", "2C", preset="wa-keng-4", must_dig=True)
    while state.to_act != 0:
        state = state.play("pass")
    assert texts(state) == ["bid 4"]
    refused(state, "bid 3", "H.01", IllegalPlay, "must bid 4")
    refused(state, "pass", "H.01", IllegalPlay, "must bid 4")


def test_h_02_a_hand_that_must_dig_cannot_pass() -> None:
    state = dealt(0, "3D 3C 3H", "", "", must_dig=True, opener_may_pass=True)
    refused(state, "pass", "H.01")
    assert texts(state) == ["bid 3"]


def mixed(ranks: str, decider: int = -1, suit: str = "") -> str:
    """Cards of these ranks in several suits; the one at place `decider` is of `suit`."""
    cards = [r + s for r, s in zip(ranks, "DCHSC", strict=True)]
    if suit:
        cards[decider] = ranks[decider] + suit
    return " ".join(cards)


WINDOWS = {
    "hong-kong": ["3456789TJQKA2"[i : i + 5] for i in range(9)],
    "taiwan": ["A2345", *("3456789TJQKA"[i : i + 5] for i in range(8)), "23456"],
    "no-twos": ["3456789TJQKA"[i : i + 5] for i in range(8)],
}


def check_straights(choice: str, clause: str) -> None:
    """Exactly these straights, in this order, by the suit that decides; and the straight flushes likewise."""
    windows = WINDOWS[choice]
    rules = dasan.rules("big-two", straights=choice)
    for ranks in combinations(RANKS, 5):
        expected = set(ranks) in [set(w) for w in windows]
        for text, otherwise in ((mixed("".join(ranks)), None), (" ".join(r + "H" for r in ranks), "flush")):
            named = "straight-flush" if otherwise else "straight"
            combination = recognise(rules.shapes, rules.order, parse_cards(text))
            assert (combination.kind if combination else None) == (named if expected else otherwise)
    decider = {w: 0 if w == "23456" and choice == "taiwan" else 4 for w in windows}
    ascending(*(mixed(w, decider[w], s) for w in windows for s in "DCHS"), straights=choice)
    ascending(*(" ".join(r + s for r in w) for w in windows for s in "DCHS"), straights=choice)
    with pytest.raises(IllegalPlay) as caught:
        rules.combination(mixed("QKA23"))
    assert caught.value.clause == clause
    assert clause in rules.clauses
    low, high = mixed(windows[1], 4, "D"), " ".join(r + s for r, s in zip(windows[2], "SDCHS", strict=True))
    spare = [str(c) for c in rules.pack if str(c) not in (*low.split(), *high.split())]
    state = dasan.start(rules, [spare[0], f"{low} {spare[1]}", *spare[2:4]], table=high, table_seat=0)
    refused(state, low, clause)


def test_h_03_straights_up_to_the_two() -> None:
    check_straights("hong-kong", "H.03")
    ascending(mixed("34567"), mixed("TJQKA"), mixed("JQKA2"), straights="hong-kong")
    ascending("TS JS QS KS AS", "JD QD KD AD 2D", "JS QS KS AS 2S", straights="hong-kong")
    for gone in ("A2345", "23456"):
        assert kind(mixed(gone), straights="hong-kong") is None


def test_h_04_two_to_six_on_top() -> None:
    check_straights("taiwan", "H.04")
    ascending("TD JC QH KS AS", "2C 3H 4S 5S 6S", "2H 3C 4D 5D 6C", straights="taiwan")
    ascending("TS JS QS KS AS", "2D 3D 4D 5D 6D", "2S 3S 4S 5S 6S", straights="taiwan")
    ascending("AS 2S 3S 4S 5D", "AD 2D 3D 4D 5S", "3S 4S 5S 6S 7D", straights="taiwan")


def test_h_05_no_twos_in_straights() -> None:
    check_straights("no-twos", "H.05")
    for gone in ("A2345", "23456", "JQKA2"):
        assert kind(mixed(gone), straights="no-twos") is None
    ascending(mixed("34567"), mixed("TJQKA"), straights="no-twos")


def test_h_06_clubs_lowest() -> None:
    rules = dasan.rules("big-two", suit_order="clubs-low")
    ascending(*[r + s for r in RANKS for s in "CDHS"], suit_order="clubs-low")
    ascending("3C 3D", "3H 3C", "3S 3C", suit_order="clubs-low")
    ascending("3C 5C 7C 9C JC", "4D 5D 7D 9D JD", suit_order="clubs-low")
    ascending("3D 4D 5H 6S 7C", "3C 4C 5H 6S 7D", suit_order="clubs-low")
    state = dasan.start(rules, fill(rules, ["3D", "3C 3H", "", ""], 13))
    assert state.to_act == 1
    assert state.events[0].cards == (dasan.card("3C"),)
    assert all("3C" in t.split() for t in texts(state))
    refused(state, "3H", "D2.11", IllegalPlay, "include the 3C")
    assert str(state.hands[1]).startswith("3C 3H")
    guard = dasan.start(rules, ["KC KD", "5D", "6D 6C", "7D 7C"], leader=3)
    assert say(guard, "7D").legal_moves()[-1].type == "pass"
    enforced = dasan.rules("big-two", suit_order="clubs-low", guard="enforced")
    guard = dasan.start(enforced, ["KC KD", "5D", "6D 6C", "7D 7C"], leader=3)
    assert texts(say(guard, "7D")) == ["KD"], "the highest card is the KD"


def test_h_07_four_of_a_kind_on_its_own() -> None:
    assert kind("4D 4C 4H 4S") is None
    assert kind("4D 4C 4H 4S", fours=True) == "quad"
    ascending(*(f"{r}D {r}C {r}H {r}S" for r in RANKS), fours=True)
    rules = dasan.rules("big-two", fours=True)
    state = dasan.start(rules, ["4D 4C 4H 4S 9D", "5D 5C 5H 5S 9C", "TD 6D 7D 8D JD", "TC"], leader=0)
    state = say(state, "4D 4C 4H 4S")
    assert texts(state) == ["5D 5C 5H 5S", "pass"]
    refused(state, "5D 5C 5H 5S 9C", "D2.12", IllegalPlay, "it takes 4 cards")
    four_plus_one = rules.combination("4D 4C 4H 4S 9D")
    assert not rules.combination("5D 5C 5H 5S").beats(four_plus_one)
    assert not four_plus_one.beats(rules.combination("3D 3C 3H 3S"))


def test_h_08_two_pairs() -> None:
    assert kind("9S 9D 4H 4C") is None
    assert kind("9S 9D 4H 4C", two_pairs=True) == "two-pair"
    ascending("9H 9C 8S 8H", "9S 9D 4H 4C", "TD TC 3D 3C", "2D 2C 3D 3C", two_pairs=True)
    rules = dasan.rules("big-two", two_pairs=True)
    assert not rules.combination("9S 9D 8H 8C").beats(rules.combination("9S 9D 4H 4C")), "the lower pair does not matter"
    assert kind("9S 9D 9H 4C", two_pairs=True) is None
    assert kind("9S 9D 9H 9C", two_pairs=True) is None, "two pairs are of different ranks"
    ascending("2S 2H AS AH", "3D 3C 3H 3S", two_pairs=True, fours=True)
    assert not rules.combination("9S 9D 4H 4C").beats(rules.combination("3D 3C 3H 4D 4C"))


def test_h_09_no_four_with_a_fifth_card() -> None:
    off = dasan.rules("big-two", four_plus_one=False)
    for fifth in ("4D", "2S"):
        with pytest.raises(IllegalPlay) as caught:
            off.combination(f"9D 9C 9H 9S {fifth}")
        assert caught.value.clause == "H.09"
    assert kind("9D 9C 9H 9S 4D") == "four-plus-one"
    ascending("TD JC QH KS AS", "3D 5D 7D 9D JD", "3D 3C 3H 4D 4C", "AD 2D 3D 4D 5D", four_plus_one=False)
    assert kind("9D 9C 9H 9S", four_plus_one=False, fours=True) == "quad"
    assert "H.09" in off.clauses
    assert "H.09" not in dasan.rules("big-two").clauses


def test_h_10_suits_without_order() -> None:
    for preset in ("winner", "winner-bomb"):
        on, off = dasan.rules(preset), dasan.rules(preset, suits_ranked=False)
        for low, high in (
            ("3D", "3S"),
            ("3D 3C", "3H 3S"),
            ("3D 3C 4D 4C", "3H 3S 4H 4S"),
            ("3D 4S 5S 6S 7S", "3S 4D 5D 6D 7D"),
        ):
            assert on.combination(high).beats(on.combination(low))
            assert not off.combination(high).beats(off.combination(low))
            assert not off.combination(low).beats(off.combination(high))
        for r, s in product("DCHS", repeat=2):
            for a, b in combinations(RANKS, 2):
                assert off.combination(b + r).beats(off.combination(a + s))
        suited, other = off.combination("3D 4D 5D 6D 7D"), off.combination("3S 4S 5S 6S 7S")
        assert suited.kind == other.kind == "straight-flush", "a straight flush still needs a single suit"
        assert not other.beats(suited)
        assert off.combination("3D 4S 5D 6D 7D").kind == "straight"


@pytest.mark.parametrize(
    ("table", "equal"),
    [
        ("4D", "4S"),
        ("4D 4C", "4H 4S"),
        ("4D 4C 5D 5C", "4H 4S 5H 5S"),
        ("4D 5D 6D 7D 8H", "4S 5S 6S 7S 8C"),
        ("4D 5D 6D 7D 8D", "4S 5S 6S 7S 8S"),
    ],
)
def test_h_10_refuses_what_differs_only_in_suits(table: str, equal: str) -> None:
    state = dasan.start(
        dasan.rules("winner", suits_ranked=False), [f"{equal} 3D", "9D", "TD", "JD"], table=table, table_seat=3
    )
    refused(state, equal, "H.10", IllegalPlay, "must be higher")


@pytest.mark.parametrize(
    ("table", "mine", "clause"),
    [
        ("4D 4C 4S", "4D 4C 4H", "W.08"),
        ("4D 4C 4H 4S", "4D 4C 4H 4S", "W.08"),
        ("5D 5C 5H 4D 4C", "4D 4H 4S 5H 5S", "W.08"),
        ("5D 5C 5H 5S 4D", "4D 4C 4H 4S 5D", "W.13"),
        ("4D 4C 4H 5D 5C 5H", "4D 4C 4S 5D 5C 5S", "W.08"),
    ],
)
def test_h_10_says_nothing_of_kinds_that_suits_never_decided(table: str, mine: str, clause: str) -> None:
    rules = dasan.rules("winner", suits_ranked=False, decks=2)
    state = dasan.start(rules, [f"{mine} 3D", "9D", "TD", "JD"], table=table, table_seat=3)
    refused(state, mine, clause, IllegalPlay, "must be higher")


@pytest.mark.parametrize(
    ("straights", "clause"),
    [("ace-low-or-high", "D2.10"), ("hong-kong", "H.03"), ("taiwan", "H.04"), ("no-twos", "H.05")],
)
def test_h_03_h_04_h_05_straight_flushes_too(straights: str, clause: str) -> None:
    rules = dasan.rules("big-two", straights=straights, bombs=True)
    hands = ["4D 5D 6D 7D 8D 3S", "4H 4C 4S 9D 9C 3H", "TD 3C", "JD"]
    state = dasan.start(rules, hands, table="5S 6S 7S 8S 9S", table_seat=3)
    refused(state, "4D 5D 6D 7D 8D", clause, IllegalPlay, "must be higher")
    fours = dasan.start(rules, ["4D 4C 4H 4S 8D 3S", *hands[2:], "QD"], table="5S 6S 7S 8S 9S", table_seat=3)
    refused(fours, "4D 4C 4H 4S 8D", "H.24", IllegalPlay, "straight-flush")


@pytest.mark.parametrize(("order", "clause"), [("clubs-low", "H.06"), ("philippine", "H.25")])
def test_h_06_h_25_refuse_the_lower_suit(order: str, clause: str) -> None:
    rules = dasan.rules("big-two", suit_order=order)
    low, high = rules.suits[0], rules.suits[-1]
    for mine, table in (
        (f"4{low}", f"4{high}"),
        (f"4{low} 4{rules.suits[1]}", f"4{high} 4{rules.suits[2]}"),
        (f"4D 5C 6D 7C 8{low}", f"4S 5H 6S 7H 8{high}"),
    ):
        hands = [f"{mine} 3D", "TD 3C", "JD 3H", "QD 3S"]
        refused(dasan.start(rules, hands, table=table, table_seat=3), mine, clause, IllegalPlay, "must be higher")
    ranks = dasan.start(rules, ["4D 3D", "TD 3C", "JD 3H", "QD 3S"], table="5D", table_seat=3)
    refused(ranks, "4D", "D2.02")
    refused(dasan.start(rules, [f"4{low} 4{high}", "TD", "JD", "QD"], leader=0), "4", clause, Ambiguous)


def test_h_10_options_that_follow() -> None:
    off = dasan.rules("winner", suits_ranked=False)
    assert (off.options["straight_tie"], off.options["two_of_spades_restart"]) == ("rank", "off")
    assert dasan.rules("winner", suits_ranked=False, straight_tie="rank", two_of_spades_restart="off") == off
    for contrary in (
        {"straight_tie": "suit"},
        {"two_of_spades_restart": "always"},
        {"two_of_spades_restart": "when-unbeatable"},
    ):
        with pytest.raises(ValueError, match=r"H\.10"):
            dasan.rules("winner", suits_ranked=False, **contrary)
    state = dasan.start(off, ["2S 9D", "2H 3C", "6D", "7D"], leader=0).play("2S")
    assert (state.to_act, texts(state)) == (1, ["pass"]), "nothing ends at once"


def test_h_10_elsewhere_suits_do_not_decide_either() -> None:
    off = dasan.rules("winner", suits_ranked=False)

    def cut(*cards: str, seats: tuple[int, ...] = (0, 1, 2, 3)) -> list[Event]:
        return [Event(0, s, EventType.DRAW, (dasan.card(c),)) for s, c in zip(seats, cards, strict=True)]

    tie = cut("2D", "2S", "AS", "3D")
    assert drawn_dealer(off, [*tie, Event(0, 1, EventType.DEALER)]) is None
    again = [*tie, *cut("4S", "5D", seats=(0, 1)), Event(0, 1, EventType.DEALER)]
    assert drawn_dealer(off, again) == 1


def test_h_10_any_of_the_highest_cards_may_be_given() -> None:
    off = dasan.rules("winner", suits_ranked=False)
    for seed in range(60):
        session = play_hands(dasan.session(off, seed=seed), 1, random.Random(seed)).next_hand()
        state = session.state
        hand = state.hands[state.to_act or 0]
        top = [c for c in hand if c.rank == hand[-1].rank]
        assert texts(state) == [f"give {c}" for c in top]
        if len(top) > 1:
            assert all(state.play(f"give {c}").exchange for c in top)
            lower = next(c for c in hand if c.rank != top[0].rank)
            refused(state, f"give {lower}", "W.20")
            return
    raise AssertionError("no Loser held two highest cards")


def test_h_10_the_three_of_diamonds_still_leads() -> None:
    off = dasan.rules("winner", suits_ranked=False)
    state = dasan.start(off, fill(off, ["3S", "3C", "3D", "3H"], 13))
    assert state.to_act == 2
