"""Backends for games without suits (Big Three): a hand is the count of each rank, in one word. Batched environments
and worlds, also on a GPU; and the solver for open hands, which honours fewer rules.
"""

from __future__ import annotations

from typing import Any

from dasan.backends.contract import (
    BY_BID,
    DESCRIBES,
    SHAPE,
    Backend,
    Condition,
    Honoured,
    Purpose,
    anything,
    between,
    kind_of,
    only,
    payable,
)
from dasan.ruleset.policies import Auction, BidScoring, Call, Ending, NextDealer
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Run, Same

COPIES = 4
"""Lanes of a hand word, one for each card of a rank."""
RUN_RANKS = 10
"""Runs use only this many ranks, counted from the lowest."""
SHORTEST = 3
LONGEST = {1: 10, 2: 10, 3: 6, 4: 6}
"""By copies: the longest run that has a bit."""
MOST_BIDS_AND_CALLS = 63
"""The most bids and callable cards: their bits share a word with that of the pass."""


def _holdings(holdings: Any, rules: Rules) -> str | None:
    known = all(set(held) <= set(rules.ranks) and max(map(held.count, held), default=0) <= COPIES for held in holdings)
    return None if known else f"at most {COPIES} cards of each rank of the pack"


def _callable(ranks: Any, rules: Rules) -> str | None:
    known = set(ranks) <= set(rules.ranks) and len(set(ranks)) == len(ranks)
    return None if known else "ranks of the pack, each once"


def _low_ranks(sequence: Any, rules: Rules) -> str | None:
    low = rules.ranks[:RUN_RANKS]
    return None if sequence in low else f"ranks of {low} that follow one another"


def _dealt_out(rules: Rules) -> str | None:
    """A condition: there is either a kitty or a called card, not both or neither, as the layout of observations
    assumes.
    """
    if (rules.call is None) == (rules.kitty_size == 0):
        return f"hand_size is {rules.hand_size}, which must leave a kitty where no card is called"
    return None


def _sayable(rules: Rules) -> str | None:
    top = 0 if rules.auction is None else rules.auction.top
    calls = 0 if rules.call is None else len(rules.suits) * len(rules.call.ranks)
    return (
        None
        if top + calls <= MOST_BIDS_AND_CALLS
        else f"auction.top is {top}, too many bids beside {calls} cards to call"
    )


def _one_bit_each(rules: Rules) -> str | None:
    """A condition: no two patterns have the same cards, or the same family and strength."""
    forms: list[tuple[str, int]] = []
    for shape in rules.shapes:
        match shape:
            case Run(copies=n):
                forms.append(("run", n))
            case Same(count=n):
                forms.append(("same", n))
    families = [shape.family or shape.kind for shape in rules.shapes]
    if len(set(forms)) < len(forms):
        return "shapes are two of the same form"
    if len(set(families)) < len(families):
        return "shapes are two of the same family"
    for i, shape in enumerate(rules.shapes):
        if isinstance(shape, Run):
            most = LONGEST[shape.copies]
            if min(shape.longest, rules.most_cards // shape.copies) > most:
                return f"shapes[{i}].longest is {shape.longest}, not at most {most}"
    return None


RULES: dict[str, Condition] = {
    **DESCRIBES,
    "players": between(3, 4),
    "decks": only(1),
    "jokers": only(False),
    "ranks": anything,
    "left_out": anything,
    "left_out_cards": anything,
    "suits": anything,
    "suits_ranked": only(False),
    "shapes": anything,
    "hand_size": kind_of(int),
    "next_dealer": only(NextDealer.FIRST_OUT),
    "ending": only(Ending.FIRST_OUT),
    "scoring": kind_of(BidScoring),
    "auction": kind_of(Auction),
    "call": anything,
    "reveal_kitty": anything,
}
HONOURS: Honoured = {
    Rules: RULES,
    BidScoring: BY_BID,
    Auction: {
        "top": between(1, 20),
        "suit": anything,
        "passing_is_final": anything,
        "opener_may_pass": anything,
        "must_dig": _holdings,
        "one_round": anything,
        "all_pass_is_void": anything,
        "passes_to_end": anything,
        "bidder_leads": anything,
    },
    Call: {"ranks": _callable},
    Same: {**SHAPE, "power": anything, "count": between(1, COPIES)},
    Run: {
        **SHAPE,
        "power": anything,
        "copies": between(1, COPIES),
        "sequence": _low_ranks,
        "shortest": between(SHORTEST, RUN_RANKS),
        "longest": between(SHORTEST, RUN_RANKS),
    },
}
TOGETHER = (_dealt_out, _sayable, _one_bit_each, payable)

RANKS = Backend(
    name="ranks",
    purposes=(Purpose.ENVIRONMENTS, Purpose.WORLDS),
    summary="compiled: a hand is how many cards of each rank",
    compiled=True,
    honours=HONOURS,
    together=TOGETHER,
)
GPU = Backend(
    name="ranks-gpu",
    purposes=(Purpose.GPU,),
    summary="ranks on a GPU, one thread an environment",
    compiled=True,
    honours=HONOURS,
    together=TOGETHER,
)


def _sides(rules: Rules) -> str | None:
    """A condition: the hands fit into the memory of the search."""
    sizes = {3: (16,), 4: (12, 13)}[rules.players]
    return None if rules.hand_size in sizes else f"hand_size is {rules.hand_size}, not {' or '.join(map(str, sizes))}"


def _whole_family(rules: Rules) -> str | None:
    """A condition: equal cards can be played together, and of each kind of run either all are played or none (H.18), as
    proofs without search assume.
    """
    sets = {s.count for s in rules.shapes if isinstance(s, Same)}
    runs = {s.copies: s.longest for s in rules.shapes if isinstance(s, Run)}
    wanted = {n: min(RUN_RANKS, rules.most_cards // n) for n in range(1, COPIES + 1)}
    if sets != set(wanted) or any(longest < wanted[copies] for copies, longest in runs.items()):
        return "shapes are not all sets of one to four equal cards and all runs of each kind"
    return None


OPEN_HANDS = Backend(
    name="open-hands",
    purposes=(Purpose.SOLVER,),
    summary="compiled proof-number search of two sides",
    compiled=True,
    honours={
        **HONOURS,
        Rules: {**RULES, "left_out": only(""), "left_out_cards": only("")},
        BidScoring: {**BY_BID, "bombs_double": only(False), "spring_doubles": only(False)},
        Same: {**HONOURS[Same], "power": only(0)},
        Run: {
            **HONOURS[Run],
            "power": only(0),
            "sequence": lambda value, rules: None if value == rules.ranks[:RUN_RANKS] else rules.ranks[:RUN_RANKS],
            "shortest": only(SHORTEST),
        },
    },
    together=(*TOGETHER, _sides, _whole_family),
)
