"""The time that a review of a whole hand of Big Three takes: until its first move is judged, and until it is complete.

Bots play the hands. One process does the work of the server's worker, within the server's limits.

python benchmarks/reviews.py [--hands 20] [--seed 1] [--bot greedy] [--game big-three] [--json]
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass

import dasan
from dasan.server.api.study import EACH_POSITION
from dasan.server.settings import Settings
from dasan.server.workers import jobs

FIRST, ALL = 1.0, 10.0
"""The budget, in seconds: 9 of 10 reviews judge their first move within FIRST, and are complete within ALL."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One review. first, total: seconds. plays: number of plays; unsettled: those without a verdict."""

    first: float
    total: float
    plays: int
    unsettled: int


def review(record: str) -> Reviewed:
    """Review a finished hand as the server does."""
    settings = Settings()
    memory = settings.study_memory_mb / 4
    start = time.perf_counter()
    first = None
    plays = {}
    for move in jobs.review(record, EACH_POSITION, settings.review_seconds, memory, settings.study_threads):
        first = first if first is not None else time.perf_counter() - start
        if move["type"] == "move" and move["phase"] == "play":
            plays[move["seq"]] = move["kept"]
    total = time.perf_counter() - start
    return Reviewed(total if first is None else first, total, len(plays), list(plays.values()).count(None))


def played(game: str, bot: str, seed: int) -> str:
    """The record of a whole hand."""
    state = dasan.deal(dasan.rules(game), seed=seed)
    players = [dasan.bot(bot, seed=seed + at) for at in range(state.rules.players)]
    while state.to_act is not None:
        state = state.play(players[state.to_act].choose(state.view(state.to_act)))
    return state.record()


def measure(game: str, bot: str, hands: int, seed: int) -> list[Reviewed]:
    """Review `hands` hands, after compiling the solver."""
    jobs.warm()
    return [review(played(game, bot, seed + at)) for at in range(hands)]


def told(rows: list[Reviewed]) -> str:
    """The measurements and the budget, as text."""
    first = sum(row.first <= FIRST for row in rows)
    whole = sum(row.total <= ALL for row in rows)
    slowest = max(row.total for row in rows)
    settled = sum(row.unsettled == 0 for row in rows)
    judged = 1 - sum(row.unsettled for row in rows) / sum(row.plays for row in rows)
    return (
        f"first move within {FIRST:.0f} s in {first} of {len(rows)} hands, "
        f"ended within {ALL:.0f} s in {whole} of {len(rows)} (the slowest {slowest:.1f} s) "
        f"with {judged:.1%} of the plays judged, every play in {settled} of {len(rows)}"
    )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--hands", type=int, default=20)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--bot", default="greedy")
    words.add_argument("--game", default="big-three")
    words.add_argument("--json", action="store_true")
    chosen = words.parse_args()
    rows = measure(chosen.game, chosen.bot, chosen.hands, chosen.seed)
    print(json.dumps([asdict(row) for row in rows]) if chosen.json else told(rows))


if __name__ == "__main__":
    main()
