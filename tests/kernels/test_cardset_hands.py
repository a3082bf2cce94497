"""The kernels of Big Two against the engine, move by move, over every option."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import dasan
from dasan.cards import Card
from dasan.kernels.cardsets import hands as cardset_hands
from dasan.kernels.cardsets import tables as cardset_tables
from dasan.play.moves import Move, MoveType

pytestmark = pytest.mark.full

VARIANTS: list[dict[str, Any]] = [
    {},
    {"triples": True, "fours": True, "two_pairs": True},
    {"flush_order": "suit", "guard": "enforced"},
    {"pass_is_final": True, "guard": "off"},
    {"pass_is_final": True, "guard": "enforced"},
    {"pass_is_final": True, "suit_order": "clubs-low"},
    {"scoring": "cards"},
    {"scoring": "cards-multiplied"},
    {"straights": "hong-kong"},
    {"straights": "taiwan"},
    {"straights": "no-twos", "four_plus_one": False},
    {"scoring": "cards-hong-kong", "flushes": False, "suit_order": "philippine"},
]
SEED = np.uint64(20_26)


def cards_of(rules: dasan.Rules, word: int) -> list[Card]:
    return [c for c, (rank, suit) in rules.order.place.items() if not c.is_joker and word >> (4 * rank + suit) & 1]


def move_of(state: dasan.State, row: int) -> Move:
    if row == cardset_hands.PASS:
        return next(m for m in state.legal_moves() if m.type is MoveType.PASS)
    cards = state.rules.catalogue.rows[row].cards
    return next(m for m in state.legal_moves() if m.cards == cards)


@pytest.mark.sampled(1, 4)
@pytest.mark.parametrize("hands_played", [12, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_random_hands_are_the_engines_hands(options: dict[str, Any], hands_played: int) -> None:
    """Every ply is legal in the engine, and the number of legal moves, payments and fouls agree."""
    rules = dasan.rules("big-two", **options)
    t, p = cardset_tables.cardset_catalogue(rules), cardset_tables.cardset_policy(rules)
    hands = np.zeros(4, np.uint64)
    plays = np.zeros(cardset_hands.MOST_PLAYS, np.int32)
    payments = np.zeros(4, np.int64)
    random = SEED
    for _ in range(hands_played):
        trace = np.zeros(3 * 600, np.int64)
        pack = np.array([1 << i for i in range(52)], np.uint64)
        random = np.uint64(cardset_hands.deal_sets(random, pack, hands, p.hand_size, p.players))
        state = dasan.start(rules, [cards_of(rules, int(word)) for word in hands])
        after, plies, foul = cardset_hands.random_hand(random, hands, plays, t, p, payments, trace)
        random = np.uint64(after)
        for seat, row, legal in trace[: 3 * plies].reshape(-1, 3).tolist():
            assert state.to_act == seat
            assert len(state.legal_moves()) == legal
            state = state.play(move_of(state, row))
        assert state.result is not None
        assert state.result.payments == tuple(payments.tolist())
        assert state.result.foul == (None if foul < 0 else foul)


def test_fouls_happen() -> None:
    """Without fouls the sample above would not test D2.17."""
    rules = dasan.rules("big-two")
    t, p = cardset_tables.cardset_catalogue(rules), cardset_tables.cardset_policy(rules)
    hands = np.zeros(4, np.uint64)
    plays = np.zeros(cardset_hands.MOST_PLAYS, np.int32)
    payments, trace = np.zeros(4, np.int64), np.zeros(0, np.int64)
    random, fouls = SEED, 0
    for _ in range(50):
        pack = np.array([1 << i for i in range(52)], np.uint64)
        random = np.uint64(cardset_hands.deal_sets(random, pack, hands, p.hand_size, p.players))
        after, _, foul = cardset_hands.random_hand(random, hands, plays, t, p, payments, trace)
        random = np.uint64(after)
        fouls += foul >= 0
    assert fouls > 0


def playable(hand: int, t: cardset_tables.CardsetCatalogue) -> list[int]:
    """The rows that the kernels find in a hand."""
    plays = np.zeros(cardset_hands.MOST_PLAYS, np.int32)
    n = cardset_hands.list_larger(np.uint64(hand), 0, -1, plays, 0, 0, t)
    out: list[int] = plays[:n].tolist()
    for d, word in enumerate(cardset_hands.singles_and_pairs(np.uint64(hand), t.above[cardset_tables.LEAD])):
        out += [int(t.rows[t.small[bit, d]]) for bit in range(52) if int(word) >> bit & 1]
    return out


EXTREMES = [
    [4 * rank for rank in range(13)],
    [*range(12), 51],
    [*range(0, 12, 3), *range(20, 25), 48, 49, 50, 51],
    [bit for rank in range(8, 12) for bit in (4 * rank, 4 * rank + 1, 4 * rank + 3)] + [6],
    [0, 1, 4, 6, 9, 11, 13, 14, 18, 19, 47, 51, 50],
    [7],
]
"""Hands as bits: one suit, three quads, quads and runs, four triplets, two cards of each of five ranks, one card."""


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_play_of_a_hand_is_found_once(options: dict[str, Any]) -> None:
    t = cardset_tables.cardset_catalogue(dasan.rules("big-two", **options))
    random = np.random.default_rng(3)
    for cards in [*EXTREMES, *(random.choice(52, 13, replace=False).tolist() for _ in range(40))]:
        hand = sum(1 << bit for bit in cards)
        held = np.flatnonzero(t.words & ~np.uint64(hand) == 0)
        assert sorted(playable(hand, t)) == held.tolist()
        plays = np.zeros(cardset_hands.MOST_PLAYS, np.int32)
        for to_beat in random.choice(len(t.words), 12).tolist():
            size, strength = int(t.size[to_beat]), int(t.strength[to_beat])
            if size > 2:
                n = cardset_hands.list_larger(np.uint64(hand), size, strength, plays, 0, 0, t)
                above = held[(t.size[held] == size) & (t.strength[held] > strength)]
                assert sorted(plays[:n].tolist()) == above.tolist()


def excess(counts: list[int]) -> tuple[float, int]:
    """Chi-square of counts that should be equal, and its degrees of freedom."""
    mean = sum(counts) / len(counts)
    return sum((n - mean) ** 2 for n in counts) / mean, len(counts) - 1


LEADER = [0, 1, 5, 8, 14, 16, 17, 19, 24, 32, 37, 44, 51]
"""A hand with 4 pairs, 10 straights, 6 flushes and a full house."""


def test_every_legal_move_is_equally_likely() -> None:
    """A lead from thirteen cards, and the answers to each lead, over 30,000 hands from one deal."""
    rules = dasan.rules("big-two")
    t, p = cardset_tables.cardset_catalogue(rules), cardset_tables.cardset_policy(rules)._replace(opening=-1)
    rest = [bit for bit in range(52) if bit not in LEADER]
    seats = [sum(1 << bit for bit in cards) for cards in (LEADER, rest[::3], rest[1::3], rest[2::3])]
    hands, plays = np.zeros(4, np.uint64), np.zeros(cardset_hands.MOST_PLAYS, np.int32)
    leads: Counter[int] = Counter()
    answers: dict[int, Counter[int]] = {}
    legal: dict[int, int] = {}
    payments, trace = np.zeros(4, np.int64), np.zeros(3 * 600, np.int64)
    random = SEED
    for _ in range(30_000):
        hands[:] = seats
        after, _, _ = cardset_hands.random_hand(random, hands, plays, t, p, payments, trace)
        random = np.uint64(after)
        leads[int(trace[1])] += 1
        legal[-2] = int(trace[2])
        answers.setdefault(int(trace[1]), Counter())[int(trace[4])] += 1
        legal[int(trace[1])] = int(trace[5])
    assert len(leads) == legal[-2] == 13 + 4 + 10 + 6 + 1
    chi, degrees = excess(list(leads.values()))
    for row, counts in answers.items():
        if leads[row] > 10 * legal[row]:
            assert len(counts) == legal[row]
            one, free = excess(list(counts.values()))
            chi, degrees = chi + one, degrees + free
    assert abs(chi - degrees) < 4 * (2 * degrees) ** 0.5


def test_every_seat_is_as_likely_to_be_dealt_a_card() -> None:
    random, hands = SEED, np.zeros(4, np.uint64)
    counts = np.zeros((52, 4), np.int64)
    deals = 8_000
    for _ in range(deals):
        pack = np.array([1 << i for i in range(52)], np.uint64)
        random = np.uint64(cardset_hands.deal_sets(random, pack, hands, 13, 4))
        assert sum(map(int, hands)) == (1 << 52) - 1
        assert [int(word).bit_count() for word in hands] == [13] * 4
        counts += (hands[None, :] >> np.arange(52, dtype=np.uint64)[:, None]).astype(np.int64) & 1
    # Of the 52 × 4 counts 51 × 3 are free: 52 / 51 times a chi-square of that many degrees.
    chi = float(((counts - deals / 4) ** 2).sum() / (deals / 4)) * 51 / 52
    degrees = 51 * 3
    assert abs(chi - degrees) < 4 * (2 * degrees) ** 0.5
