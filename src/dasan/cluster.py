"""Run work items on the machines of a Ray cluster (extra `cluster`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import count, islice
from typing import Any, TypeVar

from dasan.arguments import instance

In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 4
"""Items that are queued or running for each processor of the cluster."""

CANCELS = 10
"""The most cancel requests for one task, one a second."""


class ClusterError(RuntimeError):
    """No connection to a cluster, or a machine of it failed. The message is one sentence."""


def check_cluster(address: str) -> None:
    """Check the arguments of `over_cluster` early. ValueError: the address is empty. TypeError: it is not text.
    ModuleNotFoundError: Ray is not installed.
    """
    if not instance(address, str, "a cluster has an address").strip():
        raise ValueError('a cluster has an address, such as "auto" for the one that this machine belongs to')
    _ray()


def over_cluster(
    work: Callable[[In], Out], items: Iterable[In], address: str, memory_mb: float = 0
) -> Iterator[tuple[int, Out]]:
    """Yield (index, `work(item)`) as items finish. Each item takes one processor and `memory_mb`.

    address: as `ray.init` takes it, "auto" for the cluster that this machine belongs to; a connection that is open
    already is used, whatever the address. The machines need the same version of dasan.

    ClusterError: no connection, or a machine failed, also where `work` raised. BrokenProcessPool: a process that `work` started
    has died. ModuleNotFoundError without Ray.
    """
    with connected(address) as ray:
        yield from _spread(ray, work, items, memory_mb)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Ray, connected to a cluster; a connection that is open already is used, whatever the address, and stays open.

    ClusterError: no connection. ModuleNotFoundError without Ray.
    """
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        try:
            ray.init(address=address, log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise ClusterError(f"no connection to the cluster {address}: {_first_line(error)}") from error
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()


def _spread(ray: Any, work: Callable[[In], Out], items: Iterable[In], memory_mb: float) -> Iterator[tuple[int, Out]]:
    """See `over_cluster`. Unfinished work is cancelled at the end, because the connection may stay open."""
    places: dict[Any, int] = {}
    try:

        def task(item: In) -> Out:
            return work(item)

        remote = ray.remote(num_cpus=1, memory=int(memory_mb * 2**20))(task)
        left, most, counted = enumerate(items), 0, 0
        for done in count():
            if done == counted:  # the cluster may have grown or shrunk
                most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 0)))
                counted = done + most
            places.update((remote.remote(item), place) for place, item in islice(left, max(0, most - len(places))))
            if not places:
                return
            [one], _ = ray.wait(list(places), num_returns=1)
            yield places.pop(one), ray.get(one)
    except ray.exceptions.RayTaskError as error:
        message = f"a machine of the cluster failed: {type(error.cause).__name__}: {_first_line(error.cause)}"
        raise (BrokenProcessPool if isinstance(error.cause, BrokenProcessPool) else ClusterError)(message) from error
    except ray.exceptions.RayError as error:
        raise ClusterError(f"the cluster failed: {type(error).__name__}: {_first_line(error)}") from error
    finally:
        _cancel(ray, list(places))


def _cancel(ray: Any, left: list[Any]) -> None:
    """Cancel tasks, with at most CANCELS requests each: a worker that has received a task but not started it may lose one
    (https://github.com/ray-project/ray/issues/24359).
    """
    with suppress(ray.exceptions.RayError, ConnectionError):  # without a connection the work ends too
        for _ in range(CANCELS):
            if not left:
                return
            for one in left:
                ray.cancel(one, force=True)
            _, left = ray.wait(left, num_returns=len(left), timeout=1, fetch_local=False)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "")


def _ray() -> Any:
    from importlib import import_module

    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("a cluster needs Ray: pip install 'dasan[cluster]'") from error
