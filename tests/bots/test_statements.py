"""Statements about moves are true in every world: for every preset, with drawn options, final passes and duties."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.bots.statements import WHO_MAY_ACT, answers, checked, describe, enemies
from tests.playing import lively
from tests.vector.covering import drawn_options

import dasan
from dasan.bots.explanation import Reason
from dasan.bots.facts import Facts
from dasan.bots.heuristics.certain import Certain
from dasan.bots.heuristics.chances import Chances
from dasan.ruleset.policies import Ending, Guard, Leftover, Restart
from dasan.worlds.states import Sampler

SAID = (
    *("cannot-be-beaten", "cannot-be-stopped", "wins-for-sure", "goes-out", "guards", "hands-over-lead", "may-go-out"),
    *("only-move", "plays-left", "stands"),
)


FULL, SLOW = pytest.mark.full, pytest.mark.slow


VALUES: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("pass_is_final", "suits_ranked", "jokers", "exchange", "dragon"), (True, False)),
    "guard": tuple(Guard),
    "restart": tuple(Restart),
    "ending": tuple(Ending),
    "leftover": tuple(Leftover),
    "decks": (1, 2),
}


@pytest.mark.parametrize(("games", "seed"), [(3, 1), pytest.param(15, 2, marks=FULL), pytest.param(280, 2, marks=SLOW)])
def test_every_statement_holds_in_every_world(games: int, seed: int) -> None:
    counts = checked(games, seed)
    assert not counts.wrong, "\n".join(counts.wrong[:3])
    if games > 15:
        assert all(counts.counts[f"{name}: {value}"] for name in WHO_MAY_ACT for value in VALUES[name]), counts.counts
    if games > 3:
        assert min(counts.counts[name] for name in SAID) > games // 6, counts.counts


def test_plays_left_count_a_flush_only_where_the_suits_make_one() -> None:
    """Also where the whole of a small pack is dealt: the catalogue lists sets of cards wherever five of a suit are a play."""
    rules = replace(dasan.rules("big-two"), hand_size=None, left_out="4TJQK", settings=())
    hands = ["3C 3H 6C", "3D 5C 5D 6D 8H AD 2D", "3S", "8D AH"]
    state = dasan.start(rules, hands, to_act=1)
    left = {str(move): Facts(state.view(1)).of(move) for move in state.legal_moves() if str(move) in ("5D", "5C")}
    plays = {text: next(r for r in reasons if r.id == "plays-left").values["plays"] for text, reasons in left.items()}
    assert plays == {"5D": 6, "5C": 2}


@pytest.mark.parametrize(("called", "percent"), [("TS", 55), ("8S", 57)])
def test_b4_03_the_bidder_lacks_the_called_card(called: str, percent: int) -> None:
    """Seat 1 leads a nine. Of 50 hidden cards 28 beat it; seat 0 cannot hold the called one, which beats it or not."""
    rules = dasan.rules("big-three-4p")
    state = dasan.start(rules, ["5D", "9C 6D", f"{called} 7D", "8C 8D"], bidder=0, called=called, to_act=1)
    nine = next(move for move in state.legal_moves() if str(move) == "9C")
    (out,) = [reason for reason in Facts(state.view(1)).of(nine) if reason.id.startswith("may-go-out")]
    assert out.values["seat"] == 0
    assert out.values["percent"] == pytest.approx(percent, abs=5)


def test_a_last_bomb_may_go_out_over_a_play_of_another_size() -> None:
    """Of ten hidden cards seat 1 holds two, in one of 45 ways the rocket, and seat 2 one, in two of ten ways a joker."""
    rules = replace(dasan.rules("dou-dizhu"), hand_size=5, left_out="56789TJQK", settings=())
    state = dasan.start(rules, ["3D 3C 3H 4D 4C AD AC 2S", "BJ RJ", "3S"], bidder=0, to_act=0)
    two = next(move for move in state.legal_moves() if str(move) == "2S")
    out = [reason.values for reason in Facts(state.view(0)).of(two) if reason.id == "may-go-out"]
    assert out == [{"seat": 1, "percent": 2}, {"seat": 2, "percent": 20}]


def drawn_chances(preset: str, settings: int) -> Counter[str]:
    """Compare the chances from 30 drawn deals with the engine's answers in the same deals."""
    done = Counter[str]()
    for seed, options in enumerate(drawn_options(preset, settings)):
        source = random.Random(f"{preset} {seed}")
        state = dasan.deal(dasan.rules(preset, **options), seed=seed)
        for ply in range(40):
            if state.to_act is None:
                break
            moves = state.legal_moves()
            if state.phase == "play" and len(moves) > 1 and ply % 3 == 0:
                done += compared(state, source.sample(moves, min(4, len(moves))))
            state = state.play(lively(state, source))
    return done


