"""Big Two (Da Lao Er) for four players."""

from __future__ import annotations

from dasan.games.option import Option, Preset, switch
from dasan.ruleset.policies import (
    CardScoring,
    Direction,
    Ending,
    FirstDealer,
    FixedScoring,
    Guard,
    LaterLead,
    NextDealer,
    OpeningLead,
    OptionValue,
)
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Flush, Groups, Run, Same

RANKS = "3456789TJQKA2"

_CITES = {
    "pack": "D2.01",
    "combination": "D2.03",
    "beat": "D2.12",
    "pass": "D2.12",
    "passed": "D2.12",
    "opening": "D2.11",
    "guard": "D2.16",
    "end": "D2.14",
    "joker": "D2.01",
    "suits": "D2.02",
    "beat single": "D2.02",
    "beat pair": "D2.04",
    "beat triplet": "D2.03",
    "beat two-pair": "H.08",
    "beat quad": "H.07",
    "classes of 4": "H.08",
    "classes of 5": "D2.05",
    "beat flush": "D2.08",
    "beat full-house": "D2.09",
    "beat four-plus-one": "D2.09",
    "beat straight-flush": "D2.10",
}
_STRAIGHTS = {
    "ace-low-or-high": ("A23456789TJQKA", ""),
    "hong-kong": ("3456789TJQKA2", ""),
    "taiwan": ("A23456789TJQKA", "23456"),
    "no-twos": ("3456789TJQKA", ""),
}
_STRAIGHT_CLAUSE = {"hong-kong": "H.03", "taiwan": "H.04", "no-twos": "H.05"}
_SCORING: dict[str, FixedScoring | CardScoring] = {
    "wins": FixedScoring(stake=1),
    "cards": CardScoring(),
    "cards-multiplied": CardScoring(tiers=((10, 2), (13, 3))),
}


def _shapes(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    """Low to high: of two plays of one size, a later kind beats every earlier one (D2.05)."""
    choice = str(v["straights"])
    ranks, crown = _STRAIGHTS[choice]
    clause = _STRAIGHT_CLAUSE.get(choice, "D2.06")

    def straight(kind: str, tier: int, *, flush: bool) -> Run:
        return Run(
            kind=kind,
            clause="D2.10" if flush else clause,
            family="cards",
            tier=tier,
            copies=1,
            sequence=ranks,
            shortest=5,
            longest=5,
            tie="last",
            crown=crown,
            flush=flush,
            plain=not flush,
        )

    return (
        Same(kind="single", clause="D2.03", family="cards", count=1, by_suit=True),
        Same(kind="pair", clause="D2.04", family="cards", count=2, by_suit=True),
        *[Same(kind="triplet", clause="D2.03", family="cards", count=3)] * bool(v["triples"]),
        *[Groups(kind="two-pair", clause="H.08", family="cards", main=2, side=2, by_suit=True)] * bool(v["two_pairs"]),
        *[Same(kind="quad", clause="H.07", family="cards", tier=1, count=4)] * bool(v["fours"]),
        straight("straight", 0, flush=False),
        Flush(
            kind="flush",
            clause="D2.08",
            family="cards",
            tier=1,
            size=5,
            suit_first=v["flush_order"] == "suit",
        ),
        Groups(kind="full-house", clause="D2.09", family="cards", tier=2, main=3, side=2),
        *[Groups(kind="four-plus-one", clause="D2.09", family="cards", tier=3, main=4, side=1)]
        * bool(v["four_plus_one"]),
        straight("straight-flush", 4, flush=True),
    )


def _clauses(v: dict[str, OptionValue]) -> tuple[str, ...]:
    guard = Guard(str(v["guard"]))
    ids = [f"D2.{n:02}" for n in range(1, 20)]
    off = {"D2.16", "D2.17"} if guard is Guard.OFF else {"D2.17"} if guard is Guard.ENFORCED else set()
    house = {
        _STRAIGHT_CLAUSE.get(str(v["straights"]), ""): True,
        "H.06": v["suit_order"] == "clubs-low",
        "H.07": v["fours"],
        "H.08": v["two_pairs"],
        "H.09": not v["four_plus_one"],
    }
    ids = [i for i in ids if i not in off] + [i for i, on in house.items() if i and on]
    return (*ids, *(f"G.{n:02}" for n in range(1, 7)))


def _build(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    suits = "CDHS" if v["suit_order"] == "clubs-low" else "DCHS"
    winner_leads = v["later_lead"] == "winner"
    return Rules(
        name=name,
        settings=tuple(v.items()),
        players=4,
        direction=Direction.COUNTERCLOCKWISE,
        decks=1,
        jokers=False,
        ranks=RANKS,
        suits=suits,
        suits_ranked=True,
        shapes=_shapes(v),
        hand_size=13,
        first_dealer=FirstDealer.RANDOM,
        next_dealer=NextDealer.FIRST_OUT,
        ending=Ending.FIRST_OUT,
        scoring=_SCORING[str(v["scoring"])],
        clauses=_clauses(v),
        citations=(*_CITES.items(), ("beat straight", _STRAIGHT_CLAUSE.get(str(v["straights"]), "D2.07"))),
        opening=OpeningLead(card="3" + suits[0], in_the_lead=True),
        later_lead=LaterLead.WINNER if winner_leads else LaterLead.OPENING,
        pass_is_final=bool(v["pass_is_final"]),
        guard=Guard(str(v["guard"])),
        announce_last_card=True,
        show_hands_after=bool(v["show_hands_after"]),
    )


PRESETS = (
    Preset(
        "big-two",
        "Big Two",
        (
            switch("triples", False, "D2.03", "Three of a kind is a three-card play."),
            Option("flush_order", "rank", ("rank", "suit"), "D2.08", "What decides between flushes first."),
            switch("pass_is_final", False, "D2.12", "Who passes is out of the round."),
            Option("guard", "foul", ("foul", "enforced", "off"), "D2.17", "Guarding a player on the last card."),
            Option(
                "later_lead",
                "three-of-diamonds",
                ("three-of-diamonds", "winner"),
                "D2.18",
                "Who leads the hands after the first.",
            ),
            Option("scoring", "wins", tuple(_SCORING), "D2.19", "How a hand is paid."),
            switch("show_hands_after", True, "G.06", "Show the cards that are left when the hand is over."),
            Option("straights", "ace-low-or-high", tuple(_STRAIGHTS), "D2.06", "Which straights there are."),
            Option("suit_order", "diamonds-low", ("diamonds-low", "clubs-low"), "H.06", "The lowest suit."),
            switch("fours", False, "H.07", "Four of a kind is a four-card play."),
            switch("two_pairs", False, "H.08", "Two pairs are a four-card play."),
            switch("four_plus_one", True, "H.09", "Four of a kind with a fifth card is a five-card hand."),
        ),
        _build,
        family="big-two",
        sample="TS JS QS KS AS 2S",
        summary="Thirteen cards, poker hands of five, and the 2 of spades above them all.",
    ),
)
