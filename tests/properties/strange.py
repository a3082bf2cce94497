"""Records of rules that no preset has, as a stranger may send them."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

import dasan
from dasan.ruleset.policies import (
    Auction,
    BidScoring,
    CardScoring,
    Ending,
    FixedScoring,
    Guard,
    LaterLead,
    NextDealer,
    OpeningLead,
    Restart,
)
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Flush, Groups, Run, Same

PRESETS = [dasan.rules(name) for name in dasan.PRESETS]
RANKS = "3456789TJQKA2"

CHANGES: list[dict[str, Any]] = [
    *({"players": n} for n in range(2, 9)),
    *({"players": n, "hand_size": size} for n, size in ((2, 20), (3, 13), (5, 10), (6, 8), (7, 7), (8, 6), (4, 1))),
    {"hand_size": None, "auction": None, "call": None, "scoring": FixedScoring()},
    {"decks": 2},
    {"decks": 2, "hand_size": 13, "players": 8},
    {"jokers": True},
    {"ranks": RANKS[::-1]},
    {"suits": "SHCD"},
    {"suits_ranked": True},
    {"suits_ranked": False},
    {"ending": Ending.LAST_IN},
    {"ending": Ending.FIRST_OUT},
    {"next_dealer": NextDealer.LAST_IN},
    {"exchange": True},
    {"exchange": False},
    *({"scoring": one} for one in (FixedScoring(stake=7), CardScoring(tiers=((1, 3),), unplayed=9), BidScoring())),
    {"scoring": BidScoring(pay_each_winner=True)},
    {"auction": Auction(top=20)},
    {"auction": Auction(top=1, suit="S", opener_may_pass=True, passing_is_final=True)},
    {"auction": Auction(must_dig=("3", "222"))},
    {"call": None},
    {"reveal_kitty": True},
    *({"opening": one} for one in (None, OpeningLead("2S", True), OpeningLead("9H", False))),
    *({"later_lead": one} for one in LaterLead),
    {"pass_is_final": True},
    *({"guard": one} for one in Guard),
    *({"restart": one} for one in Restart),
    {"announce_last_card": True},
    {"stake_chips": 9},
    {"show_played": False, "show_hands_after": False},
    {"shapes": (Same(kind="single", clause="X", count=1),)},
    {"shapes": (Same(kind="single", clause="X", count=1, by_suit=True), Flush(kind="flush", clause="X", size=2))},
    {"shapes": (Same(kind="one", clause="X", count=1), Same(kind="eight", clause="X", count=8, power=15))},
    {
        "shapes": (
            Same(kind="single", clause="X", count=1),
            Run(kind="two", clause="X", copies=2, sequence=RANKS, shortest=2, longest=6, tie="last", power=1),
            Run(kind="ring", clause="X", copies=1, sequence=RANKS * 2, shortest=3, longest=13, crown=RANKS[:3]),
            Groups(kind="any", clause="X", main=2, side=3, any_side=True),
            Groups(kind="same", clause="X", main=2, side=2, by_suit=True),
        )
    },
]


def rules(rng: random.Random) -> Rules | None:
    """A preset with one to four changes; None if they are unplayable."""
    made = rng.choice(PRESETS)
    changes: dict[str, Any] = {}
    for change in rng.sample(CHANGES, rng.randint(1, 4)):
        changes |= change
    if rng.random() < 0.3:
        changes["shapes"] = tuple(s for s in made.shapes if rng.random() < 0.7 or s is made.shapes[0])
    try:
        return replace(made, **changes)
    except ValueError:
        return None


def record(rng: random.Random) -> str | None:
    """A hand or a session by such rules, played at random, perhaps to its end."""
    own = rules(rng)
    if own is None:
        return None
    game: dasan.State | dasan.Session = (
        dasan.session(own, seed=rng.randrange(99)) if rng.random() < 0.5 else dasan.deal(own)
    )
    for _ in range(rng.choice((0, 10, 60, 400))):
        state = game.state if isinstance(game, dasan.Session) else game
        if state.to_act is None:
            if not isinstance(game, dasan.Session) or game.number == 2:
                break
            game = game.next_hand()
            continue
        moves = state.legal_moves()
        plays = [move for move in moves if move.type == "play"]
        game = game.play(rng.choice(plays if plays and rng.random() < 0.8 else moves))
    return game.record()


def position(rng: random.Random) -> str | None:
    """A position by such rules with few cards, which a solver may solve."""
    own = rules(rng)
    if own is None:
        return None
    deck = list(own.pack)
    rng.shuffle(deck)
    hands = [[deck.pop() for _ in range(rng.randint(1, 3))] for _ in range(own.players)]
    bidder = 0 if own.auction is not None else None
    try:
        return dasan.start(own, hands, bidder=bidder, leader=rng.randrange(own.players)).record()
    except ValueError:
        return None


def damaged(text: str, rng: random.Random) -> str:
    """The record with one value inside its rules changed, and the digest it then needs, if that can be made."""
    lines = [json.loads(line) for line in text.splitlines()]
    described = lines[0]["rules"]
    if "value" not in described:
        described["value"] = dasan.rules(described["name"], **described["options"]).to_json()
    holder, key = _place(described["value"], rng)
    holder[key] = rng.choice(
        [
            None,
            True,
            0,
            1,
            2,
            -1,
            3.5,
            99,
            10**9,
            10**30,
            "",
            "3",
            "\x1b[2J",
            "A" * 5_000,
            [],
            {},
            [1] * 99,
            "same",
            "run",
        ]
    )
    with suppress(dasan.DasanError):
        described["digest"] = Rules.from_json(described["value"]).digest
    return "".join(json.dumps(line) + "\n" for line in lines)


def _place(value: Any, rng: random.Random) -> tuple[Any, Any]:
    """A random place in nested data."""
    holder, key = value, rng.choice(list(value))
    while isinstance(holder[key], (dict, list)) and holder[key] and rng.random() < 0.8:
        holder = holder[key]
        key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    return holder, key
