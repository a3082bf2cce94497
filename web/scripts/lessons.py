"""Writes ``web/src/lessons/*.json``: the positions of the lessons, each made and judged by the engine.

A step is a position or none, and the moves that go on. What a step says stands in ``web/src/lessons/text/*.json``, one
text a step in each language; the turns of a whole hand say one of the page's ``coach`` texts. The learner sits in seat 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from positions import Positions

import dasan

FOLDER = Path(__file__).parents[1] / "src" / "lessons"


@dataclass(frozen=True)
class Step:
    """A position (None: only a text) and the moves that are right in it (None: nothing is asked)."""

    state: dasan.State | None = None
    accept: tuple[str, ...] | None = None
    coach: str | None = None
    since: tuple[tuple[int, str], ...] = ()
    """What the others did since the learner's last turn: seat and move."""


def step(state: dasan.State, *accept: str) -> Step:
    """A position in which the learner moves; ValueError where a right move is not legal."""
    if state.to_act != 0:
        raise ValueError("the learner is not to act")
    for move in accept:
        state.play(move)
    return Step(state, accept)


def whole_hand(state: dasan.State, script: str) -> list[Step]:
    """The learner's turns of a whole hand; a word before a colon is what the coach says of the learner's move."""
    steps: list[Step] = []
    since: list[tuple[int, str]] = []
    for turn in script.split(" | "):
        coach, _, move = turn.rpartition(": ")
        seat = state.to_act
        if seat is None or (seat == 0) != bool(coach):
            raise ValueError(f"the script is out of step at {turn!r}: seat {seat} is to act")
        if seat == 0:
            steps.append(Step(state, (move,), coach, tuple(since)))
            since = []
        else:
            since.append((seat, move))
        state = state.play(move)
    if 0 not in state.finished:
        raise ValueError("the learner is not out at the end of the script")
    return steps


def big_three() -> list[Step]:
    """Three players: the auction, combinations, passing, the end."""
    positions = Positions(dasan.rules("big-three", cut=False), (6, 5))
    follow, lead = positions.follow, positions.lead
    *hands, kitty = positions.whole("5C 5D 5S 9C 9D 9H KC KD KS AD AC AH 2S 2H 3D 3C", "4H")
    auction = dasan.start(positions.rules, hands, kitty=kitty, dealer=0)
    return [
        Step(),
        step(lead("5D 5H 5S 9C AD"), "5D 5H 5S"),
        step(follow("6D 9H 9S KD", "7C 7S"), "9H 9S"),
        step(follow("9H TD JC QS 2D", "6C 7D 8S"), "9H TD JC", "TD JC QS"),
        step(follow("4C 8D 3H", "2S"), "3H"),
        step(follow("4C 4H 7D 3S", "KC KS"), "pass"),
        step(auction.play("bid 1"), "bid 3"),
        Step(),
        step(lead("4C 9D 9H 9S", (1, 4)), "9D 9H 9S"),
        Step(),
        Step(),
        *whole_hand(
            dasan.deal(positions.rules, seed=33, dealer=0),
            "bid: bid 3 | long: 8D 9H TD JS QS KH | pass | pass | likely: 4D 4C 4H 4S | pass | pass | low: 5H 5S"
            " | 6D 6H | 8C 8S | top: 2C 2H | pass | pass | low: 7D 7C | KC KS | pass | top: 3D 3H | pass | pass"
            " | unbeatable: 3S | pass | pass | out: 2S",
        ),
    ]


