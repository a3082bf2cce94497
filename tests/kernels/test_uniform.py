"""Random playouts choose every legal move equally often, by its place in the engine's list and in the environments'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.kernels import test_cardset_hands, test_kicker_hands, test_pattern_hands, test_rank_hands

import dasan
from dasan import vector
from dasan.backends import Purpose, choose
from dasan.kernels.cardsets import env as cardset_env
from dasan.kernels.cardsets import hands as cardset_hands
from dasan.kernels.cardsets import tables as cardset_tables
from dasan.kernels.patterns import hands as pattern_hands
from dasan.kernels.patterns import play as pattern_play
from dasan.kernels.patterns import tables as pattern_tables
from dasan.kernels.ranks import hands as rank_hands
from dasan.kernels.ranks.auction import auction_policy
from dasan.kernels.ranks.tables import rank_catalogue
from dasan.kernels.regional import env as regional_env
from dasan.kernels.regional import hands as regional_hands

pytestmark = pytest.mark.full

SEED = np.uint64(77)
Trace = list[list[int]]


def rank_traces(rules: dasan.Rules, hands: int) -> Iterator[tuple[dasan.State, Trace, Any]]:
    t, a = rank_catalogue(rules), auction_policy(rules)
    words, paid = np.zeros(rules.players + 1, np.uint64), np.zeros(rules.players, np.int64)
    random = SEED
    for _ in range(hands):
        trace = np.zeros(3 * 400, np.int64)
        random = np.uint64(rank_hands.shuffle_deal(random, a.pack, a.pack.copy(), words, a.hand_size, a.players))
        cards = [test_rank_hands.cards_of(rules, int(word)) for word in words]
        after, plies, _ = rank_hands.random_hand(random, words, t, a, paid, trace)
        random = np.uint64(after)
        begun = dasan.start(rules, cards[:-1], kitty=cards[-1])
        yield (
            begun,
            trace[: 3 * plies].reshape(-1, 3).tolist(),
            lambda state, code: test_rank_hands.move_of(state, code, t),
        )


def cardset_traces(rules: dasan.Rules, hands: int) -> Iterator[tuple[dasan.State, Trace, Any]]:
    t, p = cardset_tables.cardset_catalogue(rules), cardset_tables.cardset_policy(rules)
    words, plays = np.zeros(4, np.uint64), np.zeros(cardset_hands.MOST_PLAYS, np.int32)
    paid, random = np.zeros(4, np.int64), SEED
    for _ in range(hands):
        trace = np.zeros(3 * 600, np.int64)
        pack = np.array([1 << i for i in range(52)], np.uint64)
        random = np.uint64(cardset_hands.deal_sets(random, pack, words, p.hand_size, p.players))
        begun = dasan.start(rules, [test_cardset_hands.cards_of(rules, int(word)) for word in words])
        after, plies, _ = cardset_hands.random_hand(random, words, plays, t, p, paid, trace)
        random = np.uint64(after)
        yield begun, trace[: 3 * plies].reshape(-1, 3).tolist(), test_cardset_hands.move_of


def regional_traces(rules: dasan.Rules, hands: int) -> Iterator[tuple[dasan.State, Trace, Any]]:
    (t,) = regional_hands.hand_tables(rules)
    words, plays = np.zeros(4, np.uint64), np.zeros(cardset_hands.MOST_PLAYS, np.int32)
    row, paid, random = np.zeros(regional_env.COLUMNS, np.uint64), np.zeros(4, np.int64), SEED
    for _ in range(hands):
        trace = np.zeros(3 * 600, np.int64)
        pack = np.array([1 << i for i in range(52)], np.uint64)
        random = np.uint64(cardset_hands.deal_sets(random, pack, words, 13, 4))
        row[cardset_env.HAND : cardset_env.HAND + 4], row[cardset_env.LEADER] = words, cardset_env.NONE
        begun = dasan.start(rules, [test_cardset_hands.cards_of(rules, int(word)) for word in words])
        after, plies = regional_hands.random_hand(random, row, plays, t, paid, trace)
        random = np.uint64(after)
        yield begun, trace[: 3 * plies].reshape(-1, 3).tolist(), test_cardset_hands.move_of


def pattern_traces(rules: dasan.Rules, hands: int) -> Iterator[tuple[dasan.State, Trace, Any]]:
    t, p, n = pattern_tables.pattern_catalogue(rules), pattern_tables.pattern_policy(rules), rules.players
    one, two, scratch = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(pattern_play.PLAY_WORDS, np.uint64)
    paid, order, random = np.zeros(n, np.int64), np.zeros(n, np.int64), SEED
    for number in range(hands):
        trace = np.zeros(3 * 2000, np.int64)
        random = np.uint64(pattern_hands.deal_all(random, t.pack.copy(), one, two, number % n, n))
        cards = [test_pattern_hands.cards_of(rules, int(a), int(b)) for a, b in zip(one, two, strict=True)]
        begun = dasan.start(rules, cards, dealer=number % n)
        after, plies = pattern_hands.random_hand(random, one, two, number % n, scratch, t, p, paid, order, trace)
        random = np.uint64(after)
        yield begun, trace[: 3 * plies].reshape(-1, 3).tolist(), test_pattern_hands.move_of


def kicker_traces(rules: dasan.Rules, hands: int) -> Iterator[tuple[dasan.State, Trace, Any]]:
    for begun, trace, _, _ in test_kicker_hands.played_at_random(rules, hands):
        yield begun, trace, test_kicker_hands.move_of


TRACES = {
    "ranks": rank_traces,
    "cardsets": cardset_traces,
    "regional": regional_traces,
    "patterns": pattern_traces,
    "kickers": kicker_traces,
}
COMPILED = [preset for preset in dasan.PRESETS if choose(dasan.rules(preset), Purpose.ENVIRONMENTS).compiled]


def excess(counts: dict[int, Any]) -> tuple[float, int]:
    """Chi-square and its degrees of freedom, summed over the numbers of legal moves that are common enough."""
    chi, degrees = 0.0, 0
    for n, seen in counts.items():
        expected = seen.sum() / n
        if n > 1 and expected >= 8:
            chi += float(((seen[:n] - expected) ** 2).sum() / expected)
            degrees += n - 1
    return chi, degrees


def check(counts: dict[int, Any], least: int) -> None:
    chi, degrees = excess(counts)
    assert degrees >= least
    assert abs(chi - degrees) < 4 * (2 * degrees) ** 0.5


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("preset", COMPILED)
def test_whole_hands_take_every_place_of_the_engines_list(preset: str) -> None:
    rules = dasan.rules(preset)
    traces = TRACES[choose(rules, Purpose.ENVIRONMENTS).name]
    counts: dict[int, Any] = {}
    for begun, trace, move_of in traces(rules, 60):
        state = begun
        for seat, code, legal in trace:
            moves = state.legal_moves()
            assert (state.to_act, len(moves)) == (seat, legal)
            move = move_of(state, code)
            counts.setdefault(legal, np.zeros(legal, np.int64))[moves.index(move)] += 1
            state = state.play(move)
    check(counts, 20)


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("preset", COMPILED)
def test_samples_take_every_place_of_the_list(preset: str) -> None:
    env = vector.make(preset, 2_000, seed=5, observations=False)
    most = 40
    counts = {n: np.zeros(n, np.int64) for n in range(1, most)}
    steps = 0
    while steps < 150 or (excess(counts)[1] < 200 and steps < 600):  # where few lists are long, it takes more
        n = env.num_legal
        listed = np.arange(most) < n[:, None]  # lists as long as this are not counted
        actions = env.sample()
        place = ((env.legal[:, :most] < actions[:, None]) & listed).sum(axis=1)
        for k in range(1, most):
            counts[k] += np.bincount(place[n == k], minlength=k)
        env.step(actions)
        steps += 1
    check(counts, 200)
