"""Whole random hands of Winner, one deck or two, with jokers or without."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.kernels.bits import popcount, trailing_zeros
from dasan.kernels.canon_table import CanonPolicy, CanonTable
from dasan.kernels.compiled import compiled, inlined
from dasan.kernels.random64 import below, mixed, stepped

U = np.uint64
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
PASS = -1
_0, _1, _4, _15 = U(0), U(1), U(4), U(15)
_HIGH = U(0x0888_8888_8888_8888)
_SUIT = U(0x0111_1111_1111_1111)
_HAND = U(0xA0761D6478BD642F)


@inlined
def rank_counts(one: np.uint64, two: np.uint64) -> np.uint64:
    """How many cards of each rank, four bits a rank, at most 7."""
    a = (one & _SUIT) + ((one >> _1) & _SUIT) + ((one >> U(2)) & _SUIT) + ((one >> U(3)) & _SUIT)
    b = (two & _SUIT) + ((two >> _1) & _SUIT) + ((two >> U(2)) & _SUIT) + ((two >> U(3)) & _SUIT)
    total = a + b
    eight = total & _HIGH
    counts: np.uint64 = total - (eight >> U(3))
    return counts


@compiled
def list_fits(rows: npt.NDArray[np.int32], n: int, one: np.uint64, two: np.uint64, t: CanonTable) -> int:
    """Keep those of the first `n` of `rows` that the hand can play, in order; returns how many."""
    # Arrays are taken out of the table before the loop: Numba counts references to them at every access otherwise.
    need, exact, low, decided = t.need, t.exact, t.low, t.decided
    other, free, ranks = t.other, t.free, t.ranks
    counts = rank_counts(one, two) | _HIGH
    kept = 0
    for i in range(n):
        row = rows[i]
        if (counts - need[row]) & _HIGH != _HIGH or exact[row] & ~one != _0:
            continue
        below_top = low[row]
        if below_top != _0 and np.int64(popcount(one & below_top) + popcount(two & below_top)) < decided[row]:
            continue
        if other[row] != _0 and one & other[row] == _0:
            continue
        if free[row] and _only_one_suit(one & ranks[row]):
            continue
        rows[kept] = row
        kept += 1
    return kept


@compiled
def list_all(rows: npt.NDArray[np.int32], one: np.uint64, two: np.uint64, t: CanonTable) -> int:
    """Write every row that the hand can play to `rows`, in table order; returns how many."""
    need, jump = t.need, t.jump
    counts = rank_counts(one, two) | _HIGH
    n = 0
    row = 0
    while row < need.shape[0]:
        if (counts - need[row]) & _HIGH == _HIGH:
            rows[n] = row
            n += 1
            row += 1
        else:
            row = jump[row]
    return list_fits(rows, n, one, two, t)


@inlined
def _only_one_suit(cards: np.uint64) -> bool:
    lowest = trailing_zeros(cards) & U(3)
    return cards & ~(_SUIT << lowest) == _0  # type: ignore[no-any-return]


@compiled
def cards_of(row: int, one: np.uint64, two: np.uint64, t: CanonTable) -> tuple[np.uint64, np.uint64]:
    """The cards `row` takes, as (once, twice): the lowest suits that do not change what it is."""
    if t.flush[row]:
        return t.exact[row], _0
    first = _0
    second = _0
    left = t.need[row]
    while left != _0:
        rank = np.int64(trailing_zeros(left) >> U(2))
        base = U(4 * rank)
        n = np.int64((left >> base) & _15)
        left &= ~(_15 << base)
        ones = (one >> base) & _15
        twos = (two >> base) & _15
        if rank == t.decider[row]:
            top = U(t.suit[row])
            first |= _1 << (base + top)
            n -= 1
            if (twos >> top) & _1 == _0:
                ones &= (_1 << top) - _1
            else:
                ones &= (_1 << (top + _1)) - _1
            twos &= (_1 << top) - _1
        suit = 0
        while n > 0:
            bit = _1 << U(suit)
            if ones & bit != _0:
                if (first >> base) & bit != _0:
                    second |= bit << base
                else:
                    first |= bit << base
                n -= 1
                if n > 0 and twos & bit != _0:
                    second |= bit << base
                    n -= 1
            suit += 1
    if (t.other[row] != _0 or t.free[row]) and _only_one_suit(first):
        first = _mixed_suits(row, first, one, t)
    return first, second


@compiled
def _mixed_suits(row: int, cards: np.uint64, one: np.uint64, t: CanonTable) -> np.uint64:
    """A one-suited straight with one card exchanged for the next higher suit, at the first place where one is held."""
    suit = trailing_zeros(cards) & U(3)
    for place in range(t.start[row], t.sequence.shape[0]):
        rank = t.sequence[place]
        base = U(4 * rank)
        if (t.need[row] >> base) & _15 == _0 or rank == t.decider[row]:
            continue
        held = (one >> base) & _15 & ~(_1 << suit)
        if held == _0:
            continue
        higher = held & ~((_1 << (suit + _1)) - _1)
        chosen = higher if higher != _0 else held
        lowest = chosen & (~chosen + _1)
        exchanged: np.uint64 = (cards & ~(_15 << base)) | (lowest << base)
        return exchanged
    return cards


@inlined
def remaining(one: np.uint64, two: np.uint64, first: np.uint64, second: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The hand (one, two) after the cards (first, second) have left it."""
    return one & ~second & ~(first & ~two), two & ~first


