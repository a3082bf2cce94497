"""Random ids of tables, players, events and stored hands."""

from __future__ import annotations

import secrets


def new_id(size: int = 9) -> str:
    """An unguessable id of `size` random bytes, safe in addresses and file names. It never begins with a hyphen, which command
    lines would read as an option.
    """
    made = secrets.token_urlsafe(size)
    return made if made[0] != "-" else new_id(size)
