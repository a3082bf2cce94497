"""Payments of a hand, and the next dealer."""

from __future__ import annotations

from collections.abc import Sequence

from dasan.cards import Card
from dasan.play.events import EventType
from dasan.play.fields import AnyState, StateFields
from dasan.play.phases import Phase
from dasan.play.result import Result
from dasan.ruleset.policies import BidScoring, CardScoring, Ending, FixedScoring, NextDealer
from dasan.ruleset.rules import Rules


def settle_first_out(state: AnyState) -> AnyState:
    """The state with the payments, which are fixed as soon as the first player is out (B3.19, B4.06, D2.19, W.22, W.23)."""
    return state.then(payments=_payments(state))


def _payments(state: StateFields) -> tuple[int, ...]:
    seats = range(state.rules.players)
    match state.rules.scoring:
        case BidScoring(pay_each_winner=each):
            won = _winners(state)
            bid = (state.bid or 0) << _doublings(state)
            lost = len(seats) - len(won)
            return tuple(bid * (lost if each else 1) if s in won else -bid * (len(won) if each else 1) for s in seats)
        case FixedScoring(stake=stake):
            return _collected(state, [stake] * len(seats))
        case CardScoring() as scoring:
            top = state.rules.ranks[-1]
            twos = [sum(c.rank == top for c in hand) if scoring.twos_double else 0 for hand in state.hands]
            costs = [scoring.cost(len(state.hands[s]), s in state.has_played, twos[s]) for s in seats]
            return _collected(state, costs)


def _collected(state: StateFields, costs: Sequence[int]) -> tuple[int, ...]:
    """The payments if every loser owes its entry of `costs`; a guard who has fouled may pay for all (H.28)."""
    first = state.finished[0]
    owed = [0 if s == first else cost for s, cost in enumerate(costs)]
    if state.rules.guard_pays and state.foul is not None:
        owed = [sum(owed) if s == state.foul else 0 for s in range(len(owed))]
    return tuple(sum(owed) if s == first else -owed[s] for s in range(len(owed)))


def settle_dragon(state: AnyState) -> AnyState:
    """The state with the payments of a hand that a dragon has won: as for thirteen cards (H.31)."""
    scoring, seats = state.rules.scoring, range(state.rules.players)
    cost = scoring.cost(len(state.rules.ranks), True) if isinstance(scoring, CardScoring) else 0
    cost = scoring.stake if isinstance(scoring, FixedScoring) else cost
    return state.then(payments=_collected(state, [cost for _ in seats]))


def counted(state: AnyState, seat: int) -> AnyState:
    """The state with a play of `seat` added to the counts that doublings depend on (H.15, H.16)."""
    bomb = state.table is not None and state.table.power > 0
    return state.then(bombs=state.bombs + bomb, bidder_plays=state.bidder_plays + (seat in state.partners))


def doublings(rules: Rules, bombs: int, spring: bool) -> int:
    """The number of times that bombs and a spring double the payment (H.15, H.16)."""
    scoring = rules.scoring
    if not isinstance(scoring, BidScoring):
        return 0
    number = bombs * scoring.bombs_double + (spring and scoring.spring_doubles)
    return min(number, scoring.most_doublings) if scoring.most_doublings else number


def _doublings(state: StateFields) -> int:
    """`doublings` of this hand, when a player is out."""
    side = state.partners
    if state.finished[0] in side:
        spring = all(s in side for s in state.has_played)
    else:
        spring = state.bidder_plays <= 1
    return doublings(state.rules, state.bombs, spring)


def _winners(state: StateFields) -> tuple[int, ...]:
    """The side of the first player out; without sides, that player alone; nobody if the hand is void."""
    if not state.finished:
        return ()
    first = state.finished[0]
    if state.bidder is None:
        return (first,)
    side = state.partners
    return tuple(s for s in range(state.rules.players) if (s in side) == (first in side))


def finish(state: AnyState) -> AnyState:
    """End the hand; a partner who is still secret is revealed (B3.18, B4.04, D2.14, W.18)."""
    shown: tuple[tuple[int, EventType, tuple[Card, ...]], ...] = ()
    if state.called is not None and not state.partner_shown and state.partner is not None:
        shown = ((state.partner, EventType.PARTNER, (state.called,)),)
    return state.then(*shown, phase=Phase.OVER, to_act=None, partner_shown=state.called is not None)


def result(state: StateFields) -> Result:
    """The result of a hand that is over."""
    order = state.finished
    if state.rules.ending is Ending.LAST_IN and len(state.active) == 1:
        order = (*order, *state.active)
    last = state.rules.next_dealer is NextDealer.LAST_IN
    dealer = state.dealer if not order else order[-1] if last else order[0]
    return Result(
        payments=state.payments or (),
        finish_order=order,
        winners=_winners(state),
        foul=state.foul,
        next_dealer=dealer if state.foul is None else state.foul,
    )
