"""Play whole random hands of Winner, one deck or two, with jokers or without."""

from __future__ import annotations

import numpy as np

from dasan.arrays import Longs, U, Words
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.results import HandResults, write_result
from dasan.kernels.env.settlement import BASE, BY_CARDS, NO_SIDES, pay
from dasan.kernels.env.trace import write_ply
from dasan.kernels.patterns.play import PLAY_WORDS, any_beats, cards_of, choice, choices, find, remaining
from dasan.kernels.patterns.tables import PatternCatalogue, PatternPolicy, pattern_catalogue, pattern_policy
from dasan.kernels.runtime.bits import popcount, trailing_zeros
from dasan.kernels.runtime.compiled import compiled, lean, linked, woven
from dasan.kernels.runtime.random64 import below, draw, hand_state, mixed, stepped
from dasan.ruleset.rules import Rules

PASS = -1
_0, _1, _32 = U(0), U(1), U(32)


@lean
def deal_all(state: np.uint64, pack: Words, one: Words, two: Words, dealer: int, players: int) -> np.uint64:
    """Deal the whole pack, the seats from the dealer on getting the cards left over; returns the random state.

    pack: every card as one bit; it is left shuffled. Each random word draws two cards.
    """
    n = pack.shape[0]
    at = 0
    word = _0
    seat = dealer
    for k in range(players - 1):
        held = doubled = _0
        end = at + n // players + (1 if k < n % players else 0)
        while at < end:
            state, word, j = draw(state, word, at, n)
            card = pack[j]
            pack[j] = pack[at]
            pack[at] = card
            doubled |= held & card
            held |= card
            at += 1
        one[seat], two[seat] = held, doubled
        seat = seat + 1 if seat + 1 < players else 0
    held = doubled = _0
    for j in range(at, n):
        doubled |= held & pack[j]
        held |= pack[j]
    one[seat], two[seat] = held, doubled
    return state


@lean
def random_hand(
    state: np.uint64,
    one: Words,
    two: Words,
    dealer: int,
    scratch: Words,
    catalogue: PatternCatalogue,
    policy: PatternPolicy,
    payments: Longs,
    order: Longs,
    trace: Longs,
) -> tuple[np.uint64, int]:
    """Play one dealt hand at random, every legal move of the engine's list equally likely.

    one, two: hands by seat, used up. scratch: PLAY_WORDS words. payments: filled. order: filled with the seats as they went
    out, the last one in at the end. trace: if longer than 0, three numbers a ply: seat, row (-1: pass), legal moves.
    Returns the random state and the plies.
    """
    players = policy.players
    seat = first_leader(one, dealer, policy)
    table, table_seat = signed(-1), signed(0)
    passed, played, inside = 0, 0, (1 << players) - 1
    strong = inside
    out = 0
    plies = 0
    while True:
        stronger = (strong >> seat) & 1 != 0
        ordinary, end = find(one[seat], two[seat], table, stronger, scratch, catalogue)
        n = choices(end, scratch)
        legal = n
        if table >= 0:
            legal = n + 1
            if stronger and ordinary == end and catalogue.power[table] == 0:
                strong &= ~(1 << seat)
        state = stepped(state)
        chosen = signed(below(mixed(state), U(legal)))
        row = choice(chosen, scratch, catalogue) if chosen < n else PASS
        write_ply(trace, plies, seat, row, legal)
        plies += 1
        ends = False
        if row == PASS:
            passed |= 1 << seat
        else:
            first, second = cards_of(row, one[seat], two[seat], catalogue)
            one[seat], two[seat] = remaining(one[seat], two[seat], first, second)
            table, table_seat, passed = row, seat, 0
            played |= 1 << seat
            if one[seat] == _0:
                inside &= ~(1 << seat)
                order[out] = seat
                out += 1
                if out == 1:
                    settle(one, two, played, seat, policy, payments)
                if out == players - 1:
                    break
            if policy.restart > 0 and catalogue.size[row] <= 2 and (first >> U(policy.top)) & _1 != _0:
                ends = policy.restart == 2 or not beatable(one, two, inside, seat, row, scratch, catalogue, policy)
        waiting = inside & ~passed
        if ends or waiting & ~(1 << table_seat) == 0:
            table, passed = signed(-1), 0
            seat = table_seat if (inside >> table_seat) & 1 else next_seat(inside, table_seat)
        else:
            seat = next_seat(waiting, seat)
    order[out] = next_seat(inside, 0)
    return state, plies


@woven
def first_leader(one: Words, dealer: int, policy: PatternPolicy) -> int:
    """The holder of the opening card; of two holders the one nearer the dealer (W.05)."""
    leader = dealer
    for k in range(policy.players):
        seat = (dealer + policy.players - 1 - k) % policy.players
        if policy.opening >= 0 and (one[seat] >> U(policy.opening)) & _1 != _0:
            leader = seat
    return leader


@linked
def beatable(
    one: Words,
    two: Words,
    inside: int,
    seat: int,
    row: int,
    scratch: Words,
    catalogue: PatternCatalogue,
    policy: PatternPolicy,
) -> bool:
    """Whether public knowledge leaves a beater of `seat`'s play in some other hand of those `inside` (W.17)."""
    all_one, all_two = _0, _0
    most = signed(0)
    for other in range(policy.players):
        all_two |= two[other] | (all_one & one[other])
        all_one |= one[other]
        if other != seat and (inside >> other) & 1:
            most = max(most, signed(popcount(one[other]) + popcount(two[other])))
    return any_beats(all_one, all_two, row, most, scratch, catalogue)


@woven
def next_seat(seats: int, seat: int) -> int:
    """The first of `seats`, a set of bits, after `seat` in turn."""
    later = seats & ~((2 << seat) - 1)
    return signed(trailing_zeros(U(later if later != 0 else seats)))


@linked
def settle(one: Words, two: Words, played: int, winner: int, policy: PatternPolicy, payments: Longs) -> None:
    """Payments as the first player goes out (W.22, W.23)."""
    if policy.settlement[BASE] == BY_CARDS:
        for seat in range(policy.players):
            payments[seat] = signed(popcount(one[seat]) + popcount(two[seat]))
    pay(winner, NO_SIDES, 0, played, 0, policy.settlement, payments)


def hand_tables(rules: Rules) -> tuple[PatternCatalogue, PatternPolicy]:
    """The tables that `random_hands` reads."""
    return pattern_catalogue(rules), pattern_policy(rules)


@compiled
def random_hands(
    first: int, seed: np.uint64, catalogue: PatternCatalogue, policy: PatternPolicy, results: HandResults
) -> None:
    """Deal and randomly play hands of `seed` from number `first`, one for each row of results. Seat (number
    of the hand) modulo players deals.
    """
    players = policy.players
    pack = catalogue.pack.copy()
    one, two = np.empty(players, np.uint64), np.empty(players, np.uint64)
    scratch = np.empty(PLAY_WORDS, np.uint64)
    payments, order = np.zeros(players, np.int64), np.zeros(players, np.int64)
    trace = np.empty(0, np.int64)
    for k in range(results.plies.shape[0]):
        for i in range(pack.shape[0]):
            pack[i] = catalogue.pack[i]
        dealer = (first + k) % players
        state = deal_all(hand_state(seed, first + k), pack, one, two, dealer, players)
        _, plies = random_hand(state, one, two, dealer, scratch, catalogue, policy, payments, order, trace)
        write_result(k, payments, order[0], plies, results)
        for place in range(players):
            results.places[k, order[place]] = place + 1
