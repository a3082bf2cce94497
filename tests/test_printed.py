"""What the interpreter shows of values: short lines, and whole positions by `print`."""

from __future__ import annotations

from collections import Counter

import pytest

import dasan
from dasan import puzzles, vector, worlds
from dasan.bots.explanation import Explanation
from dasan.bots.external.program import player
from dasan.games.option import Game
from dasan.networks.trained import load, named
from dasan.review.best_play import review

RULES = dasan.rules("big-three")
HANDS = ["4D 4H", "5D 6D", "7D"]


def test_a_value_is_shown_in_one_short_line() -> None:
    session = dasan.session(RULES, seed=7)
    state = dasan.start(RULES, HANDS, bidder=0, leader=0)
    over = state.play("4 4")
    for value, shown in (
        (RULES, f"<Rules big-three {RULES.digest[:8]}>"),
        (state, "<State big-three, play, seat 0 to act>"),
        (over, "<State big-three, over>"),
        (state.view(1), "<View big-three, of seat 1, play, seat 0 to act>"),
        (state.view(None), "<View big-three, of a spectator, play, seat 0 to act>"),
        (session, "<Session big-three, hand 1, balances (0, 0, 0)>"),
        (state.legal_moves(), "(Move('4D'), Move('4D 4H'))"),
        (dasan.deal(RULES, seed=7).legal_moves()[0], "Move('bid 1')"),
        (vector.make(RULES, 4), "<VectorEnv big-three, 4 environments, played by ranks>"),
        (vector.functional(RULES, 4), "<Functional of <VectorEnv big-three, 4 environments, played by ranks>>"),
        (worlds.Positions(RULES, 4), "<Positions of big-three, 4 of them, played by ranks>"),
    ):
        assert repr(value) == shown
    for name in dasan.bots.BOTS:
        assert repr(dasan.bot(name)) == f"<bot {name}>"
    assert repr(player("cmd:no-such-program")) == "<bot cmd:no-such-program>"
    assert repr(dasan.PRESETS).startswith("<presets: big-three, big-three-denexa, ")
    assert repr(dasan.bots.BOTS).startswith("<bots: random, low, ")


@pytest.mark.full
def test_a_value_with_arrays_and_long_lists_is_shown_in_one_short_line() -> None:
    state = dasan.start(RULES, HANDS, bidder=0, leader=0)
    view, preset, trained = state.view(0), dasan.PRESETS["dou-dizhu"], named("big-three-policy")
    puzzle, env = puzzles.load(players=3)[0], vector.make(RULES, 4)
    positions = worlds.Positions(RULES, 2)
    positions.put(0, state)
    positions.put(1, state)
    auction = dasan.solve(dasan.deal(RULES, seed=7), nodes=10)
    unproved = dasan.solve(dasan.deal(dasan.rules("big-two"), seed=3), nodes=10)
    for value, shown in (
        (preset, f"<Preset dou-dizhu, {len(preset.options)} options>"),
        (Game((preset,), "**X.01** …" * 100), "<Game dou-dizhu>"),
        (RULES.catalogue, "<Catalogue complete, 171 rows>"),
        (worlds.deals(view, 100), "<Deals of big-three, 100 worlds>"),
        (worlds.judge(view, worlds=10), "<Judgement of 2 moves in 10 worlds>"),
        (positions.play_out(times=3), "<Outcomes of 2 positions, each played 3 times>"),
        (vector.playouts(RULES, 100), "<Playouts of 100 hands, played by ranks>"),
        (vector.functional(RULES, 4).init(7), "<BatchState of 4 hands>"),
        (vector.Returns(env).take(), "<Batch of 0 decisions>"),
        (trained, "<Trained big-three-policy>"),
        (load(trained), "<Network of 459521 weights>"),
        (puzzle, f"<Puzzle {puzzle.id} of big-three, grade {puzzle.grade}, {puzzle.key} wins>"),
        (dasan.solve(state), "<Solution two sides, value 2, 0 nodes>"),
        (auction, "<Solution auction, for 3 bidders, 10 nodes>"),
        (unproved, f"<Solution paranoid, value from {unproved.lower} to {unproved.upper}, 10 nodes>"),
        (dasan.bot("greedy").explain(view), "<Explanation of greedy, 2 moves, 4D 4H first>"),
        (Explanation("greedy", "payment", ()), "<Explanation of greedy, 0 moves>"),
        (review(state.play("4 4")), "<Review of big-three, 1 moves>"),
    ):
        assert repr(value) == shown


def test_rules_that_differ_are_shown_differently() -> None:
    assert repr(dasan.rules("big-two")) != repr(dasan.rules("big-two", triples=True))


def test_print_shows_a_position() -> None:
    state = dasan.start(RULES, HANDS, bidder=0, bid=2, leader=0)
    assert str(state) == "big-three, play, bid 2\n  seat 0 bidder to act: 4D 4H\n  seat 1: 5D 6D\n  seat 2: 7D"
    state = state.play("4D")
    assert str(state).splitlines()[-1] == "  table: 4D (single, seat 0)"
    assert str(state.view(1)) == state.view(1).describe("en")
    assert "4H" not in str(state.view(1))
    state = state.play("5D").play("7D")
    assert str(state).splitlines()[-1] == "  payments: -4 +2 +2"


@pytest.mark.parametrize(
    "rules",
    [
        RULES,
        dasan.rules("big-three-4p"),
        dasan.rules("dou-dizhu"),
        dasan.rules("winner"),
        dasan.rules("big-two", players=2),
    ],
)
def test_print_shows_every_card_and_the_auction(rules: dasan.Rules) -> None:
    session = dasan.session(rules, seed=7)
    for _ in range(2):
        while session.state.to_act is not None:
            state = session.state
            head, *lines = str(state).splitlines()
            held = [card for line in lines if not line.startswith("  table") for card in line.partition(": ")[2].split()]
            assert Counter(held) + Counter(map(str, state.played)) == Counter(map(str, rules.pack))
            assert ("bid" in head) == (state.bid is not None)
            assert ("called" in head) == (state.called is not None)
            session = session.play(state.legal_moves()[-1])
        session = session.next_hand()


def test_print_shows_an_explanation() -> None:
    state = dasan.start(RULES, HANDS, bidder=0, bid=2, leader=0)
    explained = dasan.bot("greedy").explain(state.view(0))
    lines = str(explained).splitlines()
    assert len(lines) == len(state.legal_moves())
    assert lines[0].startswith("4D 4H: ")
    assert lines[0].endswith(explained.moves[0].reasons[-1].text)
