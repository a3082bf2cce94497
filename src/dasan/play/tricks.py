"""Tricks: leading, beating, passing, and the end of a trick and of the hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dasan.cards import Card, card, format_cards
from dasan.errors import IllegalPlay
from dasan.play.events import EventType
from dasan.play.fields import AnyState, StateFields
from dasan.play.moves import PASS, Move, plays
from dasan.play.phases import Phase
from dasan.play.scoring import counted, finish, settle_dragon, settle_first_out
from dasan.play.turns import barred, ends_trick, guarded, has_highest_two, in_turn, neighbour
from dasan.reasons import Sentence, reason
from dasan.ruleset.policies import Ending, Guard, Leftover, Restart
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination

Added = tuple[int, EventType, tuple[Card, ...]]


def with_leader(state: AnyState) -> AnyState:
    """Name the leader of a hand without auction, and the card the lead must include (D2.11, W.05, W.21)."""
    rules, leader = state.rules, state.begun.leader
    shown: tuple[Card, ...] = ()
    if leader is None:
        leader, shown = first_leader(rules, state.dealer, state.hands)
    must = shown[0] if shown and rules.opening is not None and rules.opening.in_the_lead else None
    opened = state.then((leader, EventType.OPEN, shown), opener=leader, leader=leader, to_act=leader, must_include=must)
    return dealt_out(opened)


def dealt_out(state: AnyState) -> AnyState:
    """A complete deal before its first lead: the left-over card is taken up, and a dragon ends the hand (H.27, H.31)."""
    rules, dealt = state.rules, state.hands
    if rules.leftover is Leftover.LOWEST and state.kitty:
        state = _take_leftover(state)
    return _won_by_dragon(state, dealt) if rules.dragon else state


def _take_leftover(state: AnyState) -> AnyState:
    """The holder of the lowest card that was dealt takes the left-over card, unseen by the others (H.27)."""
    taker, _ = first_leader(state.rules, state.dealer, state.hands)
    hand = state.rules.order.hand((*state.hands[taker], *state.kitty))
    return state.then((taker, EventType.KITTY, state.kitty), hands=state.with_hand(taker, hand), kitty=())


def _won_by_dragon(state: AnyState, dealt: Sequence[Sequence[Card]]) -> AnyState:
    """The end of a hand in which somebody was dealt all thirteen ranks; else `state` (H.31)."""
    rules = state.rules
    first, _ = first_leader(rules, state.dealer, dealt)
    for seat in ((first + i) % rules.players for i in range(rules.players)):
        if len({c.rank for c in dealt[seat]}) == len(rules.ranks):
            shown = tuple(state.hands[seat])
            over = state.then((seat, EventType.DRAGON, shown), finished=(seat,), must_include=None)
            return finish(settle_dragon(over))
    return state


def first_leader(rules: Rules, dealer: int, hands: Sequence[Sequence[Card]]) -> tuple[int, tuple[Card, ...]]:
    """The leader of a first hand, and the card that decides it, or None (D2.11, W.05)."""
    if rules.opening is None:
        return dealer, ()
    if rules.opening.lowest_dealt:
        shown = min((c for hand in hands for c in hand), key=rules.order.place.__getitem__)
    else:
        shown = card(rules.opening.card)
    nearest = ((dealer + i) % rules.players for i in range(rules.players))
    return next(seat for seat in nearest if shown in hands[seat]), (shown,)


def legal_plays(state: StateFields) -> tuple[Move, ...]:
    """Plays in the order of the catalogue, then the pass if it is allowed."""
    seat = state.mover
    on_table = state.table
    fits = state.fits(seat)
    if on_table is None:
        combinations = [combination for _, combination in fits]
    else:
        combinations = [combination for row, combination in fits if row.beats(on_table)]
    bound = _bound(state)
    if bound:
        combinations = [c for c in combinations if not _duty(state, c)]
    moves = plays(combinations)
    if on_table is not None and not (bound and _duty(state, None)):
        moves.append(PASS)
    return tuple(moves)


def guarding(state: StateFields) -> bool:
    """Whether the seat to act has a neighbour on the last card to guard, who may still play in this round (D2.16)."""
    if state.rules.guard is Guard.OFF or 1 not in map(len, state.hands):
        return False
    return guarded(state.rules, state.hand_sizes, state.mover, state.passed) is not None


def neglects(state: StateFields, play: Combination | None) -> bool:
    """Whether playing `play` (None: passing) leaves the neighbour's last card unguarded (D2.16).

    Only singles are bound: the guard must play its highest card if that beats the play on the table. A lead of two or
    more cards is free.
    """
    highest = must_guard(state)
    if highest is None or (play is not None and len(play.cards) > 1) or (state.table is None and play is None):
        return False
    return play is None or play.strength < highest.strength


def must_guard(state: StateFields) -> Combination | None:
    """The single with which the seat to act guards its neighbour's last card; None if it need not or cannot (D2.16)."""
    if not guarding(state):
        return None
    highest = state.rules.combination((state.hands[state.mover][-1],))
    if state.table is None or (len(state.table.cards) == 1 and highest.beats(state.table)):
        return highest
    return None


