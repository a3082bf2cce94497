"""Winner (Zheng Shangyou) for three to eight players."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from dasan.games.option import Need, Option, Preset, switch, with_defaults
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
from dasan.ruleset.shapes import AllJokers, AnyShape, Groups, Run, Same

RANKS = "3456789TJQKA2"
SEQUENCE = "A23456789TJQKA"
RUN_RANKS = "3456789TJQKA"

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
_BOMB_CLAUSE = {"quad-plus-one": "W.13", "quad": "W.15", "any-size": "H.37"}
_BY_SUIT = ("single", "pair", "pair-run", "straight", "straight-flush")
"""The kinds whose ties suits break, unless they are without order (H.10)."""
_RESTARTS = ("when-unbeatable", "when-known-unbeatable", "always", "off")
_LATER_LEAD = {
    "winner": LaterLead.WINNER,
    "loser": LaterLead.LOSER,
    "three-of-diamonds": LaterLead.OPENING,
}


def _shapes(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    """Bombs have power 1 and straight flushes 2 (W.13, W.14); where four of a kind is the bomb it has 3 (W.15), five of a kind 4,
    and so on (H.37); all jokers have the highest (H.38).
    """
    by_suit = bool(v["suits_ranked"])
    first: Literal["first", "none"] = "first" if v["straight_tie"] == "suit" else "none"
    sequence = SEQUENCE if v["twos_in_runs"] else RUN_RANKS
    longest = min(13, len(sequence))
    flushes = bool(v["straight_flushes"])

    def run(kind: str, copies: int, shortest: int, tie: Literal["none", "last"], clause: str) -> Run:
        if shortest > 2:
            clause = "H.36"
        return Run(
            kind=kind, clause=clause, copies=copies, sequence=sequence, shortest=shortest, longest=longest, tie=tie
        )

    def straight(kind: str, clause: str, *, flush: bool) -> Run:
        return Run(
            kind=kind,
            clause=clause,
            power=2 * flush,
            copies=1,
            sequence=sequence,
            shortest=int(v["min_straight"]),
            longest=longest,
            tie=first,
            flush=flush,
            plain=flushes and not flush,
        )

    return (
        Same(kind="single", clause="W.06", count=1, by_suit=by_suit),
        Same(kind="pair", clause="W.07", count=2, by_suit=by_suit),
        run("pair-run", 2, int(v["min_pair_run"]), "last" if by_suit else "none", "W.07"),
        Same(kind="triplet", clause="W.08", count=3),
        run("triplet-run", 3, int(v["min_triplet_run"]), "none", "W.08"),
        *[Groups(kind="full-house", clause="W.08", main=3, side=2)] * bool(v["full_houses"]),
        straight("straight", "W.09", flush=False),
        *_bombs(v),
        *[straight("straight-flush", "W.11", flush=True)] * flushes,
        *[AllJokers(kind="joker-bomb", clause="H.38", power=MOST_POWER, count=2 * int(v["decks"]))]
        * bool(v["joker_bomb"]),
    )


def _excluded(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    """The kinds of combination that the options remove."""
    whole = "quad-plus-one"
    sequence = SEQUENCE if v["twos_in_runs"] else RUN_RANKS
    without_twos = () if v["twos_in_runs"] else ((1, int(v["min_straight"])), (2, 2), (3, 2))
    short = ((2, int(v["min_pair_run"])), (3, int(v["min_triplet_run"])))
    return (
        *(
            Run(kind="run", clause="H.36", copies=n, sequence=sequence, shortest=2, longest=least - 1)
            for n, least in short
            if least > 2
        ),
        *(Run(kind="run", clause="H.35", copies=n, sequence=SEQUENCE, shortest=m, longest=13) for n, m in without_twos),
        *[Groups(kind="full-house", clause="H.39", main=3, side=2)] * (not v["full_houses"]),
        *[Groups(kind="bomb", clause=_BOMB_CLAUSE[str(v["bomb"])], main=4, side=1, any_side=True)]
        * (v["bomb"] != whole),
    )


MOST_POWER = 8
"""The power of all jokers together: eight of a kind have 7."""


def _bombs(v: dict[str, OptionValue]) -> tuple[AnyShape, ...]:
    if v["bomb"] == "quad":
        return (Same(kind="bomb", clause="W.15", power=3, count=4),)
    if v["bomb"] == "any-size":
        return tuple(Same(kind="bomb", clause="H.37", power=n - 1, count=n) for n in range(4, 4 * int(v["decks"]) + 1))
    return (
        Same(kind="quad", clause="W.08", count=4),
        Groups(kind="bomb", clause="W.13", power=1, main=4, side=1, any_side=True),
    )


def _clauses(v: dict[str, OptionValue]) -> tuple[str, ...]:
    ids = {f"W.{n:02}" for n in range(1, 24)}
    if v["bomb"] == "quad-plus-one":
        ids -= {"W.15"}
    else:
        ids -= {"W.13"} if v["bomb"] == "quad" else {"W.13", "W.15"}
    if v["two_of_spades_restart"] == "off":
        ids -= {"W.17"}
    if v["scoring"] == "off":
        ids -= {"W.22", "W.23"}
    else:
        ids -= {"W.22"} if v["players"] == 3 else {"W.23"}
    if v["exchange"] == "off":
        ids -= {"W.20"}
    if not v["straight_flushes"]:
        ids -= {"W.11", "W.14"}
    house = {
        "H.10": not v["suits_ranked"],
        "H.34": v["pass_is_final"],
        "H.35": not v["twos_in_runs"],
        "H.36": int(v["min_pair_run"]) > 2 or int(v["min_triplet_run"]) > 2,
        "H.37": v["bomb"] == "any-size",
        "H.38": v["joker_bomb"],
        "H.39": not v["full_houses"],
        "H.40": v["exchange"] != "winner-and-loser",
        "H.41": not v["straight_flushes"],
        "H.42": v["three_player_triple"] == "seventeen",
    }
    ids |= {clause for clause, on in house.items() if on}
    return (*sorted(ids, key=lambda i: (i[0] == "H", i)), *(f"G.{n:02}" for n in range(1, 7)))


_NEEDS = (
    Need("joker_bomb", (True,), "jokers", (True,), False, "H.38"),
    Need("exchange", ("double",), "players", range(4, 9), "winner-and-loser", "H.40"),
    Need("three_player_triple", ("seventeen",), "players", (3,), "played-none", "H.42"),
    Need("three_player_triple", ("seventeen",), "scoring", ("cards",), "played-none", "H.42"),
    Need("decks", (2,), "players", range(4, 9), 1, "W.01"),
    Need("decks", (1,), "players", range(3, 7), 2, "W.01"),
    Need("straight_tie", ("suit",), "suits_ranked", (True,), "rank", "H.10"),
    Need("two_of_spades_restart", _RESTARTS[:-1], "suits_ranked", (True,), "off", "H.10"),
)


def _citations(v: dict[str, OptionValue]) -> tuple[tuple[str, str], ...]:
    cites = {**_CITES, "beat bomb": _BOMB_CLAUSE[str(v["bomb"])]}
    if v["exchange"] != "winner-and-loser":
        cites["exchange"] = "H.40"
    if not v["straight_flushes"]:
        del cites["beat straight-flush"]
    if not v["suits_ranked"]:
        cites |= {f"tie {kind}": "H.10" for kind in _BY_SUIT}
    if v["joker_bomb"]:
        cites["beat joker-bomb"] = "H.38"
    return tuple(cites.items())


def _build(name: str, v: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    players = int(v["players"])
    by_cards = CardScoring(tiers=((12, 2),) if players == 3 else ((10, 2),), unplayed=3)
    if v["three_player_triple"] == "seventeen":
        by_cards = CardScoring(tiers=((12, 2), (17, 3)))
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
        excluded=_excluded(v),
        hand_size=None,
        first_dealer=FirstDealer.CUT_HIGHEST,
        next_dealer=NextDealer.LAST_IN,
        ending=Ending.LAST_IN,
        scoring=FixedScoring(stake=0) if v["scoring"] == "off" else by_cards,
        clauses=_clauses(v),
        citations=_citations(v),
        opening=OpeningLead(card="3D", in_the_lead=False),
        later_lead=_LATER_LEAD[str(v["later_lead"])],
        restart=Restart(str(v["two_of_spades_restart"])),
        exchange=v["exchange"] != "off",
        double_exchange=v["exchange"] == "double",
        pass_is_final=bool(v["pass_is_final"]),
        show_hands_after=bool(v["show_hands_after"]),
    )


def _options(**usual: OptionValue) -> tuple[Option, ...]:
    """The options. usual: this preset's defaults where they differ."""
    listed = (
        Option("players", 4, None, "W.01", "Number of players.", minimum=3, maximum=8),
        Option("decks", 1, (1, 2), "W.01", "Packs shuffled together; seven and eight players use two."),
        switch("jokers", False, "W.02", "Add a black and a red joker to each pack."),
        Option("min_straight", 5, (3, 4, 5), "W.09", "Cards in the shortest straight."),
        Option("straight_tie", "suit", ("suit", "rank"), "W.10", "What breaks ties between straights of equal rank."),
        Option("bomb", "quad-plus-one", tuple(_BOMB_CLAUSE), "W.15", "What a bomb is."),
        Option(
            "two_of_spades_restart",
            "when-unbeatable",
            _RESTARTS,
            "W.17",
            "Whether the 2♠, alone or in a pair, ends the trick at once.",
        ),
        Option("later_lead", "winner", tuple(_LATER_LEAD), "W.21", "Who leads the hands after the first."),
        Option("scoring", "off", ("off", "cards"), "W.22", "How a hand is paid."),
        switch("show_hands_after", True, "G.06", "Show the remaining cards when the hand is over."),
        switch("suits_ranked", True, "H.10", "Suits break ties."),
        switch("pass_is_final", False, "H.34", "A player who passes is out of the round."),
        switch("twos_in_runs", True, "H.35", "The 2 may be in runs and straights."),
        Option("min_pair_run", 2, (2, 3), "H.36", "Pairs in the shortest run of pairs."),
        Option("min_triplet_run", 2, (2, 3), "H.36", "Triplets in the shortest run of triplets."),
        switch("joker_bomb", False, "H.38", "All jokers together beat everything."),
        switch("full_houses", True, "H.39", "A triplet with a pair is a combination."),
        Option(
            "exchange",
            "winner-and-loser",
            ("winner-and-loser", "double", "off"),
            "H.40",
            "Who gives cards to whom between hands.",
        ),
        switch("straight_flushes", True, "H.41", "Straight flushes are a kind of their own."),
        Option(
            "three_player_triple",
            "played-none",
            ("played-none", "seventeen"),
            "H.42",
            "What counts triple with three players.",
        ),
    )
    return with_defaults(listed, usual, _NEEDS)


def _apps(name: str, values: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    rules = _build(name, values, chosen)
    return replace(rules, clauses=tuple(dict.fromkeys(("H.41", *rules.clauses))))


PRESETS = (
    Preset(
        "winner",
        "Winner",
        _options(),
        _build,
        family="winner",
        sample="QH AC 2S RJ",
        summary="Zheng Shangyou: three to eight players race for the top. The Loser pays the Winner a card.",
    ),
    Preset(
        "winner-bomb",
        "Winner with bombs of four",
        _options(bomb="quad"),
        _build,
        family="winner",
        summary="Winner in which four of a kind beats everything.",
    ),
    Preset(
        "zheng-shangyou",
        "Zheng Shangyou",
        _options(
            jokers=True,
            twos_in_runs=False,
            min_pair_run=3,
            min_triplet_run=3,
            bomb="any-size",
            suits_ranked=False,
            straight_tie="rank",
            two_of_spades_restart="off",
            exchange="off",
            straight_flushes=False,
        ),
        _apps,
        family="winner",
        sample="3D 2S BJ RJ",
        summary="Jokers, bombs of any size, no order of suits: race for the top as common apps play it.",
    ),
)
