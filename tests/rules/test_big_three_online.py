"""Rules of Big Three in online rooms and regions: H.11 to H.21, and H.43."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from tests.playing import Options, fill, lively, paid, play_hands, play_out, refused, reluctant, say, texts
from tests.rules.auctions import Bidding, compare
from tests.rules.big_three import trick

import dasan
from dasan import IllegalPlay, State


def opened(preset: str = "big-three", opener: int = 0, **options: dasan.OptionValue) -> State:
    """The auction of a deal in which `opener` holds the 4 of hearts."""
    rules = dasan.rules(preset, **options)
    hands = [""] * rules.players
    hands[opener] = "4H"
    return dasan.start(rules, fill(rules, hands, rules.hand_size or 0))


@pytest.mark.parametrize("opener", [0, 1, 2])
@pytest.mark.parametrize(("may_pass", "redeal"), [(False, False), (True, False), (True, True)])
def test_h_11_every_auction_of_one_round(opener: int, may_pass: bool, redeal: bool) -> None:
    options: Options = {"opener_may_pass": may_pass, "all_pass": "redeal" if redeal else "opener"}
    state = opened(opener=opener, auction_rounds="once", **options)
    ended = compare(state, Bidding(may_return=True, opener_may_pass=may_pass, once=True, redeal=redeal))
    assert ended == (20 if may_pass else 10)


def test_h_11_the_example() -> None:
    once = say(opened(auction_rounds="once"), "bid 1", "bid 2")
    refused(once, "bid 2", "B3.09", IllegalPlay, "not higher")
    over = say(once, "pass")
    assert (over.phase, over.bidder, over.bid) == ("play", 1, 2)
    refused(over, "bid 3", "H.11")
    before = say(opened(), "bid 1", "bid 2", "pass")
    assert (before.phase, before.to_act) == ("auction", 0)
    assert say(opened(auction_rounds="once"), "bid 3").phase == "play"


def test_h_12_nobody_bids_and_the_same_dealer_deals_again() -> None:
    rules = dasan.rules("big-three", opener_may_pass=True, all_pass="redeal")
    session = dasan.session(rules, seed=4)
    dealer = session.dealer
    for _ in range(3):
        session = session.play("pass")
    result = session.state.result
    assert result is not None
    assert (session.state.phase, result.winners, result.finish_order, result.foul) == ("over", (), (), None)
    assert (result.payments, result.next_dealer) == ((0, 0, 0), dealer)
    refused(session.state, "bid 1", "B3.18")
    session = session.next_hand()
    assert (session.dealer, session.number, session.state.phase) == (dealer, 2, "auction")
    again = dasan.replay(session.record())
    assert again == session
    with pytest.raises(ValueError, match=r"needs opener_may_pass=on \(H\.12\)"):
        dasan.rules("big-three", all_pass="redeal")


def test_h_12_void_hands_count_as_no_wins() -> None:
    rules = dasan.rules("big-three", opener_may_pass=True, all_pass="redeal")

    def passing(state: State, rng: random.Random) -> dasan.Move:
        return next((m for m in state.legal_moves() if m.type == "pass"), state.legal_moves()[0])

    session = play_hands(dasan.session(rules, seed=1), 3, random.Random(1), passing)
    assert session.balances == (0, 0, 0)
    assert [r.winners for r in session.results] == [(), (), ()]


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_h_13_the_bidder_leads(preset: str) -> None:
    for leads, options in ((1, {"bidder_leads": True}), (0, {})):
        state = say(opened(preset, **options), "bid 1", "bid 3")
        if preset == "big-three-4p":
            state = state.play(state.legal_moves()[0])
        assert (state.phase, state.to_act, state.leader) == ("play", leads, leads)
        refused(state, "pass", "B3.16")


def test_h_14_four_of_a_kind_beat_everything() -> None:
    rules = dasan.rules("big-three", bombs=True)
    bomb = rules.combination("4D 4C 4H 4S")
    for lower in ("3D", "3C 3H", "3D 3H 3S", "JD QC KH", "5D 5C 6D 6C 7D 7C", "5D 5C 5H 5S 6D 6C 6H 6S 7D 7C 7H 7S"):
        assert bomb.beats(rules.combination(lower))
        assert not rules.combination(lower).beats(bomb)
        assert not dasan.rules("big-three").combination("4D 4C 4H 4S").beats(rules.combination(lower))
    higher = rules.combination("5D 5C 5H 5S")
    assert higher.beats(bomb)
    assert not bomb.beats(higher)
    state = say(trick("KD 6D", "4D 4C 4H 4S 9D", "5D 5C 5H 5S 8D", bombs=True), "KD")
    assert "4D 4C 4H 4S" in texts(state)
    state = say(state, "4D 4C 4H 4S")
    refused(state, "8D", "H.14", IllegalPlay, "a quad beats a single")
    state = say(state, "5D 5C 5H 5S", "pass")
    refused(state, "9D", "H.14")
    low = say(trick("5D 5C 5H 5S 6D", "4D 4C 4H 4S 9D", "8D", bombs=True), "5D 5C 5H 5S")
    refused(low, "4D 4C 4H 4S", "H.14", IllegalPlay, "higher")
    refused(say(trick("KD 6D", "4D 4C 4H 4S 9D", "8D"), "KD"), "4D 4C 4H 4S", "B3.15")


def bombed(**options: dasan.OptionValue) -> State:
    """Seat 0 has bid 2 and goes out first, after a bomb of each side; both opponents have played."""
    rules = dasan.rules("big-three", bombs=True, **options)
    hands = ["KD 5D 5C 5H 5S 6D", "4D 4C 4H 4S 9D 9C", "QD 8D 8C"]
    state = dasan.start(rules, hands, bidder=0, bid=2, leader=2)
    return say(state, "QD", "KD", "4D 4C 4H 4S", "pass", "5D 5C 5H 5S", "pass", "pass", "6D")


def test_h_15_bombs_double() -> None:
    assert paid(bombed()) == (4, -2, -2)
    assert paid(bombed(bomb_doubles=True)) == (16, -8, -8)
    assert paid(bombed(bomb_doubles=True, doubling_cap=1)) == (8, -4, -4)
    assert paid(bombed(bomb_doubles=True, doubling_cap=10)) == (16, -8, -8)
    with pytest.raises(ValueError, match=r"needs bombs=on \(H\.15\)"):
        dasan.rules("big-three", bomb_doubles=True)
    capped = dasan.rules("big-three", doubling_cap=3)
    assert capped.most_doublings == 0
    assert "H.15" not in capped.clauses
    with pytest.raises(ValueError, match=r"from 0 to 10.*H\.15|H\.15"):
        dasan.rules("big-three", spring=True, doubling_cap=11)


def test_h_15_the_view_shows_the_doublings() -> None:
    rules = dasan.rules("big-three", bombs=True, bomb_doubles=True)
    state = dasan.start(rules, ["KD 6D", "4D 4C 4H 4S 9D", "8D"], bidder=0, bid=2, leader=0, bombs=1)
    assert state.view(None).doublings == 1
    after = say(state, "KD", "4D 4C 4H 4S").view(2)
    assert (after.doublings, after.to_json()["doublings"]) == (2, 2)
    assert "doublings" not in dasan.deal(dasan.rules("big-three")).view(0).to_json()
    with pytest.raises(ValueError, match="never doubled"):
        dasan.start(dasan.rules("big-three"), ["KD 6D", "9D", "8D"], bidder=0, bombs=1)


def test_h_16_the_bidder_before_anybody_has_played() -> None:
    rules = dasan.rules("big-three", spring=True)
    fill_up = fill(rules, ["", "", ""], 16)
    hands = ["4H 4D", fill_up[1], fill_up[2]]
    state = dasan.start(rules, hands, bidder=0, bid=2, leader=0, has_played=(0,), bidder_plays=3)
    assert paid(say(state, "4H 4D")) == (8, -4, -4)
    played = dasan.start(rules, hands, bidder=0, bid=2, leader=0, has_played=(0, 1), bidder_plays=3)
    assert paid(say(played, "4H 4D")) == (4, -2, -2)
    assert paid(say(dasan.start(dasan.rules("big-three"), hands, bidder=0, bid=2, leader=0), "4H 4D")) == (4, -2, -2)


@pytest.mark.parametrize(("plays", "times"), [(0, 2), (1, 2), (2, 1)])
def test_h_16_the_others_while_the_bidder_has_made_one_play_or_none(plays: int, times: int) -> None:
    rules = dasan.rules("big-three", spring=True)
    hands = ["5D 6D 7D", "4H", "8D 9D"]
    has_played = (0, 1, 2) if plays else (1, 2)
    state = dasan.start(rules, hands, bidder=0, bid=1, leader=1, has_played=has_played, bidder_plays=plays)
    assert paid(say(state, "4H")) == (-2 * times, times, times)


def test_h_17_runs_to_the_ace() -> None:
    rules = dasan.rules("big-three", runs_to="ace")
    assert rules.combination("QD KC AH").kind == "straight"
    assert rules.combination("QD KC AH").beats(rules.combination("JD QC KH"))
    assert rules.combination("QD QC KD KC AD AC").kind == "pair-run"
    for none in ("KD AC 2H", "AD 2C 3H", "QD KC AH 2D"):
        with pytest.raises(IllegalPlay) as caught:
            rules.combination(none)
        assert caught.value.clause == "H.17"
    with pytest.raises(IllegalPlay) as caught:
        dasan.rules("big-three").combination("QD KC AH")
    assert caught.value.clause == "B3.14"
    with pytest.raises(ValueError, match=r"H\.17, H\.19"):
        dasan.rules("big-three", runs_to="ace", pack="46")


def test_h_18_no_runs_of_triplets_or_fours() -> None:
    rules = dasan.rules("big-three", runs="singles-and-pairs")
    triplets = "4D 4C 4H 5D 5C 5H 6D 6C 6H"
    for none in (triplets, "4D 4C 4H 4S 5D 5C 5H 5S 6D 6C 6H 6S"):
        with pytest.raises(IllegalPlay) as caught:
            rules.combination(none)
        assert caught.value.clause == "H.18"
    assert dasan.rules("big-three").combination(triplets).kind == "triplet-run"
    assert rules.combination("4D 4C 5D 5C 6D 6C").kind == "pair-run"
    assert rules.combination("4D 5C 6D").kind == "straight"


def test_h_19_the_pack_of_46() -> None:
    rules = dasan.rules("big-three", pack="46")
    assert len(rules.pack) == 46
    assert {str(c) for c in dasan.rules("big-three").pack} - {str(c) for c in rules.pack} == {
        *("AD", "AC", "AH", "AS", "2C", "3C")
    }
    state = dasan.deal(rules, seed=3)
    assert (state.hand_sizes, len(state.kitty)) == ((14, 14, 14), 4)
    assert rules.combination("2D 2H 2S").kind == "triplet"
    for gone in ("AD", "2C", "3C 3D"):
        with pytest.raises(dasan.DasanError) as caught:
            rules.combination(gone)
        assert caught.value.clause == "H.19"
    kinds = {(row.kind, row.pattern.counts) for row in rules.catalogue.rows}
    assert ("quad", ((rules.ranks.index("2"), 4),)) not in kinds
    with pytest.raises(ValueError, match="no option 'pack'"):
        dasan.rules("big-three-4p", pack="46")
    ended = play_hands(dasan.session(rules, seed=3), 5, random.Random(3))
    assert dasan.replay(ended.record()) == ended


def test_h_20_wa_keng() -> None:
    rules = dasan.rules("wa-keng")
    usual = dasan.rules(
        "big-three",
        first_dealer="random",
        cut=False,
        auction_rounds="once",
        opener_may_pass=True,
        runs="singles-and-pairs",
    )
    assert rules.digest == dasan.rules("wa-keng").digest
    assert [c for c in rules.clauses if c[0] == "H"] == ["H.20", "H.02", "H.11", "H.18"]
    assert (rules.shapes, rules.auction, rules.scoring) == (usual.shapes, usual.auction, usual.scoring)
    assert (rules.first_dealer, rules.cut) == (usual.first_dealer, usual.cut) == ("random", False)
    passed = say(opened("wa-keng", 2), "pass", "pass", "pass")
    assert (passed.bidder, passed.bid, passed.to_act) == (2, 1, 2)
    refused(passed, "bid 2", "H.11")


def test_h_21_one_against_three() -> None:
    rules = dasan.rules("wa-keng-4")
    state = dasan.deal(rules, seed=2)
    assert (state.hand_sizes, len(state.kitty)) == ((12,) * 4, 4)
    opener = state.mover
    assert texts(state) == ["bid 1", "bid 2", "bid 3", "bid 4", "pass"]
    refused(state, "bid 5", "H.21", IllegalPlay, "1 to 4")
    must = dasan.deal(dasan.rules("wa-keng-4", opener_may_pass=False), seed=2)
    refused(must, "pass", "B3.08")
    refused(must, "bid 5", "H.21")
    refused(state, "call 8C", "G.01")
    over = say(state, "bid 4")
    assert (over.phase, over.bidder, over.bid, over.to_act) == ("play", opener, 4, opener)
    assert sorted(over.hand_sizes) == [12, 12, 12, 16]
    seen = next(e for e in over.view(None).events if e.type == "kitty")
    assert seen.cards == over.begun.kitty, "all see the kitty"


@pytest.mark.parametrize(("winner", "payments"), [(0, (12, -4, -4, -4)), (2, (-12, 4, 4, 4))])
def test_h_21_the_bidder_pays_or_is_paid_by_each(winner: int, payments: tuple[int, ...]) -> None:
    hands = ["4D 4C"] * 4
    hands[winner] = "5D"
    for seat, suit in zip((s for s in range(4) if s != winner), "DCH", strict=True):
        hands[seat] = f"6{suit} 7{suit}"
    over = say(dasan.start(dasan.rules("wa-keng-4"), hands, bidder=0, bid=4, leader=winner), "5D")
    assert paid(over) == payments
    assert over.result is not None
    assert over.result.winners == ((0,) if winner == 0 else (1, 2, 3))


def test_h_21_three_passes_end_a_trick() -> None:
    state = dasan.start(dasan.rules("wa-keng-4"), ["5D 6D", "7D", "8D", "9D"], bidder=0, leader=0)
    state = say(state, "5D", "pass", "pass")
    assert (state.table is not None, state.to_act) == (True, 3)
    assert (say(state, "pass").table, say(state, "pass").to_act) == (None, 0)


def test_h_21_everything_else_is_as_in_h_20() -> None:
    four, three = dasan.rules("wa-keng-4"), dasan.rules("wa-keng")
    assert (four.shapes, four.scoring) == (three.shapes, three.scoring)
    assert (four.first_dealer, four.cut, four.direction) == (three.first_dealer, three.cut, three.direction)
    assert four.auction is not None
    assert three.auction is not None
    assert replace(four.auction, top=3) == three.auction


def test_h_21_every_auction() -> None:
    assert compare(opened("wa-keng-4", 1), Bidding(may_return=True, opener_may_pass=True, once=True, top=4)) == 70


@pytest.mark.parametrize("may_return", [True, False])
def test_h_43_two_passes_end_the_auction_of_four(may_return: bool) -> None:
    options: Options = {"passed_bidder_may_return": may_return, "auction_ends_after": 2}
    for may_pass in (False, True):
        state = opened("big-three-4p", 1, opener_may_pass=may_pass, **options)
        ended = compare(state, Bidding(may_return=may_return, opener_may_pass=may_pass, ends_after=2))
        assert ended == (13 if not may_pass else 53 if may_return else 36)
    state = say(opened("big-three-4p", **options), "bid 1", "pass")
    assert state.phase == "auction"
    over = say(state, "pass")
    assert (over.phase, over.bidder, over.bid) == ("call", 0, 1)
    refused(over, "bid 2", "H.43")
    assert say(opened("big-three-4p"), "bid 1", "pass", "pass").phase == "auction"
    with pytest.raises(ValueError, match=r"H\.11, H\.43"):
        dasan.rules("big-three-4p", auction_ends_after=2, auction_rounds="once")


def payments_by_the_clauses(hand: State) -> tuple[int, ...]:
    """A second implementation of B3.19, B4.06, H.12, H.15, H.16 and H.21, from the events of a finished hand alone."""
    rules = hand.rules
    n, options = rules.players, rules.options
    bids = [(e.bid, e.seat) for e in hand.events if e.type == "bid"]
    opener = hand.events[0].seat
    if not bids and options["all_pass"] == "redeal":
        return (0,) * n
    bid, bidder = max((b, s) for b, s in bids if b is not None) if bids else (1, opener)
    called = next((e.cards[0] for e in hand.events if e.type == "call"), None)
    partner = next((s for s, cards in enumerate(hand.begun.hands) if called in cards), None) if called else None
    side = {bidder} | ({partner} if partner is not None else set())
    plays = [e for e in hand.events if e.type == "play"]
    winners = side if plays[-1].seat in side else set(range(n)) - side
    amount = bid
    fours = [e for e in plays if len(e.cards) == 4 and len({c.rank for c in e.cards if c is not None}) == 1]
    doublings = len(fours) if options["bomb_doubles"] else 0
    own = [e for e in plays if e.seat in side]
    sprung = len(own) == len(plays) if winners == side else len(own) <= 1
    doublings += bool(options["spring"] and sprung)
    if options["doubling_cap"]:
        doublings = min(doublings, int(options["doubling_cap"]))
    for _ in range(doublings):
        amount *= 2
    each = called is None or bool(options.get("pay_each_winner"))
    losers = n - len(winners)
    return tuple(
        amount * (losers if each else 1) if s in winners else -amount * (len(winners) if each else 1) for s in range(n)
    )


def hardly_played(hand: State) -> bool:
    """Whether the losing side has made no play, or as the bidder's at most one (H.16)."""
    assert hand.result is not None
    own = [e.seat in hand.partners for e in hand.events if e.type == "play"]
    return all(own) if hand.bidder in hand.result.winners else sum(own) <= 1


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "wa-keng-4"])
def test_h_15_h_16_payments_of_whole_hands(preset: str) -> None:
    """Every combination of bombs, doublings, springs and void hands against the plain reading, over random hands."""
    rng = random.Random(preset)
    sprung = void = bombed = 0
    for spring, doubles, cap in product((False, True), (False, True), (0, 1)):
        options: Options = {"spring": spring, "bombs": True, "bomb_doubles": doubles}
        options |= {"doubling_cap": cap} if spring or doubles else {}
        rules = dasan.rules(preset, opener_may_pass=True, all_pass="redeal", **options)
        for seed in range(24):
            hand = play_out(dasan.deal(rules, seed=seed), rng, reluctant if seed % 2 else lively)
            assert paid(hand) == payments_by_the_clauses(hand)
            void += hand.bidder is None
            bombed += any(len(e.cards) == 4 and len({c.rank for c in e.cards if c}) == 1 for e in hand.events)
            sprung += spring and hand.bidder is not None and hardly_played(hand)
    assert min(sprung, void, bombed) > 0, "each of them is among the hands"
