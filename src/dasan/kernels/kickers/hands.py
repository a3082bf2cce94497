"""Play whole random hands of Dou Dizhu, from the shuffle to the payments.

A hand's random numbers depend only on the seed and its number, not on the thread that plays it.
"""

from __future__ import annotations

import numpy as np

from dasan.arrays import Longs, U, Words
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.results import NOBODY, HandResults, write_result
from dasan.kernels.env.settlement import doublings, pay
from dasan.kernels.env.trace import write_ply
from dasan.kernels.kickers.play import LEAD, PLAY_WORDS, answers, chosen, find, row_of
from dasan.kernels.kickers.tables import KickerCatalogue, KickerPolicy, kicker_catalogue, kicker_policy
from dasan.kernels.runtime.bits import deposit, popcount, trailing_zeros
from dasan.kernels.runtime.compiled import compiled, woven, woven_callable
from dasan.kernels.runtime.random64 import below, draw, hand_state, mixed, stepped
from dasan.ruleset.rules import Rules

_0, _1, _2, _15 = U(0), U(1), U(2), U(15)
CARDS = 54
PASS, BID = -1, -1
"""Codes in a trace: PASS, BID - bid, or the row of a play."""


@woven_callable
def fill_pack(pack: Words, suits: bool) -> None:
    """The pack by suit, then rank, the jokers in the first suit: suit words of one card, or else hands of one card."""
    at = 0
    for suit in range(4):
        for rank in range(15 if suit == 0 else 13):
            pack[at] = _1 << U(16 * suit + rank if suits else 4 * rank)
            at += 1


@woven_callable
def deal_cards(state: np.uint64, pack: Words, hands: Words, each: int, players: int) -> np.uint64:
    """Deal `each` cards to each of `players` and the rest to hands[players]; returns the random state.

    pack: a word a card, from `fill_pack`; left shuffled. hands: their sums. A random word draws two cards.
    """
    word = _0
    at = 0
    for seat in range(players):
        held = _0
        for _ in range(each):
            state, word, j = draw(state, word, at, CARDS)
            card = pack[j]
            pack[j] = pack[at]
            pack[at] = card
            held += card
            at += 1
        hands[seat] = held
    rest = _0
    for i in range(at, CARDS):
        rest += pack[i]
    hands[players] = rest
    return state


@woven
def draw_kitty(state: np.uint64, pack: Words, at: int) -> tuple[np.uint64, np.uint64]:
    """Draw three cards from place `at` of a pack on, an even number; returns the random state and their sum."""
    word = kitty = _0
    for place in range(at, at + 3):
        state, word, j = draw(state, word, place, CARDS)
        kitty += pack[j]
        pack[j] = pack[place]
    return state, kitty


@woven_callable
def random_hand(
    state: np.uint64,
    hands: Words,
    opener: int,
    scratch: Words,
    catalogue: KickerCatalogue,
    policy: KickerPolicy,
    payments: Longs,
    trace: Longs,
) -> tuple[np.uint64, int, int]:
    """Play one dealt hand at random: every legal move of the engine's list is equally likely.

    hands: counts by seat, then the kitty. scratch: PLAY_WORDS words. payments: filled by seat. trace: if longer than 0, filled
    with three numbers a ply: seat, code, and how many moves were legal. Returns the random state, the number of plies and the
    seat that went out, or NOBODY (DD.02).
    """
    seat, bid, bidder, plies = opener, 0, -1, 0
    while plies < 3 and bid < policy.top:
        state = stepped(state)
        raised = signed(below(mixed(state), U(policy.top - bid + 1)))
        write_ply(trace, plies, seat, PASS if raised == 0 else BID - bid - raised, policy.top - bid + 1)
        if raised > 0:
            bid += raised
            bidder = seat
        plies += 1
        seat = seat + 1 if seat < 2 else 0
    if bidder < 0:
        for k in range(3):
            payments[k] = 0
        return state, plies, NOBODY
    seat = bidder
    hand = hands[seat] + hands[3]
    after = hands[seat + 1 if seat < 2 else 0]
    before = hands[seat - 1 if seat > 0 else 2]
    code, passes, bombs, tally = signed(LEAD), 0, 0, _0
    while True:
        state = stepped(state)
        random = mixed(state)
        known, plays, word = False, _0, _0
        if code >= 0:
            known, plays, word = answers(hand, code, catalogue)
        if known:
            # Nothing here branches on whether it is a pass, which cannot be predicted.
            legal = signed(popcount(plays)) + 1
            picked = deposit(_1 << below(random, U(legal)), plays)
            bit = trailing_zeros(picked)
            passing = picked == _0
            hand -= catalogue.unit[word] * picked
            code = code if passing else signed((U(code) & ~_15) | (bit >> _2))
        else:
            _, n = find(hand, code, scratch, catalogue)
            legal = n if code < 0 else n + 1
            i = signed(below(random, U(legal)))
            passing = i == n
            bit = _0
            if not passing:
                bit, word = chosen(i, scratch)
                hand -= catalogue.need[word] + (catalogue.unit[word] << bit)
                code = signed(catalogue.codes[word] + catalogue.slope[word] * signed(bit >> _2))
        if trace.shape[0] > 0:
            write_ply(trace, plies, seat, PASS if passing else row_of(bit, word, catalogue), legal)
        plies += 1
        played = 0 if passing else 1
        tally += U(played) << U(8 * seat)
        bombs += played if catalogue.powers[U(catalogue.shapes[U(code >> 4)])] > 0 else 0
        if hand == _0:
            break
        passes = passes + 1 if passing else 0
        if passes == 2:
            code, passes = signed(LEAD), 0
        hand, after, before = after, before, hand
        seat = seat + 1 if seat < 2 else 0
    ours = (tally >> U(8 * bidder)) & U(255)
    spring = bool(tally == ours << U(8 * bidder) if seat == bidder else ours <= _1)
    times = doublings(bombs, spring, policy.settlement)
    pay(seat, 1 << bidder, bid, 0, times, policy.settlement, payments)
    return state, plies, seat


def hand_tables(rules: Rules) -> tuple[KickerCatalogue, KickerPolicy]:
    """The tables that `random_hands` reads."""
    return kicker_catalogue(rules), kicker_policy(rules)


@compiled
def random_hands(
    first: int, seed: np.uint64, catalogue: KickerCatalogue, policy: KickerPolicy, results: HandResults
) -> None:
    """Deal and play random hands of `seed`, from number `first` on: one for each row of the results."""
    pack, cards = np.empty(CARDS, np.uint64), np.empty(CARDS, np.uint64)
    hands = np.empty(4, np.uint64)
    fill_pack(cards, False)
    scratch = np.empty(PLAY_WORDS, np.uint64)
    payments = np.empty(3, np.int64)
    trace = np.empty(0, np.int64)
    for k in range(results.plies.shape[0]):
        state = stepped(hand_state(seed, first + k))
        opener = signed(below(mixed(state), U(3)))
        for i in range(CARDS):
            pack[i] = cards[i]
        # The last seat takes what the others and the kitty leave, so that fewer cards are drawn.
        state = deal_cards(state, pack, hands, policy.hand_size, 2)
        state, hands[3] = draw_kitty(state, pack, 2 * policy.hand_size)
        hands[2] -= hands[3]
        _, plies, out = random_hand(state, hands, opener, scratch, catalogue, policy, payments, trace)
        write_result(k, payments, out, plies, results)