def _bound(state: StateFields) -> bool:
    """Whether `_duty` may forbid anything to the seat to act; False saves asking it about every play."""
    return state.must_include is not None or (state.rules.guard is Guard.ENFORCED and guarding(state))


def _duty(state: StateFields, play: Combination | None) -> str:
    """The topic of the duty that forbids this otherwise legal play or pass, or nothing."""
    if state.must_include is not None and play is not None and state.must_include not in play.cards:
        return "opening"
    return "guard" if state.rules.guard is Guard.ENFORCED and neglects(state, play) else ""


def _check_duty(state: StateFields, play: Combination | None) -> None:
    """`IllegalPlay` if a duty forbids this otherwise legal play or pass."""
    topic = _duty(state, play)
    if topic == "opening":
        raise IllegalPlay(reason("opening", cards=state.must_include), clause=state.rules.cite["opening"])
    if topic == "guard":
        highest = state.hands[state.mover][-1]
        raise IllegalPlay(reason(_duty_of_guard(state), cards=highest), clause=state.rules.cite["guard"])


def _duty_of_guard(state: StateFields) -> str:
    """The sentence on the guard's duty: whether its highest card is all it may play, or also several cards (D2.16, H.24)."""
    fits = [combination for _, combination in state.fits(state.mover)]
    if state.table is None:
        return "guard.lead" if any(len(one.cards) > 1 for one in fits) else "guard"
    return "guard.bomb" if any(one.power > state.table.power for one in fits) else "guard"


def play(state: AnyState, move: Move) -> AnyState:
    """The state after cards have been played."""
    if state.phase is not Phase.PLAY:
        raise IllegalPlay(reason("play.phase", phase=state.phase), clause=state.rules.cite["pass"])
    combination = move.combination or _checked(state, move.cards)
    seat = state.mover
    held = state.hands[seat]
    hand = state.hand_less(seat, combination.cards)
    events: list[Added] = [(seat, EventType.PLAY, combination.cards)]
    if state.rules.announce_last_card and len(hand) == 1:
        events.append((seat, EventType.LAST_CARD, ()))
    shown = state.partner_shown
    if state.called is not None and not shown and state.called in combination.cards:
        shown = True
        events.append((seat, EventType.PARTNER, (state.called,)))
    finished = state.finished
    if not hand:
        finished = (*finished, seat)
        if state.rules.ending is Ending.LAST_IN:
            events.append((seat, EventType.OUT, ()))
    hands = state.with_hand(seat, hand)
    passed = barred(state.rules, state.passed)
    after = state.then(
        *events,
        hands=hands,
        partner_shown=shown,
        finished=finished,
        has_played=state.has_played if seat in state.has_played else (*state.has_played, seat),
        table=combination,
        table_seat=seat,
        leader=seat if state.table is None else state.leader,
        passed=passed,
        to_act=next(in_turn(hands, seat, passed), None),
        must_include=None,
        watching=seat if neglects(state, combination) else None,
        foul=_fouled(state, seat) if not hand else state.foul,
        played=state.played + combination.cards,
    )
    if state.rules.doubles:
        after = counted(after, seat)
    known = state._fits.get(seat)
    if known is not None and hand:
        called = state.called if state.called is not None and state.called in held else None
        left = called if called is None or called in hand else None
        if called == left:
            after._fits[seat] = state.rules.catalogue.refit(known, hand, combination.cards, left)
    return _after_play(after, seat)


def _fouled(state: StateFields, seat: int) -> int | None:
    """The guard who let `seat` go out first by not guarding its last card, or None (D2.17)."""
    guard = state.watching
    if guard is None or state.finished or neighbour(state.hands, guard) != seat:
        return state.foul
    return guard


def pass_(state: AnyState) -> AnyState:
    """The state after a pass in a trick (B3.16, D2.12, W.16)."""
    seat = state.mover
    if state.phase is not Phase.PLAY:
        raise IllegalPlay(reason("pass.phase", phase=state.phase), clause=state.rules.cite["pass"])
    if state.table is None:
        raise IllegalPlay(reason("leader"), clause=state.rules.cite["pass"])
    _check_duty(state, None)
    passed = (*state.passed, seat)
    waiting = next(in_turn(state.hands, seat, (*passed, state.table_seat)), None)
    after = state.then(
        (seat, EventType.PASS, ()),
        passed=passed,
        watching=seat if neglects(state, None) else None,
        to_act=seat if waiting is None else waiting,
    )
    return clear(after) if waiting is None else after


