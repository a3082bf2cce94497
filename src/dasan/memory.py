"""The memory of this machine or container, and requests that it cannot hold."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from math import inf
from pathlib import Path

from dasan.arguments import quantity

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""The files in which Linux says how much memory a container has."""


@cache
def installed() -> float:
    """The memory of this machine or container, in bytes; infinite where the system does not say."""
    known = [inf]
    with suppress(AttributeError, OSError, ValueError):
        pages = os.sysconf("SC_PHYS_PAGES")
        if pages > 0:  # -1 is no number of pages
            known.append(pages * os.sysconf("SC_PAGE_SIZE"))
    for file in _LIMITS:
        with suppress(OSError, ValueError):  # "max" is no number
            known.append(int(Path(file).read_text(encoding="ascii")))
    return min(known)


def require_memory(needed: float, what: str) -> None:
    """MemoryError, in a sentence, if `what` takes more memory than there is: the system would end the program in the middle
    of its work. needed: its bytes, at least.
    """
    if needed > installed():
        least = f"{needed / 1e9:,.1f} GB" if needed < 10**15 else quantity(needed, "byte")
        sizes = f"they take {least} or more, and there are {installed() / 1e9:,.1f} GB"
        raise MemoryError(f"there is not enough memory for {what}: {sizes}")
