"""Benchmarks: plies a second of every game on every path, and of other simulators in the same run.

A ply is one recorded move: bids and every pass count, forced or not; dealing is included and all moves are uniformly
random.
"""

from dasan.bench.against import Compared, compare
from dasan.bench.ours import GPU, PATHS, VARIANTS, measure_ours, why_no_gpu
from dasan.bench.peers import measure_peers
from dasan.bench.timing import Speed
from dasan.bench.works import WORKS

__all__ = [
    "GPU",
    "PATHS",
    "VARIANTS",
    "WORKS",
    "Compared",
    "Speed",
    "compare",
    "measure_ours",
    "measure_peers",
    "why_no_gpu",
]
