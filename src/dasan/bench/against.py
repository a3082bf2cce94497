"""Compare speeds with another commit in alternating runs: ratios with intervals."""

from __future__ import annotations

import io
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from math import comb
from pathlib import Path

import dasan
from dasan.bench import works
from dasan.bench.ours import VARIANTS, rules_of

LEAST_PAIRS = 6
"""The fewest pairs of runs that give a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One row of the results. ratio: these sources' rate divided by the other commit's, the median over pairs of
    consecutive runs; low, high: its 95 % interval. here, there: median rates on one core, by process time;
    `works.WORKS` says what they count.
    """

    preset: str
    path: str
    against: str
    ratio: float
    low: float
    high: float
    here: float
    there: float
    pairs: int


@dataclass(frozen=True, slots=True)
class NotThere:
    """A path that the other commit cannot run. why: one sentence."""

    preset: str
    path: str
    why: str


def compare(
    variants: Sequence[str], paths: Sequence[str], revision: str, *, seconds: float, pairs: int
) -> Iterator[Compared | NotThere]:
    """Yield a row for each variant and path that applies to it: these sources against those of `revision`, a commit of their
    repository.

    seconds: the length of each run. ValueError: there is no repository or no such commit, or there are too few pairs.
    """
    if pairs < LEAST_PAIRS:
        raise ValueError(f"an interval takes {LEAST_PAIRS} pairs of runs (--repeats), not {pairs}")
    root = Path(dasan.__file__).parents[2]
    commit = _git(root, "rev-parse", "--short", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    with tempfile.TemporaryDirectory(prefix="dasan-bench-") as folder:
        with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", commit, "src"))) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4 brought the filters
            archive.extractall(Path(folder, "base"))
        # Both sides lie side by side, with paths of one length: the sources' location alone changed rates by a tenth.
        here, there = Path(folder, "here", "src"), Path(folder, "base", "src")
        shutil.copytree(root / "src", here, ignore=shutil.ignore_patterns("__pycache__", "static"))
        for variant in variants:
            for path in paths:
                if not works.applies(path, rules_of(variant)):
                    continue
                try:
                    with _running(there, variant, path, seconds):
                        pass
                except ValueError as error:
                    yield NotThere(variant, path, str(error))
                else:
                    yield _compared(variant, path, commit, here, there, seconds, pairs)


def _compared(variant: str, path: str, commit: str, here: Path, there: Path, seconds: float, pairs: int) -> Compared:
    rates: tuple[list[float], list[float]] = ([], [])
    for pair in range(pairs):
        # Each pair has processes of its own, because where their memory lies changes rates by up to a tenth. The first side
        # alternates, so that the order favours neither.
        sides = ((here, rates[0]), (there, rates[1]))
        with ExitStack() as stack:
            both = [
                (stack.enter_context(_running(sources, variant, path, seconds)), of_side)
                for sources, of_side in (sides if pair % 2 == 0 else reversed(sides))
            ]
            for process, of_side in both:
                of_side.append(_answer(process))
    ratios = sorted(ours / theirs for ours, theirs in zip(*rates, strict=True))
    low, high = interval(ratios)
    ours, theirs = map(statistics.median, rates)
    return Compared(variant, path, commit, statistics.median(ratios), low, high, ours, theirs, pairs)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """A distribution-free 95 % interval for the median of the population of `values` (ascending).

    >>> interval([0.9, 0.97, 0.98, 0.99, 1.0, 1.01, 1.02, 1.3])
    (0.9, 1.3)
    """
    n = len(values)
    cut, tail = 0, 0.0
    while (tail := tail + comb(n, cut) / 2**n) <= 0.025:
        cut += 1
    return values[max(cut - 1, 0)], values[n - max(cut, 1)]


@contextmanager
def _running(sources: Path, variant: str, path: str, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """A process that measures the dasan in `sources` each time it reads a line. Its temporary files go with it."""
    program = [sys.executable, "-P", works.__file__]
    with tempfile.TemporaryDirectory(prefix="dasan-bench-", ignore_cleanup_errors=True) as scratch:
        environment = {**os.environ, "PYTHONPATH": str(sources), "TMPDIR": scratch}
        process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        try:
            package = _line(process)
            if not Path(package).resolve().is_relative_to(sources.resolve()):
                raise ValueError(f"that commit has no package dasan to measure: {package} was loaded instead")
            options = " ".join(f"{name}={value}" for name, value in VARIANTS.get(variant, {}).items())
            _answer(process, f"{path} {seconds} {variant.partition(' ')[0]} {options}")
            yield process
        finally:
            process.terminate()
            process.communicate()


def _answer(process: subprocess.Popen[str], line: str = "") -> float:
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        print(line, file=process.stdin, flush=True)
    answer = _line(process)
    return 0.0 if answer == "ready" else float(answer)


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    answer = process.stdout.readline().strip()
    if not answer:
        lines = process.communicate()[1].strip().splitlines()
        raise ValueError(f"the benchmark does not run there: {lines[-1] if lines else 'it printed no error'}")
    return answer


def _git(root: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise ValueError(f"comparing commits takes git: {error}") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(f"git finds no such commit here: {lines[-1] if lines else ' '.join(arguments)}")
    return done.stdout
