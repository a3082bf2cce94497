"""Engine states from arrangements of cards: rebuild the deal, then replay the hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dasan.cards import Card, Hand, without
from dasan.errors import IllegalPlay
from dasan.play.dealing import Deal, Position
from dasan.play.events import MOVES, Event, EventType
from dasan.play.phases import Exchange
from dasan.play.set_up import bidder_plays
from dasan.play.state import State
from dasan.play.view import View
from dasan.records.retrace import first_state, move_of
from dasan.ruleset.rules import Rules
from dasan.worlds.knowledge import Knowledge, paid_by_hands
from dasan.worlds.layout import KITTY, Layout, Place, Task, lay_out
from dasan.worlds.stream import WorldStream

MOST_TRIES = 100_000
"""Consecutive rejections after which no world is assumed to exist."""


@dataclass(frozen=True)
class HandsNow:
    """Hands in several worlds. hands: by world and seat, unsorted. weights: each world's relative probability. whole:
    whether these are all worlds.
    """

    hands: Sequence[Sequence[Sequence[Card]]]
    weights: Sequence[float]
    whole: bool


@dataclass(frozen=True)
class World:
    """One world: hands and kitty as dealt, hands now, and the events without hidden cards."""

    dealt: tuple[Hand, ...]
    kitty: tuple[Card, ...]
    hands: tuple[Hand, ...]
    events: tuple[Event, ...]


class Sampler:
    """Samples worlds consistent with a view.

    If the rest of the hand does not depend on hidden cards, it is played only once; the last move is always played.
    settled_unseen: whether worlds differ in what has been paid for going out first (H.32).
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self.rules: Rules = view.rules
        self.knows = Knowledge(view)
        self.layout: Layout = self.knows.layout()
        events = view.events
        self._last = max((i for i, e in enumerate(events) if e.type in MOVES), default=-1)
        self._before: State | None = None
        self.doubtful = self.knows.doubtful
        self.settled_unseen = 0 in view.hand_sizes and paid_by_hands(view.rules)
        self._whole = self.doubtful or view.phase == "over" or view.hands is not None or self.settled_unseen

    def states(self, count: int, seed: int, *, first: int = 0) -> Iterator[State]:
        """Worlds `first` to `first + count - 1` of `seed`."""
        for number in range(first, first + count):
            stream = WorldStream(seed, number)
            for _ in range(MOST_TRIES):
                state = self._state(self._world(self.layout.draw(stream), stream))
                if state is not None:
                    yield state
                    break
            else:
                raise ValueError("no cards that could be hidden explain what has been seen")

    def hands(self, most: int, seed: int) -> HandsNow:
        """The possible current hands: in all worlds if there are at most `most`, else in `most` sampled ones; a tenth
        as many if worlds may have to be rejected, which is slow.
        """
        few = most // 10 if self.doubtful else most
        if self.layout.total <= few:
            listed = [(placed, weight) for placed, weight in self.layout.all() if self._explains(placed, seed)]
            placed, weights = zip(*listed, strict=True)
            return HandsNow([self._held_by_seats(one) for one in placed], weights, True)
        if self.doubtful:
            drawn: list[tuple[Sequence[Card], ...]] = [state.hands for state in self.states(few, seed)]
        else:
            drawn = [self._held_by_seats(self.layout.draw(WorldStream(seed, number))) for number in range(few)]
        return HandsNow(drawn, [1.0] * few, False)

    def _explains(self, placed: dict[Place, list[Card]], seed: int) -> bool:
        return not self.doubtful or self._state(self._world(placed, WorldStream(seed, 0))) is not None

    def _held(self, placed: dict[Place, list[Card]]) -> dict[Place, list[Card]]:
        return {place: [*cards, *placed.get(place, ())] for place, cards in self.knows.known.items()}

    def _held_by_seats(self, placed: dict[Place, list[Card]]) -> tuple[Sequence[Card], ...]:
        held = self._held(placed)
        return tuple(held[seat] for seat in range(self.rules.players))

    def _world(self, placed: dict[Place, list[Card]], stream: WorldStream) -> World:
        rules, knows = self.rules, self.knows
        held = self._held(placed)
        hands = tuple(rules.order.hand(held[seat]) for seat in range(rules.players))
        had = [[*held[seat], *knows.played[seat]] for seat in range(rules.players)]
        kitty = knows.kitty if knows.kitty is not None else rules.order.hand(self._split(held, had, stream))
        taker = next((e.seat for e in self._view.events if e.type is EventType.KITTY), self._view.bidder)
        if taker is not None and kitty and not held[KITTY]:
            had[taker] = without(had[taker], kitty)
        offered: tuple[Card, ...] = ()
        if knows.exchange is not None:
            offered = self._undo_exchange(had, stream)
        events = tuple(_shown(e, kitty, offered) for e in self._view.events)
        return World(tuple(rules.order.hand(h) for h in had), tuple(kitty), hands, events)

    def _split(self, held: dict[Place, list[Card]], had: list[list[Card]], stream: WorldStream) -> list[Card]:
        """Draw the hidden kitty: face down, or from the hand that took it up."""
        knows, begun = self.knows, self._view.begun
        if knows.split is None:
            return held[KITTY]
        seat = knows.split
        if all(c is not None for c in begun.hands[seat]):
            return without(had[seat], [c for c in begun.hands[seat] if c is not None])
        low = list(knows.lowest)
        shown = [knows.opening[1]] if knows.opening is not None and knows.opening[0] == seat else []
        fixed = Counter(c.rank for c in shown)
        judged = seat in knows.low
        size = len(begun.kitty) - len(low)
        task = Task(
            free={seat: len(had[seat]) - len(begun.kitty) - len(shown), KITTY: size},
            cards=without(had[seat], (*low, *shown)),
            value=self.rules.order.value,
            limits={},
            barred={},
            weighed=knows.dig_ranks if judged else frozenset(),
            weigh=lambda got: int(not knows.digs(got[seat] + fixed)),
        )
        return [*low, *lay_out(task).draw(stream)[KITTY]]

    def _undo_exchange(self, had: list[list[Card]], stream: WorldStream) -> tuple[Card, ...]:
        """Return exchanged cards to the hands they were dealt to; returns the two offered cards (W.20)."""
        winner, loser, *inner = self.knows.exchange or (0, 0)
        if inner:
            for event in reversed([e for e in self._view.events if e.type is EventType.GIVE]):
                cards = [c for c in event.cards if c is not None]
                receiver = self.knows.receiver(event.seat)
                had[receiver] = without(had[receiver], cards)
                had[event.seat] = [*had[event.seat], *cards]
            return ()
        shown = {e.type: e.cards for e in self._view.events}
        given = [c for c in shown.get(EventType.GIVE, ()) if c is not None]
        taken = [c for c in shown.get(EventType.TAKE, ()) if c is not None]
        had[loser] = [*without(had[loser], taken), *given]
        had[winner] = [*without(had[winner], given), *taken]
        if EventType.OFFER not in shown:
            return ()
        seen = tuple(c for c in shown[EventType.OFFER] if c is not None)
        if seen:
            return seen
        pool = without(self.rules.order.hand(had[winner]), taken)
        while len(taken) < 2:
            taken.append(pool.pop(stream.below(len(pool))))
        return tuple(self.rules.order.hand(taken))

    def _state(self, world: World) -> State | None:
        """The state of a world; None if it turns out to be inconsistent with the view."""
        view = self._view
        begun = replace(view.begun, hands=tuple(tuple(h) for h in world.dealt), kitty=world.kitty)
        if self._whole:
            state = self._play(self._begin(begun), world.events)
            # The view of a player who overlooks moves has fewer legal ones.
            if self.doubtful and (state is None or replace(state.view(view.seat), _legal=view.legal_moves()) != view):
                return None
            return state
        moves = world.events[: max(self._last, 0)]
        if self._before is None:
            self._before = self._play(self._begin(begun), moves)
        before = self._before
        if before is None:
            return None
        hands, kitty = self._until(world)
        partner = self._partner(world, before)
        state = replace(
            before,
            begun=begun,
            hands=hands,
            kitty=kitty,
            partner=partner,
            bidder_plays=bidder_plays(before, partner) if self.rules.doubles else before.bidder_plays,
            exchange=_offer(before, world),
            events=world.events[: len(before.events)],
        )
        return state.play(move_of(world.events[self._last])) if self._last >= 0 else state

    def _begin(self, begun: Deal | Position) -> State:
        events = self._view.events
        return first_state(self.rules, begun, events[0].seq if events else 1)

    def _play(self, state: State, events: tuple[Event, ...]) -> State | None:
        """`state` after the moves among `events`; None if one of them is not possible."""
        for event in events:
            if event.type in MOVES:
                if self.doubtful and state.to_act != event.seat:
                    return None
                try:
                    state = state.play(move_of(event))
                except IllegalPlay:
                    if self.doubtful:
                        return None
                    raise
        return state

    def _until(self, world: World) -> tuple[tuple[Hand, ...], tuple[Card, ...]]:
        """Hands and kitty before the last move."""
        order = self.rules.order
        hands: list[Hand] = list(world.hands)
        after = world.events[self._last + 1 :] if self._last >= 0 else ()
        kitty = world.kitty if self.knows.face_down else ()
        if self._last >= 0:
            last = world.events[self._last]
            if last.type is EventType.PLAY:
                hands[last.seat] = order.hand([*hands[last.seat], *(c for c in last.cards if c is not None)])
            taken_up = next((e.seat for e in after if e.type is EventType.KITTY), None)
            if taken_up is not None:
                kitty = world.kitty
                hands[taken_up] = order.hand(without(hands[taken_up], kitty))
            if self.knows.exchange is not None and last.type in (EventType.GIVE, EventType.TAKE):
                winner, loser = self.knows.exchange[:2]
                cards = [c for c in last.cards if c is not None]
                giver, taker = (last.seat, self.knows.receiver(last.seat))
                if last.type is EventType.TAKE:
                    giver, taker = winner, loser
                hands[taker] = order.hand(without(hands[taker], cards))
                hands[giver] = order.hand([*hands[giver], *cards])
        return tuple(hands), kitty

    def _partner(self, world: World, before: State) -> int | None:
        if before.called is None:
            return None
        holder = next((s for s, hand in enumerate(world.dealt) if before.called in hand), None)
        return before.partner if holder is None else holder


def _shown(event: Event, kitty: tuple[Card, ...], offered: tuple[Card, ...]) -> Event:
    if event.type is EventType.KITTY:
        return replace(event, cards=kitty)
    if event.type is EventType.OFFER:
        return replace(event, cards=offered)
    return event


def _offer(before: State, world: World) -> Exchange | None:
    if before.exchange is None or not before.exchange.offered:
        return before.exchange
    offered = next(e.cards for e in world.events if e.type is EventType.OFFER)
    return replace(before.exchange, offered=tuple(c for c in offered if c is not None))
