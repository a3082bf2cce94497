"""Values in games without sides: payments, or places negated, so that more is better."""

from __future__ import annotations

from dasan.play.state import State
from dasan.ruleset.policies import CardScoring, Ending, FixedScoring


def score(state: State, seat: int) -> int | None:
    """A seat's value of a hand that is over, or in which the seat has finished; None if it is still open."""
    places = state.rules.ending is Ending.LAST_IN
    if places and seat in state.finished:
        return -(state.finished.index(seat) + 1)
    if state.result is None:
        return None
    if places:
        return -(state.result.finish_order.index(seat) + 1)
    return state.result.payments[seat]


def bounds(state: State, seat: int) -> tuple[int, int]:
    """The least and the greatest value that `seat` can still reach. ValueError: the game has sides."""
    done = score(state, seat)
    if done is not None:
        return done, done
    if state.rules.ending is Ending.LAST_IN:
        return -state.rules.players, -(len(state.finished) + 1)
    match state.rules.scoring:
        case FixedScoring(stake=stake):
            return -stake, stake * (state.rules.players - 1)
        case CardScoring() as scoring:
            costs = [_most(scoring, len(hand), s in state.has_played) for s, hand in enumerate(state.hands)]
            return -costs[seat], sum(costs) - costs[seat]
        case _:
            raise ValueError("this game has sides")


def _most(scoring: CardScoring, held: int, has_played: bool) -> int:
    """The most that a loser who now holds `held` cards can still pay."""
    unplayed = 0 if has_played else scoring.cost(held, False)
    return max(unplayed, *(scoring.cost(n, True) for n in range(held + 1)))
