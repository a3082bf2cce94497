"""Seeds for bots that draw random numbers: equal for equal views."""

from __future__ import annotations

import hashlib

from dasan.play.view import View


def moment(view: View, seed: int) -> str:
    """A text that identifies one decision of a hand, for one seed."""
    return f"{seed} {view.seat} {view.events[-1].seq if view.events else 0} {view.hand}"


def number(text: str) -> int:
    """A whole number below 2^64, equal for equal texts."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def seed_of(view: View, seed: int) -> int:
    """A seed for sampling worlds."""
    return number(moment(view, seed))
