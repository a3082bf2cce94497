"""Play whole random hands of regional Big Two, each in a row of `env`."""

from __future__ import annotations

import numpy as np

from dasan.arrays import Ints, Longs, U, Words
from dasan.kernels.cardsets.env import DEALER, HAND, LEADER, NONE, SEAT
from dasan.kernels.cardsets.hands import MOST_PLAYS, deal_sets
from dasan.kernels.env.buffers import signed
from dasan.kernels.env.results import HandResults
from dasan.kernels.env.trace import write_ply
from dasan.kernels.regional.env import COLUMNS, PAID, ZERO, lead, list_legal, move, write_places
from dasan.kernels.regional.tables import RegionalTables, regional_tables
from dasan.kernels.runtime.compiled import compiled, lean, woven_callable
from dasan.kernels.runtime.random64 import below, hand_state, mixed, stepped
from dasan.ruleset.rules import Rules


def hand_tables(rules: Rules) -> tuple[RegionalTables]:
    """The tables that `random_hands` reads."""
    return (regional_tables(rules, False),)


@woven_callable
def random_hand(
    state: np.uint64, row: Words, plays: Ints, tables: RegionalTables, payments: Longs, trace: Longs
) -> tuple[np.uint64, int]:
    """Play the hand whose cards are in `row` at random, every legal move equally likely.

    row: of `env`; HAND, DEALER and LEADER are set. plays: room for MOST_PLAYS. payments: filled. trace: if longer than 0, three
    numbers a ply: seat, row (-1: pass), legal moves. Returns the random state and the plies.
    """
    lead(row, tables)
    plies = 0
    over = False
    while not over:
        n = list_legal(row, plays, 1, tables)
        state = stepped(state)
        play = signed(plays[below(mixed(state), U(n))]) - 1
        write_ply(trace, plies, signed(row[SEAT]), play, n)
        over = move(row, play, payments, tables)
        plies += 1
    for seat in range(tables.sets.policy.players):
        payments[seat] = signed(row[PAID + seat]) - ZERO
    return state, plies


@lean
def _random_hands(
    first: int,
    seed: np.uint64,
    tables: RegionalTables,
    results: HandResults,
    pack: Words,
    hands: Words,
    row: Words,
    plays: Ints,
    payments: Longs,
    trace: Longs,
) -> None:
    policy = tables.sets.policy
    for k in range(results.plies.shape[0]):
        for i in range(52):
            pack[i] = U(1) << U(i)
        state = hand_state(seed, first + k)
        state = deal_sets(state, pack, hands, policy.hand_size, policy.players)
        for seat in range(policy.players):
            row[HAND + seat] = hands[seat]
        row[DEALER], row[LEADER] = U(0), U(NONE)
        _, plies = random_hand(state, row, plays, tables, payments, trace)
        for seat in range(policy.players):
            results.payments[k, seat] = payments[seat]
        write_places(row, results.places[k], tables)
        results.plies[k] = plies


@compiled
def random_hands(first: int, seed: np.uint64, tables: RegionalTables, results: HandResults) -> None:
    """Deal and randomly play hands of `seed` from number `first`, one for each row of results."""
    players = tables.sets.policy.players
    pack, hands, row = np.empty(52, np.uint64), np.empty(players, np.uint64), np.zeros(COLUMNS, np.uint64)
    plays, payments, trace = np.empty(MOST_PLAYS, np.int32), np.empty(players, np.int64), np.empty(0, np.int64)
    _random_hands(first, seed, tables, results, pack, hands, row, plays, payments, trace)
