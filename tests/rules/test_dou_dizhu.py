"""The clauses of Dou Dizhu, DD.01 to DD.09."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from tests.playing import lively, paid, play_hands, play_out, refused, reluctant, say, texts
from tests.rules.auctions import Bidding, compare

import dasan
from dasan import IllegalPlay, State

RULES = dasan.rules("dou-dizhu")


def kind(text: str, rules: dasan.Rules = RULES) -> str | None:
    try:
        return rules.combination(text).kind
    except IllegalPlay:
        return None


def beats(mine: str, theirs: str) -> bool:
    return RULES.combination(mine).beats(RULES.combination(theirs))


def cards(ranks: str) -> str:
    """Cards of these ranks, suits in order; B and R are the jokers."""
    seen = Counter[str]()
    out = []
    for rank in ranks:
        out.append(f"{rank}J" if rank in "BR" else rank + "DCHS"[seen[rank]])
        seen[rank] += 1
    return " ".join(out)


def trick(*hands: str, bid: int = 1, leader: int = 0, **options: dasan.OptionValue) -> State:
    """A position in mid-hand: seat 0 is the landlord, and `leader` leads."""
    rules = dasan.rules("dou-dizhu", **options)
    return dasan.start(rules, [*hands], bidder=0, bid=bid, leader=leader)


def test_dd_01_seventeen_each_and_three_in_the_kitty() -> None:
    assert len(RULES.pack) == 54
    state = dasan.deal(RULES, seed=1)
    assert (state.hand_sizes, len(state.kitty)) == ((17, 17, 17), 3)
    assert [str(c) for c in RULES.order.hand(RULES.pack)][-5:] == ["2C", "2H", "2S", "BJ", "RJ"]
    order = ["3D", "TD", "AD", "2D", "BJ", "RJ"]
    assert all(beats(b, a) and not beats(a, b) for a, b in pairwise(order))
    assert not beats("3S", "3D")
    with pytest.raises(dasan.DasanError) as caught:
        RULES.combination("BJ BJ")
    assert caught.value.clause == "G.05"


def test_dd_02_the_opener_is_drawn_and_every_player_speaks_once() -> None:
    openers = Counter(dasan.deal(RULES, seed=seed).opener for seed in range(300))
    assert set(openers) == {0, 1, 2}
    assert min(openers.values()) > 70
    for seed in range(6):
        state = dasan.deal(RULES, seed=seed)
        assert state.begun.opener == state.opener == state.to_act  # type: ignore[union-attr]
        assert texts(state) == ["bid 1", "bid 2", "bid 3", "pass"]
        assert compare(state, Bidding(may_return=True, opener_may_pass=True, once=True, redeal=True)) == 20
    state = say(dasan.deal(RULES, seed=1), "bid 2")
    refused(state, "bid 2", "DD.02", IllegalPlay, "not higher")
    refused(state, "bid 4", "DD.02", IllegalPlay, "1 to 3")
    refused(say(state, "bid 3"), "bid 3", "DD.02")


def test_dd_02_the_opener_of_a_session_follows_from_the_secret() -> None:
    from dasan.records.verify import verify

    session = play_hands(dasan.session(RULES, seed=9), 4, random.Random(9))
    proof = verify(session.record())
    assert sum("the deal follows from it" in line for line in proof.statements) == 4
    lines = session.record().splitlines()
    at = next(i for i, line in enumerate(lines) if '"type":"deal"' in line)
    for wrong in (f'"opener":{(session.past[0].opener or 0) + 1}', '"opener":7'):
        forged = [*lines]
        forged[at] = lines[at].replace(f'"opener":{session.past[0].opener}', wrong)
        with pytest.raises(dasan.BadRecord):
            dasan.replay("\n".join(forged))
    forged = [*lines]
    forged[at] = lines[at].replace(f',"opener":{session.past[0].opener}', "")
    with pytest.raises(dasan.BadRecord):
        dasan.replay("\n".join(forged))


def test_dd_02_all_pass_and_the_hand_is_dealt_again() -> None:
    session = dasan.session(RULES, seed=2)
    dealer = session.dealer
    for _ in range(3):
        session = session.play("pass")
    assert session.state.result is not None
    assert (session.state.result.winners, session.state.result.payments) == ((), (0, 0, 0))
    session = session.next_hand()
    assert (session.dealer, session.state.phase) == (dealer, "auction")
    assert dasan.replay(session.record()) == session


def test_dd_03_the_landlord_takes_the_kitty_which_all_see_and_leads() -> None:
    state = dasan.deal(RULES, seed=5)
    landlord = (state.mover + 1) % 3
    over = say(state, "bid 1", "bid 3")
    assert (over.phase, over.bidder, over.to_act, over.leader) == ("play", landlord, landlord, landlord)
    assert over.hand_sizes[landlord] == 20
    for seat in (0, 1, 2, None):
        shown = next(e for e in over.view(seat).events if e.type == "kitty")
        assert shown.cards == state.kitty
    refused(over, "pass", "DD.07")
    ended = play_out(over, random.Random(1), lively)
    assert ended.result is not None
    assert ended.result.winners in ((landlord,), tuple(s for s in range(3) if s != landlord))


KINDS = {
    "single": ["3", "2", "B", "R"],
    "pair": ["33", "22"],
    "triplet": ["333", "222"],
    "triplet-with-single": ["3334", "2223", "333B"],
    "triplet-with-pair": ["33344", "22233"],
    "straight": ["34567", "TJQKA", "3456789TJQKA"],
    "pair-run": ["334455", "QQKKAA"],
    "triplet-run": ["333444", "KKKAAA", "333444555666"],
    "plane-with-singles": ["33344456", "33344455", "3334445B", "333444555777", "333444555678"],
    "plane-with-pairs": ["3334445566", "3334445522"],
    "four-with-singles": ["333345", "333344", "33334B"],
    "four-with-pairs": ["33334455", "22223344"],
    "bomb": ["3333", "2222"],
    "rocket": ["BR"],
}


@pytest.mark.parametrize("name", KINDS)
def test_dd_04_every_kind(name: str) -> None:
    for ranks in KINDS[name]:
        assert kind(cards(ranks)) == name, ranks


@pytest.mark.parametrize(
    "ranks",
    [
        "34",
        "345",
        "3456",
        "JQKA2",
        "A2345",
        "3344",
        "KKAA22",
        "AAA222",
        "33345",
        "3344456",
        "KKAA2",
        "BR3",
        "33BR",
        "3333444",
    ],
)
def test_dd_04_what_is_no_kind(ranks: str) -> None:
    assert kind(cards(ranks)) is None


def test_dd_04_every_refusal_names_a_clause() -> None:
    for ranks, clause in (("3456", "DD.04"), ("34", "DD.04"), ("3B", "DD.04"), ("334", "DD.04")):
        with pytest.raises(IllegalPlay) as caught:
            RULES.combination(cards(ranks))
        assert caught.value.clause == clause


def test_dd_05_a_refusal_of_kickers_says_so() -> None:
    """Cards that would be a play with other kickers; cards that would not be break DD.04."""
    distinct = dasan.rules("dou-dizhu", kickers="distinct")
    for rules, wrong in (
        (RULES, ("33334445", "333BR", "333444BR", "3333BR", "44445555", "333444555BR6")),
        (distinct, ("33344455", "333344")),
    ):
        for ranks in wrong:
            with pytest.raises(IllegalPlay) as caught:
                rules.combination(cards(ranks))
            assert caught.value.clause == "DD.05", ranks
    for ranks in ("33345", "33BR", "3333444", "3334BR", "333555", "33344567", "333344B"):
        with pytest.raises(IllegalPlay) as caught:
            RULES.combination(cards(ranks))
        assert caught.value.clause == "DD.04", ranks


def test_dd_05_kickers() -> None:
    for none in (
        "33334445",
        "33334444",
        "333BR",
        "333444BR",
        "3333BR",
        "44445555",
        "333444555BR6",
        "3334444",
        "333344445",
    ):
        assert kind(cards(none)) is None, none
    assert kind(cards("333444BR"), dasan.rules("dou-dizhu", joker_kickers=True)) == "plane-with-singles"
    assert kind(cards("3333BR"), dasan.rules("dou-dizhu", joker_kickers=True)) == "four-with-singles"
    distinct = dasan.rules("dou-dizhu", kickers="distinct")
    assert kind(cards("33344455"), distinct) is None
    assert kind(cards("33344456"), distinct) == "plane-with-singles"
    assert kind(cards("333344"), distinct) is None
    assert kind(cards("333345"), distinct) == "four-with-singles"


def test_dd_05_cards_of_several_readings() -> None:
    """A run of triplets if all of them are one; else the reading with the highest triplets."""
    assert kind(cards("333444555666")) == "triplet-run"
    assert kind(cards("333444555777")) == "plane-with-singles"
    two = RULES.combination(cards("3334445556667778"))
    assert two.kind == "plane-with-singles"
    assert two.beats(RULES.combination(cards("3334445556669TJQ")))
    assert beats(cards("444555666777JQKA"), cards("3334445556669TJQ"))
    assert not beats(cards("444555666777JQKA"), cards("3334445556667778"))
    assert len({frozenset(row.pattern.counts) for row in RULES.catalogue.rows}) == len(RULES.catalogue.rows)


def test_dd_06_beating() -> None:
    assert beats(cards("5553"), cards("4442"))
    assert not beats(cards("4442"), cards("4445"))
    assert beats("4D 5C 6H 7D 8S", "3D 4C 5H 6D 7S")
    assert not beats("4D 5C 6H 7D 8S 9D", "3D 4C 5H 6D 7S")
    for other in ("2", "22", "222", "2223", "22233", "TJQKA", "QQKKAA", "KKKAAA", "222233", "22223344", "333444555678"):
        assert beats(cards("3333"), cards(other))
        assert beats("BJ RJ", cards(other))
        assert not beats(cards(other), cards("3333"))
    assert beats(cards("4444"), cards("3333"))
    assert not beats(cards("3333"), cards("3333"))
    assert beats("BJ RJ", cards("2222"))
    assert not beats(cards("2222"), "BJ RJ")
    assert not beats(cards("444455"), cards("3335"))
    state = say(trick("3D 9D", "4D 4C 4H 4S 5D", "BJ RJ 6D"), "3D", "4D 4C 4H 4S")
    assert texts(state) == ["BJ RJ", "pass"]
    refused(state, "6D", "DD.06")
    refused(say(state, "BJ RJ"), "9D", "DD.06")


def test_dd_07_tricks_and_the_end() -> None:
    state = trick("3D 9D TD", "4D 8D", "6D 7D 2D")
    refused(state, "pass", "DD.07", IllegalPlay, "leader must play")
    state = say(state, "3D", "pass", "6D", "9D", "pass", "pass")
    assert (state.to_act, state.table) == (0, None)
    over = say(state, "TD")
    assert over.result is not None
    assert (over.phase, over.result.winners) == ("over", (0,))
    refused(over, "4D", "DD.07")
    peasants = say(trick("3D 9D TD", "4D", "6D 7D"), "3D", "4D")
    assert peasants.result is not None
    assert peasants.result.winners == (1, 2)


def test_dd_08_payments() -> None:
    hands = ["3D 4D 4C 4H 4S 5D 6D", "7D 8D", "9D BJ RJ"]
    plain = trick(*hands, bid=2)
    assert paid(say(plain, "3D", "7D", "9D", "4D 4C 4H 4S", "pass", "pass", "5D", "8D")) == (-8, 4, 4)
    both = say(plain, "3D", "7D", "pass", "4D 4C 4H 4S", "pass", "BJ RJ", "pass", "pass", "9D")
    assert paid(both) == (-16, 8, 8)
    capped = say(
        trick(*hands, bid=2, doubling_cap=1), "3D", "7D", "pass", "4D 4C 4H 4S", "pass", "BJ RJ", "pass", "pass"
    )
    assert paid(say(capped, "9D")) == (-8, 4, 4)


def test_dd_08_spring() -> None:
    for spring, times in ((True, 2), (False, 1)):
        rules = dasan.rules("dou-dizhu", spring=spring)
        rest = [c for c in map(str, rules.pack) if c != "3D"]
        hands = ["3D", " ".join(rest[:17]), " ".join(rest[17:34])]
        state = dasan.start(rules, hands, bidder=0, bid=1, leader=0, has_played=(0,), bidder_plays=5)
        assert paid(say(state, "3D")) == (2 * times, -times, -times)
        peasant = dasan.start(rules, ["3D 4D", "5D", "6D"], bidder=0, bid=1, leader=0, has_played=(1, 2), bidder_plays=0)
        assert paid(say(peasant, "3D", "5D")) == (-2 * times, times, times)
        twice = dasan.start(
            rules, ["3D 4D", "5D", "6D"], bidder=0, bid=1, leader=0, has_played=(0, 1, 2), bidder_plays=1
        )
        assert paid(say(twice, "3D", "5D")) == (-2, 1, 1), "the landlord has made two plays"


def payments_by_the_clauses(hand: State) -> tuple[int, ...]:
    """A second implementation of DD.02, DD.07 and DD.08, from the events of a finished hand alone."""
    bids = {e.seat: e.bid for e in hand.events if e.type == "bid"}
    if not bids:
        return (0, 0, 0)
    landlord = max(bids, key=lambda seat: bids[seat] or 0)
    amount = bids[landlord] or 0
    plays = [e for e in hand.events if e.type == "play"]
    for e in plays:
        ranks = sorted(str(c)[0] for c in e.cards)
        if ranks == ["B", "R"] or (len(ranks) == 4 and len(set(ranks)) == 1):
            amount *= 2
    own = sum(e.seat == landlord for e in plays)
    if plays[-1].seat == landlord:
        amount *= 2 if own == len(plays) else 1
        return tuple(2 * amount if s == landlord else -amount for s in range(3))
    amount *= 2 if own <= 1 else 1
    return tuple(-2 * amount if s == landlord else amount for s in range(3))


def test_dd_08_payments_of_whole_hands() -> None:
    rng = random.Random(8)
    seen = Counter[int]()
    for seed in range(150):
        hand = play_out(dasan.deal(RULES, seed=seed), rng, reluctant if seed % 3 == 0 else lively)
        assert paid(hand) == payments_by_the_clauses(hand)
        seen[max(paid(hand))] += 1
    assert max(seen) >= 12, "bombs or a spring have doubled a bid of 3 twice"
    assert seen[0], "nobody has bid"


def test_dd_09_the_preset() -> None:
    rules = dasan.rules("dou-dizhu")
    assert [c for c in rules.clauses if c.startswith("DD")] == [f"DD.{n:02}" for n in range(1, 10)]
    with pytest.raises(ValueError, match=r"kickers is one of any, distinct"):
        dasan.rules("dou-dizhu", kickers="some")
    census = rules.catalogue.census()
    assert (census["bomb"], census["rocket"], census["straight"], census["pair-run"]) == (13, 1, 36, 52)
