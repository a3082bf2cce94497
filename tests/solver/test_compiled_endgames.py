"""Compiled endgames against interpreted ones, position by position, over every option that changes play or payments."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

import dasan
from dasan.backends import ENDGAME, Purpose, choose
from dasan.play import auction
from dasan.ruleset.policies import CardScoring, FixedScoring, OpeningLead, Restart
from dasan.solver import solve
from dasan.solver.budget import Budget
from dasan.solver.compiled import CompiledEndgame, CompiledMaxN
from dasan.solver.endgame import Bounded, Endgame, solve_endgame
from dasan.solver.interpreted import InterpretedEndgame
from dasan.solver.max_n import InterpretedMaxN
from dasan.solver.solving import Warm, solve_warm

BIG_TWO = dasan.rules("big-two")
WINNER = dasan.rules("winner")
RULES = {
    "big two": BIG_TWO,
    "guard enforced": dasan.rules("big-two", guard="enforced"),
    "guard off": dasan.rules("big-two", guard="off"),
    "pass is final": dasan.rules("big-two", pass_is_final=True, guard="enforced"),
    "pass is final, foul": dasan.rules("big-two", pass_is_final=True),
    "cards": dasan.rules("big-two", scoring="cards"),
    "multiplied": dasan.rules("big-two", scoring="cards-multiplied", guard="enforced"),
    "odd tiers": replace(BIG_TWO, scoring=CardScoring(tiers=((1, 7), (3, 2), (6, 3)))),
    "more kinds": dasan.rules("big-two", triples=True, fours=True, two_pairs=True),
    "flush by suit": dasan.rules("big-two", flush_order="suit"),
    "winner": WINNER,
    "three": dasan.rules("winner", players=3, min_straight=3),
    "five": dasan.rules("winner", players=5, jokers=True),
    "two decks": dasan.rules("winner", decks=2, jokers=True),
    "two decks, eight": dasan.rules("winner", players=8, decks=2),
    "restart always": dasan.rules("winner", two_of_spades_restart="always"),
    "restart off": dasan.rules("winner", two_of_spades_restart="off", straight_tie="rank"),
    "suits not ranked": dasan.rules("winner", suits_ranked=False, min_straight=3),
    "bomb": dasan.rules("winner-bomb"),
    "bomb, two decks": dasan.rules("winner-bomb", decks=2, jokers=True),
    "dou dizhu": dasan.rules("dou-dizhu"),
    "no spring, at most one doubling": dasan.rules("dou-dizhu", spring=False, doubling_cap=1),
    "bombs do not double": replace(
        dasan.rules("dou-dizhu"),
        scoring=replace(dasan.rules("dou-dizhu").scoring, bombs_double=False),  # type: ignore[arg-type]
    ),
    "joker kickers": dasan.rules("dou-dizhu", joker_kickers=True, kickers="distinct"),
}


def position(rules: dasan.Rules, source: random.Random, cards: int) -> dasan.State:
    """A few cards of neighbouring ranks, dealt unevenly, after some random moves; in Winner some seats may be out."""
    first = source.randrange(len(rules.ranks) - 4)
    width = 5 if rules.auction is None else 3
    near = [c for c in rules.pack if c.is_joker or rules.ranks.index(c.rank) - first in range(width)]
    pack = [*source.sample(near, min(len(near), cards)), *source.sample(rules.pack, cards)]
    left = {c: rules.pack.count(c) for c in rules.pack}
    chosen: list[dasan.Card] = []
    for c in pack:
        if left[c] and len(chosen) < cards:
            left[c] -= 1
            chosen.append(c)
    seats = list(range(rules.players))
    source.shuffle(seats)
    out = source.randrange(rules.players - 1) if rules.hand_size is None else 0
    bid = {} if rules.auction is None else {"bidder": source.choice(seats), "bid": source.randint(1, 3)}
    finished, playing = seats[:out], seats[out:]
    hands: list[list[dasan.Card]] = [[] for _ in seats]
    for i, c in enumerate(chosen):
        seat = playing[i] if i < len(playing) else playing[0] if source.random() < 0.4 else source.choice(playing)
        hands[seat if len(hands[seat]) < 6 else playing[i % len(playing)]].append(c)
    given = {"payments": [0] * rules.players} if out and isinstance(rules.scoring, CardScoring) else {}
    state = dasan.start(rules, hands, finished=finished, leader=playing[0], **given, **bid)  # type: ignore[arg-type]
    for _ in range(source.randrange(4)):
        after = state.play(source.choice(state.legal_moves()))
        if after.to_act is not None:
            state = after
    return state


def value(state: dasan.State, search: Endgame) -> int | None:
    """The result that the search's seat can force."""
    bounded = Bounded(state, search.seat)
    bounded.settle(search)
    return bounded.value


