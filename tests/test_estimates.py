"""Intervals of means: their coverage, however few the values and whenever a contest stops."""

from __future__ import annotations

import json
import random
from functools import cache
from math import comb, nan

import pytest
from tests.cli.running import cli
from tests.playing import play_out

import dasan
from dasan.arena.contest import LOOKS, Contest, interval, play_deal
from dasan.arena.outcome import Outcome
from dasan.bots.random_bot import RandomBot
from dasan.cli.output import print_json
from dasan.estimates import NORMAL, Estimate, betting_interval
from dasan.ruleset.outcomes import earning_bounds, payment_bounds

BIG_TWO = dasan.rules("big-two")


@cache
def of_counts(ones: int, values: int) -> tuple[float, float]:
    """The interval for this many ones among values of 0 and 1."""
    return betting_interval([1.0] * ones + [0.0] * (values - ones), (0, 1))


def ever_wrong(chance: float, most: int) -> float:
    """The probability that the interval leaves out the mean after at least one of the first `most` values of 0 and 1, of which
    each is 1 with this probability: the sum over all sequences, grouped by their numbers of ones.
    """
    right, wrong = {0: 1.0}, 0.0
    for values in range(1, most + 1):
        after: dict[int, float] = {}
        for ones, weight in right.items():
            for one, share in ((1, chance), (0, 1 - chance)):
                after[ones + one] = after.get(ones + one, 0.0) + weight * share
        right = {}
        for ones, weight in after.items():
            low, high = of_counts(ones, values)
            if low <= chance <= high:
                right[ones] = weight
            else:
                wrong += weight
    return wrong


@pytest.mark.parametrize("chance", [0.02, 0.1, 0.25, 0.5, 0.8])
def test_a_contest_that_stops_whenever_it_likes_is_wrong_in_5_of_100(chance: float) -> None:
    assert ever_wrong(chance, 24) <= 0.05


@pytest.mark.parametrize("chance", [0.02, 0.1, 0.25, 0.5, 0.8])
def test_a_few_values_are_enough_for_no_claim(chance: float) -> None:
    """Exactly, over every outcome of 2 to `NORMAL` - 1 values: one interval is wrong at most 5 times in 100."""
    for values in range(1, NORMAL):
        held = 0.0
        for ones in range(values + 1):
            low, high = of_counts(ones, values)
            if low <= chance <= high:
                held += comb(values, ones) * chance**ones * (1 - chance) ** (values - ones)
        assert held >= 0.95


@pytest.mark.parametrize("values", [NORMAL, 100, 300])
@pytest.mark.parametrize("wins", [0.5, 2, 3, 5, 10, 20])
def test_shares_of_rare_wins_hold_in_93_of_100_samples(values: int, wins: float) -> None:
    """Exactly, over every outcome, where so many ones are expected; zeros and ones are treated alike. Student's interval alone
    holds in 85.
    """
    chance, held = wins / values, 0.0
    for ones in range(min(values, 60) + 1):
        one = Estimate.of([1.0] * ones + [0.0] * (values - ones), (0, 1), digits=9)
        other = Estimate.of([0.0] * ones + [1.0] * (values - ones), (0, 1), digits=9)
        assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low))
        if one.low <= chance <= one.high:
            held += comb(values, ones) * chance**ones * (1 - chance) ** (values - ones)
    assert held >= 0.93


def drawn(deals: int, seed: int) -> list[Outcome]:
    """Outcomes of equal players of Big Two: one of four wins 3, the others lose 1, in each of a deal's four hands."""
    rng = random.Random(seed)
    means = [sum(rng.choice((3, -1, -1, -1)) for _ in range(4)) / 4 for _ in range(deals)]
    return [Outcome(i, mean, 0.25, 1, 1) for i, mean in enumerate(means)]


