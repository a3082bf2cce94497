"""Whole random hands of Big Two: the plays of a hand listed once a deal, then filtered ply by ply."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.kernels.bits import leading_zeros, popcount
from dasan.kernels.compiled import compiled, inlined
from dasan.kernels.random64 import below, mixed, stepped
from dasan.kernels.set_table import HASH_BITS, HASH_FACTOR, SetPolicy, SetTable

U = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
MAX_PLAYS = 2400
"""More than the sets of up to five cards in thirteen."""
PASS = -1
_0, _1, _4 = U(0), U(1), U(4)
_FACTOR, _SHIFT, _MASK = U(HASH_FACTOR), U(64 - HASH_BITS), U((1 << HASH_BITS) - 1)
_RANKS = U(0x1111_1111_1111_1)
_HAND = U(0xA0761D6478BD642F)


@inlined
def find(word: np.uint64, keys: Words, ids: Numbers) -> int:
    """The row that these cards are, or -1."""
    spot = (word * _FACTOR) >> _SHIFT
    while True:
        key = keys[spot]
        if key == word:
            return int(ids[spot])
        if key == _0:
            return -1
        spot = (spot + _1) & _MASK


@compiled
def count_lanes(hand: np.uint64) -> np.uint64:
    """Count lanes (see `rank_table`) of a card word."""
    out = _0
    for rank in range(13):
        n = popcount((hand >> U(4 * rank)) & U(15))
        for lane in range(n):
            out |= _1 << U(16 * lane + rank)
    return out


@compiled
def list_plays(hand: np.uint64, plays: Words, rows: Numbers, t: SetTable) -> int:
    """Every play in `hand`: card words and rows written to `plays` and `rows`; returns how many."""
    lanes = count_lanes(hand)
    # Arrays are taken out of the table before the loop: Numba counts references to them at every access otherwise.
    needs, patterns, subsets, flush = t.needs, t.patterns, t.subsets, t.flush
    keys, ids = t.keys, t.rows
    n = 0
    at = np.zeros(6, np.int64)
    part = np.zeros(6, np.uint64)
    for p in range(needs.shape[0]):
        need = needs[p]
        if need & lanes != need:
            continue
        depth = 0
        at[0] = 0
        part[0] = _0
        while depth >= 0:
            rank = patterns[p, 2 * depth] if depth < 5 else -1
            if rank < 0:
                row = find(part[depth], keys, ids)
                if row >= 0 and not flush[row]:
                    plays[n] = part[depth]
                    rows[n] = row
                    n += 1
                depth -= 1
                continue
            count = patterns[p, 2 * depth + 1]
            held = np.int64((hand >> U(4 * rank)) & U(15))
            j = at[depth]
            suits = subsets[(held * 5 + count) * 6 + j] if j < 6 else 255
            if suits == 255:
                depth -= 1
                continue
            at[depth] = j + 1
            part[depth + 1] = part[depth] | (U(suits) << U(4 * rank))
            depth += 1
            at[depth] = 0
    if t.flush_size > 0:
        for suit in range(4):
            left = (hand >> U(suit)) & _RANKS
            if popcount(left) >= U(t.flush_size):
                n = _list_flushes(left << U(suit), plays, rows, n, t)
    return n


@compiled
def _list_flushes(cards: np.uint64, plays: Words, rows: Numbers, n: int, t: SetTable) -> int:
    """Every set of `flush_size` of these cards of one suit that is a row (straight flushes are too)."""
    keys, ids = t.keys, t.rows
    bits = np.zeros(13, np.uint64)
    k = 0
    while cards != _0:
        low = cards & (~cards + _1)
        bits[k] = low
        cards ^= low
        k += 1
    chosen = np.arange(t.flush_size)
    while True:
        word = _0
        for c in chosen:
            word |= bits[c]
        row = find(word, keys, ids)
        if row >= 0:
            plays[n] = word
            rows[n] = row
            n += 1
        i = t.flush_size - 1
        while i >= 0 and chosen[i] == k - t.flush_size + i:
            i -= 1
        if i < 0:
            return n
        chosen[i] += 1
        for j in range(i + 1, t.flush_size):
            chosen[j] = chosen[j - 1] + 1


@compiled
def deal_sets(state: np.uint64, pack: Words, hands: Words, each: int, players: int) -> np.uint64:
    """Deal `each` cards to each seat as card words; `pack` is left shuffled; returns the random state."""
    at = 0
    for seat in range(players):
        held = _0
        for _ in range(each):
            state = stepped(state)
            j = at + np.int64(below(mixed(state), U(52 - at)))
            card = pack[j]
            pack[j] = pack[at]
            pack[at] = card
            held |= card
            at += 1
        hands[seat] = held
    return state


@compiled
def random_hand(
    state: np.uint64,
    hands: Words,
    plays: Words,
    rows: Numbers,
    t: SetTable,
    p: SetPolicy,
    payments: Numbers,
    trace: Numbers,
) -> tuple[np.uint64, int, int]:
    """Play one dealt hand at random, every legal move equally likely.

    hands: card words by seat, used up. plays, rows: room for (players, MAX_PLAYS). payments: filled. trace: if longer
    than 0, three numbers a ply: seat, row (-1: pass), legal moves. Returns the random state, the plies and the seat that
    fouled (-1).
    """
    players = p.players
    sizes, strengths, single = t.size, t.strength, t.single
    number = np.zeros(8, np.int64)
    legal = np.empty(MAX_PLAYS, np.int64)
    seat = 0
    for s in range(players):
        number[s] = list_plays(hands[s], plays[s], rows[s], t)
        if p.opening >= 0 and (hands[s] >> U(p.opening)) & _1 != _0:
            seat = s
    tracing = trace.shape[0] > 0
    must = _1 << U(p.opening) if p.opening >= 0 else _0
    on_table, table_seat, size, strength = False, 0, 0, 0
    passed = 0
    watching = -1
    plies = 0
    while True:
        hand = hands[seat]
        mine = plays[seat]
        my_rows = rows[seat]
        after = seat + 1 if seat + 1 < players else 0
        highest = single[63 - np.int64(leading_zeros(hand))]
        duty = p.guard > 0 and popcount(hands[after]) == _1
        if duty:
            duty = (not on_table) or (size == 1 and highest > strength)
        kept = 0
        n = 0
        for i in range(number[seat]):
            word = mine[i]
            if word & ~hand != _0:
                continue
            row = my_rows[i]
            mine[kept] = word
            my_rows[kept] = row
            kept += 1
            if on_table:
                if sizes[row] != size or strengths[row] <= strength:
                    continue
            elif must != _0 and word & must == _0:
                continue
            if duty and p.guard == 2 and sizes[row] == 1 and strengths[row] < highest:
                continue
            legal[n] = kept - 1
            n += 1
        number[seat] = kept
        may_pass = on_table and not (duty and p.guard == 2)
        choices = n + (1 if may_pass else 0)
        state = stepped(state)
        chosen = np.int64(below(mixed(state), U(choices)))
        passing = chosen == n
        row = -1 if passing else my_rows[legal[chosen]]
        if tracing:
            trace[3 * plies] = seat
            trace[3 * plies + 1] = row
            trace[3 * plies + 2] = choices
        plies += 1
        if passing:
            neglect = duty
            passed |= 1 << seat
        else:
            neglect = duty and sizes[row] == 1 and strengths[row] < highest
            hands[seat] = hand & ~mine[legal[chosen]]
            must = _0
            if hands[seat] == _0:
                break
            on_table, table_seat, size, strength = True, seat, sizes[row], strengths[row]
            if not p.pass_is_final:
                passed = 0
        watching = seat if neglect else -1
        waiting = ((1 << players) - 1) & ~passed & ~(1 << table_seat)
        if waiting == 0:
            on_table = False
            passed = 0
            seat = table_seat
        else:
            seat = after
            while (passed >> seat) & 1:
                seat = seat + 1 if seat + 1 < players else 0
    foul = -1
    if watching >= 0 and (watching + 1 if watching + 1 < players else 0) == seat:
        foul = watching
    total = 0
    for s in range(players):
        if s != seat:
            cost = p.stake if p.stake > 0 else p.times[np.int64(popcount(hands[s]))]
            payments[s] = -cost
            total += cost
    payments[seat] = total
    return state, plies, foul


@compiled
def random_hands(first: int, count: int, seed: np.uint64, t: SetTable, p: SetPolicy, paid: Numbers, won: Numbers) -> int:
    """Hands `first` to `first + count - 1` of `seed`, dealt and played at random; returns the plies."""
    pack = np.empty(52, np.uint64)
    hands = np.empty(p.players, np.uint64)
    plays = np.empty((p.players, MAX_PLAYS), np.uint64)
    rows = np.empty((p.players, MAX_PLAYS), np.int64)
    payments = np.empty(p.players, np.int64)
    trace = np.empty(0, np.int64)
    plies = 0
    for number in range(first, first + count):
        for i in range(52):
            pack[i] = _1 << U(i)
        state = mixed(seed ^ (U(number) * _HAND))
        state = deal_sets(state, pack, hands, p.hand_size, p.players)
        state, n, _ = random_hand(state, hands, plays, rows, t, p, payments, trace)
        plies += n
        for s in range(p.players):
            paid[s] += payments[s]
            won[s] += 1 if payments[s] > 0 else 0
    return plies
