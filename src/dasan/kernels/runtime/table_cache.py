"""Tables that take long to make, kept on disk: Big Two's have 20,000 rows."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from dasan.kernels.runtime.code_cache import root
from dasan.ruleset.rules import Rules

T = TypeVar("T")

WORTH = 0.1
"""Seconds of processor time: what takes less is made anew each time."""
KEPT = 12
"""How many tables are kept; when one is added, those used last stay."""


def load_or_make(rules: Rules, session: bool, make: Callable[[], T]) -> T:
    """What `make` makes of the arguments, which must not depend on anything else but the sources of this package."""
    path = root() / f"tables-{_digest(rules, session)}"
    try:
        made: T = pickle.loads(path.read_bytes())
        os.utime(path)
        return made
    except Exception:  # there is none, or none that can be read
        began = time.process_time()
        made = make()
        if time.process_time() - began > WORTH:
            _keep(path, made)
        return made


def _keep(path: Path, made: object) -> None:
    new = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(pickle.dumps(made))
        new.replace(path)
        listed = sorted(path.parent.glob("tables-*"), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in listed[KEPT:]:
            old.unlink(missing_ok=True)
    except OSError:  # the disk is full or not ours
        return


def _digest(rules: Rules, session: bool) -> str:
    return hashlib.sha256(f"{_sources()} {session} {rules!r}".encode()).hexdigest()[:32]


@cache
def _sources() -> str:
    """A digest of the whole engine and all kernels, and of the versions that write and read arrays."""
    package = Path(__file__).parents[2]
    seen = hashlib.sha256(f"{np.__version__} {sys.version}".encode())
    parts = (
        package.glob("*.py"),
        *((package / part).rglob("*.py") for part in ("ruleset", "games", "play", "features", "backends", "kernels")),
    )
    for source in sorted(path for part in parts for path in part):
        seen.update(source.read_bytes())
    return seen.hexdigest()
