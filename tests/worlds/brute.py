"""Every world consistent with a view, by brute force: place the cards that the seat does not hold, replay the hand,
compare. Nothing here knows which cards are bound where: a placement that gives another view is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import sqrt

from dasan import Card, DasanError, Move, State, View
from dasan.cards import without
from dasan.play.dealing import Deal
from dasan.play.events import MOVES, EventType
from dasan.play.moves import MoveType
from dasan.play.new_hand import begin
from dasan.play.set_up import from_position

Hands = tuple[tuple[Card, ...], ...]
Seen = Mapping[int, Sequence[Card]]


def placements(cards: Sequence[Card], sizes: Sequence[int]) -> Iterator[list[list[Card]]]:
    """Every way to deal `cards` into places of these sizes; identical cards count as two cards."""
    if not sizes:
        yield []
        return
    for chosen in combinations(range(len(cards)), sizes[0]):
        rest = [c for i, c in enumerate(cards) if i not in chosen]
        for more in placements(rest, sizes[1:]):
            yield [[cards[i] for i in chosen], *more]


def played_by(view: View, seat: int) -> list[Card]:
    plays = [e for e in view.events if e.type is EventType.PLAY and e.seat == seat]
    return [c for e in plays for c in e.cards if c is not None]


def hidden(view: View, seen: Seen) -> list[Card]:
    """The cards that the seat does not hold and has not seen."""
    begun = view.begun
    gone = [c for s in range(view.rules.players) for c in played_by(view, s)]
    table = [] if isinstance(begun, Deal) else list(begun.table)
    shown = [c for cards in seen.values() for c in cards]
    return without(view.rules.pack, [*view.hand, *gone, *table, *shown])


def current(view: View, seen: Seen) -> Iterator[Hands]:
    """Every possible set of the others' current hands."""
    pool = hidden(view, seen)
    seats = [s for s in range(view.rules.players) if s != view.seat]
    sizes = [view.hand_sizes[s] - len(seen.get(s, ())) for s in seats]
    for placed in placements(pool, [*sizes, len(pool) - sum(sizes)]):
        hands = {s: [*cards, *seen.get(s, ())] for s, cards in zip(seats, placed, strict=False)}
        yield tuple(tuple(hands.get(s, view.hand)) for s in range(view.rules.players))


def worlds(view: View, seen: Seen | None = None) -> Iterator[State]:
    """Every state that gives `view`, by how the cards were dealt and what was offered in secret."""
    for now in current(view, seen or {}):
        had = [[*hand, *played_by(view, s)] for s, hand in enumerate(now)]
        for dealt, kitty, offered in histories(view, had):
            state = replayed(view, dealt, kitty, offered)
            if state is not None and state.view(view.seat) == view:
                yield state


def histories(
    view: View, had: list[list[Card]]
) -> Iterator[tuple[list[list[Card]], tuple[Card, ...], tuple[Card, ...]]]:
    """(hands, kitty, cards offered) at the deal, for seats that have had these cards."""
    begun = view.begun
    if isinstance(begun, Deal) and begun.exchange is not None:
        winner, loser = begun.exchange
        shown = {e.type: [c for c in e.cards if c is not None] for e in view.events}
        given, taken = shown.get(EventType.GIVE, []), shown.get(EventType.TAKE, [])
        if Counter(given) - Counter(had[winner]) or Counter(taken) - Counter(had[loser]):
            return
        dealt = list(had)
        dealt[loser] = [*without(had[loser], taken), *given]
        dealt[winner] = [*without(had[winner], given), *taken]
        if EventType.OFFER not in shown or shown[EventType.OFFER]:
            yield dealt, (), tuple(shown.get(EventType.OFFER, ()))
            return
        for more in combinations(without(dealt[winner], taken), 2 - len(taken)):
            yield dealt, (), (*taken, *more)
        return
    if view.bidder is None or view.phase == "auction" or not begun.kitty:
        yield had, (), ()
        return
    visible = [e.cards for e in view.events if e.type is EventType.KITTY and None not in e.cards]
    for kitty in visible or combinations(had[view.bidder], len(begun.kitty)):
        lies = tuple(c for c in kitty if c is not None)
        if not Counter(lies) - Counter(had[view.bidder]):
            yield [without(h, lies) if s == view.bidder else h for s, h in enumerate(had)], lies, ()


def replayed(
    view: View, dealt: Sequence[Sequence[Card]], kitty: Sequence[Card], offered: Sequence[Card], stop: str = ""
) -> State | None:
    """The hand replayed with these cards, up to the event `stop`; None if the rules refuse it."""
    order = view.rules.order
    begun = replace(view.begun, hands=tuple(tuple(order.hand(h)) for h in dealt), kitty=tuple(order.hand(kitty)))
    try:
        if isinstance(begun, Deal):
            state = begin(view.rules, begun, first_seq=view.events[0].seq if view.events else 1)
        else:
            state = from_position(view.rules, begun)
        for e in view.events:
            if e.type == stop:
                break
            if e.type in MOVES:
                cards = offered if e.type is EventType.OFFER else e.cards
                if state.to_act != e.seat:
                    return None
                state = state.play(Move(MoveType(e.type.value), tuple(c for c in cards if c is not None), e.bid))
    except (DasanError, ValueError):
        return None
    return state


def key(state: State) -> str:
    """The identity of a world: the cards as dealt, and the offer."""
    offered = [e.cards for e in state.events if e.type is EventType.OFFER]
    return f"{state.begun.hands} {state.begun.kitty} {offered}"


def surprise(found: Counter[str], expected: Mapping[str, float]) -> float:
    """The deviation of counts from expected shares: chi-square as a normal deviate (Wilson and Hilferty)."""
    assert set(found) <= set(expected)
    n, total = sum(found.values()), sum(expected.values())
    if len(expected) < 2:
        return 0.0
    chi = sum((found[k] - n * e / total) ** 2 / (n * e / total) for k, e in expected.items())
    free = len(expected) - 1
    deviate: float = ((chi / free) ** (1 / 3) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free))
    return deviate