def agree(rules: dasan.Rules, source: random.Random, positions: int, most: int) -> None:
    """Compare values of positions and of all their moves by both searches, each with one table for all."""
    budget = Budget(None, None)
    ours = CompiledEndgame(rules, 0, 16, budget)
    for _ in range(positions):
        state = position(rules, source, source.randint(rules.players + 1, max(most, rules.players + 2)))
        searches = {
            seat: InterpretedEndgame(seat, 16, budget) for seat in {state.to_act or 0, source.choice(state.active)}
        }
        for seat, theirs in searches.items():
            ours.seat = seat
            for at in (state, *(state.play(move) for move in state.legal_moves())):
                assert value(at, ours) == value(at, theirs), (seat, at.record())
        ours.seat = state.to_act or 0
        theirs = searches[ours.seat]
        one, two = solve_endgame(state, ours, moves=True), solve_endgame(state, theirs, moves=True)
        assert (one.value, one.moves, one.scope) == (two.value, two.moves, two.scope)
        assert one.line
        assert two.line
        at_first = value(state, theirs)
        for line in (one.line, two.line):
            last = state
            for move in line:
                last = last.play(move)
            assert value(last, theirs) == (at_first if rules.hand_size is not None else -(one.value or 0))


def agree_for_everybody(rules: dasan.Rules, source: random.Random, positions: int, most: int) -> None:
    """Compare every seat's result if all play for themselves, of positions and of all their moves."""
    budget = Budget(None, None)
    ours, theirs = CompiledMaxN(rules, 16, budget), InterpretedMaxN(16, budget)
    for _ in range(positions):
        state = position(rules, source, source.randint(rules.players + 1, max(most, rules.players + 2)))
        for at in (state, *(state.play(move) for move in state.legal_moves())):
            values, move = ours.values(at)
            assert values == theirs.values(at)[0], at.record()
            if at.result is None:
                assert move is not None
                assert theirs.values(at.play(move))[0] == values


@pytest.mark.sampled(2, 8)
@pytest.mark.parametrize("name", RULES)
def test_compiled_equals_interpreted(name: str) -> None:
    agree(RULES[name], random.Random(name), 3, 8)
    if not RULES[name].has_sides:
        agree_for_everybody(RULES[name], random.Random(name), 2, 7)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_compiled_equals_interpreted_on_many_positions(name: str) -> None:
    agree(RULES[name], random.Random(f"{name} again"), 100, 9)
    if not RULES[name].has_sides:
        agree_for_everybody(RULES[name], random.Random(f"{name} again"), 100, 8)


@pytest.mark.full
def test_the_opening_card_is_in_the_lead() -> None:
    """D2.11: the search knows this duty of a complete deal; its moves are those that the engine allows."""
    state = dasan.deal(BIG_TWO, seed=5)
    search = CompiledEndgame(BIG_TWO, state.to_act or 0, 16, Budget(None, 200))
    assert search.prove(state, 3) == (None, None)
    solution = solve(state, nodes=500)
    assert solution.nodes <= 500
    assert all("3D" in str(move) for move in solution.moves)


@pytest.mark.full
@pytest.mark.parametrize(
    "rules",
    [
        replace(BIG_TWO, suits_ranked=False),
        replace(BIG_TWO, restart=Restart.ALWAYS),
        replace(BIG_TWO, scoring=CardScoring(unplayed=2)),
        replace(BIG_TWO, opening=OpeningLead("3D", in_the_lead=False)),
        replace(WINNER, pass_is_final=True),
    ],
    ids=["suits_ranked", "restart", "unplayed", "in_the_lead", "pass_is_final"],
)
def test_rules_that_it_does_not_honour_are_searched_by_the_engine(rules: dasan.Rules) -> None:
    assert choose(rules, Purpose.ENDGAME) is ENDGAME
    with pytest.raises(ValueError, match="no compiled backend"):
        CompiledEndgame(rules, 0, 16, Budget(None, None))
    state = position(rules, random.Random(1), 6)
    assert solve(state, nodes=2_000).exact