@compiled
def any_beats(one: np.uint64, two: np.uint64, target: int, limit: int, t: CanonTable) -> bool:
    """Whether a row of at most `limit` cards out of these beats the row `target`."""
    size, family, power, strength = t.size, t.family, t.power, t.strength
    rows = np.empty(size.shape[0], np.int32)
    n = 0
    for row in range(size.shape[0]):
        higher = family[row] == family[target] and strength[row] > strength[target]
        if size[row] <= limit and (power[row] > power[target] or higher):
            rows[n] = row
            n += 1
    return list_fits(rows, n, one, two, t) > 0


@compiled
def deal_all(state: np.uint64, pack: Numbers, one: Words, two: Words, dealer: int, players: int) -> np.uint64:
    """Deal the whole pack, one card at a time from the dealer on; `pack` is left shuffled; returns the random state."""
    for seat in range(players):
        one[seat] = _0
        two[seat] = _0
    seat = dealer
    n = pack.shape[0]
    for at in range(n):
        state = stepped(state)
        j = at + np.int64(below(mixed(state), U(n - at)))
        card = pack[j]
        pack[j] = pack[at]
        pack[at] = card
        bit = _1 << U(card)
        two[seat] |= one[seat] & bit
        one[seat] |= bit
        seat = seat + 1 if seat + 1 < players else 0
    return state