def big_three_4p() -> list[Step]:
    """Four players: calling a card, and the partner nobody knows."""
    positions = Positions(dasan.rules("big-three-4p", cut=False), (4, 3, 5))
    *hands, _ = positions.whole("4H 4S 5C 9C 9D KC KD AD AC 2S 2H 3D 3C")
    auction = dasan.start(positions.rules, hands, dealer=0)
    mine = "8C 6D 6H QS"
    helping = positions.follow(mine, "2S", bidder=2, called="8C", table_seat=2, passed=(3,))
    return [
        Step(),
        step(auction, "bid 3"),
        step(auction.play("bid 3"), "call 8C"),
        Step(),
        step(helping, "pass"),
        Step(),
        Step(),
        *whole_hand(
            dasan.deal(positions.rules, seed=3, dealer=0),
            "bid: bid 3 | call: call 8D | low: 4C 4H | 9C 9H | 2C 2H | pass | pass: pass | pass | 6H 7C 8D 9D TS JC QS"
            " | pass | ally: pass | pass | 5H 5S | 8H 8S | top: AD AH | pass | pass | pass | low: 7D 7S | KD KH | pass"
            " | pass | pass: pass | 4D 5D 6C | pass | pass | spare: JH QD KC | pass | pass | pass | out: 9S TD JS QH",
        ),
    ]


def big_two() -> list[Step]:
    """Suits count, five-card hands, the guard."""
    positions = Positions(dasan.rules("big-two"), (4, 5, 6))
    follow = positions.follow
    deals = (dasan.deal(positions.rules, seed=seed, dealer=0) for seed in range(100))
    first = next(state for state in deals if state.to_act == 0)
    return [
        Step(),
        step(first, *(str(move) for move in first.legal_moves())),
        step(follow("8H 8S KD", "8D 8C"), "8H 8S"),
        step(follow("3H 5H 6H 9H 2H KC", "3S 4C 5C 6S 7D"), "3H 5H 6H 9H 2H"),
        step(follow("4D 9D 2S", "8C", (1, 4, 5)), "2S"),
        Step(),
        Step(),
        *whole_hand(
            dasan.deal(positions.rules, seed=18, dealer=0),
            "low: 3D | 8D | JC | QC | top: 2C | pass | pass | pass | long: 4D 4C 4H TD TS | pass | pass | 6H 6S AD AH AS"
            " | pass: pass | pass | pass | 4S | beat: 6D | AC | pass | 2D | top: 2H | pass | pass | pass | low: 8H | pass"
            " | pass | 8S | top: 2S | pass | pass | pass | out: QH QS",
        ),
    ]


def winner() -> list[Step]:
    """Places, straights, bombs, the exchange."""
    positions = Positions(dasan.rules("winner"), (4, 5, 6))
    follow = positions.follow
    bomb = ("6D 6C 6H 6S 9D", "6D 6C 6H 6S 2S")
    return [
        Step(),
        step(follow("5C KS 2D", "KD"), "KS", "2D"),
        step(follow("4D 5C 6H 7C 8D KC", "3D 4C 5H 6S 7D"), "4D 5C 6H 7C 8D"),
        step(follow("6D 6C 6H 6S 9D 2S", "KD KC KH"), *bomb),
        Step(),
        Step(),
        Step(),
        *whole_hand(
            dasan.deal(positions.rules, seed=89, dealer=0),
            "4C 5H 6S 7C 8S 9H TD | beat: 5D 6C 7H 8C 9C TH JC | pass | 6D 7S 8H 9D TC JH QC | pass | pass: pass | pass | 4D"
            " | QS | beat: KC | pass | AH | 2C | top: 2H | pass | pass | pass | likely: AD AS | pass | pass | pass | out: QD QH",
        ),
    ]


