"""Big Two (Da Lao Er) for two to four players."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

from dasan.games.option import Need, Option, Preset, switch, with_defaults
from dasan.ruleset.policies import (
    CardScoring,
    Direction,
    Ending,
    FirstDealer,
    FixedScoring,
    Guard,
    LaterLead,
    Leftover,
    NextDealer,
    OpeningLead,
    OptionValue,
)
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Flush, Groups, Run, Same

RANKS = "3456789TJQKA2"


class Place(TypedDict, total=False):
    """How a kind of five cards is ranked: fields of a shape."""

    family: str
    tier: int
    power: int
    also_beats: tuple[tuple[str, str], ...]


_CITES = {
    "pack": "D2.01",
    "combination": "D2.03",
    "beat": "D2.12",
    "pass": "D2.12",
    "opening": "D2.11",
    "guard": "D2.16",
    "end": "D2.14",
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
    "beat straight": "D2.07",
}
_STRAIGHTS = {
    "ace-low-or-high": ("A23456789TJQKA", ""),
    "hong-kong": ("3456789TJQKA2", ""),
    "taiwan": ("A23456789TJQKA", "23456"),
    "no-twos": ("3456789TJQKA", ""),
}
_BY_SUIT = ("single", "pair", "two-pair", "straight", "flush", "straight-flush")
"""The kinds whose ties suits break."""
_STRAIGHT_CLAUSE = {"hong-kong": "H.03", "taiwan": "H.04", "no-twos": "H.05"}
_SCORING: dict[str, FixedScoring | CardScoring] = {
    "wins": FixedScoring(stake=1),
    "cards": CardScoring(),
    "cards-multiplied": CardScoring(tiers=((10, 2), (13, 3))),
    "cards-hong-kong": CardScoring(tiers=((8, 2), (10, 3), (13, 4))),
}
_SUITS = {"diamonds-low": "DCHS", "clubs-low": "CDHS", "philippine": "CSHD"}
_SUIT_CLAUSE = {"clubs-low": "H.06", "philippine": "H.25"}
_HAND_SIZE = {2: 13, 3: 17, 4: 13}
_LEFTOVER = {2: Leftover.NOBODY, 3: Leftover.LOWEST, 4: Leftover.BIDDER}
"""By the number of players: who takes the cards left after the deal (H.27)."""


def _shapes(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    """Low to high: of two plays of one size, a later kind beats every earlier one (D2.05)."""
    choice = str(v["straights"])
    ranks, crown = _STRAIGHTS[choice]
    clause = _STRAIGHT_CLAUSE.get(choice, "D2.06")
    own_kind, bombs = v["five_card_order"] == "own-kind", bool(v["bombs"])

    def place(kind: str, tier: int, lower: tuple[str, ...] = (), power: int = 0) -> Place:
        """How a hand of five cards is ranked (D2.05, H.23, H.24). lower: the kinds below it that are played."""
        if bombs and power:
            return {"tier": tier, "power": power}
        if own_kind:
            return {"family": kind, "also_beats": tuple((other, "") for other in lower)}
        return {"family": "cards", "tier": tier}

    plain = ("straight", *["flush"] * bool(v["flushes"]), "full-house")
    fours = ("four-plus-one",) if v["four_plus_one"] else ()

    def straight(kind: str, ranked: Place, *, flush: bool) -> Run:
        return Run(
            kind=kind,
            clause="D2.10" if flush else clause,
            **ranked,
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
        straight("straight", place("straight", 0), flush=False),
        *[
            Flush(
                kind="flush",
                clause="D2.08",
                **place("flush", 1),
                size=5,
                suit_first=v["flush_order"] == "suit",
            )
        ]
        * bool(v["flushes"]),
        Groups(kind="full-house", clause="D2.09", **place("full-house", 2), main=3, side=2),
        *[Groups(kind="four-plus-one", clause="D2.09", **place("four-plus-one", 3, plain, 1), main=4, side=1)]
        * bool(v["four_plus_one"]),
        straight("straight-flush", place("straight-flush", 4, (*plain, *fours), 2), flush=True),
    )


def _clauses(v: dict[str, OptionValue]) -> tuple[str, ...]:
    guard = Guard(str(v["guard"]))
    ids = [f"D2.{n:02}" for n in range(1, 20)]
    off = {"D2.16", "D2.17"} if guard is Guard.OFF else {"D2.17"} if guard is Guard.ENFORCED else set()
    house = {
        _STRAIGHT_CLAUSE.get(str(v["straights"]), ""): True,
        _SUIT_CLAUSE.get(str(v["suit_order"]), ""): True,
        "H.22": not v["flushes"],
        "H.23": v["five_card_order"] == "own-kind",
        "H.24": v["bombs"],
        "H.26": v["opening_lead"] == "any",
        "H.27": v["players"] != 4,
        "H.28": v["guard_pays"],
        "H.29": v["unplayed_twos"] == "double",
        "H.30": v["scoring"] == "cards-hong-kong",
        "H.31": v["dragon"],
        "H.32": v["ending"] == "last-in",
        "H.07": v["fours"],
        "H.08": v["two_pairs"],
        "H.09": not v["four_plus_one"],
    }
    house_ids = sorted(i for i, on in house.items() if i and on)
    return (*(i for i in ids if i not in off), *house_ids, *(f"G.{n:02}" for n in range(1, 7)))


def _citations(v: dict[str, OptionValue]) -> tuple[tuple[str, str], ...]:
    cites = dict(_CITES)
    straights = _STRAIGHT_CLAUSE.get(str(v["straights"]))
    if straights is not None:
        cites |= {"beat straight": straights, "beat straight-flush": straights}
    order = _SUIT_CLAUSE.get(str(v["suit_order"]))
    if order is not None:
        cites |= {"suits": order, **{f"tie {kind}": order for kind in _BY_SUIT}}
    if v["bombs"]:
        cites["bombs"] = "H.24"
    if v["five_card_order"] == "own-kind":
        cites["kinds of 5"] = "H.23"
    if v["players"] != 4:
        cites["opening"] = "H.27"
    if v["ending"] == "last-in":
        cites["end"] = "H.32"
    return tuple(cites.items())


def _scoring(v: dict[str, OptionValue]) -> FixedScoring | CardScoring:
    scoring = _SCORING[str(v["scoring"])]
    if isinstance(scoring, FixedScoring):
        return scoring
    highest = max((times for _, times in scoring.tiers), default=0) if v["players"] == 3 else 0
    return replace(scoring, unplayed=highest, twos_double=v["unplayed_twos"] == "double")


_NEEDS = (
    Need("guard_pays", (True,), "guard", ("foul",), False, "H.28"),
    Need("unplayed_twos", ("double",), "scoring", tuple(_SCORING)[1:], "single", "H.29"),
)


def _build(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    suits, players = _SUITS[str(v["suit_order"])], int(v["players"])
    winner_leads = v["later_lead"] == "winner"
    return Rules(
        name=name,
        settings=tuple(v.items()),
        players=players,
        direction=Direction.COUNTERCLOCKWISE,
        decks=1,
        jokers=False,
        ranks=RANKS,
        suits=suits,
        suits_ranked=True,
        shapes=_shapes(v),
        excluded=(
            *[Flush(kind="flush", clause="H.22", size=5)] * (not v["flushes"]),
            *[Groups(kind="four-plus-one", clause="H.09", main=4, side=1)] * (not v["four_plus_one"]),
        ),
        hand_size=_HAND_SIZE[players],
        first_dealer=FirstDealer.RANDOM,
        next_dealer=NextDealer.FIRST_OUT,
        ending=Ending(str(v["ending"])),
        scoring=_scoring(v),
        clauses=_clauses(v),
        citations=_citations(v),
        opening=OpeningLead(
            card="3" + suits[0],
            in_the_lead=v["opening_lead"] == "with-lowest",
            lowest_dealt=players < 4,
        ),
        later_lead=LaterLead.WINNER if winner_leads else LaterLead.OPENING,
        pass_is_final=bool(v["pass_is_final"]),
        guard=Guard(str(v["guard"])),
        announce_last_card=True,
        show_hands_after=bool(v["show_hands_after"]),
        leftover=_LEFTOVER[players],
        guard_pays=bool(v["guard_pays"]),
        dragon=bool(v["dragon"]),
    )


def _options(**usual: OptionValue) -> tuple[Option, ...]:
    """The options. usual: this preset's defaults where they differ."""
    listed = (
        switch("triples", False, "D2.03", "Three of a kind is a three-card play."),
        Option("flush_order", "rank", ("rank", "suit"), "D2.08", "Whether flushes compare by suit or by rank first."),
        switch("pass_is_final", False, "D2.12", "A player who passes is out of the round."),
        Option("guard", "foul", ("foul", "enforced", "off"), "D2.17", "Guarding against a neighbour's last card."),
        Option(
            "later_lead",
            "three-of-diamonds",
            ("three-of-diamonds", "winner"),
            "D2.18",
            "Who leads the hands after the first.",
        ),
        Option("scoring", "wins", tuple(_SCORING), "D2.19", "How a hand is paid."),
        switch("show_hands_after", True, "G.06", "Show the remaining cards when the hand is over."),
        Option("straights", "ace-low-or-high", tuple(_STRAIGHTS), "D2.06", "Which straights are allowed."),
        Option("suit_order", "diamonds-low", tuple(_SUITS), "H.06", "The order of the suits, low to high."),
        switch("fours", False, "H.07", "Four of a kind is a four-card play."),
        switch("two_pairs", False, "H.08", "Two pairs are a four-card play."),
        switch("four_plus_one", True, "H.09", "Four of a kind with a fifth card is a five-card hand."),
        switch("flushes", True, "H.22", "Five cards of one suit are a combination."),
        Option("five_card_order", "ranked", ("ranked", "own-kind"), "H.23", "What a hand of five cards beats."),
        switch("bombs", False, "H.24", "Bombs may be played on any lower play."),
        Option(
            "opening_lead",
            "with-lowest",
            ("with-lowest", "any"),
            "H.26",
            "Whether the first lead must contain the lowest card.",
        ),
        Option("players", 4, None, "H.27", "Number of players.", minimum=2, maximum=4),
        switch("guard_pays", False, "H.28", "A guard who fouls pays for all losers."),
        Option(
            "unplayed_twos",
            "single",
            ("single", "double"),
            "H.29",
            "Whether every 2 left in hand doubles a loser's payment.",
        ),
        switch("dragon", False, "H.31", "A hand with all thirteen ranks wins at once."),
        Option(
            "ending",
            "first-out",
            ("first-out", "last-in"),
            "H.32",
            "Whether play goes on after the first player is out.",
        ),
    )
    return with_defaults(listed, usual, _NEEDS)


