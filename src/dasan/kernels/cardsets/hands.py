"""Play whole random hands of Big Two: single cards and pairs are bits; larger plays are listed when they are legal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.arrays import Ints, Longs, U, Words
from dasan.kernels.cardsets.tables import (
    ALONE,
    LARGE,
    LEAD,
    OPENING,
    SUITS,
    CardsetCatalogue,
    CardsetPolicy,
    cardset_catalogue,
    cardset_policy,
)
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.results import HandResults, write_result
from dasan.kernels.env.settlement import NO_SIDES, pay
from dasan.kernels.env.trace import write_ply
from dasan.kernels.runtime.bits import deposit, extract, leading_zeros, popcount, trailing_zeros
from dasan.kernels.runtime.compiled import compiled, lean, woven, woven_callable
from dasan.kernels.runtime.random64 import below, draw, hand_state, mixed, stepped
from dasan.ruleset.rules import Rules

MOST_PLAYS = 1472
"""An upper bound on the plays of one hand: 1,287 sets of five cards and 154 smaller ones."""
PASS = -1
_0, _1, _2, _3, _16, _32 = U(0), U(1), U(2), U(3), U(16), U(32)
_4095, _8191 = U(4095), U(8191)
_RANKS = U(0x1_1111_1111_1111)
_PACK = U((1 << 52) - 1)


@woven_callable
def singles_and_pairs(hand: np.uint64, above: Words) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The cards and pairs of `hand` that are in `above`, a row of `CardsetCatalogue.above`."""
    return (
        hand & above[0],
        hand & (hand << _1) & above[1],
        hand & (hand << _2) & above[2],
        hand & (hand << _3) & above[3],
    )


@woven
def count_lanes(hand: np.uint64) -> np.uint64:
    """Convert a card word to count lanes, see `kernels.ranks.tables`."""
    suit0, suit1 = extract(hand, _RANKS), extract(hand, _RANKS << _1)
    suit2, suit3 = extract(hand, _RANKS << _2), extract(hand, _RANKS << _3)
    both01, any01, both23, any23 = suit0 & suit1, suit0 | suit1, suit2 & suit3, suit2 | suit3
    two, three = both01 | both23 | (any01 & any23), (both01 & any23) | (both23 & any01)
    lanes: np.uint64 = (any01 | any23) | (two << _16) | (three << _32) | ((both01 & both23) << U(48))
    return lanes


@woven
def highest(hand: np.uint64) -> np.uint64:
    """The highest card of a hand that is not empty."""
    card: np.uint64 = _1 << (U(63) - leading_zeros(hand))
    return card


@woven
def next_seat(seat: int, passed: int, players: int) -> int:
    """The next seat that has not passed."""
    seat = seat + 1 if seat + 1 < players else 0
    while (passed >> seat) & 1:
        seat = seat + 1 if seat + 1 < players else 0
    return seat


@woven_callable
def list_larger(
    hand: np.uint64,
    size: int,
    strength: int,
    out: npt.NDArray[np.integer],
    n: int,
    base: int,
    catalogue: CardsetCatalogue,
) -> int:
    """Append each row of `hand` with more than two cards to `out[n:]`, as row + `base`; return the new length.

    size: the number of cards, 0 for any. strength: only rows above it.
    """
    lanes = count_lanes(hand) | _1 << U(ALONE)
    runs = catalogue.runs
    windows = runs.windows[lanes & _8191]
    while windows != _0:
        k = trailing_zeros(windows)
        windows &= windows - _1
        if runs.best[k] <= strength or (size > 0 and runs.size[k] != size):
            continue
        suits = extract(hand, runs.cards[k]) | runs.pad[k]
        low, high = suits & _4095, suits >> U(12) | U(256)
        for i in range(runs.begin[high], runs.begin[high + _1]):
            at = runs.suits[i] << 6
            for j in range(runs.begin[low], runs.begin[low + _1]):
                row = runs.rows[k, at + runs.suits[j]]
                if row >= 0 and catalogue.strength[row] > strength:
                    out[n] = row + base
                    n += 1
    groups = catalogue.groups
    heads = lanes & groups.heads
    while heads != _0:
        head = trailing_zeros(heads)
        heads &= heads - _1
        if groups.best[head] <= strength:
            continue
        many = groups.held[head]
        suits = (hand >> ((head & U(15)) << _2)) & U(15)
        sides = lanes & groups.sides[head]
        while sides != _0:
            side = trailing_zeros(sides)
            sides &= sides - _1
            few = groups.held[side]
            if size > 0 and many + few != size:
                continue
            others = (hand >> ((side & U(15)) << _2)) & U(15)
            for i in range(groups.how_many[suits, many]):
                at = groups.first[head, side] + groups.how_many[15, few] * groups.choices[suits, many, i]
                for j in range(groups.how_many[others, few]):
                    row = groups.rows[at + groups.choices[others, few, j]]
                    if row >= 0 and catalogue.strength[row] > strength:
                        out[n] = row + base
                        n += 1
    flushes = catalogue.flushes
    if flushes.size > 0 and (size == 0 or size == flushes.size):
        for suit in range(SUITS):
            ranks = extract(hand, _RANKS << U(suit))
            held = popcount(ranks)
            for k in range(flushes.begin[held], flushes.begin[held + _1]):
                row = flushes.rows[suit, deposit(flushes.picks[k], ranks)]
                if row >= 0 and catalogue.strength[row] > strength:
                    out[n] = row + base
                    n += 1
    return n


