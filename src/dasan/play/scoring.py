"""Payments of a hand, and the next dealer."""

from __future__ import annotations

from dasan.cards import Card
from dasan.play.events import EventType
from dasan.play.fields import AnyState, StateFields
from dasan.play.phases import Phase
from dasan.play.result import Result
from dasan.ruleset.policies import BidScoring, CardScoring, FixedScoring, NextDealer
from dasan.ruleset.rules import Rules


def settle_first_out(state: AnyState) -> AnyState:
    """The state with the payments, which are fixed as soon as the first player is out (B3.19, B4.06, D2.19, W.22, W.23)."""
    return state.then(payments=_payments(state))


def _payments(state: StateFields) -> tuple[int, ...]:
    first = state.finished[0]
    seats = range(state.rules.players)
    match state.rules.scoring:
        case BidScoring(pay_each_winner=each):
            won = _winners(state)
            bid = (state.bid or 0) << _doublings(state)
            lost = len(seats) - len(won)
            return tuple(bid * (lost if each else 1) if s in won else -bid * (len(won) if each else 1) for s in seats)
        case FixedScoring(stake=stake):
            return tuple(stake * (len(seats) - 1) if s == first else -stake for s in seats)
        case CardScoring() as scoring:
            costs = [0 if s == first else scoring.cost(len(state.hands[s]), s in state.has_played) for s in seats]
            return tuple(sum(costs) if s == first else -costs[s] for s in seats)


def counted(state: AnyState, seat: int) -> AnyState:
    """The state after a play of `seat`, with the numbers that doublings depend on (H.15, H.16)."""
    bomb = state.table is not None and state.table.power > 0
    return state.then(bombs=state.bombs + bomb, bidder_plays=state.bidder_plays + (seat in state.partners))


def doublings(rules: Rules, bombs: int, spring: bool) -> int:
    """How many times the payment is doubled after so many bombs, and a spring or none (H.15, H.16)."""
    scoring = rules.scoring
    if not isinstance(scoring, BidScoring):
        return 0
    number = bombs * scoring.bombs_double + (spring and scoring.spring_doubles)
    return min(number, scoring.most_doublings) if scoring.most_doublings else number


def _doublings(state: StateFields) -> int:
    """As `doublings`, when a player is out."""
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
    if state.rules.next_dealer is NextDealer.LAST_IN:
        order = (*order, *state.active)
        dealer = order[-1]
    else:
        dealer = order[0] if order else state.dealer
    return Result(
        payments=state.payments or (),
        finish_order=order,
        winners=_winners(state),
        foul=state.foul,
        next_dealer=dealer if state.foul is None else state.foul,
    )