def _regional(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    rules = _build(name, v, chosen)
    return replace(rules, clauses=("H.33", *rules.clauses))


PRESETS = (
    Preset(
        "big-two",
        "Big Two",
        _options(),
        _build,
        family="big-two",
        sample="TS JS QS KS AS 2S",
        summary="Thirteen cards, poker hands of five, and the 2 of spades above them all.",
    ),
    Preset(
        "big-two-hong-kong",
        "Big Two, Hong Kong",
        _options(
            triples=True,
            straights="hong-kong",
            flush_order="suit",
            scoring="cards-hong-kong",
            guard_pays=True,
            later_lead="winner",
            unplayed_twos="double",
        ),
        _regional,
        family="big-two",
        sample="JS QS KS AS 2S",
        summary="Straights up to the 2, and the more cards you keep, the more each costs.",
    ),
    Preset(
        "big-two-taiwan",
        "Big Two, Taiwan",
        _options(
            suit_order="clubs-low",
            straights="taiwan",
            flushes=False,
            five_card_order="own-kind",
            bombs=True,
            guard="off",
        ),
        _regional,
        family="big-two",
        sample="3C 2S 2H 2D 2C",
        summary="Clubs are lowest, there are no flushes, and four of a kind and straight flushes beat anything.",
    ),
    Preset(
        "big-two-philippines",
        "Big Two, Philippines",
        _options(suit_order="philippine", triples=True, flush_order="suit", guard="off"),
        _regional,
        family="big-two",
        sample="3C 2S 2H 2D",
        summary="Pusoy Dos: diamonds are highest, and three of a kind may be played.",
    ),
    Preset(
        "big-two-indonesia",
        "Big Two, Indonesia",
        _options(triples=True, ending="last-in", guard="off"),
        _regional,
        family="big-two",
        sample="3D AS 2H 2S",
        summary="Capsa Banting: three of a kind may be played, and play goes on until one player is left.",
    ),
)
