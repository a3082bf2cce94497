"""Big Three (Da San, Dig a Hole, Wa Keng) for three and for four players."""

from __future__ import annotations

from dataclasses import replace

from dasan.games.option import Need, Option, Preset, switch, with_defaults
from dasan.ruleset.policies import Auction, BidScoring, Call, Direction, Ending, FirstDealer, NextDealer, OptionValue
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Run, Same
from dasan.ruleset.validation import MOST_DOUBLINGS

RANKS = "456789TJQKA23"
RUN_RANKS = "456789TJQK"
DIG_HOLDINGS = ("333", "3322")
MOST_CARDS = 20
"""The most cards in a hand, those of the bidder with the kitty."""

PACKS = {"52": ("", ""), "46": ("A", "2C 3C")}
"""By the size of the pack: the ranks and the single cards that are left out (H.19)."""
_RUNS = ("straight", "pair-run", "triplet-run", "quad-run")
"""Kinds of runs, by the number of cards of each rank."""


def _runs(v: dict[str, OptionValue]) -> tuple[Run, ...]:
    """Runs of single cards, pairs, triplets and quads."""
    ranks, clause = (RUN_RANKS + "A", "H.17") if v["runs_to"] == "ace" else (RUN_RANKS, "B3.14")
    return tuple(
        Run(
            kind=kind,
            clause=clause,
            copies=n,
            sequence=ranks,
            shortest=3,
            longest=min(len(ranks), MOST_CARDS // n),
        )
        for n, kind in enumerate(_RUNS, 1)
    )


def _shapes(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    quad = (
        Same(kind="quad", clause="H.14", count=4, power=1) if v["bombs"] else Same(kind="quad", clause="B3.13", count=4)
    )
    return (
        Same(kind="single", clause="B3.13", count=1),
        Same(kind="pair", clause="B3.13", count=2),
        Same(kind="triplet", clause="B3.13", count=3),
        quad,
        *_runs(v)[: _played_runs(v)],
    )


def _excluded(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    """The runs that H.18 takes out."""
    return tuple(replace(run, clause="H.18") for run in _runs(v)[_played_runs(v) :])


def _played_runs(v: dict[str, OptionValue]) -> int:
    """How many of the four kinds of runs are played."""
    return 2 if v["runs"] == "singles-and-pairs" else 4


_ONLINE: dict[str, OptionValue] = {
    "first_dealer": "random",
    "cut": False,
    "opener_may_pass": True,
    "auction_rounds": "once",
    "runs": "singles-and-pairs",
}
"""The options of common online rooms (H.20)."""
_CITES = {
    "pack": "B3.02",
    "combination": "B3.13",
    "beat": "B3.15",
    "pass": "B3.16",
    "bid": "B3.09",
    "opener": "B3.08",
    "auction": "B3.10",
    "dig": "H.01",
    "end": "B3.18",
}


def _options(four: bool, **usual: OptionValue) -> tuple[Option, ...]:
    """The options. usual: this preset's defaults where they differ."""
    kitty = not four or bool(usual.pop("kitty", False))
    listed = (
        Option(
            "direction",
            "counterclockwise",
            ("counterclockwise", "clockwise"),
            "B3.03",
            "Which way play goes round the table.",
        ),
        Option("first_dealer", "draw", ("draw", "random"), "B3.04", "How the first dealer is chosen."),
        switch("cut", True, "B3.05", "The player on the dealer's left cuts the pack."),
        switch("passed_bidder_may_return", True, "B3.10", "A player who passed in the auction may bid again."),
        *[switch("pay_each_winner", False, "B4.06", "Each loser pays the bid to each winner.")] * (not kitty),
        *[switch("reveal_kitty", False, "B3.11", "All players see the kitty when the bidder takes it.")] * kitty,
        Option("stake_chips", 0, None, "B3.21", "Counters each player starts with.", maximum=1_000_000),
        switch("show_played", False, "B3.22", "Show the cards of earlier tricks."),
        switch("show_hands_after", True, "G.06", "Show the remaining cards when the hand is over."),
        switch("must_dig", False, "H.01", "Three 3s, or two 3s with two 2s, force the highest bid."),
        switch("opener_may_pass", False, "H.02", "The opener may pass instead of bidding."),
        Option(
            "auction_rounds", "until-passed", ("until-passed", "once"), "H.11", "How often each player may bid or pass."
        ),
        Option("all_pass", "opener", ("opener", "redeal"), "H.12", "What happens if nobody bids."),
        switch("bidder_leads", False, "H.13", "The bidder leads the first trick, not the opener."),
        switch("bombs", False, "H.14", "Bombs may be played on any lower play."),
        switch("bomb_doubles", False, "H.15", "Every bomb doubles the payment."),
        Option("doubling_cap", 0, None, "H.15", "The most doublings in a hand; 0 for no limit.", maximum=MOST_DOUBLINGS),
        switch("spring", False, "H.16", "Double payment if the losing side has hardly played."),
        Option("runs_to", "king", ("king", "ace"), "H.17", "The highest card of a run."),
        Option("runs", "all", ("all", "singles-and-pairs"), "H.18", "Which runs are allowed."),
        *[Option("pack", "52", tuple(PACKS), "H.19", "Number of cards in the pack.")] * (not four),
        *[Option("auction_ends_after", 3, (3, 2), "H.43", "Passes in a row that end the auction.")] * four,
    )
    return with_defaults(listed, usual, _NEEDS)


_NEEDS = (
    Need("all_pass", ("redeal",), "opener_may_pass", (True,), "opener", "H.12"),
    Need("bomb_doubles", (True,), "bombs", (True,), False, "H.15"),
    Need("runs_to", ("ace",), "pack", ("52",), "king", "H.17, H.19"),
    Need("auction_ends_after", (2,), "auction_rounds", ("until-passed",), 3, "H.11, H.43"),
)


def _house_clauses(v: dict[str, OptionValue]) -> tuple[str, ...]:
    """The house rules in force."""
    house = {
        "H.01": v["must_dig"],
        "H.02": v["opener_may_pass"],
        "H.11": v["auction_rounds"] == "once",
        "H.12": v["all_pass"] == "redeal",
        "H.13": v["bidder_leads"],
        "H.14": v["bombs"],
        "H.15": v["bomb_doubles"] or (v["spring"] and v["doubling_cap"]),
        "H.16": v["spring"],
        "H.17": v["runs_to"] == "ace",
        "H.18": v["runs"] != "all",
        "H.19": v.get("pack") == "46",
        "H.43": v.get("auction_ends_after") == 2,
    }
    return tuple(clause for clause, on in house.items() if on)


def _citations(v: dict[str, OptionValue], **other: str) -> tuple[tuple[str, str], ...]:
    house = {"beat quad": "H.14"} if v["bombs"] else {}
    if v["auction_rounds"] == "once":
        house |= {"auction": "H.11"}
    elif v.get("auction_ends_after") == 2:
        house |= {"auction": "H.43"}
    if v.get("pack") == "46":
        house |= {"pack": "H.19"}
    return tuple({**_CITES, **other, **house}.items())


def _three(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    ranks, cards = PACKS[str(v.get("pack", "52"))]
    clauses = (*(f"B3.{n:02}" for n in range(1, 24)), *_house_clauses(v))
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
        shapes=_shapes(v),
        excluded=_excluded(v),
        hand_size=14 if cards else 16,
        first_dealer=FirstDealer(str(v["first_dealer"])),
        next_dealer=NextDealer.FIRST_OUT,
        ending=Ending.FIRST_OUT,
        scoring=BidScoring(
            pay_each_winner=True,
            bombs_double=bool(v["bomb_doubles"]),
            spring_doubles=bool(v["spring"]),
            most_doublings=int(v["doubling_cap"]),
        ),
        clauses=(*clauses, *(f"G.{n:02}" for n in range(1, 7))),
        citations=_citations(v),
        cut=bool(v["cut"]),
        auction=Auction(
            passing_is_final=not v["passed_bidder_may_return"],
            opener_may_pass=bool(v["opener_may_pass"]),
            must_dig=DIG_HOLDINGS if v["must_dig"] else (),
            one_round=v["auction_rounds"] == "once",
            all_pass_is_void=v["all_pass"] == "redeal",
            passes_to_end=2 if v.get("auction_ends_after") == 2 else 0,
            bidder_leads=bool(v["bidder_leads"]),
        ),
        reveal_kitty=bool(v.get("reveal_kitty", False)),
        stake_chips=int(v["stake_chips"]),
        show_played=bool(v["show_played"]),
        show_hands_after=bool(v["show_hands_after"]),
        left_out=ranks,
        left_out_cards=cards,
    )


_NOT_IN_FOUR = {"B3.01", "B3.06", "B3.17", "B3.19", "B3.23"}


def _wa_keng(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    three = _three(name, v, chosen)
    return replace(three, clauses=("H.20", *three.clauses))


def _four(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    """For four players; everything else is as for three (B4.01)."""
    three = _three(name, v, chosen)
    assert isinstance(three.scoring, BidScoring)
    clauses = [c for c in three.clauses if c not in _NOT_IN_FOUR | {"B3.11"}]
    return replace(
        three,
        players=4,
        hand_size=13,
        call=Call(ranks="456789T"),
        scoring=replace(three.scoring, pay_each_winner=bool(v["pay_each_winner"])),
        clauses=(*(f"B4.{n:02}" for n in range(1, 8)), *clauses),
        citations=_citations(v, auction="B4.02", call="B4.03"),
    )


def _four_against_one(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    """For four players; the bidder plays alone (H.21)."""
    three = _three(name, v, chosen)
    assert three.auction is not None
    return replace(
        three,
        players=4,
        hand_size=12,
        auction=replace(three.auction, top=4),
        clauses=("H.21", "H.20", "B4.05", *(c for c in three.clauses if c not in _NOT_IN_FOUR)),
        citations=_citations(v, bids="H.21"),
    )


PRESETS = (
    Preset(
        "big-three",
        "Big Three",
        _options(four=False),
        _three,
        family="big-three",
        sample="4H 2S 3D 3S",
        summary="Wa Keng, “dig a hole”. Bid for four hidden cards and play alone against two. The 3 is high.",
    ),
    Preset(
        "big-three-denexa",
        "Big Three, Denexa's rules",
        _options(four=False, direction="clockwise", first_dealer="random", cut=False, passed_bidder_may_return=False),
        _three,
        family="big-three",
        summary="Clockwise, and a player who passes is out of the auction. Counters on the table.",
    ),
    Preset(
        "big-three-fr",
        "Big Three, French rules",
        _options(four=False, first_dealer="random", cut=False),
        _three,
        family="big-three",
        summary="As played in France: no cut, the first dealer is drawn by lot.",
    ),
    Preset(
        "big-three-4p",
        "Big Three for four",
        _options(four=True),
        _four,
        family="big-three",
        sample="8C KC 2H 3H",
        summary="The bidder calls a card. Whoever holds it is a secret partner until it is played.",
    ),
    Preset(
        "wa-keng",
        "Wa Keng",
        _options(four=False, **_ONLINE),
        _wa_keng,
        family="big-three",
        sample="4H 3D 3H 3S",
        summary="Dig a Hole as online rooms in China play it: one round of bids, and runs of singles and pairs only.",
    ),
    Preset(
        "wa-keng-4",
        "Wa Keng for four",
        _options(four=True, kitty=True, reveal_kitty=True, **_ONLINE),
        _four_against_one,
        family="big-three",
        sample="4H 4D 4C 4S",
        summary="One against three: bids go up to 4, and everybody sees the four cards the bidder digs up.",
    ),
)
