"""Winner: W.16 to W.23, tricks, the end and payments, without W.17 and W.20 (see `test_winner_customs.py`)."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from tests.playing import play_hands, refused, say, texts, types
from tests.rules.winner import RULES, both, trick

import dasan
from dasan import Ambiguous, IllegalPlay, State
from dasan.play.events import EventType


def test_w_16_turns_skip_players_who_are_out() -> None:
    state = trick("4D 9D", "", "6D 2D", "7D 7C", leader=0)
    state = say(state, "4D")
    assert state.to_act == 2
    state = say(state, "6D", "7D")
    assert state.to_act == 0


def test_w_16_a_pass_bars_nothing_later() -> None:
    state = say(trick("4D 9D 3C", "5D 2D", "6D 6C", "7D 7C"), "4D", "pass", "6D", "7D", "9D")
    assert (state.to_act, texts(state)) == (1, ["2D", "pass"])
    refused(trick("4D 9D", "5D", "6D", "7D"), "pass", "W.16", IllegalPlay, "leader must play")


def test_w_16_the_trick_is_over_when_all_others_have_passed_in_succession() -> None:
    state = say(trick("4D 9D 3C", "5D 2D", "6D 6C", "7D 7C"), "4D", "pass", "6D", "pass", "pass")
    assert state.table is not None
    state = say(state, "pass")
    assert (state.table, state.to_act, state.leader) == (None, 2, 2)


def test_w_16_the_last_to_play_is_out() -> None:
    """All who still hold cards may act once more; then the next of them leads."""
    state = say(trick("9D", "5D 2D", "6D 6C", "7D 7C"), "9D")
    assert (state.phase, state.finished, state.to_act) == ("play", (0,), 1)
    state = say(state, "pass", "pass")
    assert (state.table is not None, state.to_act) == (True, 3)
    state = say(state, "pass")
    assert (state.table, state.to_act, state.leader) == (None, 1, 1)
    gone = say(trick("9D", "", "6D 6C", "7D 7C"), "9D", "pass", "pass")
    assert gone.to_act == 2
    beaten = say(trick("9D", "5D TD", "6D 6C", "7D 7C"), "9D", "TD", "pass", "pass")
    assert (beaten.to_act, beaten.table) == (1, None)


def test_w_16_out_in_the_middle_of_a_trick() -> None:
    state = say(trick("4D 9S", "5D", "6D", "2D 7C"), "4D", "5D", "6D", "pass", "pass")
    assert (state.finished, state.table, state.to_act) == ((1, 2), None, 3)


def test_w_18_the_hand_goes_on_until_one_holds_cards() -> None:
    state = say(trick("4D", "5D", "6D 3D", "7D 7C"), "4D")
    assert (state.phase, state.result) == ("play", None)
    assert types(state) == ["play", "out"]
    state = say(state, "5D", "6D", "7D", "pass", "7C")
    assert (state.phase, state.to_act) == ("over", None)
    assert state.result is not None
    assert state.result.finish_order == (0, 1, 3, 2)
    assert state.result.winners == (0,)
    assert [e.seat for e in state.events if e.type is EventType.OUT] == [0, 1, 3]
    refused(state, "3D", "W.18", IllegalPlay, "over")


@both
def test_w_19_the_loser_deals(preset: str) -> None:
    session = play_hands(dasan.session(dasan.rules(preset), seed=2), 4, random.Random(2))
    for before, after in pairwise([*session.past, session.state]):
        assert before.result is not None
        assert before.result.next_dealer == before.result.finish_order[-1] == after.dealer
        assert sorted(before.result.finish_order) == [0, 1, 2, 3]


@pytest.mark.parametrize("later_lead", ["winner", "loser", "three-of-diamonds"])
def test_w_21_who_leads_later_hands(later_lead: str) -> None:
    rules = dasan.rules("winner", later_lead=later_lead)
    session = play_hands(dasan.session(rules, seed=3), 5, random.Random(3))
    moved = 0
    for before, after in pairwise([*session.past, session.state]):
        assert before.result is not None
        order = before.result.finish_order
        first = next(e for e in after.events if e.type is EventType.PLAY)
        (opened,) = [e for e in after.events if e.type is EventType.OPEN]
        assert opened.seat == first.seat == after.opener
        if later_lead == "three-of-diamonds":
            hands = [list(h) for h in after.begun.hands]
            give, take = (next(e for e in after.events if e.type.value == t) for t in ("give", "take"))
            for event, giver, taker in ((give, order[-1], order[0]), (take, order[0], order[-1])):
                hands[giver].remove(event.cards[0])
                hands[taker].append(event.cards[0])
            three = dasan.card("3D")
            assert three in hands[first.seat]
            assert opened.cards == (three,)
            moved += three not in after.begun.hands[first.seat]
        else:
            assert first.seat == (order[0] if later_lead == "winner" else order[-1])
            assert opened.cards == ()


def test_w_21_the_three_of_diamonds_as_held_after_the_exchange() -> None:
    """The Winner offers the 3D, the Loser takes it, and so the Loser leads."""
    rules = dasan.rules("winner", later_lead="three-of-diamonds")
    for seed in range(60):
        session = play_hands(dasan.session(rules, seed=seed), 1, random.Random(seed)).next_hand()
        deal = session.state.exchange
        assert deal is not None
        if dasan.card("3D") in session.state.hands[deal.winner]:
            session = session.play(session.state.legal_moves()[0])
            offer = next(m for m in session.state.legal_moves() if dasan.card("3D") in m.cards)
            session = session.play(offer)
            assert session.play("take 3D").state.to_act == deal.loser
            other = next(c for c in offer.cards if c is not dasan.card("3D"))
            assert session.play(f"take {other}").state.to_act == deal.winner
            return
    raise AssertionError("the Winner never held the 3D")


def test_w_21_the_first_hand_is_led_by_the_three_of_diamonds() -> None:
    for later_lead in ("winner", "loser", "three-of-diamonds"):
        state = dasan.session(dasan.rules("winner", later_lead=later_lead), seed=1).state
        assert dasan.card("3D") in state.hands[state.to_act or 0]


def winner_out(*held: int, players: int = 4, played: tuple[int, ...] | None = None, **options: bool | int) -> State:
    """Seat 0 goes out; the others hold these numbers of cards, and those in `played` have played something."""
    rules = dasan.rules("winner", players=players, scoring="cards", two_of_spades_restart="off", **options)
    left = [str(c) for c in rules.pack if str(c) not in ("2S", "BJ", "RJ")]
    hands = ["2S"]
    for n in held:
        hands.append(" ".join(left[:n]))
        left = left[n:]
    has_played = tuple(range(players)) if played is None else played
    return say(dasan.start(rules, hands, leader=0, has_played=has_played), "2S")


def test_w_22_the_example() -> None:
    state = winner_out(3, 11, 8)
    assert state.payments == (33, -3, -22, -8)
    assert state.phase == "play", "play goes on to find the Loser"


def test_w_22_payments_are_fixed_when_the_winner_is_out() -> None:
    state = winner_out(1, 1, 2)
    over = say(state, "pass", "pass", "pass")
    while over.phase != "over":
        over = over.play(over.legal_moves()[0])
    assert over.result is not None
    assert over.result.payments == (4, -1, -1, -2)
    assert over.result.finish_order[0] == 0


@pytest.mark.parametrize(
    ("held", "played", "paid"),
    [
        ((9, 10, 11), (0, 1, 2, 3), (-9, -20, -22)),
        ((13, 1, 1), (0, 1, 2, 3), (-26, -1, -1)),
        ((13, 1, 1), (0, 2, 3), (-39, -1, -1)),
        ((13, 13, 12), (0,), (-39, -39, -36)),
        ((10, 5, 5), (0, 2), (-30, -5, -15)),
    ],
)
def test_w_22_double_and_triple(held: tuple[int, ...], played: tuple[int, ...], paid: tuple[int, ...]) -> None:
    state = winner_out(*held, played=played)
    assert state.payments == (-sum(paid), *paid)


def test_w_22_two_packs_and_more_players() -> None:
    assert winner_out(26, 10, 9, decks=2).payments == (81, -52, -20, -9)
    assert winner_out(26, 10, 9, decks=2, played=(0, 2, 3)).payments == (107, -78, -20, -9)
    assert winner_out(1, 2, 3, 10, players=5).payments == (26, -1, -2, -3, -20)
    assert winner_out(1, 1, 1, 1, 1, 1, 13, players=8).payments == (32, *[-1] * 6, -26)


def test_w_22_who_has_played_is_remembered() -> None:
    """From a complete deal: seat 1 only passes, and pays three times."""
    rules = dasan.rules("winner", scoring="cards", two_of_spades_restart="off")
    for seed in range(40):
        state, rng = dasan.deal(rules, seed=seed), random.Random(seed)
        while not state.finished:
            legal = state.legal_moves()
            wanted = [m for m in legal if m.type == "pass"] if state.to_act == 1 else legal[:-1]
            state = state.play(rng.choice(wanted or list(legal)))
        if state.finished[0] != 1 and 1 not in state.has_played:
            assert state.payments is not None
            assert state.payments[1] == -39
            return
    raise AssertionError("seat 1 had to lead every time")


def test_w_22_no_scores_by_default() -> None:
    assert RULES.options["scoring"] == "off"
    session = play_hands(dasan.session(RULES, seed=1), 2, random.Random(1))
    assert session.balances == (0, 0, 0, 0)
    assert session.results[0].payments == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("held", "played", "paid"),
    [
        ((11, 12), (0, 1, 2), (-11, -24)),
        ((17, 1), (0, 2), (-51, -1)),
        ((17, 1), (0, 1, 2), (-34, -1)),
        ((10, 11), (0, 1, 2), (-10, -11)),
        ((5, 11), (0,), (-15, -33)),
    ],
)
def test_w_23_three_players(held: tuple[int, ...], played: tuple[int, ...], paid: tuple[int, ...]) -> None:
    assert winner_out(*held, players=3, played=played).payments == (-sum(paid), *paid)


@pytest.mark.parametrize(("jokers", "size"), [(False, 17), (True, 18)])
def test_w_23_whole_hands_of_three(jokers: bool, size: int) -> None:
    state = winner_out(size, 1, players=3, played=(0, 2), jokers=jokers)
    assert state.payments == (3 * size + 1, -3 * size, -1)
    dealer = dasan.deal(dasan.rules("winner", players=3, jokers=jokers), seed=2, dealer=1)
    assert dealer.hand_sizes[1] == 18


def test_shorthand_is_ambiguous_where_suits_count() -> None:
    state = trick("4D 4C 9H", "5H", "6C", "7D")
    refused(state, "4", "W.03", Ambiguous, "which 4")
    assert str(state.play("4 4").table) == "4D 4C"
    two = trick("4D 4D 9H", "5H", "6C", "7D", decks=2)
    assert str(two.play("4").table) == "4D", "identical cards are no choice"
