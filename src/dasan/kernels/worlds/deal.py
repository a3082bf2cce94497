"""Deal the unseen cards into the places where they can lie, each arrangement equally likely.

The compiled counterpart of `dasan.worlds.layout.Layout.draw`: equal seeds give equal worlds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dasan.arrays import Longs, U, Words
from dasan.cards import Card
from dasan.kernels.cards import card_bits, words_of
from dasan.kernels.runtime.compiled import lean
from dasan.kernels.runtime.random64 import below, mixed, stepped, world_state
from dasan.ruleset.rules import Rules


class WorldTables(NamedTuple):
    """A layout as arrays; a group is a set of cards that can lie in the same places, a stratum a way to split groups over places.

    cards: the bits of unseen cards, group by group. starts[g]: the first card of group g. ends[g, p]: where the range of
    group g's cards that can lie in place p ends. needs[s, g, p]: cards of group g in place p in stratum s.
    below: ascending thresholds; a random word selects the first stratum s for which it is below below[s], else the last, which
    has none. columns[p]: the column for the cards of place p, -1 for none. one, two: by column, the cards known to be there, and
    those there twice.
    """

    cards: Words
    starts: Longs
    ends: Longs
    needs: Longs
    below: Words
    columns: Longs
    one: Words
    two: Words


def world_tables(
    rules: Rules,
    groups: Sequence[Sequence[Card]],
    ends: Sequence[Sequence[int]],
    strata: Sequence[Sequence[Sequence[int]]],
    thresholds: Sequence[int],
    columns: Sequence[int],
    known: Mapping[int, Sequence[Card]],
) -> WorldTables:
    """Build the arrays of a layout. known: cards whose column is known."""
    width = 1 + rules.players
    one, two = np.zeros(width, np.uint64), np.zeros(width, np.uint64)
    for column, cards in known.items():
        one[column], two[column] = words_of(rules, cards)
    sizes, bits = [len(group) for group in groups], card_bits(rules)
    return WorldTables(
        cards=np.array([bits[card] for group in groups for card in group], np.uint64),
        starts=np.array([sum(sizes[:group]) for group in range(len(sizes) + 1)], np.int64),
        ends=np.array(ends, np.int64).reshape(len(sizes), len(columns)),
        needs=np.array(strata, np.int64).reshape(len(strata), len(sizes), len(columns)),
        below=np.array(thresholds[:-1], np.uint64),
        columns=np.array(columns, np.int64),
        one=one,
        two=two,
    )


@lean
def deal_worlds(
    first: int, count: int, seed: np.uint64, world: WorldTables, pool: Words, one: Words, two: Words
) -> None:
    """Write worlds `first` to `first + count - 1` of `seed` to the rows of `one` and `two`, the cards of each column.

    pool: scratch, one word a card.
    """
    cards, starts, ends, needs, limits, columns = (
        world.cards,
        world.starts,
        world.ends,
        world.needs,
        world.below,
        world.columns,
    )
    known_one, known_two = world.one, world.two
    groups, places = ends.shape[0], ends.shape[1]
    base = mixed(seed)
    for i in range(count):
        state = world_state(base, first + i)
        for column in range(one.shape[1]):
            one[i, column] = known_one[column]
            two[i, column] = known_two[column]
        stratum = 0
        if limits.shape[0] > 0:
            state = stepped(state)
            word = mixed(state)
            low, high = 0, limits.shape[0]
            while low < high:
                middle = (low + high) >> 1
                if word < limits[middle]:
                    high = middle
                else:
                    low = middle + 1
            stratum = low
        for group in range(groups):
            begin = starts[group]
            size = starts[group + 1] - begin
            for k in range(size):
                pool[k] = cards[begin + k]
            at = 0
            for place in range(places):
                need = needs[stratum, group, place]
                if need < size - at:
                    end = ends[group, place]
                    for k in range(at, at + need):
                        state = stepped(state)
                        j = k + np.int64(below(mixed(state), U(end - k)))
                        chosen = pool[j]
                        pool[j] = pool[k]
                        pool[k] = chosen
                column = columns[place]
                if column >= 0:
                    once, twice = one[i, column], two[i, column]
                    for k in range(at, at + need):
                        twice |= once & pool[k]
                        once |= pool[k]
                    one[i, column], two[i, column] = once, twice
                at += need
