"""A seat's knowledge of hidden cards: where seen cards are, and which arrangements the rules exclude.

Knowledge is collected from a view, event by event. Only what follows from the rules counts: a card that was shown, or a bid,
pass or play that the rules would have refused with other cards. Likely preferences of players are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import comb

from dasan.cards import Card, card
from dasan.play.dealing import Deal, Position, partner_in_exchange, table_at_start
from dasan.play.events import Event, EventType
from dasan.play.turns import guarded
from dasan.play.view import View
from dasan.ruleset.policies import CardScoring, Guard, Leftover, Restart
from dasan.ruleset.rules import Rules
from dasan.worlds.layout import GONE, KITTY, Layout, Place, Task, lay_out


class Knowledge:
    """The knowledge of the seat of `view`, or of a spectator.

    - known: by place, the seen cards that are there now; of two equal cards the seen one counts as played first.
    - played: by seat, the cards played.
    - limits: by seat, the highest value that an unseen card of the seat can have.
    - barred: by card, the places that cannot have it.
    - low: seats whose bids and passes rule out the holdings that must bid the top (H.01).
    - face_down: whether nobody has taken up the kitty; also after a void hand (H.12).
    - split: the seat that has taken up a still hidden kitty. kitty: its cards, once seen.
    - lowest: hearts that must be in the kitty, because nobody opened on them.
    - opening: the opener, and the card they showed.
    - exchange: the winner and the loser of the hand before.
    - doubtful: whether worlds must be verified by replaying the hand.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        rules, begun = view.rules, view.begun
        self.known: dict[Place, list[Card]] = {place: [] for place in (*range(rules.players), KITTY, GONE)}
        self.played: dict[int, list[Card]] = {seat: [] for seat in range(rules.players)}
        self.limits: dict[int, int] = {}
        self.barred: dict[Card, frozenset[Place]] = {}
        self.low: set[int] = set()
        after_auction = isinstance(begun, Position) and begun.bidder is not None
        self.face_down = not after_auction and all(e.type is not EventType.KITTY for e in view.events)
        self.split: int | None = None
        self.kitty: tuple[Card, ...] | None = None
        self.lowest: tuple[Card, ...] = ()
        self.opening: tuple[int, Card] | None = None
        self.exchange: tuple[int, ...] | None = begun.exchange if isinstance(begun, Deal) else None
        self.doubtful = False
        for seat, hand in enumerate(begun.hands):
            self.known[seat] += [c for c in hand if c is not None]
        if self.face_down:
            self._show(KITTY, begun.kitty)
        if isinstance(begun, Position):
            self._position(begun)
        watch = _Guards(self) if rules.guard is Guard.ENFORCED else None
        auction = rules.auction is not None and not after_auction
        for event in self.view.events:
            if watch is not None:
                watch.see(event)
            auction = auction and event.type not in (EventType.KITTY, EventType.CALL)
            if auction and event.type in (EventType.BID, EventType.PASS):
                self._read_bid(event)
            self._see(event)
        if self.view.seat is not None:
            self.known[self.view.seat] = list(self.view.hand)
        if self.view.called is not None:
            self._called(self.view.called)
        self.doubtful |= rules.dragon or (rules.leftover is Leftover.LOWEST and self.opening is None)
        hidden = self.view.hands is None
        self.doubtful |= hidden and self.view.phase == "over" and paid_by_hands(rules)

    @property
    def rules(self) -> Rules:
        return self.view.rules

    def _position(self, begun: Position) -> None:
        """Collect the knowledge from a hand that began in the middle."""
        rules = self.rules
        if begun.bidder is not None and begun.kitty:
            visible = [c for c in begun.kitty if c is not None]
            self.known[begun.bidder] += visible
            if len(visible) < len(begun.kitty):
                self.split = begun.bidder
        whole = begun.is_complete_deal(rules)
        if not whole and rules.restart in (Restart.WHEN_UNBEATABLE, Restart.WHEN_KNOWN_UNBEATABLE):
            top = rules.order.at[len(rules.ranks) - 1, len(rules.suits) - 1]
            self.doubtful = any(top in e.cards for e in self.view.events if e.type is EventType.PLAY)
        opened = any(e.type is EventType.OPEN for e in self.view.events)
        if rules.opening is not None and rules.opening.in_the_lead and whole and not opened:
            first = next((e for e in self.view.events if e.type is EventType.PLAY), None)
            wanted = card(rules.opening.card)
            if rules.opening.lowest_dealt:
                self.doubtful = True
            elif first is not None and wanted not in first.cards:
                self.barred[wanted] = frozenset({first.seat})

    def _show(self, place: Place, cards: Iterable[Card | None]) -> None:
        """Record that `cards` are in `place`."""
        known = Counter(self.known[place])
        for c, n in Counter(c for c in cards if c is not None).items():
            self.known[place] += [c] * (n - known[c])

    def _take(self, place: Place, cards: Iterable[Card | None]) -> None:
        for c in cards:
            if c in self.known[place]:
                self.known[place].remove(c)

    def _see(self, event: Event) -> None:
        rules, seat, cards = self.rules, event.seat, event.cards
        match event.type:
            case EventType.OPEN if cards and cards[0] is not None:
                self._show(seat, cards)
                self._opened(seat, cards[0])
            case EventType.DRAGON:
                self._show(seat, cards)
            case EventType.PARTNER if cards and self.view.phase == "over" and cards[0] not in self._all_played():
                self._show(seat, cards)
            case EventType.KITTY:
                visible = tuple(c for c in cards if c is not None)
                if len(visible) == len(cards):
                    self.kitty = visible
                    self._show(seat, visible)
                else:
                    self.split = seat
                    self._show(seat, self.known[KITTY])
                self.known[KITTY] = []
            case EventType.GIVE:
                self._take(seat, cards)
                self.known[self.receiver(seat)] += [c for c in cards if c is not None]
                lowest = min((rules.order.value[c] for c in cards if c is not None), default=None)
                if lowest is not None and self._from_below(seat):
                    self.limits[seat] = lowest
            case EventType.OFFER:
                self._show(seat, (*cards, *self._given()))
            case EventType.TAKE:
                self._show(self._winner, (*cards, *self._given()))
                self._take(self._winner, cards)
                self.known[seat] += [c for c in cards if c is not None]
            case EventType.PLAY:
                self._take(seat, cards)
                self.played[seat] += [c for c in cards if c is not None]
            case _:
                pass

    def _opened(self, seat: int, shown: Card) -> None:
        """The opener showed a card: nobody holds a lower one, nor anybody nearer the dealer its equal (B3.07, W.05)."""
        rules = self.rules
        self.opening = (seat, shown)
        place = rules.order.place
        if rules.leftover is not Leftover.BIDDER:
            self.lowest = tuple(c for c in rules.pack if place[c] < place[shown])
            self._show(KITTY, self.lowest)
        elif rules.auction is not None:
            self.lowest = tuple(c for c in rules.pack if c.suit == shown.suit and place[c] < place[shown])
            self._show(KITTY, self.lowest)
        elif rules.decks > 1:
            dealer, n = self.view.dealer, rules.players
            nearer = [(dealer + i) % n for i in range((seat - dealer) % n)]
            self.barred[shown] = frozenset(nearer)

    def _read_bid(self, event: Event) -> None:
        policy = self.rules.auction
        if policy is not None and policy.must_dig and event.bid != policy.top:
            self.low.add(event.seat)

    def _called(self, called: Card) -> None:
        """The bidder does not hold the called card; in a given position another seat does, or did (B4.03, B4.04)."""
        begun, view = self.view.begun, self.view
        bidder = view.bidder if view.bidder is not None else 0
        self.barred[called] = frozenset({bidder, GONE})
        shown = any(e.type is EventType.PARTNER for e in view.events)
        if isinstance(begun, Position) and begun.called is not None and not shown:
            mine = view.seat is not None and called in begun.hands[view.seat]
            if view.partner is not None and not mine and called not in begun.table:
                self._show(GONE, (called,))

    def receiver(self, giver: int) -> int:
        """The receiver of the cards of `giver` in an exchange (W.20, H.40)."""
        return partner_in_exchange(self.exchange or (), giver)

    def _from_below(self, giver: int) -> bool:
        """Whether `giver` must give the highest cards: the loser, and in H.40 also the last but one."""
        return self.exchange is not None and giver in self.exchange[1::2]

    @property
    def _winner(self) -> int:
        return 0 if self.exchange is None else self.exchange[0]

    def _given(self) -> tuple[Card | None, ...]:
        return next((e.cards for e in self.view.events if e.type is EventType.GIVE), ())

    def _all_played(self) -> list[Card]:
        return [c for cards in self.played.values() for c in cards]

    def sizes(self) -> dict[Place, int]:
        """The number of cards in each place."""
        view, begun = self.view, self.view.begun
        sizes: dict[Place, int] = dict(enumerate(view.hand_sizes))
        sizes[KITTY] = len(begun.kitty) if self.face_down else 0
        sizes[GONE] = len(self.rules.pack) - sum(sizes.values()) - len(self._all_played()) - len(table_at_start(begun))
        return sizes

    def layout(self) -> Layout:
        """All possible arrangements of the unseen cards."""
        rules, begun = self.rules, self.view.begun
        unseen = Counter(rules.pack)
        unseen.subtract(c for cards in (*self.known.values(), *self.played.values()) for c in cards)
        unseen.subtract(table_at_start(begun))
        free = {place: n - len(self.known[place]) for place, n in self.sizes().items()}
        free = {place: n for place, n in free.items() if n}
        if min(unseen.values()) < 0 or min(free.values(), default=0) < 0:
            raise ValueError("no cards that could be hidden explain what has been seen")
        cards = list(unseen.elements())
        ranks = self.dig_ranks
        return lay_out(
            Task(
                free=free,
                cards=cards,
                value=rules.order.value,
                limits={place: limit for place, limit in self.limits.items() if place in free},
                barred={c: self.barred[c] for c in self.barred if c in unseen},
                weighed=ranks,
                weigh=self._weigh if ranks else _one,
            )
        )

    @property
    def dig_ranks(self) -> frozenset[str]:
        """The ranks that decide the duty to dig, if somebody did not dig."""
        policy = self.rules.auction
        return frozenset("".join(policy.must_dig)) if policy is not None and self.low else frozenset()

    def _weigh(self, got: Mapping[Place, Counter[str]]) -> int:
        """The number of worlds with these ranks in these places: 0 if somebody would have had to dig, else the number of ways
        to separate a hidden kitty from the hand that took it up.
        """
        ways = 1
        for seat in self.low:
            had = self._had(seat)
            ranks = Counter(c.rank for c in had) + got.get(seat, Counter())
            if seat == self.split:
                ways *= self._splits(ranks, len(had) + self.sizes()[seat] - len(self.known[seat]))
            else:
                ways *= not self.digs(ranks)
        return ways

    def _had(self, seat: int) -> list[Card]:
        """The cards known to have been dealt to a seat or taken up by it with a hidden kitty."""
        had = [*self.played[seat], *self.known[seat]]
        if seat == self.view.bidder and self.kitty is not None:
            for c in self.kitty:
                had.remove(c)
        return had

    def digs(self, ranks: Counter[str]) -> bool:
        """Whether a hand with these ranks must bid the top (H.01)."""
        policy = self.rules.auction
        return policy is not None and policy.dig(ranks) is not None

    def _splits(self, ranks: Counter[str], held: int) -> int:
        """The number of ways to split `held` cards into a hand without the duty to dig and the kitty."""
        decisive = sorted(self.dig_ranks)
        fixed = self.lowest if self.opening is None or self.opening[0] != self.split else (*self.lowest, self.opening[1])
        fixed_low = Counter(c.rank for c in self.lowest)
        fixed_all = Counter(c.rank for c in fixed)
        size = len(self.view.begun.kitty) - len(self.lowest)
        open_ = [ranks[r] - fixed_all[r] for r in decisive]
        others = held - len(fixed) - sum(open_)
        ways = 0
        for taken in _vectors(open_):
            dealt = Counter({r: ranks[r] - n - fixed_low[r] for r, n in zip(decisive, taken, strict=True)})
            if sum(taken) <= size and not self.digs(dealt):
                here = comb(others, size - sum(taken))
                for n, of in zip(taken, open_, strict=True):
                    here *= comb(of, n)
                ways += here
        return ways


