"""Observations of a node as text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from dasan.cards import Card, format_cards
from dasan.envs.openspiel.tree import Dealing, PlayedNode
from dasan.features import Feature
from dasan.features.cards import by_rank, card_flags, card_slots, flag_ranks
from dasan.play.events import MOVES, Event
from dasan.play.view import View
from dasan.ruleset.rules import Rules


def dealt(node: Dealing | PlayedNode, player: int) -> tuple[Card, ...]:
    """The cards dealt to `player` so far, without the kitty."""
    return tuple(card for card, place in zip(node.game.deck, node.seats, strict=False) if place == player)


def history(view: View) -> list[str]:
    """Everything that a view shows of the hand after the deal, in order."""
    return [
        f"{e.seat} {e.type}{'' if e.bid is None else f' {e.bid}'} {format_cards(e.cards)}".rstrip() for e in view.events
    ]


def described(rules: Rules, features: Sequence[Feature], row: Sequence[int]) -> list[str]:
    """The nonzero features of an observation as text; different rows have different texts."""
    names = _flag_names(rules)
    parts = []
    for feature in features:
        values = row[feature.start : feature.start + feature.size]
        if not any(values):
            continue
        if not feature.flags:
            text = " ".join(map(str, values))
        elif feature.name in _CARDS:
            blocks = (values[at : at + len(names)] for at in range(0, feature.size, len(names)))
            text = " | ".join(" ".join(compress(names, block)) for block in blocks)
        else:
            text = " ".join(str(k) for k, flag in enumerate(values) if flag)
        parts.append(f"{feature.name} {text}")
    return parts


_CARDS = ("hand", "kitty", "played", "table")
"""Features of sets of cards; `played` may have one for each seat, from the observer on."""


def _flag_names(rules: Rules) -> list[str]:
    """The text of each flag of `card_flags`: a rank if suits do not matter, else a card."""
    if by_rank(rules):
        rank_of = {place[0]: c.rank for c, place in rules.order.place.items()}
        return [rank_of[rank] for rank in flag_ranks(rules)]
    names = [""] * card_slots(rules)
    for c in dict.fromkeys(rules.pack):
        for k, flag in enumerate(card_flags(rules, [c] * rules.decks)):
            names[k] = names[k] or str(c) * flag
    return names


def truth(node: Dealing | PlayedNode) -> str:
    """The complete state, including all hands."""
    if node.hand is None:
        return f"dealing, dealer {node.dealer}: {' '.join(map(str, node.seats))}"
    hands = " | ".join(format_cards(hand) for hand in node.hand.hands)
    history = "; ".join(_made(e) for e in node.hand.events if e.type in MOVES)
    return f"dealer {node.dealer}: {hands}; {history}"


def _made(event: Event) -> str:
    cards = f" {format_cards(event.cards)}" if event.cards else ""
    return f"{event.seat} {event.type}{'' if event.bid is None else f' {event.bid}'}{cards}"
