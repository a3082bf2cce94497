"""Work over a real Ray cluster of several nodes, one of which dies under it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OVER_NODES = """
import importlib.util, sys, time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

import dasan
from dasan.arena.contest import Contest, run
from dasan.cluster import over_cluster

begun = Path(sys.argv[1])


def work(item):
    (begun / f"{item} {ray.get_runtime_context().get_node_id()}").touch()
    time.sleep(3)
    return item * item


def id_of(node):
    (found,) = [one["NodeID"] for one in ray.nodes() if one["RayletSocketName"] == node.raylet_socket_name]
    return found


def under_way(results):
    "An item that was begun within a second, so that it goes on, and its node."
    while True:
        for file in begun.iterdir():
            item, node = file.name.split()
            if int(item) not in results and time.time() - file.stat().st_mtime < 1:
                return int(item), node
        time.sleep(0.05)


cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
nodes = [cluster.add_node(num_cpus=1) for _ in range(3)]

results, lost = {}, None
for item, result in over_cluster(work, range(8), cluster.address):
    results[item] = result
    if lost is None:
        lost, its_node = under_way(results)
        (dying,) = [node for node in nodes if id_of(node) == its_node]
        nodes.remove(dying)
        cluster.remove_node(dying, allow_graceful=False)
assert results == {item: item * item for item in range(8)}, results
again = [file.name.split()[1] for file in begun.iterdir() if file.name.startswith(f"{lost} ")]
assert len(again) == 2 and its_node in again, (lost, again)
assert len({file.name.split()[1] for file in begun.iterdir()}) == 3


def keep(outcome):
    kept.append(outcome.seed)
    if len(nodes) == 2:
        cluster.remove_node(nodes.pop(), allow_graceful=False)


def compared(outcomes):
    return [(one.seed, one.mean, one.wins, one.above, one.below, one.roles, one.moves, one.faults) for one in outcomes]


contest, kept = Contest(dasan.rules("big-two"), "thrifty", "random", 32, 1), []
assert compared(run(contest, ray=cluster.address, keep=keep)) == compared(run(contest))
assert sorted(kept) == [one.seed for one in run(contest)] and len(nodes) == 1
if importlib.util.find_spec("pyarrow"):
    from dasan.learn.dataset import Plan, make

    plan = Plan(dasan.rules("big-two"), ("random",) * 4, 25, part=10)
    here, there = (begun.parent / name for name in ("here", "there"))
    assert make(plan, here) == make(plan, there, ray=cluster.address) == 3
    for part in (here / "hands").iterdir():
        assert part.read_bytes() == (there / "hands" / part.name).read_bytes()
print("the others did it")
"""


def test_the_death_of_a_node_costs_time_and_nothing_else(tmp_path: Path) -> None:
    """What the dying node was at is done again by the others, and a contest has the same outcomes. In a process of its own: Ray
    leaves threads and sockets behind.
    """
    pytest.importorskip("ray", reason="Ray is not installed: `make cluster` installs it")
    begun = tmp_path / "begun"
    begun.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", OVER_NODES, str(begun)],
        env={**os.environ, "RAY_worker_niceness": "0"},  # else workers starve on a busy machine
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("the others did it\n")
