"""Endgames of Big Two and Winner against minimax over the engine without a table or pruning."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice
from typing import Any, get_args

import pytest
from benchmarks.endgames import endgame
from tests.vector.covering import drawn_options

import dasan
from dasan.ruleset.policies import BidScoring, CardScoring, Ending, FixedScoring, NextDealer
from dasan.solver import solve
from dasan.solver.solving import Scope
from dasan.solver.values import bounds


def plain(state: dasan.State, seat: int) -> int:
    """The result that `seat` and its side can force: the payment, or the place, where less is better."""
    sides = state.rules.has_sides
    places = state.rules.ending is Ending.LAST_IN and not sides
    if places and seat in state.finished:
        return state.finished.index(seat) + 1
    if state.result is not None:
        return state.result.finish_order.index(seat) + 1 if places else state.result.payments[seat]
    values = [plain(state.play(move), seat) for move in state.legal_moves()]
    mine = (state.to_act in state.partners) == (seat in state.partners) if sides else state.to_act == seat
    return max(values) if mine != places else min(values)


def plain_max_n(state: dasan.State) -> list[int]:
    """Each seat's result if all play for themselves: payments, or places negated."""
    seats = range(state.rules.players)
    if state.result is not None:
        order = state.result.finish_order
        places = state.rules.ending is Ending.LAST_IN
        return [-1 - order.index(seat) for seat in seats] if places else list(state.result.payments)
    rest = [plain_max_n(state.play(move)) for move in state.legal_moves()]
    seat = state.to_act or 0
    best = max(values[seat] for values in rest)
    rest = [values for values in rest if values[seat] == best]
    for other in [*seats[seat + 1 :], *seats[:seat]]:
        worst = min(values[other] for values in rest)
        rest = [values for values in rest if values[other] == worst]
    return rest[0]


CASES = [
    (dasan.rules("big-two"), 8, 0, "paranoid"),
    (dasan.rules("big-two", guard="off", scoring="cards"), 8, 0, "paranoid"),
    (dasan.rules("winner", players=3), 5, 0, "paranoid"),
    (dasan.rules("winner", players=3), 6, 1, "two players"),
    (dasan.rules("winner", players=4, decks=2, jokers=True), 6, 2, "two players"),
]


def reached(rules: dasan.Rules, source: random.Random, cards: int, out: int) -> dasan.State:
    """An endgame, or a position one or two moves later, with a play to beat or passes pending."""
    state = endgame(rules, source, cards, out)
    for _ in range(source.randrange(3)):
        after = state.play(source.choice(state.legal_moves()))
        if after.to_act is not None and len(after.active) == len(state.active):
            state = after
    return state


def compare(rules: dasan.Rules, source: random.Random, cards: int, out: int, scope: str) -> None:
    """Compare one endgame with all its moves and its line, by minimax and by the solver."""
    state = reached(rules, source, cards, out)
    seat = state.to_act or 0
    solution = solve(state, seconds=None)
    assert solution.exact
    assert solution.scope == scope
    assert solution.value == plain(state, seat), state.record()
    assert solution.moves == {move: plain(state.play(move), seat) for move in state.legal_moves()}
    for move in solution.line:
        state = state.play(move)
    assert plain(state, seat) == solution.value


def compare_max_n(rules: dasan.Rules, source: random.Random, cards: int, out: int) -> None:
    """The same if all play for themselves."""
    state = reached(rules, source, cards, out)
    seat = state.to_act or 0
    sign = -1 if rules.ending is Ending.LAST_IN else 1
    solution = solve(state, seconds=None, scope="max-n")
    assert solution.exact
    assert solution.scope == ("two players" if len(state.active) == 2 else "max-n")
    assert solution.by_seat == {s: sign * value for s, value in enumerate(plain_max_n(state))}, state.record()
    assert solution.value == solution.by_seat[seat]
    assert solution.moves == {move: sign * plain_max_n(state.play(move))[seat] for move in state.legal_moves()}
    for move in solution.line:
        state = state.play(move)
    assert plain_max_n(state) == [sign * value for value in solution.by_seat.values()]


