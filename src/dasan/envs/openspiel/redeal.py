"""Redeal hidden cards so that a player cannot tell the difference."""

from __future__ import annotations

from collections.abc import Callable

from dasan.cards import Card, missing
from dasan.envs.openspiel.tree import GameTree
from dasan.play.events import EventType
from dasan.play.state import State

_SHOWS = (EventType.PLAY, EventType.DRAGON)
"""Events that show cards of the seat's hand."""


def redealt(tree: GameTree, hand: State, player: int, dealer: int, sampler: Callable[[], float]) -> list[int]:
    """A redeal of the cards that `player` has not seen: the seat of each card of the deck. It may contradict the moves
    so far.
    """
    view, n, room = hand.view(player), tree.rules.players, list(tree.room(dealer))
    held: list[list[Card]] = [[] for _ in range(n + 1)]
    for seat in range(n):
        if seat != player:
            held[seat] = [c for e in view.events if e.type in _SHOWS and e.seat == seat for c in e.cards if c]
    held[player] = [c for c in view.begun.hands[player] if c is not None]
    shown = next((e for e in view.events if e.type is EventType.OPEN and e.cards), None)
    if shown is not None and shown.cards[0] is not None and shown.cards[0] not in held[shown.seat]:
        held[shown.seat].append(shown.cards[0])
    kitty = next((e for e in view.events if e.type is EventType.KITTY and e.cards), None)
    taken = [] if kitty is None else [c for c in kitty.cards if c is not None]
    if kitty is not None and taken:
        held[n] = taken
        if kitty.seat != player:
            held[kitty.seat] = [c for c in held[kitty.seat] if c not in taken]
    unseen = missing(tree.deck, [c for cards in held for c in cards])
    _shuffle(unseen, sampler)
    if kitty is not None and not taken:
        # A hidden kitty: the cards that its taker has played may have come from it.
        size = room[kitty.seat] + room[n]
        both = held[kitty.seat] + [unseen.pop() for _ in range(size - len(held[kitty.seat]))]
        _shuffle(both, sampler)
        held[kitty.seat], held[n] = both[: room[kitty.seat]], both[room[kitty.seat] :]
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
