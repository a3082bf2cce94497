"""Statistics of deals: every bidder is valued, unsettled deals count both ways, features are what a player would count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import dasan
from dasan.bench.deals import KINDS, Bidder, Valued, features, random_deal, shares, value_deals
from dasan.cards import parse_cards
from dasan.estimates import wilson

pytestmark = pytest.mark.full


@pytest.mark.parametrize("players", [3, 4])
def test_deals_are_valued_as_the_solver_does(players: int) -> None:
    deals = list(value_deals([3, 1], seed=2, players=players, nodes=4_000, memory_mb=32))
    assert [valued.number for valued in deals] == [3, 1]
    for valued in deals:
        state = random_deal(2, players, valued.number)
        solution = dasan.solve(state, nodes=4_000, memory_mb=32)
        assert valued.nodes == solution.nodes
        for one in valued.bidders:
            value = solution.by_bidder[one.seat].value
            assert one.won is (None if value is None else value > 0)
            assert (state.opener == one.seat) == (one.place == 0)
        assert sum(one.bids for one in valued.bidders) == 1
        assert Valued.from_json(valued.to_json()) == valued
    assert deals == list(value_deals([3, 1], seed=2, players=players, nodes=4_000, memory_mb=32, processes=2))


@pytest.mark.parametrize("players", [3, 4])
def test_one_bidder_is_valued_as_among_all(players: int) -> None:
    budget: dict[str, Any] = {"seed": 4, "players": players, "nodes": 200_000, "memory_mb": 32}
    everyone = list(value_deals(range(6), **budget))
    settled = 0
    for seats in ("one", "greedy"):
        alone = list(value_deals(range(6), seats=seats, **budget))
        assert alone == list(value_deals(range(6), seats=seats, **budget))
        for valued, every in zip(alone, everyone, strict=True):
            [one] = valued.bidders
            [same] = [other for other in every.bidders if other.seat == one.seat]
            assert replace(one, won=None) == replace(same, won=None)
            assert one.bids or seats == "one"
            if None not in (one.won, same.won):
                assert one.won == same.won
                settled += 1
            assert Valued.from_json(valued.to_json()) == valued
        assert "some" not in {share.kind for share in shares(alone)}
    assert settled >= 2
    seats_drawn = {valued.bidders[0].seat for valued in value_deals(range(30), seats="one", **{**budget, "nodes": 1})}
    assert seats_drawn == set(range(players))


def test_seats_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="seats is all, one or greedy, not 'two'"):
        next(value_deals([1], seats="two"))  # type: ignore[arg-type]


def test_series_differ() -> None:
    dealt = [random_deal(*series).hands for series in ((1, 3, 0), (2, 3, 0), (1, 4, 0), (1, 3, 1))]
    assert len(set(dealt)) == 4
    with pytest.raises(ValueError, match="three or four"):
        random_deal(1, 5, 0)


def test_features_of_a_hand() -> None:
    hand = parse_cards("4H 4S 4D 5D 6C 7H 7S 9H TH JD QC KC AD 2C 3C 3S")
    kitty = parse_cards("8H 3D KD 4C")
    assert features(dasan.rules("big-three"), hand, kitty) == {
        "threes": 3,
        "twos": 1,
        "high": 5,
        "turns": 7,  # 4-…-K, 4 4 4, 7, K, A, 2, 3 3 3
        "run": 10,
        "sets": 2,
        "kitty_high": 1,
        "kitty_turns": 0,  # 4-5-6-7, 4 4, 7, 9-…-K, A, 2, 3 3 without it
    }


def valued(number: int, *won: bool | None, threes: int = 1) -> Valued:
    bidders = tuple(Bidder(i, i, i == 0, w, {"threes": threes}) for i, w in enumerate(won))
    return Valued(0, 3, number, 10, bidders)


def test_shares_count_the_unsettled_both_ways() -> None:
    deals = [valued(0, True, False, None), valued(1, True, None, None, threes=2)]
    by_kind = {(share.kind, share.value): share for share in shares(deals)}
    everyone = by_kind["all", ""]
    assert (everyone.deals, everyone.bidders, everyone.won, everyone.unsettled) == (2, 6, 2, 3)
    assert (everyone.low, everyone.high) == (2 / 6, 5 / 6)
    assert everyone.interval == (wilson(2 / 6, 2)[0], wilson(5 / 6, 2)[1])
    assert (by_kind["place", "0"].low, by_kind["place", "1"].high) == (1, 0.5)
    assert by_kind["bids", ""].bidders == 2
    assert by_kind["threes", "2"].unsettled == 2
    assert [share.kind for share in shares(deals)] == ["all", "some", "bids", *["place"] * 3, *["threes"] * 2]
    lost, open_ = valued(2, False, False, False), valued(3, False, None, False)
    some = {share.kind: share for share in shares([*deals, lost, open_])}["some"]
    assert (some.bidders, some.won, some.unsettled) == (4, 2, 1)
    assert list(by_kind) == [(share.kind, share.value) for share in shares(reversed(deals))]


def test_a_deal_settled_later_stays_within_the_bounds() -> None:
    before = [valued(i, True, None, False) for i in range(20)]
    for won in (True, False):
        after = [
            replace(v, bidders=tuple(replace(b, won=won if b.won is None else b.won) for b in v.bidders)) for v in before
        ]
        for early, late in zip(shares(before), shares(after), strict=True):
            assert early.low <= late.low == late.high <= early.high
            assert early.interval[0] <= late.interval[0] < late.interval[1] <= early.interval[1]


def test_every_kind_of_bidder_has_its_place() -> None:
    [deal] = value_deals([0], nodes=1, memory_mb=1)
    assert set(KINDS) == {"all", "some", "bids", "place", *deal.bidders[0].features}
    with pytest.raises(ValueError, match="valued deal"):
        Valued.from_json({"seed": 1})


@pytest.mark.parametrize(
    ("share", "of", "low", "high"),
    [(0, 10, 0, 0.2775), (1, 10, 0.7225, 1), (0.5, 100, 0.4038, 0.5962), (0, 2000, 0, 0.0019)],
)
def test_wilson(share: float, of: int, low: float, high: float) -> None:
    assert wilson(share, of) == pytest.approx((low, high), abs=1e-4)
