"""What the greedy player does, situation by situation."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.playing import Options, every_setup, play_out, rules_of

import dasan
from dasan import Move, State
from dasan.arena import duplicate
from dasan.bots.heuristics.plan import Plan
from dasan.bots.heuristics.races import SAFE
from dasan.bots.heuristics.view_costs import ViewCosts
from dasan.learn.dataset import DatasetPlan, played

GREEDY = dasan.bot("greedy")


def said(state: State) -> str:
    return str(GREEDY.choose(state.view(state.to_act)))


def position(preset: str, hands: Sequence[str], **situation: Any) -> State:
    return dasan.start(dasan.rules(preset), hands, **situation)


@every_setup
def test_it_goes_out_when_it_can(setup: tuple[str, Options]) -> None:
    chances = 0

    def watching(state: State, rng: random.Random) -> Move:
        nonlocal chances
        moves = state.legal_moves()
        ends = [m for m in moves if state.to_act is not None and len(m.cards) == len(state.hands[state.to_act])]
        if state.phase is dasan.Phase.PLAY and ends:
            chances += 1
            assert GREEDY.choose(state.view(state.to_act)) in ends
        return rng.choice(moves)

    for seed in range(6):
        play_out(dasan.deal(rules_of(setup), seed=seed), random.Random(seed), watching)
    assert chances


def test_it_plays_the_cheapest_play_that_beats_the_table() -> None:
    hands = ["8C 9S QD KH", "4D 4S 6C 7D", "4C 6D TH JC", "5D 5C TD TS"]
    assert said(position("big-two", hands, table="7H", table_seat=3)) == "8C"


def test_it_leads_what_cannot_be_beaten_and_keeps_the_loser_for_last() -> None:
    state = position("big-three", ["4H 3C", "5D 5S 6C", "7C 8D 9D"], bidder=0, leader=0)
    assert said(state) == "3C"


def test_it_does_not_break_a_run_to_follow_a_low_card() -> None:
    state = position(
        "big-three",
        ["4D 7C 8D 9S", "4S 6C 7D JS AD 3S 3D", "4C 6D TH JC QS KC 2D"],
        bidder=0,
        table="5H",
        table_seat=2,
        to_act=0,
    )
    assert said(state) == "pass"


@pytest.mark.parametrize(("bidder", "expected"), [(1, "pass"), (2, "KC")])
def test_it_leaves_an_ally_the_trick_and_stops_the_bidder(bidder: int, expected: str) -> None:
    state = position(
        "big-three",
        ["5C 5D 8C 9S KC", "4S 6C 7D JS", "4D 6H"],
        bidder=bidder,
        table="QH",
        table_seat=2,
        to_act=0,
    )
    assert said(state) == expected


def test_it_feeds_an_ally_with_one_card_left() -> None:
    state = position("big-three", ["4C 9D 9S KD KS", "QH", "5C 6D 7S 8H TD JC"], bidder=2, leader=0)
    assert said(state) == "4C"


def test_it_leads_no_single_to_a_foe_with_one_card_left() -> None:
    state = position("big-three", ["4C 6D 6S KD", "QH", "5C 7D 7S 8H TD JC"], bidder=1, leader=0)
    assert said(state) == "6D 6S"


def test_it_guards_a_neighbour_on_the_last_card() -> None:
    hands = ["3C 8D KS", "9H", "4D 5D 6C", "4C 5S 7C"]
    assert said(position("big-two", hands, table="7D", table_seat=3)) == "KS"
    assert said(position("big-two", hands, leader=0)) == "KS"


def test_it_bids_on_strength_and_passes_on_weakness() -> None:
    rules = dasan.rules("big-three")
    strong = "3H 3D 3S 2H 2D 2S AH AD AS KH KD KS QH QD QS JH"
    rest = [str(c) for c in rules.pack if str(c) not in strong.split()]
    state = dasan.start(rules, [strong, " ".join(rest[:16]), " ".join(rest[16:32])])
    while state.to_act != 0:
        state = state.play("bid 1" if state.bid is None else "pass")
    assert said(state) == "bid 3"
    weak = "4C 4D 5C 6D 8C 8D 9C TD QC QD AC AD JC JS 6S 9S"
    rest = [str(c) for c in reversed(rules.pack) if str(c) not in weak.split()]
    state = dasan.start(rules, [weak, " ".join(rest[:16]), " ".join(rest[16:32])])
    while state.to_act != 0:
        state = state.play("bid 1" if state.bid is None else "pass")
    assert said(state) == "pass"


@pytest.mark.parametrize(("players", "cards"), [(2, 20), (5, 10), (8, 6)])
def test_it_bids_with_any_number_of_players(players: int, cards: int) -> None:
    """With custom rules: its limits are measured for three and four players."""
    rules = replace(dasan.rules("big-three"), players=players, hand_size=cards)
    state = dasan.deal(rules, seed=1)
    while state.phase is dasan.Phase.AUCTION:
        assert state.to_act is not None
        view = state.view(state.to_act)
        explained = GREEDY.explain(view).moves
        assert any(reason.id in ("bid-good", "bid-weak") for one in explained for reason in one.reasons)
        state = state.play(GREEDY.choose(view))
    assert state.bidder is not None


def test_it_offers_what_it_misses_least_and_takes_what_fits() -> None:
    session = dasan.session(dasan.rules("winner"), seed=3)
    seats = [dasan.bot("greedy") for _ in range(4)]
    for _ in range(6):
        while session.state.to_act is not None:
            session = session.play(seats[session.state.to_act].choose(session.state.view(session.state.to_act)))
        session = session.next_hand()
        while session.state.phase is dasan.Phase.EXCHANGE:
            state = session.state
            assert state.to_act is not None
            move = seats[state.to_act].choose(state.view(state.to_act))
            if move.type == "offer":
                assert all(c.rank != "2" and not c.is_joker for c in move.cards)
            session = session.play(move)


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_it_beats_random(preset: str) -> None:
    rules = dasan.rules(preset)
    match = duplicate(rules, ["greedy", *["random"] * (rules.players - 1)], deals=40, seed=1)
    greedy, chance = match.standings["greedy"], match.standings["random"]
    assert greedy.wins.mean > chance.wins.mean + 0.25
    if preset == "winner":
        assert greedy.place is not None
        assert greedy.place.high < 2.5
    else:
        assert greedy.payment.low > 0


@pytest.mark.full
@pytest.mark.parametrize("preset", ["big-two", "winner", "dou-dizhu"])
def test_the_cheapest_few_are_those_of_a_plain_sort(preset: str) -> None:
    state, source, judged = dasan.deal(dasan.rules(preset), seed=2), random.Random(2), 0
    while state.to_act is not None:
        view, moves = state.view(state.to_act), state.legal_moves()
        if view.phase == "play" and len(moves) > 3:
            few = ViewCosts(view).cheapest_few(moves, 3)
            assert few == sorted(moves, key=ViewCosts(view).of)[:3]
            judged += 1
        state = state.play(source.choice(moves))
    assert judged > 5


def test_it_wins_the_race_that_public_cards_prove() -> None:
    """It holds 3S and five pairs, three of which cannot be beaten: they cover the other two."""
    state = dasan.deal(dasan.rules("big-two"), seed=3)
    winner = None
    while state.to_act is not None:
        move = GREEDY.choose(state.view(state.to_act))
        if state.to_act == 0 and state.table is None and len(state.hands[0]) == 11:
            winner = str(move)
        state = state.play(move)
    assert winner is not None
    assert " " in winner  # one of the pairs
    assert state.result is not None
    assert state.result.winners == (0,)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("4D 4C 2S 3D", {"3D"}),  # 2S answers a single, not a pair
        ("4D 4C 5D 5C 2H 2S 3D", set()),  # an answer too few, however 22 is used
        ("4D 4C 2H 2S", {"4D", "4C", "4D 4C", "2H", "2S", "2H 2S"}),
    ],
)
def test_each_loser_of_a_race_needs_an_answer_of_its_kind(hand: str, expected: set[str]) -> None:
    state = position("big-two", [hand, "6C 7D 8S 9H TC", "6D 7C 8H 9S TD", "6H 7S 8D 9C TH"])
    view = state.view(0)
    costs = ViewCosts(view)
    won = {str(m) for m in state.legal_moves() if (risk := costs.race(m)) is not None and risk < SAFE}
    assert won == expected


def test_a_card_answers_for_one_loser_alone() -> None:
    """Of its two 2s only 2S cannot be beaten: it covers one of the lower cards, not two."""
    state = position("winner", ["3D 4C 6H 2S 2D", "2H 5C 7D", "2C 5D 7C", "5S 7H 8D"])
    costs = ViewCosts(state.view(0))
    races = {str(move): costs.race(move) for move in state.legal_moves()}
    assert races["3D"] is None
    assert races["2S"] is None


def test_both_cards_answer_where_nobody_beats_either() -> None:
    state = position("winner", ["3D 4C 6H 2S 2H", "2D 5C 7D", "2C 5D 7C", "5S 7H 8D"])
    costs = ViewCosts(state.view(0))
    assert {str(m): costs.race(m) for m in state.legal_moves()}["3D"] == 0


RECORDED = [
    ("big-three", {}, 30, "853e5cef07dfa6f0"),
    ("big-three-4p", {}, 15, "3f3e192267c27229"),
    ("big-two", {}, 12, "c7c42b15bba5cb4f"),
    ("winner", {}, 12, "31b77bf74c342d9c"),
    ("winner", {"players": 6, "decks": 2, "jokers": True}, 6, "bcd147f2e0da8014"),
]
RECORDED_MORE = [
    ("big-three", {}, 150, "ce96d3075676c10b"),
    ("big-three-4p", {}, 60, "f04af2aae3eb7460"),
    ("big-three-fr", {}, 20, "046ec16fb73b5afa"),
    ("big-two", {}, 60, "cae80c36141f8332"),
    ("winner", {}, 60, "68a3ac15cd5a73fb"),
    ("winner", {"players": 6, "decks": 2, "jokers": True}, 20, "6e5974b32b58f93a"),
    ("winner-bomb", {}, 20, "1f8836aee9e26c7d"),
    ("big-two", {"triples": True, "fours": True, "two_pairs": True, "pass_is_final": True}, 10, "cc1967e36810d4cc"),
    ("winner", {"jokers": True, "bomb": "quad", "two_of_spades_restart": "always"}, 10, "a9d77e91b10f89c2"),
    ("winner", {"suits_ranked": False, "min_straight": 3}, 10, "3e8f290efa103deb"),
]
"""Hands of `greedy` 6 against itself, and the digest of all their action ids, recorded before it was made faster."""


@pytest.mark.sampled(1, 3)
@pytest.mark.parametrize(
    ("preset", "options", "hands", "digest"),
    [*RECORDED, *(pytest.param(*row, marks=pytest.mark.slow) for row in RECORDED_MORE)],
)
def test_a_version_always_plays_the_same_way(preset: str, options: Options, hands: int, digest: str) -> None:
    rules = dasan.rules(preset, **options)
    plan = DatasetPlan(rules, ("greedy",) * rules.players, hands)
    seen = hashlib.sha256()
    for number in range(hands):
        seen.update(repr(played(plan, number)["actions"]).encode())
    assert GREEDY.version == "6"
    assert seen.hexdigest()[:16] == digest


@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_the_cheapest_move_is_found_without_working_out_every_cost(preset: str) -> None:
    for seed in range(3):
        state = dasan.deal(dasan.rules(preset), seed=seed)
        while state.to_act is not None:
            view, moves = state.view(state.to_act), state.legal_moves()
            if state.phase is dasan.Phase.PLAY:
                costs = ViewCosts(view)
                assert costs.cheapest(moves) is min(moves, key=costs.of)
            state = state.play(GREEDY.choose(view))


def test_earlier_views_do_not_affect_a_choice() -> None:
    """One bot plays every seat of one hand after the other, with some moves that it would not have made."""
    used, moves = dasan.bot("greedy"), random.Random(8)
    games: list[tuple[str, Options]] = [
        ("big-three", {}),
        ("big-three-4p", {}),
        ("big-two", {}),
        ("winner", {"players": 8}),
    ]
    for preset, options in games * 2:
        state = dasan.deal(dasan.rules(preset, **options), seed=moves.randrange(1000))
        while state.to_act is not None:
            view = state.view(state.to_act)
            chosen = used.choose(view)
            assert chosen == dasan.bot("greedy").choose(view)
            state = state.play(moves.choice(state.legal_moves()) if moves.random() < 0.1 else chosen)


def test_views_in_any_order_get_the_same_moves() -> None:
    views, seats = [], [dasan.bot("greedy") for _ in range(3)]
    state = dasan.deal(dasan.rules("big-three"), seed=5)
    while state.to_act is not None:
        views.append(state.view(state.to_act))
        state = state.play(seats[state.to_act].choose(views[-1]))
    used = dasan.bot("greedy")
    for view in [*views[::-1], *views[::2], *views]:
        assert used.choose(view) == dasan.bot("greedy").choose(view)


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_a_plan_whose_budget_is_used_up_is_not_taken_over(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan.__init__, "__defaults__", (40,))
    for seed in range(4):
        used = dasan.bot("greedy")
        state = dasan.deal(dasan.rules(preset), seed=seed)
        while state.to_act is not None:
            view = state.view(state.to_act)
            move = used.choose(view)
            assert move == dasan.bot("greedy").choose(view)
            state = state.play(move)


MINE, LEFT, RIGHT = "4D 5C 6S 8S 8H QC KC 2D", "5D 7D 9S TH JC", "4S 6H TD JD AS"
LEADS = position("big-three", [MINE, LEFT, RIGHT], bidder=0, leader=0)
FOUR = ["4D 4C 4H 8S 8H QC KC 2D", LEFT, RIGHT, "7C"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LEADS, position("big-three", [MINE, LEFT, RIGHT], bidder=1, leader=0)),
        (LEADS, position("big-three", [MINE, "5D 7D", RIGHT], bidder=0, leader=0)),
        (LEADS, position("big-three", [f"{MINE} 3S", LEFT, RIGHT], bidder=0, leader=0)),
        (
            position("big-three", [MINE, LEFT, RIGHT], bidder=0, table="4H", table_seat=2),
            position("big-three", [MINE, LEFT, RIGHT], bidder=0, table="AD", table_seat=2),
        ),
        (
            dasan.start(dasan.rules("big-two"), FOUR, leader=0),
            dasan.start(dasan.rules("big-two", triples=True), FOUR, leader=0),
        ),
    ],
    ids=["sides", "sizes", "hand", "hidden cards", "rules"],
)
def test_estimates_of_another_situation_are_not_taken_over(one: State, other: State) -> None:
    for earlier, later in ((one, other), (other, one)):
        before = ViewCosts(earlier.view(0))
        moves = later.legal_moves()
        judged = ViewCosts(later.view(0), before=before)
        alone = ViewCosts(later.view(0))
        assert [judged.of(move) for move in moves] == [alone.of(move) for move in moves]


def test_two_decisions_at_once_share_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that two threads search at once can keep a wrong cost."""
    bot = dasan.bot("greedy")
    state = position("big-three", ["4D 6C 8S 8H QC KC 2D", "5C 7D 9S TH JC", "4S 6H TD JD AS"], bidder=0, leader=0)
    plans: list[object] = []
    real = ViewCosts.cheapest

    def cheapest(costs: ViewCosts, moves: Sequence[Move]) -> Move:
        plans.append(costs._plan)
        if len(plans) == 2:  # while this decision is made, another thread asks for the same
            bot.choose(view)
        return real(costs, moves)

    monkeypatch.setattr(ViewCosts, "cheapest", cheapest)
    view = state.view(0)
    for _ in range(2):
        bot.choose(view)
    first, second, meanwhile = plans
    assert second is first
    assert meanwhile is not second
