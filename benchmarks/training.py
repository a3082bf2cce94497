"""Moves a second of training by self-play in Dou Dizhu: dasan, RLCard's DMC and DouZero, on the same cores in turn.

    pip install torch GitPython gitdb2 matplotlib rlcard && pip install --no-deps douzero
    OPENBLAS_NUM_THREADS=1 python benchmarks/training.py --seconds 60 --rounds 2
    OPENBLAS_NUM_THREADS=1 python benchmarks/training.py --profile

Each program plays and learns with its own networks and defaults, from random weights, in two processes that play and one that
learns. A move counts once it has been learnt from, whether the player had a choice or not. The peers have no auction, and log how
many moves they have learnt from; a rate is that of the log between its first and its last row.

PyTorch is held to one thread a process. --profile says instead what one process of dasan spends its time on.
"""

from __future__ import annotations

import argparse
import cProfile
import csv
import json
import os
import pstats
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dasan.learn.actors import spread
from dasan.learn.config import Config
from dasan.learn.trainer import Trainer
from dasan.networks.trained import catalogue

ACTORS = 2
POSITIONS = 3
"""The peers' networks, one for each position, each of which logs its own batches: they become full at about the same time."""
DOUZERO = """
import sys
from douzero.dmc import parser, train
arguments = ["--actor_device_cpu", "--training_device", "cpu", "--num_actors", sys.argv[1], "--savedir", sys.argv[2]]
train(parser.parse_args([*arguments, "--xpid", "run", "--disable_checkpoint"]))
"""
RLCARD = """
import sys
import rlcard
from rlcard.agents.dmc_agent import DMCTrainer
env = rlcard.make("doudizhu")
DMCTrainer(env, cuda="", xpid="run", savedir=sys.argv[2], num_actors=int(sys.argv[1]), save_interval=10**6).start()
"""
PEERS = {"RLCard": RLCARD, "DouZero": DOUZERO}
BATCHES = 2
"""The least number of batches of a position to measure."""
LONGEST = 900.0
"""The most seconds to wait for them."""


def config(actors: int) -> Config:
    """The settings of the package's network of Dou Dizhu, from random weights, alone among itself."""
    card = next(one.card for one in catalogue() if one.name == "dou-dizhu")
    return replace(Config.from_json(card["config"]), actors=actors, pool=(), share=0.0, start="")


def dasan(seconds: float) -> float:
    """Moves a second of `dasan train --like dou-dizhu --actors 2`, an epoch after the code has been compiled."""
    trainer = Trainer(replace(config(ACTORS), rounds=1))
    with spread(ACTORS) as actors:
        trainer.epoch(actors)
        trainer.config = replace(trainer.config, rounds=10)
        before, start = trainer.progress.plies, time.perf_counter()
        while time.perf_counter() - start < seconds:
            trainer.epoch(actors)
        return (trainer.progress.plies - before) / (time.perf_counter() - start)


def peer(program: str, seconds: float) -> float:
    """Moves a second that a peer learns from, by its own log. RuntimeError: it learnt too little."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "errors").open("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(ACTORS), folder],
            stdout=errors,
            stderr=errors,
            env={**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
            start_new_session=True,
        )
        try:
            log, begun = Path(folder) / "run" / "logs.csv", time.monotonic()
            rows: list[tuple[float, float]] = []
            while process.poll() is None and time.monotonic() - begun < LONGEST:
                time.sleep(1)
                rows = _rows(log)[::POSITIONS]
                if len(rows) > BATCHES and rows[-1][0] - rows[0][0] >= seconds:
                    break
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if len(rows) < 2:
            errors.seek(0)
            raise RuntimeError(f"it learnt too little: {errors.read()[-2000:]}")
    return (rows[-1][1] - rows[0][1]) / (rows[-1][0] - rows[0][0])


def _rows(log: Path) -> list[tuple[float, float]]:
    """(time, moves) of each row of a peer's log, without a row that is being written."""
    if not log.exists():
        return []
    names, *lines = log.read_text(encoding="utf-8").rpartition("\n")[0].splitlines() or [""]
    fields = names.removeprefix("# ").split(",")
    return [(float(row["_time"]), float(row["frames"])) for row in csv.DictReader(lines, fields)]


def profile(epochs: int) -> dict[str, float]:
    """What one process spends its time on, in parts of the whole; the rest is bookkeeping of decisions."""
    trainer = Trainer(replace(config(0), rounds=1))
    trainer.epoch()
    trainer.config = replace(trainer.config, rounds=10)
    profiler, before = cProfile.Profile(), replace(trainer.progress)
    start = time.perf_counter()
    profiler.enable()
    for _ in range(epochs):
        trainer.epoch()
    profiler.disable()
    spent, progress = time.perf_counter() - start, trainer.progress
    parts = {"environment": "step", "features": "_longer", "network": "__call__", "learning": "learn"}
    files = {"environment": "vector", "features": "scoring.py", "network": "scoring.py", "learning": "learner.py"}
    stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    out = {
        part: sum(row[3] for (file, _, name), row in stats.items() if name == function and files[part] in file)
        for part, function in parts.items()
    }
    out["network"] -= out["features"]
    return {
        "moves_per_s": (progress.plies - before.plies) / spent,
        "decisions_per_s": (progress.decisions - before.decisions) / spent,
        **{part: seconds / spent for part, seconds in out.items()},
    }


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--rounds", type=int, default=2)
    words.add_argument("--profile", action="store_true")
    words.add_argument("--epochs", type=int, default=2, help="with --profile: epochs to measure")
    chosen = words.parse_args()
    if chosen.profile:
        print(json.dumps({name: round(value, 3) for name, value in profile(chosen.epochs).items()}))
        return
    rates: dict[str, list[float]] = {}
    for _ in range(chosen.rounds):
        for name in ("dasan", *PEERS):
            rate = dasan(chosen.seconds) if name == "dasan" else peer(PEERS[name], chosen.seconds)
            rates.setdefault(name, []).append(rate)
            print(f"{name}: {rate:,.0f} moves a second", flush=True)
    ours = statistics.median(rates["dasan"])
    print("| program | moves a second | dasan, × |\n|---|---|---|")
    for name, many in rates.items():
        print(f"| {name} | {', '.join(f'{one:,.0f}' for one in many)} | {ours / statistics.median(many):.1f} |")


if __name__ == "__main__":
    main()
