"""Duplicate matches: deals are replayed with the players in each other's seats, so that the luck of the cards
cancels.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from dasan.arguments import MOST_WORKERS, WrongType, instance, items, shown, whole
from dasan.bots import Bot, Maker, bot, maker
from dasan.bots.external.program import tell_end
from dasan.estimates import Estimate
from dasan.play.new_hand import deal
from dasan.play.result import Result
from dasan.processes import worker_processes
from dasan.ruleset.outcomes import payment_bounds
from dasan.ruleset.policies import Ending
from dasan.ruleset.rules import Rules


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's results per hand and seat. A deal is one sample, because its hands are not independent.

    payment: units a hand. wins: the share of hands that it or its side won. place: the mean finishing place, 1 the
    first out, in games that are played to the last.
    """

    payment: Estimate
    wins: Estimate
    place: Estimate | None


@dataclass(frozen=True, slots=True)
class Match:
    """A duplicate match: `deals` deals, each played in every rotation of `lineup`."""

    rules: Rules
    lineup: tuple[str, ...]
    deals: int
    hands: int
    standings: dict[str, Standing]


def play_hand(rules: Rules, bots: Sequence[Bot], *, seed: int, dealer: int) -> Result:
    """The result of one hand from the shuffle, `bots` in seats 0, 1 … A note on a bot's error says which hand it was."""
    state = deal(rules, seed=seed, dealer=dealer)
    while (seat := state.to_act) is not None:
        try:
            state = state.play(bots[seat].choose(state.view(seat)))
        except Exception as error:
            name = getattr(bots[seat], "name", type(bots[seat]).__name__)
            error.add_note(f"at a move of {name} in seat {seat}: {rules.name}, seed {seed}, dealer {dealer}")
            raise
    tell_end(state, bots)
    result = state.result
    if result is None:
        raise AssertionError("a hand without a seat to act is over")
    return result


def rotations(lineup: Sequence[str]) -> list[tuple[str, ...]]:
    """The distinct rotations of `lineup`, by 0, 1 … seats."""
    return list(dict.fromkeys(tuple(lineup[i:]) + tuple(lineup[:i]) for i in range(len(lineup))))


def duplicate(
    rules: Rules,
    lineup: Iterable[str],
    *,
    deals: int,
    seed: int = 0,
    processes: int = 1,
    makers: dict[str, Maker] | None = None,
) -> Match:
    """Play `deals` deals, each in every rotation of `lineup`, which names a bot for every seat.

    The dealer rotates from deal to deal. seed: deals seed, seed + 1 … are played. makers: bots by name, in addition to
    those of `dasan.bot`; with several `processes` they must be picklable, as functions of a module are and lambdas are not.
    The result does not depend on `processes`. ValueError: the line-up has the wrong length.

    >>> import dasan
    >>> match = duplicate(dasan.rules("big-two"), ["greedy", "random", "random", "random"], deals=3)
    >>> match.hands, match.standings["greedy"].payment.mean > 0
    (12, True)
    """
    instance(rules, Rules, "a match takes rules, such as those from dasan.rules")
    names = items(lineup, "a line-up is a list of names")
    if isinstance(lineup, str) or not all(isinstance(name, str) for name in names):
        raise WrongType(f"a line-up is a list of names (makers has your own bots by name), not {shown(lineup)}")
    deals, seed = whole(deals, "deals", 1), whole(seed, "a seed")
    processes = whole(processes, "processes", 1, MOST_WORKERS)
    if makers is not None and not isinstance(makers, dict):
        raise WrongType(f"makers are a dictionary of bots by name, not {shown(makers)}")
    for make in (makers or {}).values():
        maker(make)
    if processes > 1:
        _check_picklable(makers)
    if len(names) != rules.players:
        raise ValueError(f"{rules.name} takes {rules.players} bots, not {len(names)}")
    one = partial(_one_deal, rules, names, makers or {})
    seeds = range(seed, seed + deals)
    if processes > 1:
        with worker_processes(processes) as pool:
            outcomes = list(pool.map(one, seeds, chunksize=max(1, min(50, deals // processes))))
    else:
        outcomes = [one(s) for s in seeds]
    standings = {}
    for name in dict.fromkeys(names):
        by_deal = [outcome[name] for outcome in outcomes]
        places = [o.place for o in by_deal if o.place is not None]
        standings[name] = Standing(
            Estimate.of([o.payment for o in by_deal], payment_bounds(rules)),
            Estimate.of([o.wins for o in by_deal if o.wins is not None] or [0.0], (0, 1)),
            Estimate.of(places, (1, rules.players)) if places else None,
        )
    return Match(rules, names, deals, deals * len(rotations(names)), standings)


def _check_picklable(makers: dict[str, Maker] | None) -> None:
    """TypeError: other processes cannot receive these functions."""
    try:
        pickle.dumps(makers)
    except Exception as error:  # of several kinds
        raise WrongType(
            "makers go to other processes: they must be picklable, as functions of a module are and lambdas are not"
        ) from error


@dataclass(frozen=True, slots=True)
class _Mean:
    """A bot's means over all its seats in all rotations of one deal. wins: over the hands that were not void (H.12);
    None if all were.
    """

    payment: float
    wins: float | None
    place: float | None


def _one_deal(rules: Rules, lineup: tuple[str, ...], makers: dict[str, Maker], seed: int) -> dict[str, _Mean]:
    payments: dict[str, list[float]] = {name: [] for name in lineup}
    wins: dict[str, list[float]] = {name: [] for name in lineup}
    places: dict[str, list[float]] = {name: [] for name in lineup}
    for sitting in rotations(lineup):
        bots = [
            makers[name](seat) if name in makers else bot(name, seed=seat, rules=rules)
            for seat, name in enumerate(sitting)
        ]
        result = play_hand(rules, bots, seed=seed, dealer=seed % rules.players)
        for seat, name in enumerate(sitting):
            payments[name].append(result.payments[seat])
            if result.winners:
                wins[name].append(seat in result.winners)
            if rules.ending is Ending.LAST_IN:
                places[name].append(1 + result.finish_order.index(seat))
    return {
        name: _Mean(
            fmean(payments[name]),
            fmean(wins[name]) if wins[name] else None,
            fmean(places[name]) if places[name] else None,
        )
        for name in payments
    }
