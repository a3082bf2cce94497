"""False alarms and detections of `dasan admin fairplay`, on simulated people: ``python -m benchmarks.fair_play``.

By default payments are drawn at random for leagues of twelve people of different skill. In some leagues one person
loses to another on purpose (`dumped`), or two know each other's cards (`helped`). ``--played N``: N leagues of Big Two
are played by bots that err at random, each at its own rate; a colluding pair passes whenever the partner's play stands.
``--programs N``: bots pose as people, and N telling moves of each are compared with those of `strong`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import cache
from typing import TypeAlias

import dasan
from dasan.bots.protocol import Bot
from dasan.play.scoring import result
from dasan.server.study.fair_play import Agreement, HandPlayed, agreement, decisions, pairs

KINDS = ("low", "shed", "thrifty", "greedy")
MOST_ERRORS = 0.4
PLAYERS = ("shed", "net", "level-8", "search", "strong")


Change: TypeAlias = Callable[[dict[str, float]], None]


def drawn(seed: int, hands: int, change: Change | None = None) -> list[HandPlayed]:
    """Hands of twelve people, p0 to p11. Payments have long tails and sum to 0. change: the collusion, as a change of
    strengths.
    """
    chance = random.Random(seed)
    skill = {f"p{n}": chance.gauss(0, 1) for n in range(12)}
    played = []
    for _ in range(hands):
        seats = chance.sample(sorted(skill), 4)
        strength = {one: skill[one] + chance.gauss(0, 3) + chance.expovariate(0.5) for one in seats}
        if change is not None:
            change(strength)
        winner = max(strength, key=strength.__getitem__)
        lost = {one: float(round(strength[winner] - strength[one])) for one in seats if one != winner}
        payments = {winner: sum(lost.values()), **{one: -loss for one, loss in lost.items()}}
        played.append(HandPlayed(("drawn", 4, False), payments))
    return played


def dumped(strength: dict[str, float]) -> None:
    """p0 loses on purpose to p1."""
    if {"p0", "p1"} <= strength.keys():
        strength["p0"] -= 4


def helped(strength: dict[str, float]) -> None:
    """p0 and p1 know each other's cards."""
    if {"p0", "p1"} <= strength.keys():
        for one in ("p0", "p1"):
            strength[one] += 2


def _drawn_leagues() -> None:
    for change, leagues, hands in (
        (None, 200, 700),
        *((change, 12, hands) for change in (dumped, helped) for hands in (800, 1600, 3200)),
    ):
        judged = wrong = right = together = 0
        for seed in range(leagues):
            judged_pairs = pairs(drawn(seed, hands, change))
            guilty = [pair for pair in judged_pairs if change is not None and (pair.one, pair.other) == ("p0", "p1")]
            judged += len(judged_pairs)
            wrong += any(pair.suspicious for pair in judged_pairs if pair not in guilty)
            right += any(pair.suspicious for pair in guilty)
            together += sum(pair.hands for pair in guilty)
        shown = {
            "league": "honest" if change is None else change.__name__,
            "leagues": leagues,
            "hands of the partners": round(together / leagues),
            "pairs": judged,
            "leagues with a false alarm": wrong,
            "leagues whose partners are named": right,
        }
        print(json.dumps(shown), flush=True)


@cache
def _bot(name: str) -> Bot:
    return dasan.bot(name)


def league(preset: str, people: int, hands: int, seed: int, colluders: int) -> list[dict[str, int]]:
    """The payments of each hand, by person. The first `colluders` people collude."""
    chance = random.Random(seed)
    kinds = [(chance.choice(KINDS), chance.uniform(0, MOST_ERRORS)) for _ in range(people)]
    rules = dasan.rules(preset)
    partners = {str(one) for one in range(colluders)}
    played = []
    for number in range(hands):
        # Friends meet more often than strangers: eight of a circle sit at seven of ten tables.
        first = 8 * chance.randrange(people // 8)
        circle = range(first, first + 8) if chance.random() < 0.7 else range(people)
        seats = list(map(str, chance.sample(circle, rules.players)))
        state = dasan.deal(rules, seed=seed * 1_000_003 + number)
        while (mover := state.to_act) is not None:
            kind, errors = kinds[int(seats[mover])]
            view = state.view(mover)
            stands = view.table_seat
            partner = stands not in (None, mover) and {seats[mover], seats[stands]} <= partners
            helps = partner and "pass" in map(str, view.legal_moves())
            if helps:
                state = state.play("pass")
            else:
                state = state.play(_bot("random" if chance.random() < errors else kind).choose(view))
        played.append(dict(zip(seats, result(state).payments, strict=True)))
    return played


def named(preset: str, people: int, hands: int, seed: int, colluders: int) -> tuple[int, int, bool]:
    """(pairs that the report of one league judges, pairs it names wrongly, whether it names the partners)."""
    played = league(preset, people, hands, seed, colluders)
    judged = pairs(HandPlayed((preset, len(hand), False), hand) for hand in played)
    guilty = {(str(one), str(other)) for one in range(colluders) for other in range(one + 1, colluders)}
    suspicious = {(pair.one, pair.other) for pair in judged if pair.suspicious}
    return len(judged), len(suspicious - guilty), bool(suspicious & guilty)


def program(preset: str, player: str, wanted: int) -> Agreement:
    """The share of a bot's telling moves that `strong` would also make."""
    same = total = seed = 0
    while total < wanted:
        state = dasan.deal(dasan.rules(preset), seed=seed)
        while state.to_act is not None:
            state = state.play(_bot(player if state.to_act == 0 else "greedy").choose(state.view(state.to_act)))
        for _, equal in decisions(state, [0], _bot("greedy"), _bot("strong")):
            total, same = total + 1, same + equal
        seed += 1
    return agreement(player, same, total)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--played", type=int, default=0)
    parser.add_argument("--people", type=int, default=24)
    parser.add_argument("--hands", type=int, default=1500)
    parser.add_argument("--preset", default="big-two")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--programs", type=int, default=0)
    wanted = parser.parse_args(arguments)
    if wanted.programs:
        for player in PLAYERS:
            one = program(wanted.preset, player, wanted.programs)
            print(json.dumps({**asdict(one), "named": one.suspicious}), flush=True)
        return
    if not wanted.played:
        _drawn_leagues()
        return
    for colluders in (0, 2):
        with ProcessPoolExecutor(wanted.processes) as pool:
            tasks = [
                pool.submit(named, wanted.preset, wanted.people, wanted.hands, seed, colluders)
                for seed in range(wanted.played)
            ]
            done = [task.result() for task in tasks]
        shown = {
            "leagues": wanted.played,
            "colluders": colluders,
            "pairs": sum(judged for judged, _, _ in done),
            "innocent pairs named": sum(wrong for _, wrong, _ in done),
            "leagues with a false alarm": sum(wrong > 0 for _, wrong, _ in done),
            "partners named": sum(right for _, _, right in done),
        }
        print(json.dumps(shown))


if __name__ == "__main__":
    main()
