"""Values of hands inside a search, where more is better: a seat's payment, or its place negated."""

from __future__ import annotations

from dasan.play.scoring import doublings
from dasan.play.state import State
from dasan.ruleset.policies import BidScoring, CardScoring, Ending, FixedScoring
from dasan.ruleset.rules import Rules


def has_sides(rules: Rules) -> bool:
    """Whether the bidder's side plays against the others, for the bid."""
    return isinstance(rules.scoring, BidScoring)


def counts_places(rules: Rules) -> bool:
    """Whether a value is a place: play goes on until one player is left, and there are no sides."""
    return rules.ending is Ending.LAST_IN and not has_sides(rules)


def side_of(state: State, seat: int) -> frozenset[int]:
    """The seats that win and lose with `seat`: the bidder's side, or the others; `seat` alone where there are no sides."""
    if state.bidder is None or not has_sides(state.rules):
        return frozenset((seat,))
    if seat in state.partners:
        return state.partners
    return frozenset(range(state.rules.players)) - state.partners


def score(state: State, seat: int) -> int | None:
    """A seat's value of a hand that is over, or in which its result is fixed; None if it is still open."""
    places = counts_places(state.rules)
    if places and seat in state.finished:
        return -(state.finished.index(seat) + 1)
    if places and state.result is not None:
        return -(state.result.finish_order.index(seat) + 1)
    if state.result is not None or (has_sides(state.rules) and state.payments is not None):
        return (state.payments or (0,) * state.rules.players)[seat]
    return None


def bounds(state: State, seat: int) -> tuple[int, int]:
    """The least and the greatest value that `seat` can still reach."""
    done = score(state, seat)
    if done is not None:
        return done, done
    if counts_places(state.rules):
        return -state.rules.players, -(len(state.finished) + 1)
    match state.rules.scoring:
        case FixedScoring(stake=stake):
            costs = [stake] * state.rules.players
        case CardScoring() as scoring:
            costs = [_most(state, scoring, s) for s in range(state.rules.players)]
        case BidScoring() as scoring:
            amount = (state.bid or 0) << doublings(state.rules, state.bombs + _bombs_left(state), True)
            ours = len(side_of(state, seat))
            most = amount * (max(ours, state.rules.players - ours) if scoring.pay_each_winner else 1)
            return -most, most
    # A guard who fouls may pay for all losers (H.28).
    return -(sum(costs) if state.rules.guard_pays else costs[seat]), sum(costs) - costs[seat]


def shown(state: State, value: int) -> int:
    """A value of the seat to act as a `Solution` gives it: a place from 1, or the bidder's payment where there are sides."""
    if counts_places(state.rules):
        return -value
    scoring = state.rules.scoring
    if not isinstance(scoring, BidScoring) or state.mover in state.partners:
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
    """No fewer than the bombs that can still be played: each is in one hand, and takes some of its cards."""
    scoring = state.rules.scoring
    if not (isinstance(scoring, BidScoring) and scoring.bombs_double):
        return 0
    most = 0
    for seat, hand in enumerate(state.hands):
        sizes = [len(combination.cards) for _, combination in state.fits(seat) if combination.power > 0]
        most += min(len(sizes), len(hand) // min(sizes)) if sizes else 0
    return most
