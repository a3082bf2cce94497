"""Observations of a node as text."""

from __future__ import annotations

from collections.abc import Sequence

from dasan.cards import Card, format_cards
from dasan.envs.openspiel.tree import Dealing, Played
from dasan.play.events import MOVES, Event, EventType


def dealt(node: Dealing | Played, player: int) -> tuple[Card, ...]:
    """The cards that `player` has been dealt so far, the kitty not among them."""
    return tuple(card for card, place in zip(node.game.deck, node.seats, strict=False) if place == player)


def history_seen(node: Dealing | Played, player: int) -> str:
    """Everything that `player` has seen of the hand, in order (perfect recall)."""
    begun = f"dealer {node.dealer}; dealt {format_cards(dealt(node, player))}"
    if node.hand is None:
        return begun
    said = "; ".join(
        f"{e.seat} {e.type}{'' if e.bid is None else f' {e.bid}'} {format_cards(e.cards)}".rstrip()
        for e in node.hand.view(player).events
    )
    return f"{begun}; {said}"


def seen(node: Dealing | Played, player: int) -> str:
    """The observation of `player`."""
    if node.hand is None:
        return f"dealt {format_cards(dealt(node, player))}"
    view, rules = node.hand.view(player), node.game.rules
    parts = [view.phase.value, f"hand {format_cards(view.hand)}", f"sizes {' '.join(map(str, view.hand_sizes))}"]
    parts.append(f"to act {view.to_act}")
    if view.bidder is not None:
        parts.append(f"bid {view.bid} by {view.bidder}")
    if view.called is not None:
        parts.append(f"called {view.called}" + ("" if view.partner is None else f" partner {view.partner}"))
    if view.table is not None:
        parts.append(f"table {format_cards(view.table.cards)} by {view.table_seat}")
    parts.append(f"passed {' '.join(map(str, view.passed))}")
    kitty = next((e.cards for e in view.events if e.type is EventType.KITTY), ())
    parts.append(f"kitty {format_cards(kitty)}")
    for seat in range(rules.players):
        cards = [c for e in view.events if e.type is EventType.PLAY and e.seat == seat for c in e.cards]
        parts.append(f"{seat} played {format_cards(rules.order.hand(c for c in cards if c))}")
    return "; ".join(parts)


def public(node: Dealing | Played, recall: bool) -> str:
    """The public observation; with perfect recall, also the earlier ones."""
    if node.hand is None:
        return "dealing"
    view = node.hand.view(None)
    moves: Sequence[str] = [_made(e) for e in view.events if e.type in MOVES]
    return "; ".join(moves) if recall else "; ".join((view.phase.value, str(view.hand_sizes), *moves[-1:]))


def truth(node: Dealing | Played) -> str:
    """Everything, all hands included."""
    if node.hand is None:
        return f"dealing, dealer {node.dealer}: {' '.join(map(str, node.seats))}"
    hands = " | ".join(format_cards(hand) for hand in node.hand.hands)
    said = "; ".join(_made(e) for e in node.hand.events if e.type in MOVES)
    return f"dealer {node.dealer}: {hands}; {said}"


def _made(event: Event) -> str:
    cards = f" {format_cards(event.cards)}" if event.cards else ""
    return f"{event.seat} {event.type}{'' if event.bid is None else f' {event.bid}'}{cards}"