@pytest.mark.parametrize(("rules", "cards", "out", "scope"), CASES)
def test_equal_to_minimax(rules: dasan.Rules, cards: int, out: int, scope: str) -> None:
    source = random.Random(cards)
    for _ in range(12):
        compare(rules, source, cards, out, scope)


@pytest.mark.full
@pytest.mark.parametrize(("rules", "cards", "out", "scope"), CASES)
def test_max_n_equals_each_for_themselves(rules: dasan.Rules, cards: int, out: int, scope: str) -> None:
    source = random.Random(cards)
    for _ in range(12):
        compare_max_n(rules, source, cards, out)


def few_ranks(rules: dasan.Rules, source: random.Random) -> dasan.State | None:
    """Up to eight cards of two or three ranks, so that there are bombs; None if they make no position."""
    n = rules.players
    low, width = source.randrange(len(rules.ranks) - 2), source.choice((2, 3))
    pack = [c for c in rules.pack if c.is_joker or 0 <= rules.order.place[c][0] - low < width]
    source.shuffle(pack)
    sizes = source.choices(range(1, 6), [3, 3, 1, 2, 1], k=n)
    if sum(sizes) > min(8, len(pack)):
        return None
    hands = [[pack.pop() for _ in range(size)] for size in sizes]
    where: dict[str, Any] = {"leader": source.randrange(n)}
    if rules.auction is not None:
        where |= {"bidder": source.randrange(n), "bid": source.randint(1, rules.auction.top)}
    if rules.call is not None:
        others = [c for s, hand in enumerate(hands) if s != where["bidder"] for c in hand]
        where["called"] = next((c for c in others if c.rank in rules.call.ranks), None)
        if where["called"] is None:
            return None
    try:
        return dasan.start(rules, hands, **where)
    except ValueError:
        return None


@pytest.mark.sampled(0, 8)
@pytest.mark.full
@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_every_preset_is_solved_as_by_minimax(preset: str) -> None:
    """With drawn options: payments doubled by bombs and springs, sides, guards who pay for all, doubled twos."""
    source = random.Random(preset)
    solved = 0
    for setting in drawn_options(preset, 8):
        rules = dasan.rules(preset, **setting)
        drawn = (few_ranks(rules, source) for _ in range(100))
        for state in islice((one for one in drawn if one is not None), 2):
            seat = state.to_act if state.bidder is None else state.bidder
            assert seat is not None
            solution = solve(state, seconds=None)
            assert solution.value == plain(state, seat), state.record()
            assert solution.moves == {move: plain(state.play(move), seat) for move in state.legal_moves()}
            for nodes in (0, 1, 5):
                part = solve(state, nodes=nodes)
                assert part.lower is not None
                assert part.upper is not None
                assert part.lower <= solution.value <= part.upper
                assert part.moves.items() <= solution.moves.items()
            solved += 1
    assert solved >= 8


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "cards", "out", "scope"), CASES)
def test_equal_to_minimax_on_many_endgames(rules: dasan.Rules, cards: int, out: int, scope: str) -> None:
    source = random.Random(cards + 100)
    for _ in range(500):
        compare(rules, source, source.randint(cards - 2, cards), out, scope)
        compare_max_n(rules, source, source.randint(cards - 2, cards), out)


@pytest.mark.full
def test_both_assumptions_agree_where_two_are_left() -> None:
    """What is best for one of two is worst for the other."""
    source = random.Random(2)
    for rules, cards, out, scope in CASES:
        if scope == "two players":
            for _ in range(10):
                state = endgame(rules, source, cards, out)
                assert solve(state).moves == solve(state, scope="max-n").moves


@pytest.mark.full
def test_nobody_gets_less_than_it_can_be_sure_of() -> None:
    source = random.Random(3)
    for rules, cards, out, _ in CASES:
        for _ in range(10):
            state = endgame(rules, source, cards, out)
            sure, own = solve(state).value, solve(state, scope="max-n").value
            assert sure is not None
            assert own is not None
            assert own <= sure if rules.ending is Ending.LAST_IN else own >= sure


@pytest.mark.full
def test_a_full_memory_makes_no_wrong_answer() -> None:
    source = random.Random(4)
    for rules, cards, out, _ in CASES:
        state = endgame(rules, source, cards, out)
        for scope in get_args(Scope):
            solution, tiny = (solve(state, seconds=None, memory_mb=mb, scope=scope) for mb in (64, 0.01))
            assert (tiny.value, tiny.moves) == (solution.value, solution.moves)


