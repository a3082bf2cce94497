"""Batched environments: determinism, the inputs of an observation, ids and their texts, refusals."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.features import encode, layout, observation_size
from dasan.play.action_ids import action_ids

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three-4p", {}),
    ("big-two", {}),
    ("winner", {}),
    ("winner", {"players": 8, "jokers": True, "scoring": "cards"}),
]


def trace(env: vector.VectorEnv, which: list[int], steps: int) -> list[list[list[int]]]:
    """The outputs of some environments under random actions."""
    out = []
    for _ in range(steps):
        actions = env.sample().copy()
        assert env.obs is not None
        out.append(
            [
                [int(env.to_act[i]), int(actions[i]), *np.flatnonzero(env.mask[i]).tolist(), *env.obs[i].tolist()]
                for i in which
            ]
        )
        env.step(actions)
        out.append([[*env.rewards[i].tolist(), *env.places[i].tolist(), int(env.done[i])] for i in which])
    return out


@pytest.mark.full
@pytest.mark.parametrize("steps", [50, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_an_environment_depends_on_seed_and_number_alone(preset: str, options: dict[str, Any], steps: int) -> None:
    few = vector.make(preset, 3, seed=7, session=True, **options)
    many = vector.make(preset, 50, seed=7, session=True, threads=3, **options)
    expected = trace(few, [0, 2], steps)
    assert trace(many, [0, 2], steps) == expected
    few.reset()
    assert trace(few, [0, 2], steps) == expected
    few.reset(seed=8)
    assert trace(few, [0, 2], steps) != expected


@pytest.mark.full
def test_environments_differ() -> None:
    env = vector.make("big-two", 64, seed=0)
    assert len({env.dealt(i).hands for i in range(64)}) == 64


def shuffled(state: dasan.State, seat: int, source: random.Random) -> dasan.State:
    """The same hand so far, with the cards that `seat` cannot see dealt differently."""
    rules = state.rules
    held = [list(hand) for hand in state.hands]
    pool = [c for s, hand in enumerate(held) if s != seat for c in hand]
    source.shuffle(pool)
    for s, hand in enumerate(held):
        if s != seat:
            hand[:] = [pool.pop() for _ in hand]
    return dasan.start(
        rules,
        [" ".join(map(str, hand)) for hand in held],
        dealer=state.dealer,
        bidder=state.bidder,
        bid=state.bid,
        leader=state.leader,
        table=state.table.cards if state.table is not None else None,
        table_seat=state.table_seat,
        to_act=state.to_act,
        passed=state.passed,
        finished=state.finished,
        has_played=state.has_played,
    )


@pytest.mark.full
@pytest.mark.sampled(2, 2)
@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_hidden_cards_do_not_matter(preset: str) -> None:
    """Permuting the cards that a seat cannot see does not change its observation."""
    source = random.Random(5)
    rules = dasan.rules(preset)
    compared = 0
    for seed in range(12):
        state = dasan.deal(rules, seed=seed)
        while state.result is None:
            seat = state.to_act
            if state.phase == "play" and state.has_played and seat is not None:
                ours = dasan.start(
                    rules,
                    [" ".join(map(str, hand)) for hand in state.hands],
                    dealer=state.dealer,
                    bidder=state.bidder,
                    bid=state.bid,
                    leader=state.leader,
                    table=state.table.cards if state.table is not None else None,
                    table_seat=state.table_seat,
                    to_act=seat,
                    passed=state.passed,
                    finished=state.finished,
                    has_played=state.has_played,
                )
                assert encode(ours.view(seat)) == encode(shuffled(state, seat, source).view(seat))
                compared += 1
            state = state.play(source.choice(state.legal_moves()))
    assert compared > 200


@pytest.mark.full
@pytest.mark.parametrize("preset", ["big-three-4p", "big-three", "big-two", "winner"])
def test_the_auction_and_the_first_lead_show_no_other_hand(preset: str) -> None:
    """Two deals that differ in other hands alone look the same to the seat that opens."""
    for seed in range(40):
        state = dasan.deal(dasan.rules(preset), seed=seed)
        seat = state.to_act
        assert seat is not None
        hands = list(state.hands)
        others = [s for s in range(len(hands)) if s != seat]
        a, b = others[0], others[1]
        if len(hands[a]) != len(hands[b]):
            continue
        hands[a], hands[b] = hands[b], hands[a]
        texts = [" ".join(map(str, hand)) for hand in state.hands], [" ".join(map(str, hand)) for hand in hands]
        kitty = state.kitty or None
        first, second = (dasan.start(state.rules, t, kitty=kitty, dealer=state.dealer) for t in texts)
        assert first.to_act == second.to_act == seat
        assert encode(first.view(seat)) == encode(second.view(seat))


@pytest.mark.full
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_features_fill_the_observation(preset: str, options: dict[str, Any]) -> None:
    rules = dasan.rules(preset, **options)
    for session in (False, True):
        features = layout(rules, session)
        places = [at for f in features for at in range(f.start, f.start + f.size)]
        assert places == sorted(set(places))
        assert places[-1] < observation_size(rules, session) < places[-1] + 9
        assert observation_size(rules, session) % 8 == 0


@pytest.mark.full
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_ids_are_texts_that_play_reads(preset: str, options: dict[str, Any]) -> None:
    """Where the text of a legal id names its cards, playing it is what the id stands for."""
    rules = dasan.rules(preset, **options)
    ids = action_ids(rules)
    assert len({ids.text(i) for i in range(ids.count)}) == ids.count
    source = random.Random(3)
    for seed in range(3):
        state = dasan.deal(rules, seed=seed)
        while state.result is None:
            moves = {ids.of(move, state.called): move for move in state.legal_moves()}
            action = source.choice(sorted(moves))
            text = ids.text(action)
            if "(" not in text and not (state.called is not None and state.called in state.hands[state.to_act or 0]):
                try:
                    after = state.play(text)
                except dasan.Ambiguous:
                    pass
                else:
                    assert ids.of(moves[action], state.called) == action
                    assert after.hand_sizes == state.play(moves[action]).hand_sizes
            state = state.play(moves[action])


def test_an_illegal_action_changes_nothing() -> None:
    env = vector.make("big-three", 4, seed=1)
    actions = env.sample().copy()
    before = env.mask.copy()
    actions[2] = 174
    with pytest.raises(ValueError, match="not legal in environment 2"):
        env.step(actions)
    actions[2] = -1
    with pytest.raises(ValueError, match="not legal in environment 2"):
        env.step(actions)
    assert (env.mask == before).all()
    with pytest.raises(ValueError, match="takes 4 actions"):
        env.step(actions[:3])
    with pytest.raises(ValueError, match="whole numbers"):
        env.step(env.sample() + 0.5)
    with pytest.raises(ValueError, match="whole numbers"):
        env.step(env.sample().astype(np.int64) + (1 << 32))
    env.step(env.sample().astype(np.int64))
    with pytest.raises(IndexError):
        env.action_text(175)


def test_what_cannot_be_made_is_refused() -> None:
    with pytest.raises(ValueError, match="no preset"):
        vector.make("whist", 1)
    with pytest.raises(ValueError, match="no option"):
        vector.make("big-two", 1, decks=2)
    with pytest.raises(ValueError, match="num_envs is a whole number from 1 to"):
        vector.make("big-two", 0)
    with pytest.raises(ValueError, match="complete"):
        vector.make(dasan.rules("big-two"), 1, triples=True)


@pytest.mark.full
def test_random_actions_are_uniform() -> None:
    """Of three legal bids each is taken about as often: chi-square below its 99.9 % quantile (2 degrees: 13.8)."""
    env = vector.make("big-three", 6000, seed=3)
    opening = env.mask[:, 1:4].all(axis=1) & ~env.mask[:, 0]
    chosen = env.sample()[opening]
    counts = np.bincount(chosen, minlength=4)[1:4]
    expected = counts.sum() / 3
    assert counts.sum() == 6000
    assert float(((counts - expected) ** 2 / expected).sum()) < 13.8
