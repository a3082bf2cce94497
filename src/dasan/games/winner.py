"""Winner (Zheng Shangyou) for three to eight players."""

from __future__ import annotations

from typing import Literal

from dasan.games.option import Option, Preset, switch
from dasan.ruleset.policies import (
    CardScoring,
    Direction,
    Ending,
    FirstDealer,
    FixedScoring,
    LaterLead,
    NextDealer,
    OpeningLead,
    OptionValue,
    Restart,
)
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Groups, Run, Same

RANKS = "3456789TJQKA2"
SEQUENCE = "A23456789TJQKA"

_CITES = {
    "pack": "W.02",
    "combination": "W.06",
    "beat": "W.06",
    "pass": "W.16",
    "end": "W.18",
    "joker": "W.12",
    "exchange": "W.20",
    "suits": "W.03",
    "beat single": "W.03",
    "beat pair": "W.07",
    "beat pair-run": "W.07",
    "beat triplet": "W.08",
    "beat triplet-run": "W.08",
    "beat full-house": "W.08",
    "beat quad": "W.08",
    "beat straight": "W.10",
    "beat straight-flush": "W.14",
}
_LATER_LEAD = {
    "winner": LaterLead.WINNER,
    "loser": LaterLead.LOSER,
    "three-of-diamonds": LaterLead.OPENING,
}


def _shapes(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    """Bombs have power 1 and straight flushes 2 (W.13, W.14); where four of a kind is the bomb it has 3 (W.15)."""
    by_suit = bool(v["suits_ranked"])
    first: Literal["first", "none"] = "first" if v["straight_tie"] == "suit" else "none"
    shortest = int(v["min_straight"])

    def run(kind: str, copies: int, tie: Literal["none", "last"], clause: str) -> Run:
        return Run(kind=kind, clause=clause, copies=copies, sequence=SEQUENCE, shortest=2, longest=13, tie=tie)

    def straight(kind: str, clause: str, *, flush: bool) -> Run:
        return Run(
            kind=kind,
            clause=clause,
            power=2 * flush,
            copies=1,
            sequence=SEQUENCE,
            shortest=shortest,
            longest=13,
            tie=first,
            flush=flush,
            plain=not flush,
        )

    quads: tuple[AnyShape, ...] = (
        Same(kind="quad", clause="W.08", count=4),
        Groups(kind="bomb", clause="W.13", power=1, main=4, side=1, any_side=True),
    )
    if v["bomb"] == "quad":
        quads = (Same(kind="bomb", clause="W.15", power=3, count=4),)
    return (
        Same(kind="single", clause="W.06", count=1, by_suit=by_suit),
        Same(kind="pair", clause="W.07", count=2, by_suit=by_suit),
        run("pair-run", 2, "last" if by_suit else "none", "W.07"),
        Same(kind="triplet", clause="W.08", count=3),
        run("triplet-run", 3, "none", "W.08"),
        Groups(kind="full-house", clause="W.08", main=3, side=2),
        straight("straight", "W.09", flush=False),
        *quads,
        straight("straight-flush", "W.11", flush=True),
    )


def _clauses(v: dict[str, OptionValue]) -> tuple[str, ...]:
    ids = {f"W.{n:02}" for n in range(1, 24)}
    if v["bomb"] == "quad":
        ids -= {"W.13"}
    else:
        ids -= {"W.15"}
    if v["two_of_spades_restart"] == "off":
        ids -= {"W.17"}
    if v["scoring"] == "off":
        ids -= {"W.22", "W.23"}
    else:
        ids -= {"W.22"} if v["players"] == 3 else {"W.23"}
    if not v["suits_ranked"]:
        ids |= {"H.10"}
    return (*sorted(ids, key=lambda i: (i[0] == "H", i)), *(f"G.{n:02}" for n in range(1, 7)))


def _settle(v: dict[str, OptionValue], chosen: frozenset[str]) -> dict[str, OptionValue]:
    """The values, with defaults that depend on other options filled in. ValueError: two options contradict each other."""
    v = dict(v)
    players = int(v["players"])
    if "decks" not in chosen and players > 6:
        v["decks"] = 2
    if v["decks"] == 2 and players < 4:
        raise ValueError("two decks take four or more players (W.01)")
    if v["decks"] == 1 and players > 6:
        raise ValueError("seven and eight players need two decks (W.01)")
    if not v["suits_ranked"]:
        for name, value in (("straight_tie", "rank"), ("two_of_spades_restart", "off")):
            if name in chosen and v[name] != value:
                raise ValueError(f"without ranked suits {name} can only be {value} (H.10)")
            v[name] = value
    return v


def _build(name: str, values: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    v = _settle(values, chosen)
    players = int(v["players"])
    by_cards = CardScoring(tiers=((12, 2),) if players == 3 else ((10, 2),), unplayed=3)
    return Rules(
        name=name,
        settings=tuple(v.items()),
        players=players,
        direction=Direction.CLOCKWISE,
        decks=int(v["decks"]),
        jokers=bool(v["jokers"]),
        ranks=RANKS,
        suits="DCHS",
        suits_ranked=bool(v["suits_ranked"]),
        shapes=_shapes(v),
        hand_size=None,
        first_dealer=FirstDealer.CUT_HIGHEST,
        next_dealer=NextDealer.LAST_IN,
        ending=Ending.LAST_IN,
        scoring=FixedScoring(stake=0) if v["scoring"] == "off" else by_cards,
        clauses=_clauses(v),
        citations=(*_CITES.items(), ("beat bomb", "W.15" if v["bomb"] == "quad" else "W.13")),
        opening=OpeningLead(card="3D", in_the_lead=False),
        later_lead=_LATER_LEAD[str(v["later_lead"])],
        restart=Restart(str(v["two_of_spades_restart"])),
        exchange=True,
        show_hands_after=bool(v["show_hands_after"]),
    )


def _options(bomb: str) -> tuple[Option, ...]:
    return (
        Option("players", 4, None, "W.01", "How many play.", minimum=3, maximum=8),
        Option("decks", 1, (1, 2), "W.01", "Packs shuffled together; seven and eight players use two."),
        switch("jokers", False, "W.02", "Add a black and a red joker to each pack."),
        Option("min_straight", 5, (3, 4, 5), "W.09", "Cards in the shortest straight."),
        Option("straight_tie", "suit", ("suit", "rank"), "W.10", "What decides between straights in one place."),
        Option("bomb", bomb, ("quad-plus-one", "quad"), "W.15", "What a bomb is."),
        Option(
            "two_of_spades_restart",
            "when-unbeatable",
            ("when-unbeatable", "always", "off"),
            "W.17",
            "Whether the 2♠, alone or in a pair, ends the trick at once.",
        ),
        Option("later_lead", "winner", tuple(_LATER_LEAD), "W.21", "Who leads the hands after the first."),
        Option("scoring", "off", ("off", "cards"), "W.22", "How a hand is paid."),
        switch("show_hands_after", True, "G.06", "Show the cards that are left when the hand is over."),
        switch("suits_ranked", True, "H.10", "Suits break ties."),
    )


PRESETS = (
    Preset(
        "winner",
        "Winner",
        _options("quad-plus-one"),
        _build,
        family="winner",
        sample="QH AC 2S RJ",
        summary="Zheng Shangyou: run for the top, three to eight players. The Loser pays the Winner a card.",
    ),
    Preset(
        "winner-bomb",
        "Winner with bombs of four",
        _options("quad"),
        _build,
        family="winner",
        summary="Winner where four of a kind blows up everything.",
    ),
)
