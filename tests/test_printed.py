"""What the interpreter shows of values: short lines, and whole positions by `print`."""

from __future__ import annotations

from collections import Counter

import pytest

import dasan
from dasan import vector, worlds
from dasan.bots.external.program import player

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
