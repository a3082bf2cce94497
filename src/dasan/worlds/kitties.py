"""Sample the kitty in each of many deals after the bidder has taken it up unseen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dasan.play.events import EventType
from dasan.play.view import View
from dasan.worlds.deals import Deals
from dasan.worlds.knowledge import Knowledge

if TYPE_CHECKING:
    import numpy as np

    from dasan.arrays import Words

TRIES = 30
"""The most redraws of a kitty that would have left a hand with a duty to bid more (H.01)."""


def with_kitty(view: View, deals: Deals, seed: int) -> Deals:
    """`deals` with the kitty that was taken up in the last column; unchanged if nobody has taken one up.

    A hidden kitty is drawn from the cards that the bidder has held. It never contains the card with which the bidder
    opened, and always the lower ones of its suit, which nobody held (B3.07).
    """
    import numpy as np

    from dasan.kernels.cards import words_of

    taker = next((event.seat for event in view.events if event.type is EventType.KITTY), None)
    if taker is None or view.rules.decks != 1:
        return deals
    knows = Knowledge(view)
    one = deals.one.copy()
    if knows.kitty is not None:
        one[:, view.rules.players] = words_of(view.rules, knows.kitty)[0]
    else:
        held = one[:, taker] | np.uint64(words_of(view.rules, knows.played[taker])[0])
        one[:, view.rules.players] = _drawn(view, knows, taker, held, np.random.default_rng([seed, 1]))
    return replace(deals, one=one)


def _drawn(view: View, knows: Knowledge, taker: int, held: Words, random: np.random.Generator) -> Words:
    """uint64 [worlds]: hidden kitties. held: the taker's cards, including played ones."""
    import numpy as np

    from dasan.kernels.cards import hand_of, words_of

    rules = view.rules
    shown = [knows.opening[1]] if knows.opening is not None and knows.opening[0] == taker else []
    fixed, known = (np.uint64(words_of(rules, cards)[0]) for cards in (knows.lowest, shown))
    size = len(view.begun.kitty) - len(knows.lowest)
    bits = np.arange(64, dtype=np.uint64)
    free = ((held & ~fixed & ~known)[:, None] >> bits & np.uint64(1)).astype(np.bool_)
    out = np.zeros(len(held), np.uint64)
    rows = np.arange(len(held))
    for _ in range(TRIES):
        lots = np.where(free[rows], random.random((len(rows), 64)), 2.0)
        places = np.argsort(lots, axis=1)[:, :size].astype(np.uint64)
        out[rows] = fixed | np.bitwise_or.reduce(np.uint64(1) << places, axis=1, initial=0)
        if taker not in knows.low:
            break
        dealt = {int(k): int(held[k] & ~out[k]) for k in rows}
        ranks = {k: Counter(c.rank for c in hand_of(rules, word)) for k, word in dealt.items()}
        rows = np.array([k for k, counts in ranks.items() if knows.digs(counts)], np.int64)
        if not len(rows):
            break
    return out