def wa_keng() -> list[Step]:
    """What online rooms play otherwise: one round of bids, and no runs of triplets."""
    positions = Positions(dasan.rules("wa-keng"), (6, 5))
    follow, lead = positions.follow, positions.lead
    hand, last, before, kitty = positions.whole("5C 5D 6S 9C 9D TH JC QD KC KS AD AC 2S 2H 3D 3C", "4H")
    # The 4♥ opens the auction (B3.07): its holder comes next after the dealer, the learner.
    auction = dasan.start(positions.rules, [hand, before, last], kitty=kitty, dealer=0)
    return [
        Step(),
        step(auction.play("bid 1").play("pass"), "bid 3"),
        Step(),
        step(follow("7D TH JC QD 2S", "5C 6D 7S"), "TH JC QD"),
        step(lead("6D 6H 7C 7S 8D 8H KD"), "6D 6H 7C 7S 8D 8H"),
        step(lead("5D 5H 5S 6C 6H 6S KD"), "5D 5H 5S", "6C 6H 6S"),
        Step(),
        Step(),
        *whole_hand(
            dasan.deal(positions.rules, seed=298, dealer=0),
            "pass | pass | bid: bid 3 | 5D 5H 5S | 2C 2H 2S | pass: pass | pass | 5C 6D 7C | spare: 9D TC JD | pass | pass"
            " | long: 6H 6S 7D 7H 8C 8S | pass | pass | low: 4C 4H 4S | pass | pass | unbeatable: AD AS | pass | pass"
            " | unbeatable: 3D | pass | pass | low: QD QH | KD KH | pass | top: 3H 3S | pass | pass | out: TH",
        ),
    ]


def dou_dizhu() -> list[Step]:
    """The landlord, kickers, bombs and the rocket, and the other peasant."""
    positions = Positions(dasan.rules("dou-dizhu"), (6, 5))
    follow, lead = positions.follow, positions.lead
    *hands, kitty = positions.whole("4D 5C 6S 7H 8D 9C 9D JD JC KC KS AD AC 2S 2H BJ RJ")
    deal = dasan.start(positions.rules, hands, kitty=kitty, leader=2)
    return [
        Step(),
        step(deal.play("bid 1"), "bid 3"),
        Step(),
        step(lead("5D 5H 5S 3C KD"), "3C 5D 5H 5S"),
        step(follow("4C 8D 8H 8S AD", "7C 7D 7H 2S"), "4C 8D 8H 8S", "8D 8H 8S AD"),
        step(follow("3D 6C 7H 8S 9D TC KD", "4D 5C 6H 7S 8D"), "6C 7H 8S 9D TC"),
        step(follow("5D QD QC QH QS", "2C 2D"), "QD QC QH QS"),
        step(follow("6D BJ RJ", "TD TC TH TS"), "BJ RJ"),
        step(follow("4C 9D 9H 2S", "8C 8D", (6, 2), bidder=1), "pass"),
        Step(),
        Step(),
        *whole_hand(
            dasan.deal(positions.rules, seed=114, dealer=0),
            "bid 1 | landlord: bid 3 | long: 4H 5H 6S 7D 8D 9D TD JH | pass | pass | long: TC JS QC KS AD | pass | pass"
            " | low: 4S | TS | AC | top: 2S | pass | pass | low: 5S | 2H | pass | rocket: BJ RJ | pass | pass | out: 7C 7S",
        ),
    ]


LESSONS = {
    "big-three": big_three,
    "big-three-4p": big_three_4p,
    "wa-keng": wa_keng,
    "dou-dizhu": dou_dizhu,
    "big-two": big_two,
    "winner": winner,
}


def written(preset: str) -> str:
    """The lesson as the page reads it."""
    steps = LESSONS[preset]()
    states = [one.state for one in steps if one.state is not None]
    rules = states[0].rules
    data = {
        "preset": preset,
        "ranks": rules.ranks,
        "steps": [
            {
                "view": view_of(one.state),
                "accept": None if one.accept is None else list(one.accept),
                "coach": one.coach,
                "since": [list(action) for action in one.since],
            }
            for one in steps
        ],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def view_of(state: dasan.State | None) -> dict[str, Any] | None:
    """The learner's view of a position as the page reads it."""
    return None if state is None else {**state.view(0).to_json(), "events": []}


if __name__ == "__main__":
    for name in LESSONS:
        (FOLDER / f"{name}.json").write_text(written(name), encoding="utf-8")