@pytest.mark.full
@pytest.mark.parametrize("deals", [2, 8, 40])
def test_equal_players_are_told_apart_in_at_most_5_of_100_contests(deals: int) -> None:
    early = single = 0
    contests = 100 if deals < 40 else 40
    for seed in range(contests):
        outcomes = drawn(deals, seed)
        sizes = dict.fromkeys(size for k in range(1, LOOKS + 1) if (size := deals * k // LOOKS))
        intervals = [interval(BIG_TWO, outcomes[:size], early=True) for size in sizes]
        early += any(one.low > 0 or one.high < 0 for one in intervals)
        one = interval(BIG_TWO, outcomes)
        single += deals < NORMAL and (one.low > 0 or one.high < 0)
    assert early <= 0.05 * contests
    assert single <= 0.05 * contests


@pytest.mark.parametrize("means", [(1.0,), (1.0, 1.0), (-0.5,) * 5, (0.0,) * 100])
def test_equal_outcomes_have_an_interval_with_a_width(means: tuple[float, ...]) -> None:
    outcomes = [Outcome(i, mean, 0.5, 1, 1) for i, mean in enumerate(means)]
    for early in (False, True):
        bounds = interval(BIG_TWO, outcomes, early=early)
        assert bounds.low < means[0] < bounds.high
        assert -1 <= bounds.low < bounds.high <= 3


@pytest.mark.parametrize(
    "values", [[1 / 9] * 38, [11 / 12] * 35, [0.3, 0.1 + 0.2] * 15], ids=["ninths", "twelfths", "sums"]
)
def test_values_that_differ_by_rounding_are_equal(values: list[float]) -> None:
    """The mean of equal values may be the next number, and equal means may be rounded in two ways."""
    one = Estimate.of(values, (0, 1))
    assert one == Estimate.of(values, (0, 1), any_time=True)
    assert one.high - one.low > 0.1


@pytest.mark.parametrize("seed", [8, 40])
def test_two_equal_deals_do_not_end_a_contest(seed: int) -> None:
    done = cli(
        "arena", "greedy", "thrifty", "--game", "big-two", "--deals", "2", "--early", "--seed", str(seed), "--json"
    )
    (pair,) = json.loads(done.stdout)["pairs"]
    assert pair["deals"] == 2
    assert pair["low"] < 0 < pair["high"]


def test_one_deal_is_printed_as_json() -> None:
    def refused(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    done = cli("arena", "low", "random", "--game", "big-two", "--deals", "1", "--json", "--details")
    assert json.loads(done.stdout, parse_constant=refused)["pairs"][0]["deals"] == 1


def test_every_json_output_has_null_for_what_json_cannot_write(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [float("inf"), (float("nan"), 1.5)], "b": {"c": float("-inf")}})
    assert json.loads(capsys.readouterr().out) == {"a": [None, [None, 1.5]], "b": {"c": None}}


def test_an_order_of_deals_does_not_matter() -> None:
    values = [one.mean for one in drawn(20, 1)]
    assert betting_interval(values, (-1, 3)) == pytest.approx(betting_interval(values[::-1], (-1, 3)))


def test_values_outside_the_bounds_are_refused() -> None:
    with pytest.raises(ValueError, match="values of 0 to 2 do not lie between 0 and 1"):
        Estimate.of([0.0, 2.0], (0, 1))
    with pytest.raises(ValueError, match="values of 5 to 6 do not lie between 0 and 1"):
        Estimate.of([5.0, 6.0] * 20, (0, 1))
    with pytest.raises(ValueError, match="do not lie between 0 and 1"):
        Estimate.of([nan, 1.0], (0, 1))
    assert Estimate.of([1.0000001], (0, 1)).high == 1


@pytest.mark.full
def test_duels_of_equal_players_are_exactly_even() -> None:
    match = dasan.vector.make("winner", 1).duel("thrifty", "thrifty", 20, seed=1)
    assert match.mean == 0.0
    assert match.low < 0 < match.high


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_what_a_seat_earns_lies_within_the_bounds(preset: str) -> None:
    rules = dasan.rules(preset)
    least, most = earning_bounds(rules)
    contest = Contest(rules, "a", "b", 2)
    for seed in range(2):
        outcome = play_deal(contest, seed, {"a": lambda seat: RandomBot(seat), "b": lambda seat: RandomBot(seat + 9)})
        assert least <= outcome.mean <= most


def test_dd_08_thirteen_bombs_pay_the_most_that_a_hand_can_pay() -> None:
    """No bound below this holds without a limit: each player in turn plays a four over the last one. H.15: a limit lowers it."""
    rules = dasan.rules("dou-dizhu")
    fours = [" ".join(f"{rank}{suit}" for suit in "DCHS") for rank in rules.ranks]
    mine, *others = (" ".join(fours[seat::3]) for seat in range(3))
    state = dasan.start(rules, [mine[:50], f"{others[0]} BJ", f"{others[1]} RJ"], kitty=mine[50:]).play("bid 3")
    for four in fours:
        state = state.play(four)
    assert state.result is not None
    assert state.result.payments == (49_152, -24_576, -24_576)
    assert payment_bounds(rules) == (-49_152, 49_152)
    assert payment_bounds(dasan.rules("dou-dizhu", doubling_cap=4)) == (-96, 96)
    assert payment_bounds(dasan.rules("wa-keng", spring=True)) == (-12, 12)
    assert payment_bounds(dasan.rules("big-three-4p", bombs=True, bomb_doubles=True)) == (-3 << 12, 3 << 12)


def test_a_guard_who_pays_for_all_pays_no_more_than_the_bound() -> None:
    rules = dasan.rules("big-two", guard="foul", guard_pays=True)
    state = dasan.start(rules, ["2S 3C", "KS", "4H 5H", "6H 7H"], table="8D", table_seat=3, to_act=0)
    result = state.play("pass").play("KS").result
    assert result is not None
    assert result.payments == (-3, 3, 0, 0)
    assert payment_bounds(rules) == (-3, 3)


def test_h_28_h_29_a_guard_with_four_twos_pays_the_most_that_a_hand_can_pay() -> None:
    """Three losers hold all their cards and nobody can hold more twos: no bound below this holds."""
    rules = dasan.rules("big-two-hong-kong")
    mine = "3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 3C"
    others = (
        "4C 5C 6C 7C 8C 9C TC JC QC KC AC 3H 4H",
        "5H 6H 7H 8H 9H TH JH QH KH AH 3S 4S 5S",
        "6S 7S 8S 9S TS JS QS KS AS 2D 2C 2H 2S",
    )
    state = dasan.start(rules, [mine, *others], leader=0)
    for play in ("3D 4D 5D 6D 7D", "8D 9D TD JD QD", "KD", "AD"):
        state = state.play(play).play("pass").play("pass").play("pass")
    result = state.play("3C").result
    assert result is not None
    assert result.payments == (936, 0, 0, -936)
    assert payment_bounds(rules) == (-936, 936)


REACHED: list[tuple[str, dict[str, bool]]] = [
    (preset, {}) for preset in dasan.PRESETS if preset not in ("dou-dizhu", "big-two-hong-kong")
]
"""Presets whose bounds random hands reach; those of the others have hands of their own above."""


@pytest.mark.parametrize(("preset", "options"), [*REACHED, ("big-three-4p", {"pay_each_winner": True})])
def test_hands_pay_the_least_and_the_most(preset: str, options: dict[str, bool]) -> None:
    rules, rng, paid = dasan.rules(preset, **options), random.Random(1), [0]
    for seed in range(40):
        result = play_out(dasan.deal(rules, seed=seed), rng).result
        assert result is not None
        paid += result.payments
        if (min(paid), max(paid)) == payment_bounds(rules):
            return
    assert (min(paid), max(paid)) == payment_bounds(rules)


@pytest.mark.sampled(0, 8)
@pytest.mark.full
@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_payments_lie_within_the_bounds_by_every_option(preset: str) -> None:
    rng = random.Random(preset)
    for option in dasan.PRESETS[preset].options:
        for value in option.choices or (option.minimum, option.maximum):
            try:
                rules = dasan.rules(preset, **{option.name: value})
            except ValueError:
                continue  # it needs another option too
            least, most = payment_bounds(rules)
            for seed in range(3):
                result = play_out(dasan.deal(rules, seed=seed), rng).result
                assert result is not None
                assert all(least <= paid <= most for paid in result.payments), rules.options