def test_one_memory_serves_positions_of_several_bids() -> None:
    """A rocket makes a bid of 3 worth 6, and a bid of 2 only 4."""
    rules, budget = RULES["dou dizhu"], Budget(None, None)
    hands = ["JC BJ QD 4D 5S 8H RJ", "JS KD 2C AD 9H 2H TC", "4H 3D TH 8S 9C 5C 2S"]
    search = CompiledEndgame(rules, 0, 4, budget)
    sure = [search.prove(dasan.start(rules, hands, leader=0, bidder=0, bid=bid), 6)[0] for bid in (3, 2)]
    assert sure == [True, False]


def test_each_bidder_of_an_auction_has_a_value_of_its_own() -> None:
    state = dasan.deal(RULES["dou dizhu"], seed=18, dealer=0)
    won = auction.close(replace(state, bid=1, bidder=1))
    assert solve(state, nodes=1_000).by_bidder[1].value == solve(won, nodes=1_000, moves=False).value == 8


@pytest.mark.full
def test_a_value_has_a_move_and_a_line() -> None:
    """However small the budget, a proved value comes with a move that keeps it."""
    source = random.Random(11)
    proved = 0
    for rules in (BIG_TWO, WINNER, RULES["cards"], replace(WINNER, pass_is_final=True)):
        for scope in ("paranoid", "max-n"):
            for _ in range(4):
                state = position(rules, source, 10)
                for nodes in (0, 1, 3, 10, 30, 100, 1_000):
                    solution = solve(state, nodes=nodes, scope=scope)
                    assert solution.nodes <= nodes
                    if solution.exact:
                        assert solution.value in solution.moves.values()
                        assert solution.moves[solution.line[0]] == solution.value
                        proved += 1
    assert proved > 50


@pytest.mark.full
def test_a_lost_position_has_moves_and_a_line_for_nothing() -> None:
    """Greedy's play of this deal reaches positions in which every move loses: the first move proves each."""
    state = dasan.start(BIG_TWO, ["3D 4D", "5D", "6D", "7D"], leader=0)
    solution = solve(state, nodes=100)
    assert (solution.value, set(solution.moves.values())) == (-1, {-1})
    assert len(solution.moves) == len(state.legal_moves())


@pytest.mark.full
def test_the_first_row_is_told_from_a_single_that_nobody_beats() -> None:
    """With the strongest kind listed first its lowest play is row 0, whose key was once that of the highest single."""
    kinds = dasan.rules("winner-bomb", players=3).shapes[::-1]
    rules = replace(dasan.rules("winner-bomb", players=3), shapes=(replace(kinds[0], power=5), *kinds[1:]))
    assert rules.combination(dasan.cards.parse_cards("AD 2D 3D 4D 5D")).strength == 0
    hands = ["QD", "4C 5C 6C 7C 8C KD KC KH KS 3H TD", "2C"]
    warm = Warm(8)
    for table, place in (("AD 2D 3D 4D 5D", 2), ("2S", 1)):
        state = dasan.start(rules, hands, table=table, table_seat=0)
        assert solve(state, nodes=20_000).value == place
        assert solve_warm(state, warm, Budget(None, 20_000)).value == place


@pytest.mark.full
def test_payments_of_nothing_are_worth_nothing() -> None:
    rules = replace(BIG_TWO, scoring=FixedScoring(stake=0))
    solution = solve(position(rules, random.Random(3), 8), nodes=0)
    assert (solution.value, solution.exact) == (0, True)


@pytest.mark.full
def test_making_machine_code_does_not_count_and_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    state = dasan.start(BIG_TWO, ["3D 4D", "5D", "6D", "7D"], leader=0)
    made = CompiledEndgame.warm_up

    def slowly(self: CompiledEndgame, at: dasan.State) -> None:
        made(self, at)
        time.sleep(0.3)

    monkeypatch.setattr(CompiledEndgame, "warm_up", slowly)
    monkeypatch.setattr(CompiledEndgame, "ready", lambda self: False)
    notices: list[str] = []
    assert solve(state, seconds=0.2, notice=notices.append).exact
    assert len(notices) == 1
    assert "compiling" in notices[0]
    monkeypatch.undo()
    assert solve(state, seconds=0.2, notice=notices.append).exact
    assert len(notices) == 1, "loaded already"
