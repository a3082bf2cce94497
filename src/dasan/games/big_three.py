"""Big Three (Da San, Dig a Hole, Wa Keng) for three and for four players."""

from __future__ import annotations

from dataclasses import replace

from dasan.games.option import Option, Preset, switch
from dasan.ruleset.policies import Auction, BidScoring, Call, Direction, Ending, FirstDealer, NextDealer, OptionValue
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Run, Same

RANKS = "456789TJQKA23"
RUN_RANKS = "456789TJQK"
DIG_HOLDINGS = ("333", "3322")

SHAPES = (
    Same(kind="single", clause="B3.13", count=1),
    Same(kind="pair", clause="B3.13", count=2),
    Same(kind="triplet", clause="B3.13", count=3),
    Same(kind="quad", clause="B3.13", count=4),
    Run(kind="straight", clause="B3.14", copies=1, sequence=RUN_RANKS, shortest=3, longest=10),
    Run(kind="pair-run", clause="B3.14", copies=2, sequence=RUN_RANKS, shortest=3, longest=10),
    Run(kind="triplet-run", clause="B3.14", copies=3, sequence=RUN_RANKS, shortest=3, longest=6),
    Run(kind="quad-run", clause="B3.14", copies=4, sequence=RUN_RANKS, shortest=3, longest=5),
)

_CITES = {
    "pack": "B3.02",
    "combination": "B3.13",
    "beat": "B3.15",
    "pass": "B3.16",
    "bid": "B3.09",
    "opener": "B3.08",
    "auction": "B3.10",
    "open": "B3.07",
    "dig": "H.01",
    "end": "B3.18",
    "joker": "B3.02",
}


def _options(
    *, direction: str, first_dealer: str, cut: bool, may_return: bool, stake_chips: int, four: bool
) -> tuple[Option, ...]:
    either = ("counterclockwise", "clockwise")
    common = (
        Option("direction", direction, either, "B3.03", "Which way play goes round the table."),
        Option("first_dealer", first_dealer, ("draw", "random"), "B3.04", "How the first dealer is found."),
        switch("cut", cut, "B3.05", "The player on the dealer's left cuts the pack."),
        switch("passed_bidder_may_return", may_return, "B3.10", "Who passed in the auction may bid again."),
    )
    by_players = (
        (switch("pay_each_winner", False, "B4.06", "Each loser pays the bid to each winner."),)
        if four
        else (switch("reveal_kitty", False, "B3.11", "All players see the kitty when the bidder takes it."),)
    )
    return (
        *common,
        *by_players,
        Option("stake_chips", stake_chips, None, "B3.21", "Counters each player starts with.", maximum=1_000_000),
        switch("show_played", False, "B3.22", "Show the cards of earlier tricks."),
        switch("show_hands_after", True, "G.06", "Show the cards that are left when the hand is over."),
        switch("must_dig", False, "H.01", "Three 3s, or two 3s with two 2s, must bid 3."),
        switch("opener_may_pass", False, "H.02", "All may pass; then the opener plays at 1."),
    )


def _three(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    clauses = [f"B3.{n:02}" for n in range(1, 24)]
    clauses += ["H.01"] * bool(v["must_dig"]) + ["H.02"] * bool(v["opener_may_pass"])
    return Rules(
        name=name,
        settings=tuple(v.items()),
        players=3,
        direction=Direction(str(v["direction"])),
        decks=1,
        jokers=False,
        ranks=RANKS,
        suits="DCHS",
        suits_ranked=False,
        shapes=SHAPES,
        hand_size=16,
        first_dealer=FirstDealer(str(v["first_dealer"])),
        next_dealer=NextDealer.FIRST_OUT,
        ending=Ending.FIRST_OUT,
        scoring=BidScoring(pay_each_winner=True),
        clauses=(*clauses, *(f"G.{n:02}" for n in range(1, 7))),
        citations=tuple(_CITES.items()),
        cut=bool(v["cut"]),
        auction=Auction(
            passing_is_final=not v["passed_bidder_may_return"],
            opener_may_pass=bool(v["opener_may_pass"]),
            must_dig=DIG_HOLDINGS if v["must_dig"] else (),
        ),
        reveal_kitty=bool(v.get("reveal_kitty", False)),
        stake_chips=int(v["stake_chips"]),
        show_played=bool(v["show_played"]),
        show_hands_after=bool(v["show_hands_after"]),
    )


def _four(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    """For four players; everything that is not named here is as for three (B4.01)."""
    three = _three(name, v, chosen)
    not_in_four = {"B3.01", "B3.06", "B3.11", "B3.17", "B3.19", "B3.23"}
    clauses = [c for c in three.clauses if c not in not_in_four]
    return replace(
        three,
        players=4,
        hand_size=13,
        call=Call(ranks="456789T"),
        scoring=BidScoring(pay_each_winner=bool(v["pay_each_winner"])),
        clauses=(*(f"B4.{n:02}" for n in range(1, 8)), *clauses),
        citations=tuple({**_CITES, "auction": "B4.02", "call": "B4.03"}.items()),
    )


PRESETS = (
    Preset(
        "big-three",
        "Big Three",
        _options(
            direction="counterclockwise",
            first_dealer="draw",
            cut=True,
            may_return=True,
            stake_chips=0,
            four=False,
        ),
        _three,
        family="big-three",
        sample="4H 2S 3D 3S",
        summary="Wa Keng, “dig a hole”. Bid for four hidden cards, then one player runs from two. The 3 is high.",
    ),
    Preset(
        "big-three-denexa",
        "Big Three, Denexa's rules",
        _options(
            direction="clockwise",
            first_dealer="random",
            cut=False,
            may_return=False,
            stake_chips=0,
            four=False,
        ),
        _three,
        family="big-three",
        summary="Clockwise, and a player who passes is out of the auction. Counters on the table.",
    ),
    Preset(
        "big-three-fr",
        "Big Three, French rules",
        _options(
            direction="counterclockwise",
            first_dealer="random",
            cut=False,
            may_return=True,
            stake_chips=0,
            four=False,
        ),
        _three,
        family="big-three",
        summary="As played in France: no cut, the first dealer is drawn by lot.",
    ),
    Preset(
        "big-three-4p",
        "Big Three for four",
        _options(
            direction="counterclockwise",
            first_dealer="draw",
            cut=True,
            may_return=True,
            stake_chips=0,
            four=True,
        ),
        _four,
        family="big-three",
        sample="8C KC 2H 3H",
        summary="The bidder calls a card. Whoever holds it is a secret partner until it is played.",
    ),
)
