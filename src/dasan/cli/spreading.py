"""Options of commands that run in parallel processes or on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import Annotated

import typer

from dasan.arguments import MOST_WORKERS
from dasan.cli.group import CannotRun, refused

_HERE = "Processes on this machine; default: one per core."
OnlyProcesses = Annotated[int | None, typer.Option(min=1, max=MOST_WORKERS, help=_HERE)]
"""Of a command that has no `--ray`."""
FewProcesses = Annotated[int, typer.Option(min=1, max=MOST_WORKERS, help="Processes on this machine.")]
"""Of a command whose processes each take hundreds of megabytes: the default is 1."""
Workers = Annotated[int | None, typer.Option("--workers", min=1, max=MOST_WORKERS, hidden=True)]
"""The name of `--processes` in version 0.1.0, in the commands `deals` and `puzzle`."""
Processes = Annotated[int | None, typer.Option(min=1, max=MOST_WORKERS, help=f"{_HERE} Not with --ray.")]
RayAddress = Annotated[
    str | None, typer.Option("--ray", metavar="ADDRESS", help="Run on this Ray cluster instead of this machine.")
]


def check_place(processes: int | None, ray: str | None) -> None:
    """Refuse `--processes` together with `--ray`, an empty address, and `--ray` if Ray is not installed."""
    from dasan.cluster import check_cluster

    if ray is None:
        return
    if processes is not None:
        raise CannotRun("--processes is for this machine and --ray for a cluster: give one of them")
    with refused(ValueError, ModuleNotFoundError):
        check_cluster(ray)


@contextmanager
def on_cluster(ray: str | None) -> Iterator[None]:
    """Connect to a cluster before any output, and redirect Ray's messages about its machines to standard error."""
    from dasan.cluster import ClusterError, connected

    if ray is None:
        yield
        return
    with redirect_stdout(sys.stderr), ExitStack() as stack:
        with refused(ClusterError):
            stack.enter_context(connected(ray))
        yield


@contextmanager
def failures_refused(work: str, why: str = "a bot ended it, or memory ran out") -> Iterator[None]:
    """Turn a process's death during `work`, or a cluster's failure, into a one-sentence error."""
    from concurrent.futures.process import BrokenProcessPool

    from dasan.cluster import ClusterError

    try:
        yield
    except BrokenProcessPool as error:
        raise CannotRun(f"a process died while {work}: {why}") from error
    except ClusterError as error:
        raise CannotRun(str(error)) from error
