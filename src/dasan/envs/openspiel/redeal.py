"""Redeal hidden cards so that a player cannot tell the difference."""

from __future__ import annotations

from collections.abc import Callable

from dasan.cards import Card, missing
from dasan.envs.openspiel.tree import GameTree
from dasan.play.events import EventType
from dasan.play.state import State


def redealt(tree: GameTree, hand: State, player: int, dealer: int, sampler: Callable[[], float]) -> list[int]:
    """A redeal of the cards that `player` has not seen: the seat of each card of the deck. It may contradict the moves
    so far.
    """
    view, n, room = hand.view(player), tree.rules.players, list(tree.room(dealer))
    held: list[list[Card]] = [[] for _ in range(n + 1)]
    for seat in range(n):
        if seat != player:
            held[seat] = [c for e in view.events if e.type is EventType.PLAY and e.seat == seat for c in e.cards if c]
    held[player] = [c for c in view.begun.hands[player] if c is not None]
    shown = next((e for e in view.events if e.type is EventType.OPEN and e.cards), None)
    if shown is not None and shown.cards[0] is not None and shown.cards[0] not in held[shown.seat]:
        held[shown.seat].append(shown.cards[0])
    taken = [c for e in view.events if e.type is EventType.KITTY for c in e.cards if c is not None]
    if taken:
        held[n] = taken
        if view.bidder is not None and view.bidder != player:
            held[view.bidder] = [c for c in held[view.bidder] if c not in taken]
    unseen = missing(tree.deck, [c for cards in held for c in cards])
    _shuffle(unseen, sampler)
    pool = view.bidder if view.bidder is not None and not taken and tree.rules.kitty_size else None
    if pool is not None and pool != player:
        # The bidder has taken a hidden kitty: the cards that the bidder played may have come from it.
        size = room[pool] + room[n]
        both = held[pool] + [unseen.pop() for _ in range(size - len(held[pool]))]
        _shuffle(both, sampler)
        held[pool], held[n] = both[: room[pool]], both[room[pool] :]
    for place, size in enumerate(room):
        held[place] += [unseen.pop() for _ in range(size - len(held[place]))]
    return [_take(held, card) for card in tree.deck]


def _take(held: list[list[Card]], card: Card) -> int:
    place = next(i for i, cards in enumerate(held) if card in cards)
    held[place].remove(card)
    return place


def _shuffle(cards: list[Card], sampler: Callable[[], float]) -> None:
    for i in range(len(cards) - 1, 0, -1):
        j = int(sampler() * (i + 1))
        cards[i], cards[j] = cards[j], cards[i]
