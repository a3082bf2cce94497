"""Benchmarks: plies a second of every game on every path, beside other simulators in the same run.

A ply is one recorded move: bids and every pass count, forced or not; dealing is included and all moves are uniformly
random.
"""

from dasan.bench.against import Compared, NotThere, compare
from dasan.bench.ours import GPU, PATHS, VARIANTS, measure_ours, why_no_gpu
from dasan.bench.timing import Speed
from dasan.bench.with_peers import OURS, PeerComparison, measure_with_peers, not_installed
from dasan.bench.works import WORKS

__all__ = [
    "GPU",
    "OURS",
    "PATHS",
    "VARIANTS",
    "WORKS",
    "Compared",
    "NotThere",
    "PeerComparison",
    "Speed",
    "compare",
    "measure_ours",
    "measure_with_peers",
    "not_installed",
    "why_no_gpu",
]
