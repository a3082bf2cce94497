"""Tien Len, the climbing game of Vietnam, for dasan: presets made of the engine's own shapes and policies.

>>> import dasan
>>> rules = dasan.rules("tien-len")
>>> rules.combination("3S 3H 4C 4D 5S 5C").beats(rules.combination("2H"))
True
"""

from importlib.resources import files

from dasan.games import Game, Option, Preset, switch
from dasan.games.option import Values
from dasan.ruleset.policies import (
    CardScoring,
    Direction,
    Ending,
    FirstDealer,
    FixedScoring,
    LaterLead,
    NextDealer,
    OpeningLead,
)
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AnyShape, Run, Same

RANKS = "3456789TJQKA2"
CITES = {
    "pack": "TL.01",
    "suits": "TL.01",
    "combination": "TL.02",
    "beat": "TL.03",
    "opening": "TL.05",
    "pass": "TL.06",
    "end": "TL.07",
}
"""The clause that a refusal cites, by topic."""


def pairs(shortest: int, longest: int, chops: str) -> AnyShape:
    """A run of pairs, which beats a group of twos, too."""
    return Run(
        kind="pair-run",
        clause="TL.02",
        copies=2,
        sequence=RANKS[:-1],
        shortest=shortest,
        longest=longest,
        tie="last",
        also_beats=((chops, "2"),),
    )


SHAPES: tuple[AnyShape, ...] = (
    Same(kind="single", clause="TL.02", count=1, by_suit=True),
    Same(kind="pair", clause="TL.02", count=2, by_suit=True),
    Same(kind="triplet", clause="TL.02", count=3),
    Run(kind="straight", clause="TL.02", copies=1, sequence=RANKS[:-1], shortest=3, longest=12, tie="last"),
    Same(kind="quad", clause="TL.04", count=4, also_beats=(("single", "2"),)),
    pairs(3, 3, "single"),
    pairs(4, 4, "pair"),
    pairs(5, 6, "triplet"),
)


def build(name: str, chosen: Values, _: frozenset[str]) -> Rules:
    counting = name == "tien-len-cards"
    clauses = [f"TL.{n:02}" for n in range(1, 8)] + ["TL.09" if counting else "TL.08"]
    return Rules(
        name=name,
        settings=tuple(chosen.items()),
        players=4,
        direction=Direction(str(chosen["direction"])),
        decks=1,
        jokers=False,
        ranks=RANKS,
        suits="SCDH",
        suits_ranked=True,
        shapes=SHAPES,
        hand_size=13,
        first_dealer=FirstDealer.RANDOM,
        next_dealer=NextDealer.FIRST_OUT if counting else NextDealer.LAST_IN,
        ending=Ending.FIRST_OUT if counting else Ending.LAST_IN,
        scoring=CardScoring(tiers=((13, 2),)) if counting else FixedScoring(stake=1),
        clauses=(*clauses, *(f"G.{n:02}" for n in range(1, 7))),
        citations=tuple(CITES.items()),
        opening=OpeningLead(card="3S", in_the_lead=True),
        later_lead=LaterLead.WINNER,
        pass_is_final=bool(chosen["pass_is_final"]),
    )


OPTIONS = (
    Option("direction", "clockwise", ("clockwise", "counterclockwise"), "TL.01", "Which way play goes round the table."),
    switch("pass_is_final", True, "TL.06", "A player who passes is out of the trick."),
)

GAME = Game(
    presets=(
        Preset(
            "tien-len",
            "Tien Len",
            OPTIONS,
            build,
            sample="3S AH 2D 2H",
            summary="Vietnam's game: run from the lowest spade to the last card. Bombs beat nothing but twos.",
        ),
        Preset("tien-len-cards", "Tien Len, counting cards", OPTIONS, build, family="tien-len"),
    ),
    chapter=(files(__name__) / "rules.md").read_text(encoding="utf-8"),
)