def paid_by_hands(rules: Rules) -> bool:
    """Whether cards left in hands decide what is paid for going out first, by a foul (D2.17) or by their 2s (H.29)."""
    twos = isinstance(rules.scoring, CardScoring) and rules.scoring.twos_double
    return twos or rules.guard is Guard.FOUL


def _one(got: Mapping[Place, Counter[str]]) -> int:
    return 1


def _vectors(most: list[int]) -> Iterable[tuple[int, ...]]:
    if not most:
        yield ()
        return
    for n in range(most[0] + 1):
        for more in _vectors(most[1:]):
            yield (n, *more)


class _Guards:
    """Tracks hand sizes and the play to beat, to find moves of a guard that bound the guard's highest card (D2.16)."""

    def __init__(self, knowledge: Knowledge) -> None:
        begun = knowledge.view.begun
        self._of = knowledge
        self._sizes = [len(h) for h in begun.hands]
        self._to_beat: tuple[Card | None, ...] = table_at_start(begun)
        self._passed: set[int] = set()
        if isinstance(begun, Position) and begun.table_seat is not None and begun.to_act is not None:
            n = len(self._sizes)
            self._passed = {(begun.table_seat + i) % n for i in range(1, (begun.to_act - begun.table_seat) % n)}
        if isinstance(begun, Position):
            self._passed.update(begun.passed)
            if begun.bidder is not None:
                self._sizes[begun.bidder] += len(begun.kitty)

    def see(self, event: Event) -> None:
        of, seat = self._of, event.seat
        value = of.rules.order.value
        guarding = guarded(of.rules, self._sizes, seat, tuple(self._passed)) is not None
        bound: Card | None = None
        match event.type:
            case EventType.PLAY:
                bound = event.cards[0] if len(event.cards) == 1 else None
                self._sizes[seat] -= len(event.cards)
                self._to_beat = event.cards
            case EventType.PASS:
                bound = self._to_beat[0] if len(self._to_beat) == 1 else None
                self._passed.add(seat)
            case EventType.TRICK | EventType.CALL:
                self._to_beat = ()
                self._passed.clear()
            case EventType.KITTY:
                self._sizes[seat] += len(event.cards)
                self._passed.clear()
            case _:
                pass
        if guarding and bound is not None:
            of.limits[seat] = min(of.limits.get(seat, value[bound]), value[bound])
