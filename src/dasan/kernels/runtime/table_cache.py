"""An on-disk cache of kernel tables that take long to build, such as Big Two's 20,000 rows."""

from __future__ import annotations

import hashlib
import json
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

LEAST = 0.1
"""Seconds of processor time; tables that take less are not cached."""
MOST_TABLES = 24
"""Tables kept; the least recently used are removed."""


def load_or_make(rules: Rules, session: bool, make: Callable[[], T]) -> T:
    """Load the table of `rules` and `session`, or build it with `make` and cache it.

    `make` must depend only on these arguments and on the sources of this package.
    """
    path = root() / f"tables-{_digest(rules, session)}"
    try:
        made: T = pickle.loads(path.read_bytes())
        os.utime(path)
        return made
    except Exception:  # missing or unreadable
        began = time.process_time()
        made = make()
        if time.process_time() - began > LEAST:
            _keep(path, made)
        return made


def _keep(path: Path, made: object) -> None:
    new = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(pickle.dumps(made))
        new.replace(path)
        listed = sorted(path.parent.glob("tables-*"), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in listed[MOST_TABLES:]:
            old.unlink(missing_ok=True)
    except OSError:  # a full disk or a read-only folder
        return


def _digest(rules: Rules, session: bool) -> str:
    whole = json.dumps(rules.to_json())  # with the fields that the digest of the rules leaves out
    return hashlib.sha256(f"{_sources()} {session} {whole}".encode()).hexdigest()[:32]


@cache
def _sources() -> str:
    """A digest of the sources that tables depend on, and of the versions of NumPy and Python."""
    package = Path(__file__).parents[2]
    seen = hashlib.sha256(f"{np.__version__} {sys.version}".encode())
    parts = (
        package.glob("*.py"),
        *((package / part).rglob("*.py") for part in ("ruleset", "games", "play", "features", "backends", "kernels")),
    )
    for source in sorted(path for part in parts for path in part):
        seen.update(source.read_bytes())
    return seen.hexdigest()