@woven_callable
def deal_sets(state: np.uint64, pack: Words, hands: Words, each: int, players: int) -> np.uint64:
    """Deal `each` cards to each seat as card words, from `pack`, a word a card; returns the random state.

    A random word draws two cards. If no card is left over, the last seat takes the remaining cards.
    """
    word = dealt = _0
    at = 0
    rest = each * players == 52
    for seat in range(players - 1 if rest else players):
        held = _0
        for _ in range(each):
            state, word, j = draw(state, word, at, 52)
            card = pack[j]
            pack[j] = pack[at]
            held |= card
            at += 1
        hands[seat] = held
        dealt |= held
    if rest:
        hands[players - 1] = _PACK & ~dealt
    return state


@woven
def _list_choices(
    hand: np.uint64, answer: int, table: int, n: int, plays: Ints, catalogue: CardsetCatalogue, policy: CardsetPolicy
) -> int:
    """Append the larger plays that `answer` allows to `plays[n:]`; return the new length."""
    size, strength = (catalogue.size[table], catalogue.strength[table]) if answer == LARGE else (0, -1)
    if signed(popcount(hand)) < max(size, catalogue.least):
        return n
    end = list_larger(hand, size, strength, plays, n, 0, catalogue)
    if answer != OPENING:
        return end
    for k in range(n, end):
        if (catalogue.words[plays[k]] >> U(policy.opening)) & _1 != _0:
            plays[n] = plays[k]
            n += 1
    return n


@woven
def _first_leader(hands: Words, policy: CardsetPolicy) -> int:
    """The holder of the opening card; seat 0 where there is none (D2.11)."""
    leader = 0
    if policy.opening >= 0:
        for seat in range(policy.players):
            if (hands[seat] >> U(policy.opening)) & _1 != _0:
                leader = seat
    return leader


@woven
def _nth_small(
    words: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
    first: np.uint64,
    second: np.uint64,
    third: np.uint64,
    picked: np.uint64,
    catalogue: CardsetCatalogue,
) -> tuple[np.uint64, int]:
    """Play `picked` of the single cards and pairs in `words`: its cards, and its answer code (see `tables.LEAD`).

    first, second, third: how many plays the first word, the first two and the first three have.
    """
    distance, left, k = 0, words[0], picked
    if picked >= third:
        distance, left, k = 3, words[3], picked - third
    elif picked >= second:
        distance, left, k = 2, words[2], picked - second
    elif picked >= first:
        distance, left, k = 1, words[1], picked - first
    word = deposit(_1 << k, left)
    return word | (word >> U(distance)), catalogue.small[trailing_zeros(word), distance]


