"""The data folder, locked for one server at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dasan.server.refusals import CannotServe

LOCK_FILE = "server.lock"


@contextmanager
def data_dir(path: Path) -> Iterator[None]:
    """Create the data directory if necessary, readable by its owner alone, and lock it.

    The operating system releases the lock when the server ends in any way. ``CannotServe``: the folder cannot be used,
    or another server has it.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise CannotServe(f"the data directory {path} cannot be used: {error.strerror}") from None
    try:
        _lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise CannotServe(
            f"another dasan server is running with the data directory {path}: stop it, or choose another --data-dir"
        ) from None
