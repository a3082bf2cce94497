"""Duplicate matches and their intervals."""

from __future__ import annotations

import random
import re
from functools import partial
from statistics import fmean

import pytest

import dasan
from dasan.arena import Estimate, duplicate
from dasan.arena.contest import Contest, play_deal
from dasan.arena.duplicate import rotations
from dasan.bots import Maker
from dasan.bots.random_bot import RandomBot
from dasan.estimates import t_quantile


def test_every_seat_is_played_once_a_deal() -> None:
    assert rotations(["a", "b", "b"]) == [("a", "b", "b"), ("b", "b", "a"), ("b", "a", "b")]
    assert len(rotations(["a", "b", "a", "b"])) == 2


def test_a_match_is_fair_between_equals_and_does_not_depend_on_processes() -> None:
    rules = dasan.rules("big-two")
    play = partial(
        duplicate, rules, ["x", "y", "y", "y"], deals=6, makers={"x": partial(RandomBot), "y": partial(RandomBot)}
    )
    match = play()
    assert match.hands == 24
    assert match.standings["x"].payment == match.standings["y"].payment
    assert match.standings["x"].payment.mean == 0
    assert play(processes=2) == match


class PassBot:
    """Always passes, also where it must lead."""

    name, version = "passes", "1"

    def choose(self, view: dasan.View) -> dasan.Move:
        return dasan.Move("pass")  # type: ignore[arg-type]


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_names_the_bot_and_the_hand(processes: int) -> None:
    lineup: list[str] = ["passes", "greedy", "greedy", "greedy"]
    makers: dict[str, Maker] = {"passes": make_passing}
    with pytest.raises(dasan.IllegalPlay) as caught:
        duplicate(dasan.rules("big-two"), lineup, deals=2, seed=6, makers=makers, processes=processes)
    (note,) = caught.value.__notes__
    assert re.fullmatch(r"at a move of passes in seat [0-3]: big-two, seed (6, dealer 2|7, dealer 3)", note)


def test_a_note_on_what_is_no_bot_hides_no_error() -> None:
    makers: dict[str, Maker] = {"x": lambda seed: "no bot"}  # type: ignore[dict-item, return-value]
    with pytest.raises(AttributeError, match="'choose'") as caught:
        duplicate(dasan.rules("big-two"), ["x"] * 4, deals=1, makers=makers)
    assert caught.value.__notes__[0].startswith("at a move of str in seat")


def make_passing(seed: int) -> PassBot:
    return PassBot()


def test_makers_are_functions_of_a_seed() -> None:
    for wrong in (PassBot, PassBot(), None):
        with pytest.raises(TypeError, match="a bot is made by a function of a seed, such as lambda seed"):
            duplicate(dasan.rules("big-two"), ["x"] * 4, deals=1, makers={"x": wrong})  # type: ignore[dict-item]


def test_makers_that_no_other_process_can_receive_are_refused() -> None:
    makers: dict[str, Maker] = {"x": lambda seed: PassBot()}
    with pytest.raises(TypeError, match="must be picklable"):
        duplicate(dasan.rules("big-two"), ["x"] * 4, deals=2, processes=2, makers=makers)


def test_a_line_up_is_read_once() -> None:
    names = ["greedy", "random", "random", "random"]
    match = duplicate(dasan.rules("big-two"), iter(names), deals=1)
    assert match == duplicate(dasan.rules("big-two"), names, deals=1)
    assert match.lineup == tuple(names)


def test_places_are_reported_in_games_played_to_the_last() -> None:
    match = duplicate(dasan.rules("winner"), ["random"] * 4, deals=2)
    assert match.hands == 2
    place = match.standings["random"].place
    assert place is not None
    assert (place.mean, place.samples) == (2.5, 2)
    assert 1 <= place.low < 2.5 < place.high <= 4
    assert duplicate(dasan.rules("big-two"), ["random"] * 4, deals=1).standings["random"].place is None


class OneMove:
    """Always plays its first legal move, or its last."""

    name, version = "one-move", "1"

    def __init__(self, at: int) -> None:
        self.at = at

    def choose(self, view: dasan.View) -> dasan.Move:
        return view.legal_moves()[self.at]


@pytest.mark.parametrize("preset", ["big-three-4p", "big-two", "winner"])
def test_outcomes_are_those_of_the_hands(preset: str) -> None:
    """Payments, places, wins, roles and decisions of a deal, counted hand by hand with the engine alone."""
    rules, seed = dasan.rules(preset), 6
    n = rules.players
    makers: dict[str, Maker] = {"first": partial(_one_move, at=0), "last": partial(_one_move, at=-1)}
    gains, places, moves = list[float](), list[float](), [0, 0]
    won = above = below = 0
    roles: dict[str, tuple[int, int]] = {}
    for mine in range(n):
        state = dasan.deal(rules, seed=seed, dealer=seed % n)
        while state.to_act is not None:
            legal, seat = state.legal_moves(), state.to_act
            moves[seat != mine] += len(legal) > 1
            state = state.play(legal[0 if seat == mine else -1])
        assert state.result is not None
        paid = [float(one) for one in state.result.payments]
        if preset == "winner":
            places.append(1 + state.result.finish_order.index(mine))
            paid = [1 - 2 * state.result.finish_order.index(seat) / 3 for seat in range(n)]
        gains.append(paid[mine])
        above += sum(one < paid[mine] for one in paid)
        below += sum(one > paid[mine] for one in paid)
        won += mine in state.result.winners
        role = "player"
        if state.bidder is not None:
            role = {state.bidder: "bidder", state.partner: "partner"}.get(mine, "opponent")
        hands, wins = roles.get(role, (0, 0))
        roles[role] = (hands + 1, wins + (mine in state.result.winners))
    outcome = play_deal(Contest(rules, "first", "last", 1), seed, makers)
    assert outcome.mean == pytest.approx(fmean(gains))
    assert (outcome.wins, outcome.above, outcome.below) == (won / n, above, below)
    assert (outcome.roles, outcome.moves, outcome.faults) == (roles, tuple(moves), ({}, {}))
    standing = duplicate(rules, ["first", *["last"] * (n - 1)], deals=1, seed=seed, makers=makers).standings["first"]
    assert standing.wins.mean == won / n
    if preset == "winner":
        assert standing.place is not None
        assert standing.place.mean == fmean(places)
    else:
        assert standing.payment.mean == pytest.approx(fmean(gains))


def _one_move(seed: int, at: int) -> OneMove:
    return OneMove(at)


def test_a_line_up_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="takes 3 bots, not 4"):
        duplicate(dasan.rules("big-three"), ["random"] * 4, deals=1)
    with pytest.raises(ValueError, match="deals is a whole number from 1 on"):
        duplicate(dasan.rules("big-three"), ["random"] * 3, deals=0)
    with pytest.raises(ValueError, match="at least one value"):
        Estimate.of([], (0, 1))


@pytest.mark.parametrize(("freedom", "value"), [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042)])
def test_quantiles_of_t(freedom: int, value: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(value, rel=0.005)


def test_intervals_have_their_nominal_coverage() -> None:
    rng = random.Random(1)
    held = 0
    for _ in range(600):
        estimate = Estimate.of([rng.gauss(1, 3) for _ in range(30)], (-99, 99))
        held += estimate.low <= 1 <= estimate.high
    assert 0.92 < held / 600 < 0.98
