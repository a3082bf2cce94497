"""Measure one figure: the median of several runs."""

from __future__ import annotations

import platform
import statistics
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dasan.bench.works import Work, rates


@dataclass(frozen=True, slots=True)
class Speed:
    """One row of the results. plies_per_s: by process time on one core, by wall-clock time on several and on a GPU."""

    preset: str
    path: str
    plies_per_s: float
    games_per_s: float
    ns_per_ply: float
    cores: int
    device: str
    threads: int
    repeats: int
    unit: str = "plies"


@cache
def device() -> str:
    """The processor's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def measure(
    preset: str,
    path: str,
    work: Work,
    *,
    seconds: float,
    repeats: int,
    threads: int = 1,
    gpu: str | None = None,
) -> Speed:
    """The median of `repeats` runs of at least `seconds` each, after one warm-up call of `work`. gpu: the name of the
    GPU that does the work, if any.
    """
    work()
    clock = time.process_time if threads == 1 and gpu is None else time.perf_counter
    runs = [rates(work, seconds, clock) for _ in range(repeats)]
    plies, games = map(statistics.median, zip(*runs, strict=True))
    return Speed(preset, path, plies, games, 1e9 / plies, threads, gpu or device(), threads, repeats)
