"""Work on a real Ray cluster: nodes that die, work that fails, more work than the cluster has room for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE = 500
"""Seconds: Ray starts a process in half a minute where fifteen others share two processors."""
pytestmark = [pytest.mark.timeout(PATIENCE + 100), pytest.mark.full]

BOUNDED = f"""
import faulthandler

faulthandler.dump_traceback_later({PATIENCE}, exit=True)
"""

OVER_NODES = """
import sys, time
from pathlib import Path

import numpy as np
import ray
from ray.cluster_utils import Cluster

import dasan
from dasan.arena.contest import Contest, run
from dasan.cluster import over_cluster
from dasan.learn.actors import spread
from dasan.learn.config import Config
from dasan.learn.dataset import DatasetPlan, make
from dasan.learn.trainer import Trainer

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

plan = DatasetPlan(dasan.rules("big-two"), ("random",) * 4, 25, part=10)
here, there = (begun.parent / name for name in ("here", "there"))
assert make(plan, here) == make(plan, there, ray=cluster.address) == 3
for part in (here / "hands").iterdir():
    assert part.read_bytes() == (there / "hands" / part.name).read_bytes()

nodes.append(cluster.add_node(num_cpus=1))
config = Config("big-two", envs=16, steps=64, rounds=4, first=32, second=16, actors=3)
alone, spread_out = Trainer(config), Trainer(config)
alone.epoch()
with spread(1, cluster.address) as actors:
    waiting = []

    def losing_a_machine(orders):
        waiting.append(actors(orders))
        if len(waiting) == 2:
            cluster.remove_node(nodes.pop(0), allow_graceful=False)
        return waiting[-1]

    spread_out.epoch(losing_a_machine)
assert np.array_equal(alone.learner.flat, spread_out.learner.flat) and len(waiting) == 4
print("the others did it")
"""


ON_ONE_NODE = """
import os, sys, time

import ray
from tests.cli.running import cli

from dasan.bots import BOTS, bot
from dasan.cluster import AHEAD, ClusterError, over_cluster

folder = sys.argv[1]
given = []


def numbers():
    for number in range(10**9):
        given.append(number)
        yield number


def long_or_short(item):
    time.sleep(36_000 * item)


def failing(item):
    raise ValueError("no such thing\\nas this")


def ending(item):
    os._exit(3)


ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
BOTS.add("only-here", lambda seed: bot("random", seed=seed))
for command in (("generate", "--out", folder, "--bot", "only-here"), ("arena", "only-here", "low")):
    done = cli(*command, "--game", "big-two", "--ray", "auto")
    [said] = [line for line in done.stderr.splitlines() if line.startswith("dasan: ")]  # Ray writes there too
    assert done.exit_code == 2, done.output
    assert said.startswith("dasan: a machine of the cluster failed: ValueError: there is no bot 'only-here'"), said
    assert "Traceback" not in done.stderr, done.stderr

assert len([None for _ in zip(range(20), over_cluster(abs, numbers(), "auto"))]) == 20
assert 20 <= len(given) <= 20 + 2 * AHEAD, len(given)

whole, sizes = ray.cluster_resources, iter([8.0, *[1.0] * 100])
ray.cluster_resources = lambda: {"CPU": next(sizes)}
assert len(list(over_cluster(abs, range(100), "auto"))) == 100, "machines left"
ray.cluster_resources = whole

for one in over_cluster(long_or_short, [0, 1, 1, 1], "auto"):
    break
while ray.available_resources().get("CPU") != 2:  # what nobody waits for is cancelled
    time.sleep(0.1)

for work, words in (
    (failing, "a machine of the cluster failed: ValueError: no such thing"),
    (ending, "the cluster failed: WorkerCrashedError: "),
):
    try:
        list(over_cluster(work, [1], "auto"))
    except ClusterError as error:
        assert str(error).startswith(words) and len(str(error).splitlines()) == 1, str(error)
    else:
        raise AssertionError(words)
print("one sentence each")
"""


def run_with_ray(program: str, folder: Path) -> str:
    """The output of a program, with whatever Ray adds, from its own process: Ray leaves threads and sockets behind."""
    for package in ("ray", "pyarrow"):
        pytest.importorskip(package, reason=f"no {package}: `make cluster` installs it")
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED + program, str(folder)],
        env={**os.environ, "RAY_worker_niceness": "0"},  # else workers starve on a busy machine
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE + 50,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_cluster_failure_is_one_sentence_and_work_is_bounded(tmp_path: Path) -> None:
    assert "one sentence each\n" in run_with_ray(ON_ONE_NODE, tmp_path)


def test_the_death_of_a_node_costs_time_and_nothing_else(tmp_path: Path) -> None:
    """The other nodes repeat the dying node's work, and a contest has the same outcomes."""
    begun = tmp_path / "begun"
    begun.mkdir()
    assert "the others did it\n" in run_with_ray(OVER_NODES, begun)
