"""The kernels against the engine, at length: `python -m tests.vector.proof --help`. Prints the amounts compared.

Every preset with its defaults, every other value of every option that the rules allow alone, and
settings in which every two values of two
options come together. Half of the hands follow one another in sessions. An assertion fails where the two differ.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from tests.vector.covering import Setting, allowed, pairwise, single_changes
from tests.vector.differential import Played, follow

import dasan
from dasan import vector

CHUNK = 500
SIDE_BY_SIDE = 25
EVERY = 50


@dataclass(frozen=True)
class Task:
    """Some hands of one setting. row: the line of the log that it counts for."""

    row: tuple[str, str]
    preset: str
    setting: Setting
    hands: int
    seed: int


def tasks(hands: int, alone: int, together: int) -> Iterator[Task]:
    """The tasks in rounds, so that an interrupted run has done equally much of everything."""
    wanted: list[tuple[tuple[str, str], str, Setting, int]] = []
    for preset in dasan.PRESETS:
        wanted.append(((preset, "defaults"), preset, {}, hands))
        for setting in filter(
            partial(allowed, preset), single_changes(preset)
        ):  # some values are valid only with another option
            ((name, value),) = setting.items()
            wanted.append(((preset, f"{name}={value}"), preset, setting, alone))
        for setting in pairwise(preset)[0]:
            wanted.append(((preset, "pairs"), preset, setting, together))
    for begun in range(0, max(hands, alone, together), CHUNK):
        for number, (row, preset, setting, all_hands) in enumerate(wanted):
            if all_hands > begun:
                yield Task(row, preset, setting, min(CHUNK, all_hands - begun), 1 + begun + number)


def carry_out(task: Task) -> Played:
    """Half of the hands alone, half in sessions; features on a part."""
    played = Played()
    for session in (False, True):
        n = min(SIDE_BY_SIDE, task.hands // 2 or 1)
        moves: vector.Moves = "ragged" if session else "padded"
        env = vector.make(
            dasan.rules(task.preset, **task.setting), n, task.seed, session=session, moves=moves, perfect=True
        )
        played += follow(env, task.hands // 2 or 1, every=EVERY)
    return played


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.vector.proof", description=__doc__)
    parser.add_argument("--hands", type=int, default=100_000, help="of each preset (%(default)s)")
    parser.add_argument("--alone", type=int, default=2_000, help="of each value of each option (%(default)s)")
    parser.add_argument("--together", type=int, default=2_000, help="of each setting of the covering set (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (%(default)s)")
    chosen = parser.parse_args(arguments)
    sums: dict[tuple[str, str], Played] = {}
    began = time.perf_counter()
    with ProcessPoolExecutor(chosen.jobs) as pool:
        todo = list(tasks(chosen.hands, chosen.alone, chosen.together))
        for done, (task, played) in enumerate(zip(todo, pool.map(carry_out, todo), strict=True), 1):
            sums[task.row] = sums.get(task.row, Played()) + played
            if done % 50 == 0:
                print(f"{done} of {len(todo)}, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    print("| preset | setting | hands | plies | with features |\n|---|---|---|---|---|")
    for (preset, setting), played in sums.items():
        what = f"{setting}, {len(pairwise(preset)[0])} settings" if setting == "pairs" else setting
        print(f"| {preset} | {what} | {played.hands:,} | {played.plies:,} | {played.observed:,} |")
    total = sum(sums.values(), Played())
    print(f"| all | | {total.hands:,} | {total.plies:,} | {total.observed:,} |")


if __name__ == "__main__":
    main(sys.argv[1:])
