"""Commands whose work is spread over processes of this machine, or over the machines of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import Annotated

import typer

from dasan.cli.group import CannotRun

Processes = Annotated[
    int | None, typer.Option(min=1, help="How many at once on this machine; default: one a core. Not with --ray.")
]
RayAddress = Annotated[
    str | None, typer.Option("--ray", metavar="ADDRESS", help="Play on this Ray cluster instead of this machine.")
]


def check_place(processes: int | None, ray: str | None) -> None:
    """Refuse `--processes` beside `--ray`, an empty address, and `--ray` without Ray."""
    from dasan.cluster import check_cluster

    if ray is None:
        return
    if processes is not None:
        raise CannotRun("--processes is for this machine and --ray for a cluster: give one of them")
    try:
        check_cluster(ray)
    except (ValueError, ModuleNotFoundError) as error:
        raise CannotRun(str(error)) from error


@contextmanager
def on_cluster(ray: str | None) -> Iterator[None]:
    """Connect to a cluster, before anything is written, and write to standard error what Ray prints about its machines."""
    from dasan.cluster import ClusterError, connected

    if ray is None:
        yield
        return
    with redirect_stdout(sys.stderr), ExitStack() as stack:
        try:
            stack.enter_context(connected(ray))
        except ClusterError as error:
            raise CannotRun(str(error)) from error
        yield


@contextmanager
def failures_refused(work: str, why: str = "a bot ended it, or there was not enough memory") -> Iterator[None]:
    """Make one sentence of a process that dies while it does `work`, and of a cluster that fails."""
    from concurrent.futures.process import BrokenProcessPool

    from dasan.cluster import ClusterError

    try:
        yield
    except BrokenProcessPool as error:
        raise CannotRun(f"a process died while {work}: {why}") from error
    except ClusterError as error:
        raise CannotRun(str(error)) from error