@compiled
def random_hand(
    state: np.uint64,
    one: Words,
    two: Words,
    dealer: int,
    lists: npt.NDArray[np.int32],
    t: CanonTable,
    p: CanonPolicy,
    payments: Numbers,
    order: Numbers,
    trace: Numbers,
) -> tuple[np.uint64, int]:
    """Play one dealt hand at random, every legal move of the engine's list equally likely.

    one, two: hands by seat, used up. lists: room for (players, rows + 1). payments: filled. order: filled with the seats
    as they went out, the last one in at the end. trace: if longer than 0, three numbers a ply: seat, row (-1: pass),
    legal moves. Returns the random state and the plies.
    """
    players = p.players
    families, powers, strengths, sizes = t.family, t.power, t.strength, t.size
    total = sizes.shape[0]
    number = np.zeros(8, np.int64)
    legal = np.empty(total + 1, np.int64)
    stale = np.zeros(8, np.bool_)
    tracing = trace.shape[0] > 0
    seat = dealer
    for i in range(players):
        s = (dealer + players - 1 - i) % players
        number[s] = list_all(lists[s], one[s], two[s], t)
        if p.opening >= 0 and (one[s] >> U(p.opening)) & _1 != _0:
            seat = s
    on_table, table_seat = -1, 0
    passed, played, inside = 0, 0, (1 << players) - 1
    out = 0
    plies = 0
    while True:
        mine = lists[seat]
        n = 0
        if stale[seat]:
            number[seat] = list_fits(mine, number[seat], one[seat], two[seat], t)
            stale[seat] = False
        if on_table < 0:
            choices = number[seat]
        else:
            family, power, strength = families[on_table], powers[on_table], strengths[on_table]
            for i in range(number[seat]):
                row = mine[i]
                if powers[row] > power or (families[row] == family and strengths[row] > strength):
                    legal[n] = row
                    n += 1
            choices = n + 1
        state = stepped(state)
        chosen = np.int64(below(mixed(state), U(choices)))
        passing = on_table >= 0 and chosen == n
        row = -1 if passing else int(mine[chosen] if on_table < 0 else legal[chosen])
        if tracing:
            trace[3 * plies] = seat
            trace[3 * plies + 1] = row
            trace[3 * plies + 2] = choices
        plies += 1
        ends = False
        if passing:
            passed |= 1 << seat
        else:
            first, second = cards_of(row, one[seat], two[seat], t)
            one[seat], two[seat] = remaining(one[seat], two[seat], first, second)
            stale[seat] = True
            on_table, table_seat, passed = row, seat, 0
            played |= 1 << seat
            if one[seat] == _0:
                inside &= ~(1 << seat)
                order[out] = seat
                out += 1
                if out == 1:
                    _settle(one, two, played, seat, p, payments)
                if out == players - 1:
                    break
            if p.restart > 0 and sizes[row] <= 2 and (first >> U(p.top)) & _1 != _0:
                ends = p.restart == 2 or not _beatable(one, two, inside, seat, row, t, p)
        if ends or inside & ~passed & ~(1 << table_seat) == 0:
            on_table, passed = -1, 0
            seat = table_seat
            while (inside >> seat) & 1 == 0:
                seat = seat + 1 if seat + 1 < players else 0
        else:
            seat = seat + 1 if seat + 1 < players else 0
            while (inside & ~passed) >> seat & 1 == 0:
                seat = seat + 1 if seat + 1 < players else 0
    for s in range(players):
        if (inside >> s) & 1:
            order[out] = s
    return state, plies


@compiled
def _beatable(one: Words, two: Words, inside: int, seat: int, row: int, t: CanonTable, p: CanonPolicy) -> bool:
    """Whether public knowledge leaves a beater in some other hand (W.17)."""
    all_one, all_two = _0, _0
    most = 0
    for s in range(p.players):
        all_two |= two[s] | (all_one & one[s])
        all_one |= one[s]
        if s != seat and (inside >> s) & 1:
            held = int(popcount(one[s]) + popcount(two[s]))
            most = held if held > most else most
    return any_beats(all_one, all_two, row, most, t)


@compiled
def _settle(one: Words, two: Words, played: int, winner: int, p: CanonPolicy, payments: Numbers) -> None:
    """Payments as the first player goes out (W.22, W.23)."""
    total = 0
    for s in range(p.players):
        if s == winner:
            continue
        cost = p.stake
        if p.by_cards:
            held = int(popcount(one[s]) + popcount(two[s]))
            cost = held * p.unplayed if p.unplayed > 0 and (played >> s) & 1 == 0 else int(p.times[held])
        payments[s] = -cost
        total += cost
    payments[winner] = total


@compiled
def random_hands(
    first: int, count: int, seed: np.uint64, t: CanonTable, p: CanonPolicy, paid: Numbers, places: Numbers
) -> int:
    """Hands `first` to `first + count - 1` of `seed`, dealt and played at random; returns the plies.

    Seat (number of the hand) modulo players deals. paid, places: what each seat got and the sum of its places; added to.
    """
    pack = t.pack.copy()
    one = np.empty(p.players, np.uint64)
    two = np.empty(p.players, np.uint64)
    lists = np.empty((p.players, t.need.shape[0] + 1), np.int32)
    payments = np.zeros(p.players, np.int64)
    order = np.zeros(p.players, np.int64)
    trace = np.empty(0, np.int64)
    plies = 0
    for number in range(first, first + count):
        for i in range(pack.shape[0]):
            pack[i] = t.pack[i]
        state = mixed(seed ^ (U(number) * _HAND))
        dealer = number % p.players
        state = deal_all(state, pack, one, two, dealer, p.players)
        state, n = random_hand(state, one, two, dealer, lists, t, p, payments, order, trace)
        plies += n
        for s in range(p.players):
            paid[s] += payments[s]
            places[order[s]] += s + 1
    return plies
