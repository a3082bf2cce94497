"""Deal the hands of batched environments, from the same random numbers as the kernels.

Environments with the same seed start with the same cards on every backend.
"""

from __future__ import annotations

from collections.abc import Sequence

from dasan.cards import Card
from dasan.features import by_rank
from dasan.play.dealing import Deal, draws_opener
from dasan.ruleset.rules import Rules
from dasan.worlds.stream import below, mixed, stepped

HAND = 0xA0761D6478BD642F
_64 = (1 << 64) - 1


def deal_hand(
    rules: Rules,
    base: int,
    number: int,
    dealer: int | None = None,
    leader: int | None = None,
    exchange: tuple[int, ...] | None = None,
) -> Deal:
    """Hand `number` (from 0) of the environment whose random word is `base`; without a `dealer` one is drawn, then the opener
    of the auction, where one is (DD.02).
    """
    state = mixed(base ^ (number + 1) * HAND & _64)
    if dealer is None:
        state = stepped(state)
        dealer = below(mixed(state), rules.players)
    opener = None
    if draws_opener(rules):
        state = stepped(state)
        opener = below(mixed(state), rules.players)
    hands, kitty = _spread(rules, state, dealer)
    return Deal(1, dealer, hands, kitty, leader=leader, exchange=exchange, opener=opener)


def _pack(rules: Rules) -> list[Card]:
    """The pack before the shuffle, in the order that the game's kernels use: by suit, by rank, or as in `rules.pack`."""
    if rules.hand_size is None:
        return list(rules.pack)
    place = rules.order.place
    if by_rank(rules):
        return sorted(rules.pack, key=lambda c: place[c][::-1])
    return sorted(rules.pack, key=place.__getitem__)


def _spread(rules: Rules, state: int, dealer: int) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """Hands by seat, and the kitty, which is what remains. Each random word draws two cards."""
    pack = _pack(rules)
    n, players, each = len(pack), rules.players, rules.hand_size
    first = dealer if each is None else 0
    sizes = [n // players + (k < n % players) if each is None else each for k in range(players)]
    drawing = players - 1 if sum(sizes) == n else players
    held: list[Sequence[Card]] = [()] * players
    at = word = 0
    for k in range(drawing):
        for place in range(at, at + sizes[k]):
            if place & 1:
                word = word << 32 & _64
            else:
                state = stepped(state)
                word = mixed(state)
            j = place + below(word, n - place)
            pack[place], pack[j] = pack[j], pack[place]
        held[(first + k) % players] = pack[at : at + sizes[k]]
        at += sizes[k]
    rest = pack[at:]
    if drawing < players:
        held[(first + drawing) % players] = rest
        rest = []
    return tuple(rules.order.hand(cards) for cards in held), rules.order.hand(rest)
