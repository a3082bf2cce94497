"""A hand as text, for `render`."""

from __future__ import annotations

from dasan.cards import format_cards
from dasan.play.state import State


def shown(state: State) -> str:
    """All hands, the play to beat and the seat to act, for people who inspect an agent's play."""
    lines = [f"{state.rules.name}, {state.phase.value}"]
    for seat, hand in enumerate(state.hands):
        marks = " bidder" * (seat == state.bidder) + " to act" * (seat == state.to_act)
        lines.append(f"  seat {seat}{marks}: {format_cards(hand)}")
    if state.table is not None:
        lines.append(f"  table: {format_cards(state.table.cards)} ({state.table.kind}, seat {state.table_seat})")
    if state.result is not None:
        lines.append(f"  payments: {' '.join(f'{n:+d}' for n in state.result.payments)}")
    return "\n".join(lines)


def rendered(state: State, mode: str | None) -> str | None:
    """`shown` in the mode "ansi"; printed instead in the mode "human"."""
    if mode == "human":
        print(shown(state))
    return shown(state) if mode == "ansi" else None
