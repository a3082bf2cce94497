"""Random ids of tables, players, events and stored hands."""

from __future__ import annotations

import secrets

GONE = "gone-"
"""What the ids begin with that stand in for those of deleted players."""


def new_id(size: int = 9) -> str:
    """An unguessable id of `size` random bytes, safe in addresses and file names. It never begins with a hyphen, which command
    lines would read as an option.
    """
    made = secrets.token_urlsafe(size)
    return made if made[0] != "-" else new_id(size)


def stranger() -> str:
    """A new id that stands in for that of a deleted player."""
    return f"{GONE}{secrets.token_urlsafe(9)}"


def is_stranger(player: str | None) -> bool:
    """Whether the id stands in for that of a deleted player."""
    return player is not None and player.startswith(GONE)