def compared(state: dasan.State, moves: Sequence[dasan.Move]) -> Counter[str]:
    view, seat = state.view(state.mover), state.mover
    chances = Chances(view, state.legal_moves(), most=30)
    now = Sampler(view).hands(30, 0)
    worlds = [replace(state, hands=tuple(map(state.rules.order.hand, hands))) for hands in now.hands]
    done = Counter[str]()
    for move in moves:
        if move.combination is None or len(move.cards) == len(view.hand):
            continue
        made = [[(s, m) for s, m in answers(world, move) if enemies(world, seat, s)] for world in worlds]
        share = [sum(w for one, w in zip(made, now.weights, strict=True) if not one), sum(now.weights)]
        assert chances.stands(move.combination) == pytest.approx(share[0] / share[1]), describe(state)
        done["stands"] += 1
        for who in view.answering():
            out = [any(s == who and len(m.cards) == view.hand_sizes[s] for s, m in one) for one in made]
            share[0] = sum(w for one, w in zip(out, now.weights, strict=True) if one)
            assert chances.goes_out(who, move.combination) == pytest.approx(share[0] / share[1]), describe(state)
            done["out"] += share[0] > 0
    return done


@pytest.mark.sampled(0, 8)
@FULL
@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_chances_are_those_of_the_drawn_deals(preset: str) -> None:
    assert drawn_chances(preset, 3)["stands"] > 15


def barred_seats() -> dasan.State:
    """Seat 0 follows 3C. Seats 1 and 3 have passed for good, so that only seat 2 can answer."""
    rules = dasan.rules("big-two", pass_is_final=True)
    hands = ["4D 9S", "5D", "6D 6C", "7D 8D"]
    return dasan.start(rules, hands, table="3C", table_seat=2, to_act=0, passed=[3, 1])


def test_a_player_who_passed_for_good_neither_goes_out_nor_is_guarded() -> None:
    state = barred_seats()
    play = next(move for move in state.legal_moves() if str(move) == "9S")
    reasons = Facts(state.view(0)).of(play)
    assert [reason.id for reason in reasons if reason.id.startswith(("may-go-out", "guards"))] == []
    # 24 of 49 hidden cards beat the nine of spades; two cards have none of these in 25 / 49 x 24 / 48 = 25.5 of 100 worlds.
    (stands,) = [reason for reason in reasons if reason.id == "stands"]
    assert stands.values["percent"] == pytest.approx(25.5, abs=3)
    held = dasan.rules("big-two", pass_is_final=False)
    free = dasan.start(held, ["4D 9S", "5D", "6D 6C", "7D 8D"], table="3C", table_seat=2, to_act=0, passed=[3])
    assert "may-go-out" in [reason.id for reason in Facts(free.view(0)).of(play)]


def test_the_highest_two_that_ends_a_trick_cannot_be_beaten() -> None:
    rules = dasan.rules("winner", jokers=True, two_of_spades_restart="always")
    state = dasan.start(rules, ["3D 2S 4C 5C", "RJ BJ", "6D 7D", "8D 9D"])
    play = next(move for move in state.legal_moves() if str(move) == "2S")
    assert Reason("cannot-be-beaten") in Facts(state.view(0)).of(play)


@pytest.mark.parametrize(("final", "sure"), [(True, ["7D 7H"]), (False, [])])
def test_a_race_that_only_barred_players_could_stop_is_certain(final: bool, sure: list[str]) -> None:
    """Seat 3 holds one card, and cannot beat a pair; seats 1 and 2 have passed."""
    rules = dasan.rules("big-two", pass_is_final=final, guard="off")
    hands = ["4D 7D 7H", "8D 8C 5D", "9D 9C 6D", "TD"]
    state = dasan.start(rules, hands, table="3C 3S", table_seat=3, to_act=0, passed=[1, 2] if final else ())
    assert [str(move) for move in Certain(state.view(0)).moves] == sure
    assert state.view(0).answering() == ((3,) if final else (1, 2, 3))
