"""Rules that nobody could play, or that would cost too much, are refused with a sentence of their own; rules at the limits are
accepted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import dasan
from dasan.cards import RANKS
from dasan.ruleset.policies import (
    Auction,
    BidScoring,
    Call,
    CardScoring,
    Ending,
    FixedScoring,
    LaterLead,
    Leftover,
    NextDealer,
    Opener,
    OpeningLead,
)
from dasan.ruleset.shapes import AllJokers, AnyShape, Flush, Groups, Kickers, Run, Same

THREE, FOUR, TWO, WINNER = map(dasan.rules, ("big-three", "big-three-4p", "big-two", "winner"))
ONE = Same(kind="single", clause="X", count=1)


def same(**changes: Any) -> Same:
    return replace(Same(kind="group", clause="X", count=2), **changes)


def run(**changes: Any) -> Run:
    return replace(Run(kind="run", clause="X", copies=1, sequence=RANKS, shortest=3, longest=5), **changes)


def kickers(**changes: Any) -> Kickers:
    return replace(
        Kickers(kind="kickers", clause="X", copies=3, sequence=RANKS, shortest=1, longest=2, side=2), **changes
    )


def with_(*shapes: AnyShape) -> dict[str, Any]:
    return {"shapes": (ONE, *shapes)}


def flushes(*sizes: int) -> list[Flush]:
    return [Flush(kind=f"flush-{i}", clause="X", size=size) for i, size in enumerate(sizes)]


UNPLAYABLE: list[tuple[dasan.Rules, dict[str, Any], str]] = [
    *((TWO, {"players": n}, "2 to 8 players") for n in (1, 9)),
    *((TWO, {"decks": n}, "1 to 2 packs") for n in (0, 3)),
    *((TWO, change, "all those of a pack, each once") for change in ({"ranks": RANKS[1:] + "2"}, {"suits": "DCHH"})),
    *((TWO, {"left_out": out}, "only ranks and suits of the pack") for out in ("33", "X")),
    *((TWO, {"left_out": out}, "at least two ranks and a suit") for out in (RANKS[1:], "DCHS")),
    *((TWO, {"left_out_cards": out}, "are written like 2C 3C") for out in ("2C 2C", "2C3C", "BJ")),
    (TWO, {"left_out_cards": "4D 4C 4H 4S"}, "leave out the rank"),
    *((TWO, {"stake_chips": n}, "too many counters") for n in (1_000_001, -1_000_001)),
    (TWO, {"shapes": TWO.shapes[1:]}, "single cards must be playable"),
    (TWO, with_(*(same(kind=f"group-{n}") for n in range(16))), "at most 16 kinds"),
    *((TWO, with_(same(kind=text)), "100 characters, all of them printable") for text in ("x" * 101, "\x1b[2J")),
    *((TWO, with_(same(**{level: n})), "tier and power") for level in ("tier", "power") for n in (-1, 16)),
    *((TWO, with_(*flushes(size)), "2 to 13 cards") for size in (1, 14)),
    *((TWO, with_(same(count=n)), "1 to 8 cards") for n in (0, 9)),
    *((TWO, with_(Groups(kind="g", clause="X", main=a, side=b)), "1 to 8 cards") for a, b in ((0, 2), (2, 9))),
    *((TWO, with_(kickers(**{part: 0})), "1 to 8 cards") for part in ("copies", "side", "sides")),
    (TWO, with_(*flushes(*[6] * 6)), "more than 40,000 patterns"),
    (TWO, with_(same(also_beats=(("single", "3"),) * 17)), "at most 16 others"),
    *(
        (TWO, with_(same(also_beats=(one,))), "also_beats names")
        for one in (("group", "3"), ("pair", ""), ("single", "X"))
    ),
    *((TWO, with_(run(shortest=a, longest=b)), "a run has 2 to 13") for a, b in ((1, 5), (5, 4), (5, 14))),
    *((TWO, with_(run(sequence=text)), "at most 26 ranks") for text in ("3456", RANKS * 2 + "3", "34567X")),
    (TWO, with_(run(sequence="3456373")), "cannot contain a rank twice"),
    (TWO, with_(run(crown="357")), "must be in the sequence"),
    *((TWO, with_(kickers(shortest=a, longest=b)), "has 1 to 13 groups") for a, b in ((0, 1), (2, 1), (1, 14))),
    *((TWO, with_(kickers(sequence=text)), "ranks of the pack, each once") for text in ("3343", "34X")),
    (TWO, with_(AllJokers(kind="jokers", clause="X", count=2)), "as many as the pack"),
    (TWO, with_(same(), same(kind="pair")), "the same cards would be a group and a pair"),
    (TWO, with_(run(), run(kind="low", sequence="A2345")), "the same cards would be a run and a low"),
    (TWO, {"clauses": ("X",) * 65}, "at most 64 options"),
    (TWO, {"settings": (("tea", 1), ("tea", 2))}, "given twice"),
    (TWO, {"settings": (("tea", 1_000_001),)}, "number is too large"),
    (TWO, {"citations": (("beat", "\n"),)}, "all of them printable"),
    *((TWO, {"hand_size": n}, "too few cards for the hands") for n in (0, 14)),
    (TWO, {"hand_size": 12}, "a kitty needs an auction"),
    (TWO, {"leftover": Leftover.NOBODY}, "must leave some over"),
    (THREE, {"leftover": Leftover.NOBODY}, "must leave some over"),
    (TWO, {"leftover": Leftover.LOWEST, "hand_size": 12}, "lowest card dealt must lead"),
    (TWO, {"opening": OpeningLead("3", in_the_lead=True)}, "is not a card"),
    (TWO, {"opening": OpeningLead("BJ", in_the_lead=True)}, "is not in the pack"),
    *(
        (THREE, {"auction": one}, "from 1 to 20")
        for one in (Auction(top=0), Auction(top=21), Auction(suit="X", opener=Opener.RANDOM))
    ),
    *((THREE, {"auction": Auction(must_dig=m)}, "hands that must bid") for m in (("3",) * 65, ("3" * 101,))),
    (THREE, {"opening": OpeningLead("4H", in_the_lead=False)}, "no opening card and no exchange"),
    (THREE, {"exchange": True}, "no opening card and no exchange"),
    (THREE, {"auction": Auction(all_pass_is_void=True)}, "only if the opener may pass"),
    (
        THREE,
        {"auction": Auction(opener_may_pass=True, all_pass_is_void=True), "later_lead": LaterLead.WINNER},
        "no winner to lead",
    ),
    *((THREE, {"auction": Auction(passes_to_end=n)}, "below the number of players") for n in (-1, 3)),
    (THREE, {"call": Call("8")}, "calling a card needs"),
    (FOUR, {"call": Call("89T")}, "hold every card that can be called"),
    (WINNER, {"guard_pays": True}, "only if the guard is a foul"),
    (replace(TWO, opening=None), {"dragon": True}, "a dragon needs"),
    (WINNER, {"dragon": True}, "a dragon needs"),
    (replace(WINNER, players=3), {"double_exchange": True}, "at least four players"),
    (replace(WINNER, exchange=False), {"double_exchange": True}, "needs an exchange"),
    (WINNER, {"ending": Ending.FIRST_OUT}, "needs play to the end"),
    (TWO, {"next_dealer": NextDealer.LAST_IN}, "needs play to the end"),
    (WINNER, {"left_out": RANKS[:-3], "opening": None}, "hands of at least four cards"),
    *((TWO, {"scoring": FixedScoring(stake=n)}, "out of bounds") for n in (-1, 1_000_001)),
    (TWO, {"scoring": CardScoring(tiers=((8, 1_000_001),))}, "out of bounds"),
    (TWO, {"scoring": CardScoring(tiers=((8, 2),) * 33)}, "out of bounds"),
    (THREE, {"scoring": BidScoring(pay_each_winner=True, most_doublings=11)}, "at most 10 times"),
    (THREE, {"scoring": BidScoring()}, "each loser must pay each winner"),
]


@pytest.mark.parametrize(("rules", "changes", "sentence"), UNPLAYABLE)
def test_g_04_g_05_unplayable_rules(rules: dasan.Rules, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(rules, **changes)


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        (TWO, {"stake_chips": 1_000_000}),
        (TWO, with_(*(same(kind=f"group-{n}", count=n) for n in range(2, 9)), *flushes(2, 13))),
        (TWO, with_(same(kind="x" * 100, tier=15, power=15, also_beats=(("single", "K"),)))),
        (TWO, with_(run(shortest=2, longest=13, sequence=RANKS * 2, crown="345"))),
        (TWO, with_(run(plain=True), run(kind="flush", flush=True), run(kind="pairs", copies=2))),
        (TWO, with_(run(sequence="34567"), run(kind="high", sequence="9TJQKA"))),
        (TWO, with_(kickers(longest=13))),
        (TWO, {"hand_size": 12, "leftover": Leftover.NOBODY, "opening": OpeningLead("3D", True, lowest_dealt=True)}),
        (TWO, {"scoring": CardScoring(tiers=((1_000_000, 1_000_000),) * 32)}),
        (THREE, {"auction": Auction(top=20, must_dig=("3" * 100,) * 64, passes_to_end=2)}),
        (THREE, {"scoring": BidScoring(pay_each_winner=True, most_doublings=10)}),
        (FOUR, {"call": Call("89TJ")}),
        (TWO, {"opening": OpeningLead("3S", in_the_lead=True)}),
        (WINNER, {"double_exchange": True}),
        (WINNER, {"left_out": RANKS[:-4], "opening": None}),
    ],
)
def test_rules_at_the_limit(rules: dasan.Rules, changes: dict[str, Any]) -> None:
    assert replace(rules, **changes) != rules