def _after_play(state: AnyState, seat: int) -> AnyState:
    if seat in state.finished:
        if len(state.finished) == 1:
            state = settle_first_out(state)
        if state.rules.ending is Ending.FIRST_OUT or len(state.active) <= 1:
            return finish(state)
    if restarts(state, seat):
        return clear(state)
    return clear(state) if state.to_act is None else state


def restarts(state: StateFields, seat: int) -> bool:
    """Whether the play on the table ends the trick at once: the highest two, alone or in a pair (W.17).

    "When unbeatable" uses only public information: the cards not played yet, and the size of each other hand; "when
    known unbeatable" also uses cards that the exchange showed to be in the player's hand.
    """
    rules, on_table = state.rules, state.table
    if rules.restart is Restart.OFF or on_table is None or not has_highest_two(rules, on_table):
        return False
    if ends_trick(rules, on_table):
        return True
    unseen = [c for hand in state.hands for c in hand]
    if rules.restart is Restart.WHEN_KNOWN_UNBEATABLE:
        unseen = list((Counter(unseen) - _shown_with(state, seat)).elements())
    most = max((len(state.hands[s]) for s in state.active if s != seat), default=0)
    return not rules.catalogue.any_beats(unseen, on_table, most)


def _shown_with(state: StateFields, seat: int) -> Counter[Card]:
    """The cards that `seat` received in public in the exchange (W.20, H.40) and has neither given back nor played."""
    deal = state.exchange
    shown: Counter[Card] = Counter()
    if deal is None:
        return shown
    pairs = ((deal.winner, deal.loser), deal.inner or ())
    other = next((s for pair in pairs if seat in pair for s in pair if s != seat), None)
    for event in state.events:
        if (event.type, event.seat) in ((EventType.GIVE, other), (EventType.TAKE, seat)):
            shown += Counter(c for c in event.cards if c is not None)
        elif (event.type, event.seat) in ((EventType.GIVE, seat), (EventType.PLAY, seat)):
            shown -= Counter(c for c in event.cards if c is not None)
    return shown


def clear(state: AnyState) -> AnyState:
    """End the trick: the last to play leads, or if out, the next player still in (B3.17, D2.13, W.16)."""
    last = state.table_seat if state.table_seat is not None else 0
    leads = last if state.hands[last] else state.seat_after(last)
    return state.then((leads, EventType.TRICK, ()), table=None, table_seat=None, passed=(), leader=leads, to_act=leads)


def _checked(state: StateFields, cards: tuple[Card, ...]) -> Combination:
    """The combination of these cards. `DasanError`: the seat to act may not play it now."""
    state.check_cards(cards)
    combination = state.rules.combination(cards)
    on_table = state.table
    if on_table is not None and not combination.beats(on_table):
        raise IllegalPlay(_why_not(combination, on_table), clause=_which_clause(state, combination, on_table))
    _check_duty(state, combination)
    return combination


def _why_not(mine: Combination, theirs: Combination) -> Sentence:
    named = {"cards": format_cards(mine.cards), "theirs": format_cards(theirs.cards)}
    n, m = len(theirs.cards), len(mine.cards)
    if mine.power < theirs.power or mine.family == theirs.family:
        if mine.kind == theirs.kind:
            return reason("higher", **named, kind=mine.kind, other=theirs.kind)
        return reason("class", **named, kind=theirs.kind, other=mine.kind)
    if n != m:
        return reason("count.one" if n == 1 else "count", **named, n=n, m=m)
    return reason("kind", **named, kind=theirs.kind, other=mine.kind)


def _which_clause(state: StateFields, mine: Combination, theirs: Combination) -> str:
    """The clause by which `mine` is too low: that of the suits for a tie, of the kind on the table, or of the classes of kinds.
    For a play of a kind or number that cannot follow, the clause on following.
    """
    cite, n = state.rules.cite, len(mine.cards)
    topics: tuple[str, ...] = ()
    if mine.power < theirs.power:
        kinds = f"kinds of {n}" if mine.power == 0 and n == len(theirs.cards) else ""
        topics = (kinds, "bombs", f"beat {theirs.kind}")
    elif mine.kind == theirs.kind and (mine.family == theirs.family or mine.power > 0):
        tie = mine.family == theirs.family and _differ_only_in_suits(state.rules, mine, theirs)
        topics = (f"tie {mine.kind}" if tie else "", f"beat {theirs.kind}")
    elif mine.family == theirs.family:
        topics = (f"classes of {n}",)
    elif n == len(theirs.cards):
        topics = (f"kinds of {n}",)
    return next((cite[topic] for topic in topics if topic in cite), cite["beat"])


def _differ_only_in_suits(rules: Rules, mine: Combination, theirs: Combination) -> bool:
    """Whether nothing but suits could rank two plays of one kind and family. Identical cards tie whatever the suits count."""
    shape = next(shape for shape in rules.shapes if shape.kind == mine.kind)
    alike = shape.by_rank(mine.strength) == shape.by_rank(theirs.strength)
    return alike and Counter(mine.cards) != Counter(theirs.cards)
