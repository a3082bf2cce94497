"""Many states at once: the same answers as one by one, on any number of processes."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import pytest
from benchmarks.endgames import endgame as alone
from tests.solver.positions import endgame, played_out
from tests.solver.test_endgame import CASES

import dasan
from dasan.bench.solver import at_random, world
from dasan.solver import many
from dasan.solver.solving import Warm

pytestmark = pytest.mark.full


def mixed(source: random.Random) -> list[dasan.State]:
    """Positions of some deals, shuffled, and of a game without sides."""
    states = [state for cards in (8, 9, 10) for state in played_out(source, cards)]
    states += [alone(rules, source, cards, out) for rules, cards, out, _ in CASES]
    source.shuffle(states)
    return states


def test_many_are_solved_as_one_by_one() -> None:
    states = mixed(random.Random(1))
    alone = [dasan.solve(state, nodes=100_000, memory_mb=1) for state in states]
    for processes in (1, 2):
        together = dasan.solve_many(states, processes=processes, nodes=100_000, memory_mb=1)
        assert [(s.value, s.moves, s.scope) for s in together] == [(s.value, s.moves, s.scope) for s in alone]
    assert dasan.solve_many([]) == []


def test_the_number_of_processes_makes_no_difference() -> None:
    """Not even if the budget ends before everything is proved, or a deal has more states than share a transposition table."""
    source = random.Random(2)
    at = at_random(26, source)
    states = [world(at, source) for _ in range(many.TOGETHER + 5)] + mixed(source)[:10]
    one = dasan.solve_many(states, processes=1, nodes=300, memory_mb=1, moves=False)
    assert {solution.exact for solution in one} == {True, False}
    assert dasan.solve_many(states, processes=2, nodes=300, memory_mb=1, moves=False) == one
    assert all(solution.nodes <= 300 for solution in one)


def test_states_of_one_deal_share_a_transposition_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals are distinguished by their first states, not by object identity."""
    tables: list[Warm] = []

    class Counted(Warm):
        def __init__(self, memory_mb: float) -> None:
            super().__init__(memory_mb)
            tables.append(self)

    monkeypatch.setattr(many, "Warm", Counted)
    source = random.Random(3)
    begun = endgame(source, 10)
    copy = dasan.replay(begun.record())
    assert isinstance(copy, dasan.State)
    other = endgame(source, 10)
    first, _, third = dasan.solve_many([begun, other, copy], processes=1, nodes=100_000, memory_mb=1)
    assert len(tables) == 2
    assert first.moves == third.moves
    assert third.nodes == 0
    for_another = replace(begun, bidder=((begun.bidder or 0) + 1) % begun.rules.players, partner=None)
    if begun.partner is None:
        together = dasan.solve_many([begun, for_another], processes=1, nodes=100_000, memory_mb=1)
        assert together[1].value == dasan.solve(for_another, nodes=100_000, memory_mb=1).value


def test_the_scope_is_handed_on() -> None:
    source = random.Random(4)
    states = [alone(dasan.rules("big-two"), source, 8, 0) for _ in range(2)]
    assert [s.scope for s in dasan.solve_many(states, processes=1, scope="max-n")] == ["max-n"] * 2


def test_a_cluster_without_ray_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'dasan\[cluster\]'"):
        dasan.solve_many([endgame(random.Random(5), 8)], cluster="auto")


OVER_RAY = """
import random
import ray
import dasan
from tests.solver.test_many import mixed

ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": "."}})
states = mixed(random.Random(6))
options = {"nodes": 100_000, "memory_mb": 1}
assert dasan.solve_many(states, cluster="auto", **options) == dasan.solve_many(states, processes=1, **options)
assert ray.is_initialized(), "a connection that was open stays open"
print("equal", len(states))
"""


def test_many_over_ray() -> None:
    """In a process of its own: Ray leaves threads and sockets behind."""
    pytest.importorskip("ray", reason="Ray is not installed: `make cluster` installs it")
    # On a busy machine Ray has taken 300 s to start its processes.
    done = subprocess.run([sys.executable, "-c", OVER_RAY], capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    assert "equal " in done.stdout  # Ray may print before and after
