"""The time to value the legal moves of one view: by ONNX Runtime, and by dasan's NumPy code.

    python benchmarks/onnx_models.py

On one core, excluding feature extraction. Needs the extra `onnx`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import onnxruntime

from dasan.networks.onnx_model import onnx_model
from dasan.networks.trained import catalogue, load

MOVES = 40


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    one = onnxruntime.SessionOptions()
    one.intra_op_num_threads = 1
    random = np.random.default_rng(1)
    print("| network | megabytes | moves | ONNX Runtime, ms | NumPy, ms |\n|---|---|---|---|---|")
    for trained in catalogue():
        network = load(trained)
        model = onnx_model(network)
        session = onnxruntime.InferenceSession(model, one, providers=["CPUExecutionProvider"])
        observation, moves = (
            (random.random((rows, len(network.weights[name]))) < 0.2).astype(np.uint8)
            for rows, name in ((1, "w_obs"), (MOVES, "w_move"))
        )
        given = {"observations": observation, "moves": moves, "of": np.zeros(MOVES, np.int64)}
        times = [
            typical(partial(session.run, None, given)),
            typical(partial(network.score, observation[0], moves)),
        ]
        print(f"| `{trained.name}` | {len(model) / 1e6:.1f} | {MOVES} | {times[0]:.2f} | {times[1]:.2f} |")


def typical(act: Callable[[], Any]) -> float:
    """The median time of a call in milliseconds, over 500 calls after 50 warm-up calls."""
    times = []
    for _ in range(550):
        begun = perf_counter()
        act()
        times.append(perf_counter() - begun)
    return 1000 * statistics.median(times[50:])


if __name__ == "__main__":
    main()