def test_a_scope_that_the_game_does_not_have_is_refused() -> None:
    sides = dasan.start(dasan.rules("big-three"), ["4H", "5H", "6H"], bidder=0, bid=1, leader=0)
    with pytest.raises(ValueError, match="two sides"):
        solve(sides, scope="max-n")
    with pytest.raises(ValueError, match="paranoid or max-n"):
        solve(endgame(*CASES[0][:1], random.Random(1), 8, 0), scope="max")  # type: ignore[arg-type]


@pytest.mark.full
def test_bounds_hold_where_the_budget_ends() -> None:
    source = random.Random(1)
    for rules, cards, out, _ in CASES:
        state = endgame(rules, source, cards, out)
        whole = solve(state, seconds=None)
        for nodes in (0, 1, 5, 50):
            solution = solve(state, nodes=nodes)
            assert solution.nodes <= nodes
            assert solve(state, nodes=nodes, scope="max-n").nodes <= nodes
            assert solution.lower is not None
            assert solution.upper is not None
            assert whole.value is not None
            assert solution.lower <= whole.value <= solution.upper
            assert solution.value in (None, whole.value)
            assert solution.moves.items() <= whole.moves.items()  # without those that are not proved


def test_a_bomb_of_two_packs_doubles_twice() -> None:
    """One row of the catalogue can be played twice: the bound counts it twice (H.15)."""
    rules = replace(dasan.rules("big-three", bombs=True, bomb_doubles=True, spring=True), decks=2, hand_size=33)
    bombs = "4H 4H 4S 4S 4D 4D 4C 4C"
    state = dasan.start(rules, [bombs, "5H 6H", "7H 8C"], bidder=0, bid=1, leader=0)
    assert bounds(state, 0)[1] >= plain(state, 0) == solve(state).value == 8


def test_payments_of_billions_are_found() -> None:
    """H.29 with two packs: eight twos double what their holder pays 256 times."""
    rules = replace(
        dasan.rules("winner", decks=2),
        scoring=CardScoring(tiers=((1, 1_000_000),), twos_double=True),
        ending=Ending.FIRST_OUT,
        next_dealer=NextDealer.FIRST_OUT,
        exchange=False,
    )
    state = dasan.start(rules, ["3H 4H", "2D 2D 2C 2C 2H 2H 2S 2S 5D 7D", "6D", "9H"], leader=2)
    ((move, value),) = solve(state, nodes=1_000).moves.items()
    after = state.play(move).result
    assert after is not None
    assert value == after.payments[2] == 2_563_000_000


@pytest.mark.parametrize("ending", Ending)
def test_scoring_and_auction_apart(ending: Ending) -> None:
    """Rules that no preset has: payments by bids without an auction, and an auction that decides no payment."""
    unpaid = replace(dasan.rules("big-two", guard="off"), scoring=BidScoring(pay_each_winner=True), ending=ending)
    state = dasan.start(unpaid, ["3D 5C", "4D", "5D", "6D"], leader=0)
    assert solve(state).value == plain(state, 0)
    fixed = replace(dasan.rules("big-three"), scoring=FixedScoring(stake=1), ending=ending)
    state = dasan.start(fixed, ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)
    solution = solve(state)
    assert solution.scope == "paranoid"
    places = ending is Ending.LAST_IN
    assert solution.value == (1 if places else 2)
    auction = solve(dasan.deal(fixed, seed=1), nodes=10)
    for by_bidder in auction.by_bidder.values():
        assert by_bidder.lower is not None
        assert by_bidder.upper is not None
        assert (1 if places else -1) <= by_bidder.lower <= by_bidder.upper <= (3 if places else 2)


def test_bounds_of_sides_are_those_of_the_bid() -> None:
    rules = dasan.rules("dou-dizhu", spring=False)
    state = dasan.start(rules, ["3D 7S 4S", "4H 5D 6C", "3S 8D 9D"], bidder=0, bid=1, leader=1)
    unproved = solve(state, nodes=0)
    assert (unproved.lower, unproved.upper) == (-2, 2)