@woven_callable
def random_hand(
    state: np.uint64,
    hands: Words,
    plays: Ints,
    catalogue: CardsetCatalogue,
    policy: CardsetPolicy,
    payments: Longs,
    trace: Longs,
) -> tuple[np.uint64, int, int]:
    """Play one dealt hand at random, every legal move equally likely.

    hands: card words by seat, used up. plays: room for MOST_PLAYS. payments: filled. trace: if longer
    than 0, three numbers a ply: seat, row (-1: pass), legal moves. Returns the random state, the plies and the seat that
    fouled (-1).
    """
    players = policy.players
    seat = _first_leader(hands, policy)
    answer = OPENING if policy.opening >= 0 else LEAD
    table, table_seat = 0, 0
    passed = 0
    watching = -1
    plies = 0
    while True:
        hand = hands[seat]
        after = seat + 1 if seat + 1 < players else 0
        singles, next_to, two_apart, far_apart = singles_and_pairs(hand, catalogue.above[answer])
        duty = policy.guard > 0 and singles != _0 and popcount(hands[after]) == _1 and (passed >> after) & 1 == 0
        must = duty and policy.guard == 2
        if must:
            singles = highest(hand)
        first = popcount(singles)
        second = first + popcount(next_to)
        third = second + popcount(two_apart)
        few = third + popcount(far_apart)
        n = signed(few)
        if answer <= LARGE:
            n = _list_choices(hand, answer, table, n, plays, catalogue, policy)
        choices = n if must or answer <= OPENING else n + 1
        state = stepped(state)
        picked = below(mixed(state), U(choices))
        chosen = signed(picked)
        row = PASS
        if answer > LARGE and few == first:
            # A branch for a pass would be mispredicted; for a pass the word is 0 and the card 64.
            word = deposit(_1 << picked, singles)
            reply = catalogue.small[trailing_zeros(word), 0]
        elif chosen == n:
            word = _0
            reply = 0
        elif picked >= few:
            row = plays[chosen]
            word = catalogue.words[row]
            reply = LARGE
        else:
            word, reply = _nth_small((singles, next_to, two_apart, far_apart), first, second, third, picked, catalogue)
        passing = word == _0
        shown = PASS if passing else catalogue.rows[reply] if reply != LARGE else row
        write_ply(trace, plies, seat, shown, choices)
        plies += 1
        if duty and not passing:
            # Only a single card that is not the highest breaks the duty to guard.
            duty = picked < first and word != highest(hand)
        hands[seat] = hand & ~word
        if hand == word:
            break
        watching = seat if duty else -1
        answer = answer if passing else reply
        table = table if passing else row
        table_seat = table_seat if passing else seat
        passed = passed | (1 << seat) if passing else passed if policy.pass_is_final else 0
        if ((1 << players) - 1) & ~passed & ~(1 << table_seat) == 0:
            answer = LEAD
            passed = 0
            seat = table_seat
        else:
            seat = next_seat(seat, passed, players)
    for other in range(policy.players):
        payments[other] = signed(popcount(hands[other]))
    pay(seat, NO_SIDES, 0, 0, 0, policy.settlement, payments)
    return state, plies, watching if (watching + 1) % players == seat else -1


def hand_tables(rules: Rules) -> tuple[CardsetCatalogue, CardsetPolicy]:
    """The tables that `random_hands` reads."""
    return cardset_catalogue(rules), cardset_policy(rules)


@lean
def _random_hands(
    first: int,
    seed: np.uint64,
    catalogue: CardsetCatalogue,
    policy: CardsetPolicy,
    results: HandResults,
    pack: Words,
    hands: Words,
    plays: Ints,
    payments: Longs,
    trace: Longs,
) -> None:
    for k in range(results.plies.shape[0]):
        for i in range(52):
            pack[i] = _1 << U(i)
        state = hand_state(seed, first + k)
        state = deal_sets(state, pack, hands, policy.hand_size, policy.players)
        _, plies, _ = random_hand(state, hands, plays, catalogue, policy, payments, trace)
        out = 0
        for seat in range(policy.players):
            out = seat if hands[seat] == _0 else out
        write_result(k, payments, out, plies, results)


@compiled
def random_hands(
    first: int, seed: np.uint64, catalogue: CardsetCatalogue, policy: CardsetPolicy, results: HandResults
) -> None:
    """Deal and randomly play hands of `seed` from number `first`, one for each row of results."""
    pack, hands = np.empty(52, np.uint64), np.empty(policy.players, np.uint64)
    plays = np.empty(MOST_PLAYS, np.int32)
    payments, trace = np.empty(policy.players, np.int64), np.empty(0, np.int64)
    _random_hands(first, seed, catalogue, policy, results, pack, hands, plays, payments, trace)
