"""Rules other than the presets: every field of `Rules`, of its policies and its shapes, with its other values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import combinations
from typing import Any

import dasan
from dasan import Rules
from dasan.ruleset.policies import (
    Auction,
    BidScoring,
    Call,
    CardScoring,
    Direction,
    Ending,
    FirstDealer,
    FixedScoring,
    Guard,
    LaterLead,
    Leftover,
    NextDealer,
    Opener,
    OpeningLead,
    Restart,
)
from dasan.ruleset.shapes import AnyShape, Flush, Groups, Run, Same

ACE_LOW = "A23456789TJQKA"
MOST = 14
"""The most changes in one set: with more, the effect of one is hidden by the others."""
DESCRIBING = {"name", "settings", "clauses", "citations", "excluded"}
"""Fields of `Rules` that only describe."""
SEATS = "players and hand_size"
ADDED, LEFT_OUT, ORDER = "added shape", "shape left out", "order of shapes"

VALUES: dict[str, tuple[Any, ...]] = {
    "direction": tuple(Direction),
    "decks": (1, 2),
    "jokers": (False, True),
    "ranks": ("3456789TJQKA2", "456789TJQKA23", "2AKQJT9876543"),
    "left_out": ("", "H", "567"),
    "suits": ("DCHS", "SHCD", "CDHS"),
    "suits_ranked": (False, True),
    "first_dealer": tuple(FirstDealer),
    "next_dealer": tuple(NextDealer),
    "ending": tuple(Ending),
    "scoring": (
        BidScoring(pay_each_winner=True),
        BidScoring(),
        BidScoring(pay_each_winner=True, bombs_double=True),
        BidScoring(pay_each_winner=True, spring_doubles=True, most_doublings=1),
        FixedScoring(stake=0),
        FixedScoring(stake=1),
        FixedScoring(stake=1_000_000),
        CardScoring(),
        CardScoring(tiers=((10, 2), (13, 3))),
        CardScoring(tiers=((1, 5), (3, 1))),
        CardScoring(unplayed=3),
        CardScoring(twos_double=True),
        CardScoring(tiers=((2, 1_000_000),), unplayed=1),
    ),
    "cut": (False, True),
    "auction": (
        None,
        Auction(),
        Auction(top=1),
        Auction(top=20),
        Auction(suit="S"),
        Auction(passing_is_final=True),
        Auction(opener_may_pass=True),
        Auction(opener_may_pass=True, all_pass_is_void=True),
        Auction(opener=Opener.RANDOM),
        Auction(one_round=True, bidder_leads=True),
        Auction(passes_to_end=1),
        Auction(one_round=True, passes_to_end=1),
        Auction(must_dig=("333", "3322")),
        Auction(must_dig=("",), opener_may_pass=True, passing_is_final=True),
        Auction(must_dig=("44444", "A2")),
        Auction(must_dig=("XY",)),
    ),
    "call": (None, Call(ranks="456789T"), Call(ranks="23456789TJQKA"), Call(ranks="44456789"), Call(ranks="4567890")),
    "reveal_kitty": (False, True),
    "opening": (
        None,
        OpeningLead(card="3D", in_the_lead=False),
        OpeningLead(card="3D", in_the_lead=True),
        OpeningLead(card="2S", in_the_lead=True),
        OpeningLead(card="TH", in_the_lead=False),
        OpeningLead(card="10♥", in_the_lead=True),
        OpeningLead(card="RJ", in_the_lead=False),
    ),
    "later_lead": tuple(LaterLead),
    "pass_is_final": (False, True),
    "guard": tuple(Guard),
    "announce_last_card": (False, True),
    "restart": tuple(Restart),
    "exchange": (False, True),
    "left_out_cards": ("", "2C 3C"),
    "left_out_cards and hand_size": (("2C 3C 4C 5C", 12),),
    "exchange and dragon": ((False, True),),
    "guard and guard_pays": ((Guard.FOUL, True),),
    "leftover and hand_size and opening": (
        (Leftover.NOBODY, 12, OpeningLead(card="3D", in_the_lead=True, lowest_dealt=True)),
        (Leftover.LOWEST, 12, OpeningLead(card="3D", in_the_lead=True, lowest_dealt=True)),
    ),
    "ending and next_dealer and exchange and double_exchange": ((Ending.LAST_IN, NextDealer.LAST_IN, True, True),),
    "stake_chips": (0, 100),
    "show_played": (False, True),
    "show_hands_after": (False, True),
    "ending and next_dealer and exchange": (
        (Ending.FIRST_OUT, NextDealer.FIRST_OUT, False),
        (Ending.LAST_IN, NextDealer.FIRST_OUT, False),
        (Ending.LAST_IN, NextDealer.LAST_IN, False),
        (Ending.LAST_IN, NextDealer.LAST_IN, True),
    ),
    "decks and hand_size": ((2, None), (2, 13), (2, 26), (2, 32), (2, 34)),
    "jokers and hand_size": ((True, None), (True, 13), (True, 16), (True, 17)),
    "left_out and hand_size": (("H", None), ("34", 11), ("S", 12), ("5", 12)),
    SEATS: tuple((n, each) for n in range(2, 9) for each in (None, 3, 5, 6, 8, 10, 12, 13, 14, 16, 17, 25, 26)),
}
"""By field of `Rules`, or by several fields that seldom work alone: then values are tuples."""

SHAPE_VALUES: dict[str, tuple[Any, ...]] = {
    "kind": ("single", "other"),
    "clause": ("G.01",),
    "family": ("", "one"),
    "tier": (0, 1, 15),
    "power": (0, 1, 2, 15),
    "also_beats": ((), (("single", "A"),), (("pair", "5"),)),
    "count": (1, 2, 3, 4, 5, 8),
    "by_suit": (False, True),
    "copies": (1, 2, 3, 4, 8),
    "sequence": (ACE_LOW, "456789TJQK", "3456789TJQKA2", "456789TJQKA23", "23456789", "KA2345678"),
    "shortest": (2, 3, 5),
    "longest": (4, 5, 10, 13),
    "tie": ("none", "first", "last"),
    "crown": ("", "23456"),
    "flush": (False, True),
    "plain": (False, True),
    "size": (3, 4, 5),
    "suit_first": (False, True),
    "main": (1, 2, 3, 4),
    "side": (1, 2, 3),
    "any_side": (False, True),
    "sides": (1, 2, 3),
    "distinct": (False, True),
    "joker_pair": (False, True),
}


def _run(kind: str, copies: int, shortest: int, longest: int, sequence: str = ACE_LOW, **more: Any) -> Run:
    return Run(kind=kind, clause="G.01", copies=copies, sequence=sequence, shortest=shortest, longest=longest, **more)


MORE_SHAPES: tuple[AnyShape, ...] = (
    Same(kind="more-single", clause="G.01", count=1),
    Same(kind="more-pair", clause="G.01", count=2, by_suit=True),
    Same(kind="more-triplet", clause="G.01", count=3, power=2),
    Same(kind="more-quad", clause="G.01", count=4, power=3),
    Same(kind="more-five", clause="G.01", count=5),
    Groups(kind="more-full", clause="G.01", main=3, side=2),
    Groups(kind="more-bomb", clause="G.01", main=4, side=1, any_side=True, power=1),
    Groups(kind="more-two-pairs", clause="G.01", main=2, side=2, by_suit=True),
    Groups(kind="more-three-one", clause="G.01", main=3, side=1, any_side=True),
    Groups(kind="more-one-one", clause="G.01", main=1, side=1),
    Flush(kind="more-flush", clause="G.01", size=5),
    Flush(kind="more-short-flush", clause="G.01", size=3, suit_first=True),
    _run("more-straight", 1, 3, 8),
    _run("more-plain", 1, 5, 5, plain=True, tie="first"),
    _run("more-straight-flush", 1, 5, 5, flush=True, power=4, tie="last"),
    _run("more-pairs", 2, 2, 4, tie="last"),
    _run("more-low-run", 1, 3, 6, "456789TJQK"),
)


@dataclass(frozen=True)
class Change:
    """One value of one field. path: the names that lead to it; of a shape its kind, then the field."""

    path: tuple[str, ...]
    value: Any

    def __str__(self) -> str:
        text = str(getattr(self.value, "kind", getattr(self.value, "value", self.value)))
        return f"{'.'.join(self.path)}={text}"

    def of(self, values: dict[str, Any]) -> None:
        """Set the value among the fields of some rules."""
        match self.path:
            case (names,) if " and " in names:
                values.update(zip(names.split(" and "), self.value, strict=True))
            case ("added shape",):
                values["shapes"] = (*values["shapes"], self.value)
            case ("shape left out",):
                values["shapes"] = tuple(s for s in values["shapes"] if s.kind != self.value)
            case ("order of shapes",):
                values["shapes"] = values["shapes"][::-1]
            case (name,):
                values[name] = self.value
            case (_, kind, name):
                values["shapes"] = tuple(
                    replace(s, **{name: self.value}) if s.kind == kind else s for s in values["shapes"]
                )


def changed(rules: Rules, changes: Sequence[Change]) -> Rules | None:
    """The rules with all of the changes; None if they are unplayable or unchanged."""
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    for change in sorted(changes, key=lambda change: -len(change.path)):
        change.of(values)
    try:
        out = Rules(**values)
    except ValueError:
        return None
    return None if out == rules else out


def all_changes(rules: Rules) -> Iterator[Change]:
    """Every change, including those that are unplayable or change nothing."""
    for name, listed in VALUES.items():
        for value in listed:
            yield Change((name,), value)
    for shape in rules.shapes:
        yield Change((LEFT_OUT,), shape.kind)
        for field in fields(shape):
            for value in SHAPE_VALUES.get(field.name, ()):
                yield Change(("shapes", shape.kind, field.name), value)
    yield Change((ORDER,), "reversed")
    for shape in MORE_SHAPES:
        yield Change((ADDED,), shape)


@cache
def singles(preset: str) -> tuple[tuple[Change, Rules], ...]:
    """Every change of a preset that gives other rules, alone."""
    rules = dasan.rules(preset)
    variants = ((change, changed(rules, [change])) for change in all_changes(rules))
    return tuple((change, other) for change, other in variants if other is not None)


def pairs(
    preset: str, listed: Sequence[Change], keep: Callable[[Rules], bool]
) -> Iterator[tuple[tuple[Change, ...], Rules]]:
    """Rules in which every two of the changes come together that can: each set has as many changes as go together.

    Greedy: a set begins with the first pair that is still missing, and takes every change that adds a missing pair and
    leaves rules that `keep` says yes to.
    """
    rules = dasan.rules(preset)
    missing = dict.fromkeys((a, b) for a, b in combinations(range(len(listed)), 2) if listed[a].path != listed[b].path)
    while missing:
        first = next(iter(missing))
        chosen = list(first)
        del missing[first]
        out = changed(rules, [listed[i] for i in chosen])
        if out is None:
            continue
        for i in range(len(listed)):
            if len(chosen) < MOST and any((min(i, j), max(i, j)) in missing for j in chosen):
                if any(listed[i].path == listed[j].path for j in chosen):
                    continue
                more = changed(rules, [listed[j] for j in (*chosen, i)])
                if more is not None and keep(more):
                    chosen.append(i)
                    out = more
        for a, b in combinations(sorted(chosen), 2):
            missing.pop((a, b), None)
        yield tuple(listed[i] for i in chosen), out
