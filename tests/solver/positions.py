"""Small endgames of Big Three, and their values by plain minimax."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from tests.solver.minimax import Counts, wins

import dasan

RULES = {3: dasan.rules("big-three"), 4: dasan.rules("big-three-4p")}
WA_KENG = {3: dasan.rules("wa-keng"), 4: dasan.rules("wa-keng-4")}
"""Runs of singles and pairs only (H.18), and with four players one against three."""
CALLED = "4C"
"""With four players: a card that the partner has already played."""


def endgame(source: random.Random, cards: int, games: Mapping[int, dasan.Rules] = RULES) -> dasan.State:
    """`cards` cards of neighbouring ranks, anybody on lead. games: by number of players; where cards are called, the bidder
    has a partner.
    """
    players = source.choice((3, 4))
    rules = games[players]
    width = source.choice((3, 4, 5, 7, 9))
    low = source.randrange(14 - width)
    ranks = source.sample(range(13), width) if source.random() < 0.3 else list(range(low, low + width))
    pack = [c for c in rules.pack if rules.order.place[c][0] in ranks and str(c) != CALLED]
    source.shuffle(pack)
    hands: list[list[dasan.Card]] = [[] for _ in range(players)]
    for i, c in enumerate(pack[:cards]):
        hands[i if i < players else source.randrange(players)].append(c)
    bidder = source.randrange(players)
    leader = source.randrange(players)
    if rules.call is None:
        return dasan.start(rules, hands, bidder=bidder, bid=source.randint(1, 3), leader=leader)
    partner = (bidder + source.randrange(1, 4)) % 4
    return dasan.start(rules, hands, bidder=bidder, bid=1, leader=leader, called=CALLED, partner=partner)


def played_out(source: random.Random, cards: int, games: Mapping[int, dasan.Rules] = RULES) -> Iterator[dasan.State]:
    """An endgame and every later position of one random continuation: leads, followers, passes pending."""
    state = endgame(source, cards, games)
    while state.phase is dasan.Phase.PLAY:
        yield state
        state = state.play(source.choice(state.legal_moves()))


def counts(state: dasan.State, seat: int) -> Counts:
    ranks = state.rules.ranks
    held = [c.rank for c in state.hands[seat]]
    return tuple(held.count(rank) for rank in ranks)


def payment(state: dasan.State) -> int:
    """The bidder's payment by minimax; the actual payment if the hand is over."""
    bidder = state.bidder or 0
    if state.result is not None:
        return state.result.payments[bidder]
    hands = tuple(counts(state, seat) for seat in range(state.rules.players))
    table = None
    if state.table is not None:
        ranks = [state.rules.ranks.index(c.rank) for c in state.table.cards]
        length = len(set(ranks))
        table = (len(ranks) // length, length, min(ranks))
    seat = state.to_act or 0
    most_copies = 2 if "H.18" in state.rules.clauses else 4
    won = wins(hands, state.partners, seat, table, seat if table is None else state.table_seat or 0, most_copies)
    amount = (state.bid or 0) * (state.rules.players - 1 if state.rules.call is None else 1)
    return amount if won else -amount
