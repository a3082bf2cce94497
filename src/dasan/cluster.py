"""Work spread over the machines of a Ray cluster (extra `cluster`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


def over_cluster(work: Callable[[In], Out], items: Sequence[In], address: str, memory_mb: float = 0) -> list[Out]:
    """`work` of each item, in their order, one processor and `memory_mb` for each at a time.

    address: as `ray.init` takes it, "auto" for the cluster that this machine belongs to; a connection that is open
    already is used, whatever the address. The machines need the same version of dasan. ModuleNotFoundError without Ray.
    """
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        ray.init(address=address, log_to_driver=False)
    try:

        def task(item: In) -> Out:
            return work(item)

        remote = ray.remote(num_cpus=1, memory=int(memory_mb * 2**20))(task)
        found: list[Out] = ray.get([remote.remote(item) for item in items])
        return found
    finally:
        if ours:
            ray.shutdown()


def _ray() -> Any:
    from importlib import import_module

    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("a cluster needs Ray: pip install 'dasan[cluster]'") from error
