"""What bots say of moves is true in every world: by every preset, with drawn options, final passes and duties."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import pytest
from tests.bots.statements import checked

import dasan
from dasan.bots.explanation import Reason
from dasan.bots.facts import Facts
from dasan.bots.heuristics.certain import certain

SAID = (
    *("cannot-be-beaten", "cannot-be-stopped", "wins-for-sure", "goes-out", "guards", "hands-over-lead", "may-go-out"),
    *("may-go-out, one card", "only-move", "plays-left", "stands"),
)


FULL, SLOW = pytest.mark.full, pytest.mark.slow


@pytest.mark.parametrize(("games", "seed"), [(7, 1), pytest.param(30, 2, marks=FULL), pytest.param(280, 2, marks=SLOW)])
def test_every_statement_holds_in_every_world(games: int, seed: int) -> None:
    found = checked(games, seed)
    assert not found.wrong, "\n".join(found.wrong[:3])
    if games > 7:
        assert min(found.counts[name] for name in SAID) > games // 6, found.counts
    # Players do not always beat what they could, so that plays stand more often than nobody can beat them.
    assert fmean(mean < share - 0.2 for mean, share in found.stood) < 0.02


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
    assert (out.values["seat"], out.values["percent"]) == (0, percent)


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
    assert stands.values["percent"] == 31
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
    assert [str(move) for move in certain(state.view(0), state.legal_moves())] == sure
    assert state.view(0).answering() == ((3,) if final else (1, 2, 3))
