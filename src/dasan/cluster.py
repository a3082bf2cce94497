"""Work spread over the machines of a Ray cluster (extra `cluster`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


def over_cluster(
    work: Callable[[In], Out], items: Sequence[In], address: str, memory_mb: float = 0
) -> Iterator[tuple[int, Out]]:
    """The place and `work` of each item, as they are done, one processor and `memory_mb` for each at a time.

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
        places = {remote.remote(item): place for place, item in enumerate(items)}
        waiting = list(places)
        while waiting:
            done, waiting = ray.wait(waiting, num_returns=1)
            for one in done:
                yield places.pop(one), ray.get(one)
    finally:
        if ours:
            ray.shutdown()


def _ray() -> Any:
    from importlib import import_module

    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("a cluster needs Ray: pip install 'dasan[cluster]'") from error
