"""Moves that win for sure do win, whatever the others do."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

import dasan
from dasan.bots.heuristics.certain import Certain
from dasan.bots.net import NetBot
from dasan.ruleset.policies import FixedScoring
from dasan.ruleset.shapes import AnyShape, Run, Same

pytestmark = pytest.mark.full

GREEDY = dasan.bot("greedy")


def others_go_wild(state: dasan.State, seat: int, rng: random.Random) -> dasan.State:
    """`seat` makes certain moves, the others random ones, until a hand is empty."""
    while state.to_act is not None and all(state.hands[s] for s in range(state.rules.players)):
        moves = state.legal_moves()
        if state.to_act == seat and len(moves) > 1:
            moves = tuple(Certain(state.view(seat)).moves)
            assert moves, f"nothing is certain any more: {state.record()}"
        state = state.play(rng.choice(moves))
    return state


@pytest.mark.sampled(2, 2)
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_a_player_of_certain_moves_goes_out_first(preset: str) -> None:
    rng, tried = random.Random(preset), 0
    for seed in range(12):
        state = dasan.deal(dasan.rules(preset), seed=seed)
        while state.to_act is not None and all(state.hands[s] for s in range(state.rules.players)):
            seat, moves = state.to_act, state.legal_moves()
            if state.phase == "play" and len(moves) > 1:
                sure = Certain(state.view(seat)).moves
                if sure:
                    assert set(sure) <= set(moves)
                    for _ in range(8):
                        end = others_go_wild(state.play(rng.choice(sure)), seat, rng)
                        assert not end.hands[seat]
                        tried += 1
                    break
            state = state.play(GREEDY.choose(state.view(seat)))
    assert tried > 40


@pytest.mark.parametrize(
    ("options", "hands"),
    [
        # Seat 1 goes out with a bomb over 3D.
        ({}, ["3D 4C TS JS QS KS AS", "9C 9D 9H 9S 3C", "5C 6D 7H", "5D 6C 7C"]),
        # A straight flush of six cards is not beaten by one of five.
        ({}, ["3D 4C TS JS QS KS AS", "5D 6D 7D 8D 9D TD 2C", "5C 6S 7H", "5H 6C 7C"]),
        # After 2S the trick is over, before four of a kind can answer.
        (
            {"bomb": "quad", "two_of_spades_restart": "always"},
            ["3D 4C AC AD AH AS", "2S 5C 6C", "7C 8C 9C", "TC JC QC"],
        ),
    ],
)
def test_no_answer_is_certain_where_a_bomb_or_the_highest_two_may_be_played(
    options: dict[str, Any], hands: list[str]
) -> None:
    state = dasan.start(dasan.rules("winner", **options), hands)
    assert not any(len(move.cards) == 1 for move in Certain(state.view(0)).moves)


def test_nothing_is_proved_where_a_duty_may_forbid_it() -> None:
    hands = ["4D 4C 2S 3D", "6C 7D 8S 9H TC", "6D 7C 8H 9S TD", "6H 7S 8D 9C TH"]
    free, bound = (dasan.start(dasan.rules("big-two", guard=guard), hands) for guard in ("off", "enforced"))
    assert [str(move) for move in Certain(free.view(0)).moves] == ["3D"]
    assert not Certain(bound.view(0)).moves


RANKS = "3456789TJQKA2"


def rules_of_ones_own(rng: random.Random) -> dasan.Rules:
    """Three players, 20 cards, and kinds that at random beat some other kinds, or rank above them."""
    kinds: list[dict[str, Any]] = [{"kind": f"same-{n}", "clause": "X", "count": n} for n in (1, 2, 3, 4)]
    runs: list[dict[str, Any]] = [{"kind": f"run-{n}", "clause": "X", "copies": n, "sequence": RANKS} for n in (1, 2)]
    for kind in (*kinds, *runs):
        if rng.random() < 0.7:
            kind["power"] = 1 if rng.random() < 0.2 else 0
            others = [other["kind"] for other in kinds if other is not kind]
            count = rng.randint(0, 2)
            kind["also_beats"] = tuple((other, rng.choice("TQA2")) for other in rng.sample(others, count))
    shapes: tuple[AnyShape, ...] = (
        *(Same(by_suit=kind["count"] < 3, **kind) for kind in kinds),
        *(Run(shortest=5 - n, longest=5, tie=rng.choice(["none", "last"]), **run) for n, run in enumerate(runs, 2)),
    )
    return replace(
        dasan.rules("big-two", guard="off", pass_is_final=rng.random() < 0.5),
        players=3,
        hand_size=None,
        shapes=shapes,
        left_out="".join(rng.sample(RANKS, 8)),
        scoring=FixedScoring(),
        opening=None,
    )


def test_what_is_certain_wins_by_rules_of_ones_own() -> None:
    rng = random.Random(1)
    across = 0
    for _ in range(25):
        rules = rules_of_ones_own(rng)
        for seed in range(3):
            state = dasan.deal(rules, seed=seed)
            while state.to_act is not None and all(state.hands):
                seat, moves = state.to_act, state.legal_moves()
                sure = Certain(state.view(seat)).moves if len(moves) > 1 else ()
                for move in sure:
                    if len(move.cards) < len(state.hands[seat]):
                        across += any(shape.also_beats for shape in rules.shapes)
                        for _ in range(8):
                            assert not others_go_wild(state.play(move), seat, rng).hands[seat]
                state = state.play(rng.choice(moves))
    assert across > 50


@pytest.mark.parametrize(
    ("hands", "sure"),
    [
        # Four cards may be four of a kind, which beats a two; three cards cannot.
        (["2S 5S", "6S 7S 8S", "6C 7C 8C"], ["5S", "2S"]),
        (["2S 5S", "6S 7S 8S 9S", "6C 7C 8C"], []),
        # Over the pair somebody may make a neighbour, which four aces do not beat.
        (["5S 5C AS AC AD AH 6S", "6C 6D 7S", "7C 7D 7H"], []),
    ],
)
def test_plays_that_beat_other_kinds_are_counted_with(hands: list[str], sure: list[str]) -> None:
    shapes = (
        Same(kind="single", clause="X", count=1, by_suit=True),
        Same(kind="pair", clause="X", count=2, family="two"),
        Run(kind="neighbour", clause="X", copies=1, sequence=RANKS, shortest=2, longest=2, family="two", tier=1),
        Same(kind="quad", clause="X", count=4, also_beats=(("single", "2"), ("pair", "3"))),
    )
    base = dasan.rules("big-two", guard="off")
    rules = replace(base, players=3, shapes=shapes, scoring=FixedScoring(), opening=None, hand_size=None)
    state = dasan.start(rules, hands)
    assert [str(move) for move in Certain(state.view(0)).moves] == sure


def test_the_network_makes_a_certain_move_and_says_so() -> None:
    count = 0
    for seed in range(40):
        state = dasan.deal(dasan.rules("big-three"), seed=seed)
        while state.to_act is not None:
            view = state.view(state.to_act)
            move = NetBot().choose(view)
            sure = Certain(view).moves if len(view.legal_moves()) > 1 else ()
            if sure and not any(len(one.cards) == len(view.hand) for one in sure):
                assert move in sure
                judged = NetBot().explain(view).moves[0]
                assert judged.move == move
                assert "cannot-be-stopped" in {reason.id for reason in judged.reasons}
                count += 1
            state = state.play(move)
        if count > 3:
            return
    pytest.fail("no certain move was met")
