"""A hand as text, for `render`."""

from __future__ import annotations

from dasan.play.state import State


def rendered(state: State, mode: str | None) -> str | None:
    """The state as text in the mode "ansi"; printed instead in the mode "human"."""
    if mode == "human":
        print(state)
    return str(state) if mode == "ansi" else None
