"""Properties of whole random sessions of every preset (G.01–G.05)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dasan
from dasan.play.dealing import Deal
from dasan.play.new_hand import begin
from dasan.records.verify import verify

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three-denexa", {"opener_may_pass": True, "must_dig": True}),
    ("big-three-fr", {"reveal_kitty": True, "show_played": True}),
    ("big-three-4p", {"pay_each_winner": True}),
    ("big-two", {}),
    ("big-two", {"guard": "enforced", "pass_is_final": True, "triples": True, "fours": True, "two_pairs": True}),
    ("winner", {}),
    ("winner", {"players": 3, "jokers": True, "scoring": "cards"}),
    ("winner", {"players": 6, "decks": 2, "jokers": True, "two_of_spades_restart": "always"}),
    ("winner", {"players": 8, "suits_ranked": False, "later_lead": "three-of-diamonds"}),
    ("winner-bomb", {"players": 5, "min_straight": 3, "later_lead": "loser"}),
]


@pytest.mark.sampled(2, 5)
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1 << 64), choices=st.randoms(use_true_random=False))
def test_random_sessions(preset: str, options: dict[str, Any], seed: int, choices: random.Random) -> None:
    """G.03, G.04, G.05: cards are conserved, there is always a legal move, payments sum to zero, records replay."""
    rules = dasan.rules(preset, **options)
    session = dasan.session(rules, seed=seed)
    for hand in range(3):
        plies = 0
        while (state := session.state).to_act is not None:
            everywhere = Counter(c for h in state.hands for c in h) + Counter(state.kitty) + Counter(state.played)
            assert everywhere == Counter(rules.pack)
            moves = state.legal_moves()
            assert moves
            assert len({str(m) for m in moves}) == len(moves)
            move = choices.choice(moves)
            by_text = state.play(str(move))
            assert by_text == state.play(move)
            session = session.play(move)
            plies += 1
            assert plies < 2000
        assert session.state.legal_moves() == ()
        result = session.state.result
        assert result is not None
        assert sum(result.payments) == 0
        with pytest.raises(dasan.IllegalPlay):
            session.play("pass")
        if hand < 2:
            session = session.next_hand()
    text = session.record()
    again = dasan.replay(text, seed=seed)
    assert isinstance(again, dasan.Session)
    assert again == session
    assert again.record() == text
    assert not verify(text).unproved
    assert again.next_hand().record() == session.next_hand().record()


@pytest.mark.sampled(3, 6)
@pytest.mark.parametrize("seeds", [5, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_views_do_not_depend_on_hidden_cards(preset: str, options: dict[str, Any], seeds: int) -> None:
    """G.02: swap two cards that a seat may not see, and everything that seat is shown stays the same.

    The hands stop before anything more is shown: before the first play that a swapped card would have a part in.
    """
    rules = dasan.rules(preset, **options)
    rng = random.Random(5)
    compared = 0
    for seed in range(seeds):
        state = dasan.deal(rules, seed=seed)
        dealt = state.begun
        assert isinstance(dealt, Deal)
        own = seed % rules.players
        places = [(s, i) for s, h in enumerate((*dealt.hands, dealt.kitty)) if s != own for i in range(len(h))]
        first, second = rng.sample(places, 2)
        other = begin(rules, _swapped(rules, dealt, first, second), origin=state.origin)
        for _ in range(40):
            mine, theirs = state.view(own), other.view(own)
            if mine.opener != theirs.opener or state.events != other.events:
                break
            assert mine == theirs
            assert vars(mine).keys() == {field.name for field in fields(mine)}
            assert mine.to_json() == theirs.to_json()
            assert state.record(view=own) == other.record(view=own)
            compared += 1
            common = [m for m in state.legal_moves() if m in other.legal_moves()]
            if state.to_act is None or not common:
                break
            move = rng.choice(common)
            state, other = state.play(move), other.play(move)
            if [e for e in state.view(own).events if e.cards] != [e for e in other.view(own).events if e.cards]:
                break
    assert compared > 40


def _swapped(rules: dasan.Rules, dealt: Deal, first: tuple[int, int], second: tuple[int, int]) -> Deal:
    held = [list(h) for h in (*dealt.hands, dealt.kitty)]
    (a, i), (b, j) = first, second
    held[a][i], held[b][j] = held[b][j], held[a][i]
    sort = [tuple(rules.order.hand(c for c in h if c is not None)) for h in held]
    return replace(dealt, hands=tuple(sort[:-1]), kitty=sort[-1])


@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_beats_is_a_strict_order(preset: str, options: dict[str, Any]) -> None:
    """`beats` is irreflexive, asymmetric and transitive over all plays of random hands."""
    rules = dasan.rules(preset, **options)
    rng = random.Random(3)
    deck = list(rules.pack)
    for _ in range(6):
        rng.shuffle(deck)
        called = next(c for c in deck if rules.call is None or c.rank in rules.call.ranks)
        plays = [c for _, c in rules.catalogue.fits(rules.order.hand(deck[:14]), called if rules.call else None)]
        plays = rng.sample(plays, min(len(plays), 26))
        above = {i: {j for j, b in enumerate(plays) if a.beats(b)} for i, a in enumerate(plays)}
        for i, lower in above.items():
            assert i not in lower
            for j in lower:
                assert i not in above[j]
                assert above[j] <= lower


@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_refused_moves_change_nothing(preset: str, options: dict[str, Any]) -> None:
    """G.01: a refusal cites a clause of the rule book, says why, and changes nothing."""
    rules = dasan.rules(preset, **options)
    rng = random.Random(8)
    state = dasan.deal(rules, seed=8)
    refused = 0
    for _ in range(60):
        if state.to_act is None:
            break
        before = state.record()
        legal = {str(m) for m in state.legal_moves()}
        sample = rng.sample(rules.pack, rng.choice((1, 1, 2, 3, 5)))
        for text in ("pass", "bid 1", "bid 9", "call 8C", "give 3D", "take 3D", "3D", " ".join(map(str, sample))):
            if text in legal:
                continue
            try:
                state.play(text)
            except dasan.DasanError as error:
                refused += 1
                assert error.clause
                assert error.message
                assert error.code in ("malformed", "illegal", "ambiguous")
        assert state.record() == before
        state = state.play(rng.choice(state.legal_moves()))
    assert refused > 60


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_what_a_hand_can_play_does_not_depend_on_how_it_came_about(preset: str) -> None:
    """The catalogue derives the plays left after a move from those before it, and caches them."""
    rng = random.Random(preset)
    state = dasan.deal(dasan.rules(preset), seed=4)
    while state.to_act is not None:
        for seat, hand in enumerate(state.hands):
            called = state.called if state.called in hand else None
            fresh = state.rules.catalogue._all_fits(hand, called)
            assert [(row.id, c.cards) for row, c in state.fits(seat)] == [(row.id, c.cards) for row, c in fresh]
        state = state.play(rng.choice(state.legal_moves()))
