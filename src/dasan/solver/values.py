"""Values of hands inside a search; higher is better: a seat's payment, or its negated place."""

from __future__ import annotations

from dasan.play.scoring import doublings
from dasan.play.state import State
from dasan.ruleset.policies import BidScoring, CardScoring, FixedScoring


def side_of(state: State, seat: int) -> frozenset[int]:
    """The seats on the side of `seat`: the bidder's side, or the others; `seat` alone in games without sides."""
    if state.bidder is None or not state.rules.has_sides:
        return frozenset((seat,))
    if seat in state.partners:
        return state.partners
    return frozenset(range(state.rules.players)) - state.partners


def score(state: State, seat: int) -> int | None:
    """A seat's value once its result is fixed; None before."""
    places = state.rules.counts_places
    if places and seat in state.finished:
        return -(state.finished.index(seat) + 1)
    if places and state.result is not None:
        return -(state.result.finish_order.index(seat) + 1)
    if state.result is not None or (state.rules.has_sides and state.payments is not None):
        return (state.payments or (0,) * state.rules.players)[seat]
    return None


def bounds(state: State, seat: int) -> tuple[int, int]:
    """The least and the greatest value that `seat` can still reach."""
    done = score(state, seat)
    if done is not None:
        return done, done
    if state.rules.counts_places:
        return -state.rules.players, -(len(state.finished) + 1)
    match state.rules.scoring:
        case FixedScoring(stake=stake):
            costs = [stake] * state.rules.players
        case CardScoring() as scoring:
            costs = [_most(state, scoring, s) for s in range(state.rules.players)]
        case BidScoring() as scoring:
            amount = (state.bid or 0) << doublings(state.rules, state.bombs + _bombs_left(state), True)
            most = amount * (state.rules.players - len(side_of(state, seat)) if scoring.pay_each_winner else 1)
            return -most, most
    # A guard who fouls may pay for all losers (H.28).
    return -(sum(costs) if state.rules.guard_pays else costs[seat]), sum(costs) - costs[seat]


def shown(state: State, seat: int, value: int) -> int:
    """A value of `seat` as a `Solution` states it: a place from 1, or the bidder's payment in games with sides."""
    if state.rules.counts_places:
        return -value
    scoring = state.rules.scoring
    if not isinstance(scoring, BidScoring) or not state.rules.has_sides or seat in state.partners:
        return value
    ours = len(state.partners)
    return -value * (state.rules.players - ours) // ours if scoring.pay_each_winner else -value


def _most(state: State, scoring: CardScoring, seat: int) -> int:
    """The most that a loser can still pay for the cards that it holds."""
    hand = state.hands[seat]
    twos = sum(c.rank == state.rules.ranks[-1] for c in hand)
    unplayed = 0 if seat in state.has_played else scoring.cost(len(hand), False, twos)
    return max(unplayed, *(scoring.cost(n, True, min(n, twos)) for n in range(len(hand) + 1)))


def _bombs_left(state: State) -> int:
    """An upper bound on the bombs that can still be played: each uses cards of one hand."""
    scoring = state.rules.scoring
    if not (isinstance(scoring, BidScoring) and scoring.bombs_double):
        return 0
    most = 0
    for seat, hand in enumerate(state.hands):
        sizes = [len(combination.cards) for _, combination in state.fits(seat) if combination.power > 0]
        if sizes:
            # With two packs a hand can play one row of the catalogue twice.
            most += min(len(sizes) * state.rules.decks, len(hand) // min(sizes))
    return most
