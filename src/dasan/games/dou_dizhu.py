"""Dou Dizhu (Fight the Landlord) for three players."""

from __future__ import annotations

from dasan.games.option import Option, Preset, switch
from dasan.ruleset.policies import (
    Auction,
    BidScoring,
    Direction,
    Ending,
    FirstDealer,
    NextDealer,
    Opener,
    OptionValue,
)
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AllJokers, AnyShape, Kickers, Run, Same
from dasan.ruleset.validation import MOST_DOUBLINGS

RANKS = "3456789TJQKA2"
RUN_RANKS = "3456789TJQKA"

_CITES = {
    "pack": "DD.01",
    "combination": "DD.04",
    "joker": "DD.04",
    "beat": "DD.06",
    "pass": "DD.07",
    "end": "DD.07",
    "bid": "DD.02",
    "opener": "DD.02",
    "auction": "DD.02",
}


def _shapes(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    """Bombs have power 1, the rocket 2 (DD.06). Triplets are listed after plays with kickers: cards that are both are a run."""

    def run(kind: str, copies: int, shortest: int) -> Run:
        longest = min(len(RUN_RANKS), 20 // copies)
        return Run(kind=kind, clause="DD.04", copies=copies, sequence=RUN_RANKS, shortest=shortest, longest=longest)

    def kickers(kind: str, copies: int, side: int, *, run: bool = False) -> Kickers:
        return Kickers(
            kind=kind,
            clause="DD.05",
            copies=copies,
            sequence=RUN_RANKS if run else RANKS,
            shortest=2 if run else 1,
            longest=20 // (copies + side) if run else 1,
            side=side,
            sides=2 if copies == 4 else 1,
            distinct=v["kickers"] == "distinct",
            joker_pair=bool(v["joker_kickers"]),
        )

    return (
        Same(kind="single", clause="DD.04", count=1),
        Same(kind="pair", clause="DD.04", count=2),
        kickers("triplet-with-single", 3, 1),
        kickers("triplet-with-pair", 3, 2),
        kickers("plane-with-singles", 3, 1, run=True),
        kickers("plane-with-pairs", 3, 2, run=True),
        kickers("four-with-singles", 4, 1),
        kickers("four-with-pairs", 4, 2),
        Same(kind="triplet", clause="DD.04", count=3),
        run("straight", 1, 5),
        run("pair-run", 2, 3),
        run("triplet-run", 3, 2),
        Same(kind="bomb", clause="DD.06", power=1, count=4),
        AllJokers(kind="rocket", clause="DD.06", power=2, count=2),
    )


def _build(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    clauses = [f"DD.{n:02}" for n in range(1, 10)]
    if v["spring"]:
        clauses.append("H.16")
    return Rules(
        name=name,
        settings=tuple(v.items()),
        players=3,
        direction=Direction.COUNTERCLOCKWISE,
        decks=1,
        jokers=True,
        ranks=RANKS,
        suits="DCHS",
        suits_ranked=False,
        shapes=_shapes(v),
        hand_size=17,
        first_dealer=FirstDealer.RANDOM,
        next_dealer=NextDealer.FIRST_OUT,
        ending=Ending.FIRST_OUT,
        scoring=BidScoring(
            pay_each_winner=True,
            bombs_double=True,
            spring_doubles=bool(v["spring"]),
            most_doublings=int(v["doubling_cap"]),
        ),
        clauses=(*clauses, "H.12", "H.15", *(f"G.{n:02}" for n in range(1, 7))),
        citations=tuple(_CITES.items()),
        auction=Auction(
            opener=Opener.RANDOM,
            one_round=True,
            opener_may_pass=True,
            all_pass_is_void=True,
            bidder_leads=True,
        ),
        reveal_kitty=True,
        stake_chips=int(v["stake_chips"]),
        show_played=bool(v["show_played"]),
        show_hands_after=bool(v["show_hands_after"]),
    )


PRESETS = (
    Preset(
        "dou-dizhu",
        "Dou Dizhu",
        (
            Option("kickers", "any", ("any", "distinct"), "DD.05", "Whether single-card kickers may share a rank."),
            switch("joker_kickers", False, "DD.05", "Both jokers may be kickers of one play."),
            switch("spring", True, "H.16", "Double payment if the losing side has hardly played."),
            Option(
                "doubling_cap",
                0,
                None,
                "H.15",
                "The most doublings in a hand; 0 for no limit.",
                maximum=MOST_DOUBLINGS,
            ),
            Option("stake_chips", 0, None, "B3.21", "Counters each player starts with.", maximum=1_000_000),
            switch("show_played", True, "B3.22", "Show the cards of earlier tricks."),
            switch("show_hands_after", True, "G.06", "Show the remaining cards when the hand is over."),
        ),
        _build,
        family="dou-dizhu",
        sample="3D 2S BJ RJ",
        summary="Fight the landlord: bid for three cards and play alone against two. Bombs and the rocket double the stake.",
    ),
)
